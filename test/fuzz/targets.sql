--
-- What is fuzzed: each target is a function of the bytes that libFuzzer, or a file of the corpus, has.
--
-- An error is an answer, too; `assert` says what must hold where there is none.  Read by test/fuzz/run and test/t/052_fuzz.pl.
--
set client_min_messages = error;
create extension hybridkg;
set hybridkg.progress = off;
create schema fuzz;

-- a graph of seven numbers and three relations, a model of it, and a training that was stopped
select hkg_create_graph('g');
select hkg_load('g', $$select 'n' || i, 'next', 'n' || i + 1 from generate_series(0, 5) i
	union all select 'n' || i + 1, 'b ack', 'n' || i from generate_series(0, 4) i
	union all select 'n' || i, 'twice', 'n' || 2 * i from generate_series(0, 3) i order by 1, 2, 3$$);
select hkg_load('g', $$values ('n6', 'b ack', 'n5')$$, 'valid');
select hkg_train('g', 'complex', 2, iterations => 1, epochs => 1, model => 'm', settings => '{"min_quality": 0, "evidence_length": 3}');
select hkg_train_background('g', 'distmult', 2, iterations => 10000, epochs => 1, model => 'cut', settings => '{"min_quality": 0}');
do $$
begin
	while (select count(*) < 3 from g.iteration where model = 'cut') loop
		perform pg_sleep(0.01);
	end loop;
	perform pg_cancel_backend(pid) from hkg_progress;
	while (select status = 'training' from g.model where name = 'cut') loop
		perform pg_sleep(0.01);
	end loop;
end
$$;
-- what a table's owner may do, so that damage gets past the tables
do $$
declare
	statement text;
begin
	for statement in select format('alter table %s drop constraint %I', conrelid::regclass, conname) from pg_constraint
			where connamespace = 'g'::regnamespace and (contype = 'f' and conrelid = 'g.rule'::regclass or contype = 'c') loop
		execute statement;
	end loop;
end
$$;
-- every byte but 0 is a character
create function fuzz.text_of(input bytea) returns text language sql as $$
	select convert_from(input, 'latin1')
$$;

-- the checksum of a chunk, as a training saves it
create function fuzz.checksum(part text, number int, data bytea) returns bigint language sql as $$
	select hash_record_extended(row(data), hashtextextended(part collate "C", number))
$$;
do $$
begin
	assert (select bool_and(checksum = fuzz.checksum(part, number, data)) from g.checkpoint), 'this is not the checksum';
	-- two more iterations end the training
	update g.checkpoint set data = convert_to((convert_from(data, 'utf8')::jsonb || jsonb_build_object('iterations',
		(select count(*) + 2 from g.iteration where model = 'cut')))::text, 'utf8')
	where part = 'settings';
	update g.checkpoint set checksum = fuzz.checksum(part, number, data);
end
$$;
create table fuzz.checkpoint as
	select *, row_number() over (order by part, number) - 1 as place from g.checkpoint where model = 'cut';

-- a rule's text: what was read is written so that it is read as the same rule, with the same counts
create function fuzz.rule(input bytea) returns void language plpgsql as $$
declare
	first record;
	again record;
begin
	select * into strict first from hkg_count_rules('g', array[fuzz.text_of(input)]);
	select * into strict again from hkg_count_rules('g', array[first.rule]);
	assert first = again, 'its own text is another rule';
end
$$;

-- files of rules
create function fuzz.hybridkg(input bytea) returns void language plpgsql as $$
begin
	perform hkg_import_rules('g', fuzz.text_of(input), 'new', 'hybridkg');
end
$$;
create function fuzz.amie(input bytea) returns void language plpgsql as $$
begin
	perform hkg_import_rules('g', fuzz.text_of(input), 'new', 'amie');
end
$$;
create function fuzz.anyburl(input bytea) returns void language plpgsql as $$
begin
	perform hkg_import_rules('g', fuzz.text_of(input), 'new', 'anyburl');
end
$$;

-- settings, by the first byte: of a model, how its rules count, or of a training that is resumed; the rest is an object whose
-- values replace those that were there
create function fuzz.settings(input bytea) returns void language plpgsql as $$
declare
	given jsonb := fuzz.text_of(substr(input, 2))::jsonb;
	old fuzz.checkpoint;
begin
	case get_byte(input, 0) % 3
		when 0 then
			update g.model set settings = settings || given where name = 'm';
			perform hkg_predict_tails('g', 'n1', 'next', 2, 'm');
			perform hkg_explain('g', 'n1', 'next', 'n2', 'm');
		when 1 then
			update g.model set evidence = evidence || given where name = 'm';
			perform hkg_predict_tails('g', 'n1', 'next', 2, 'm');
			perform hkg_explain('g', 'n1', 'next', 'n2', 'm');
		else
			select * into strict old from fuzz.checkpoint where part = 'settings';
			old.data := convert_to((convert_from(old.data, 'utf8')::jsonb || given)::text, 'utf8');
			delete from g.checkpoint where model = 'cut' and part <> 'settings';
			delete from g.checkpoint_inferred;
			delete from g.iteration;
			update g.checkpoint c set data = old.data, checksum = fuzz.checksum(old.part, old.number, old.data)
			where c.model = 'cut';
			perform hkg_resume('g', 'cut');
	end case;
end
$$;

-- a checkpoint: seven bytes say in which part, from which byte on, four others stand.  Its checksums are right: who may write
-- the table can compute them.
create function fuzz.damage(input bytea) returns void language plpgsql as $$
declare
	parts int := (select count(*) from fuzz.checkpoint);
	old fuzz.checkpoint;
	place int;
begin
	for i in 0 .. length(input) / 7 - 1 loop
		select part, number into strict old.part, old.number from fuzz.checkpoint c where c.place = get_byte(input, 7 * i) % parts;
		select data into strict old.data from g.checkpoint where (model, part, number) = ('cut', old.part, old.number);
		place := (256 * get_byte(input, 7 * i + 1) + get_byte(input, 7 * i + 2)) % (length(old.data) + 1);
		update g.checkpoint set data = overlay(old.data placing substr(input, 7 * i + 4, 4) from place + 1)
		where (model, part, number) = ('cut', old.part, old.number);
	end loop;
	update g.checkpoint set checksum = fuzz.checksum(part, number, data) where model = 'cut';
end
$$;
create function fuzz.checkpoint(input bytea) returns void language plpgsql as $$
begin
	perform fuzz.damage(input);
	perform hkg_resume('g', 'cut');
	perform hkg_predict_tails('g', 'n1', 'next', 2, 'cut');
end
$$;

-- a row of table rule: head, atoms, numbers of an atom; then the numbers, of which some bytes are far ones
create function fuzz.number(byte int) returns text language sql as $$
	select case byte when 126 then 'null' when 127 then '2147483647' when 128 then '-2147483648'
		else (byte - case when byte > 127 then 256 else 0 end)::text end
$$;
create function fuzz.row(input bytea) returns void language plpgsql as $$
declare
	atoms int := get_byte(input, 1) % 8;
	numbers int := get_byte(input, 2) % 5;
	damaged int[] := (select '{' || string_agg('{' || atom || '}', ',') || '}' from (
		select string_agg(fuzz.number(get_byte(input, (3 + i) % length(input))), ',' order by i)
		from generate_series(0, atoms * numbers - 1) i group by i / greatest(numbers, 1)) a (atom));
begin
	update g.rule set head = fuzz.number(get_byte(input, 0))::int, body = coalesce(damaged, '{}'), selected = true,
		evidence_confidence = 0.5
	where model = 'm' and id = 1;
	perform hkg_predict_tails('g', 'n1', 'next', 2, 'm', true);
	perform hkg_explain('g', 'n1', 'next', 'n2', 'm');
	if length(input) % 16 = 0 then	-- a hundred times as slow as the others
		perform hkg_train('g', 'distmult', 1, iterations => 1, epochs => 1, evidence_rules => 0, model => 'new', settings => '{"rules_of": "m"}');
	end if;
end
$$;

-- documents of RDF, where the extension is installed; the first byte is the format, and whether errors are skipped
do $$
begin
	if exists (select from pg_available_extensions where name = 'hybridkg_rdf') then
		create extension hybridkg_rdf;
	end if;
end
$$;
create function fuzz.rdf(input bytea) returns void language plpgsql as $$
begin
	perform hkg_parse_rdf(substr(input, 2), (array['turtle', 'ntriples', 'nquads', 'trig'])[1 + get_byte(input, 0) % 4], 'urn:a:b',
		on_error => case when get_byte(input, 0) / 4 % 2 = 0 then 'stop' else 'skip' end);
end
$$;

-- rows for hkg_import_embeddings: the first byte is the score function, a line is a name and an array, "n1 {1,2}"; relations'
-- are after an empty line
create function fuzz.lines(part int) returns table (name text, embedding real[]) language sql stable as $$
	select split_part(line, ' ', 1), split_part(line, ' ', 2)::real[] from string_to_table(split_part(current_setting('fuzz.text'), e'\n\n', part), e'\n') line
$$;
create function fuzz.embeddings(input bytea) returns void language plpgsql as $$
begin
	perform set_config('fuzz.text', fuzz.text_of(substr(input, 2)), true);
	perform hkg_import_embeddings('g', 'select * from fuzz.lines(1)', 'select * from fuzz.lines(2)',
		(array['transe', 'distmult', 'complex', 'rotate', 'rescal'])[1 + get_byte(input, 0) % 5], 'new');
	perform hkg_predict_tails('g', 'n1', 'next', 2, 'new');
end
$$;
