/* sql/hybridkg--0.1.0--0.2.0.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION hybridkg UPDATE" to load this file. \quit

create procedure hkg_layout_2()
language plpgsql
as $$
begin
	comment on table holdout is 'facts held out: valid chooses the best iteration and calibrates probabilities, test measures; no training learns from them';

	delete from checkpoint;
	delete from checkpoint_inferred;
	alter table checkpoint add column checksum bigint not null;
	comment on column checkpoint.checksum is 'of the piece, its part and its number: whether it is what was saved';
end
$$;
comment on procedure hkg_layout_2() is 'the tables of 0.2.0; for hkg_upgrade_graph';

create or replace function hkg_tune(graph name, grid jsonb, fixed jsonb default '{}', trials int default null,
	seed bigint default 0, model name default 'default')
returns table (trial int, arguments jsonb, status text, mrr float8, hits_1 float8, hits_3 float8, hits_10 float8,
	best_iteration int, seconds float8, error text)
language plpgsql volatile parallel unsafe cost 1000000 rows 100
set search_path = pg_catalog, pg_temp
as $$
declare
	known constant text[] := array(select a from pg_proc, unnest(proargnames[1 : pronargs]) a
		where oid = '@extschema@.hkg_train'::regproc and a not in ('graph', 'model', 'warm_start'));
	points jsonb[] := array[jsonb_build_object('seed', seed) || fixed];
	calls text[];		-- their arguments as SQL
	names text[];		-- and their models
	tried text[] := '{}';
	call text;
	place int;
	worker int;
	waits_for text;
	done bool;
	part record;
	best record;
	latest record;
begin
	for part in select * from (values ('graph', graph is null), ('grid', grid is null), ('fixed', fixed is null),
			('seed', seed is null), ('model', model is null)) v (argument, missing) where missing loop
		raise exception using errcode = 'null_value_not_allowed', message = format('%s must not be null', part.argument);
	end loop;
	if jsonb_typeof(grid) <> 'object' or jsonb_typeof(fixed) <> 'object' then
		raise exception using errcode = 'invalid_parameter_value',
			message = format('grid and fixed must be objects, not %s and %s', jsonb_typeof(grid), jsonb_typeof(fixed)),
			hint = 'A grid has a list for each argument, {"dimensions": [100, 200]}; fixed has a value, {"epochs": 50}.';
	end if;
	for part in select key, grid ? key and fixed ? key as twice from jsonb_object_keys(grid || fixed) key loop
		if part.key <> all (known) then
			raise exception using errcode = 'invalid_parameter_value',
				message = format('"%s" is not an argument that can be tuned', part.key),
				hint = format('Known are: %s.', array_to_string(known, ', '));
		elsif part.twice then
			raise exception using errcode = 'invalid_parameter_value',
				message = format('"%s" is both in grid and in fixed', part.key);
		elsif grid ? part.key and part.key = any ('{evidence_rules,evidence_length,evidence_seconds,holdout}') then
			raise exception using errcode = 'invalid_parameter_value',
				message = format('"%s" cannot be in the grid', part.key),
				detail = 'They are compared on the valid split by what the embedding alone scores.',
				hint = 'What all trials share goes to fixed.';
		end if;
	end loop;
	for part in select key, value from jsonb_each(grid) loop
		if jsonb_typeof(part.value) <> 'array' or part.value = '[]' then
			raise exception using errcode = 'invalid_parameter_value',
				message = format('grid must have a list of values for "%s", not %s', part.key, part.value),
				hint = 'What all trials share goes to fixed.';
		elsif cardinality(points)::bigint * jsonb_array_length(part.value) > 100000 then
			raise exception using errcode = 'program_limit_exceeded', message = 'the grid has more than 100000 points';
		end if;
		points := array(select p || jsonb_build_object(part.key, v)
			from unnest(points) with ordinality u (p, i), jsonb_array_elements(part.value) with ordinality w (v, j) order by i, j);
	end loop;
	points := array(select p from unnest(points) with ordinality u (p, i) group by p order by min(i));
	for part in select distinct key, value #>> '{}' as value, format_type(type, null) as type
			from unnest(points) p, jsonb_each(p), pg_proc, unnest(proargnames[1 : pronargs], proargtypes::oid[]) a (name, type)
			where oid = '@extschema@.hkg_train'::regproc and a.name = key loop
		begin
			execute format('select %L::%s', part.value, part.type);
		exception when data_exception then
			raise exception using errcode = sqlstate, message = format('"%s" must be of type %s, not "%s"', part.key, part.type, left(part.value, 100));
		end;
	end loop;
	if trials < 1 then
		raise exception using errcode = 'invalid_parameter_value', message = format('trials must be at least 1, not %s', trials);
	elsif trials < cardinality(points) then
		points := array(select p from unnest(points) p order by md5(concat_ws(' ', seed, p)) limit trials);
	end if;
	if current_setting('transaction_isolation') <> 'read committed' then
		raise exception using errcode = 'active_sql_transaction',
			message = format('trials are not seen at isolation level %s', current_setting('transaction_isolation')),
			detail = 'They are trained in the background and committed one by one.', hint = 'Use read committed.';
	end if;

	-- a preset's settings one by one: hkg_train itself would take them for arguments that are given with their default value, too
	calls := array(select (select string_agg(format('%I => %L', key, value #>> '{}'), ', ')
			from jsonb_each(coalesce((select settings || case when p ? 'learning_rate' then jsonb_build_object('learning_rate_end',
					(settings->>'learning_rate_end')::float8 * (p->>'learning_rate')::float8 / (settings->>'learning_rate')::float8)
					else '{}' end || (p - 'preset') from @extschema@.hkg_presets() where preset = p->>'preset'), p)))
		from unnest(points) with ordinality u (p, i) order by i);
	-- hkg_train's own checks of every trial, before one is trained
	foreach call in array calls loop
		execute format('select from @extschema@.hkg_estimate(%L, model => %L, %s)', graph, model, call);
	end loop;
	execute format('select exists (select from %I.holdout where split = ''valid'')', graph) into done;
	if not done then
		raise exception using errcode = 'object_not_in_prerequisite_state',
			message = format('graph "%s" has no valid split', graph), detail = 'Trials are compared on it.',
			hint = 'Load one with hkg_load(graph, query, ''valid'').';
	elsif exists (select from @extschema@.hkg_trainings() t where t.graph = hkg_tune.graph and t.model = hkg_tune.model) then
		raise exception using errcode = 'object_in_use', message = format('model "%s" is being trained', model);
	end if;
	begin
		execute format('lock table only %I.trial in share row exclusive mode nowait', graph);
	exception when lock_not_available then
		raise exception using errcode = 'object_in_use',
			message = format('graph "%s" is being searched by another session', graph), hint = 'Wait for it to end.';
	end;
	execute format($sql$ select array_agg('trial ' || md5(concat_ws(' ', p, current_setting('hybridkg.precision'),
				(select sum(hash_record_extended(t, 0)) from %1$I.triple t),
				(select sum(hash_record_extended(h, 0)) from %1$I.holdout h where split = 'valid'))) order by i)
			from unnest($1) with ordinality u (p, i) $sql$, graph)
		into names using points;

	loop
		execute format('select * from %I.trial where model = any ($1) and status = ''done'' order by mrr desc, id limit 1', graph)
			into best using names;
		execute format($sql$ select i from unnest($1) with ordinality u (n, i)
				where n <> all ($2) and n not in (select model from %I.trial where status = 'done') order by i limit 1 $sql$, graph)
			into place using names, tried;
		if place is null then
			-- all were tried; the best one may have lost its model to a search that knew a better one
			execute format('select exists (select from %I.model where trained_at = $1 and name in ($2, $3))', graph)
				into done using best.trained_at, best.model, model;
			exit when done or best.id is null or best.model = any (tried);
			place := array_position(names, best.model);
		end if;
		tried := tried || names[place];

		execute format('select exists (select from %I.model where name = $1 and status = ''ready'')', graph) into done using names[place];
		if not done then
			worker := null;
			begin
				execute format('select @extschema@.hkg_train_background(%L, model => %L, %s)', graph, names[place], calls[place])
					into worker;
				loop
					perform pg_stat_clear_snapshot();
					exit when not exists (select from pg_stat_get_activity(worker));
					if pg_backend_pid() = any (pg_blocking_pids(worker)) then
						select coalesce(min(relation::regclass::text), min(locktype)) into waits_for from pg_locks where pid = worker and not granted;
						raise exception using errcode = 'lock_not_available',
							message = format('the training of a trial waits for a lock that this transaction holds on %s', waits_for),
							hint = 'Call hkg_tune in a transaction of its own.';
					end if;
					perform pg_sleep(0.1);
				end loop;
			exception when query_canceled or lock_not_available then
				perform pg_cancel_backend(worker);
				raise;
			end;
		end if;
		execute format($sql$ insert into %1$I.trial (model, arguments, status, mrr, hits_1, hits_3, hits_10, best_iteration, seconds, error, trained_at)
				select m.name, $2, case m.status when 'ready' then 'done' when 'cancelled' then m.status else 'failed' end,
					m.mrr, m.hits_1, m.hits_3, m.hits_10, m.best_iteration,
					(select coalesce(sum(train_seconds + mine_seconds + sample_seconds + evaluate_seconds), 0)
						from %1$I.iteration i where i.model = m.name),
					case when m.status like 'failed: %%' then substr(m.status, 9)
						when m.status = 'training' then 'its process ended early' end,
					m.trained_at
				from %1$I.model m where m.name = $1
				on conflict (model) do update set status = excluded.status, mrr = excluded.mrr, hits_1 = excluded.hits_1,
					hits_3 = excluded.hits_3, hits_10 = excluded.hits_10, best_iteration = excluded.best_iteration,
					seconds = excluded.seconds, error = excluded.error, trained_at = excluded.trained_at
				returning * $sql$, graph)
			into latest using names[place], points[place];
		-- of the models tried the best stays
		execute format($sql$ delete from %1$I.model where name = any ($2) and name <>
				(select model from %1$I.trial where model = any ($1) and status = 'done' order by mrr desc, id limit 1) $sql$, graph)
			using names, tried;
		if current_setting('hybridkg.progress') <> 'off' then
			raise notice 'trial % of %: %, %', cardinality(tried), cardinality(names), points[place],
				case latest.status when 'done' then format('MRR %s after %s s', round(latest.mrr::numeric, 4), round(latest.seconds::numeric, 1))
				else concat_ws(': ', latest.status, latest.error) end;
		end if;
	end loop;

	execute format('select exists (select from %I.model where name = $1)', graph) into done using best.model;
	if done then
		execute format('delete from %I.model where name = $1', graph) using model;
		execute format('update %I.model set name = $1, settings = settings || jsonb_build_object(''model'', $1, ''preset'', $3) where name = $2', graph)
			using model, best.model, best.arguments->'preset';
	end if;
	return query execute format($sql$ select id, arguments, status, mrr, hits_1, hits_3, hits_10, best_iteration, seconds, error
		from %I.trial where model = any ($1) order by mrr desc nulls last, id $sql$, graph) using names;
end
$$;
comment on function hkg_tune(name, jsonb, jsonb, int, bigint, name) is
'trains with every combination of some arguments of hkg_train and keeps the model that is best on the valid split; returns the trials, best first, as table trial of the graph has them
Each trial is a background training, which commits (hkg_progress shows it): a search that was stopped continues when it is called again, and no trial is repeated with the same arguments, facts and valid split. Until then a model named trial ... is kept of each.
graph: an existing graph with a valid split, committed
grid: an object with a list of values for each argument to tune, {"dimensions": [100, 200], "regularization": [0.01, 0.05]}; not those of evidence, because trials are compared by the embedding alone; not warm_start
fixed: an object of arguments that all trials share; others have their defaults, or the values of a preset in it or in the grid
trials: the number of points of the grid, drawn at random; null: all
seed: draws them, and seeds the trainings, unless grid or fixed has a seed
model: the name of the best model; a model of that name is replaced when the transaction commits
errors: before anything is trained, 22023 for arguments that hkg_train would refuse, 55000 without a valid split, 55006 when the model is being trained or another search of the graph is under way, 53000 when no background worker is free; 55P03 when a training waits for a lock that the caller''s transaction holds; a trial that fails later is a row with its error';
