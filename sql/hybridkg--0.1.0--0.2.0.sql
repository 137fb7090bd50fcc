/* sql/hybridkg--0.1.0--0.2.0.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION hybridkg UPDATE" to load this file. \quit

-- what has other arguments or results now

drop view hkg_progress;
drop function hkg_drop_graph(name);
drop function hkg_load(name, text, text);
drop function hkg_train(name, text, int, int, int, int, int, text, text, text, float8, float8, int, float8, float8, int, float8, bigint, int, float8, int, bool, int, bigint, name, float8, text, bool, int, float8, bool, text, text, bool, name, float8, int, int, float8, float8, float8);
drop function hkg_trainings();
drop function hkg_predict_tails(name, text, text, int, name, bool, text);
drop function hkg_predict_heads(name, text, text, int, name, bool, text);
drop function hkg_learn_evidence(name, name);
drop function hkg_complete(name, text, int, float8, name, text);
drop function hkg_import_rules(name, text, text, name);
drop function hkg_apply_rule(name, text);
drop function hkg_evaluate(name, text, name, bigint, text);
drop function hkg_train_background(name, text, int, int, int, int, int, text, text, text, float8, float8, int, float8, float8, int, float8, bigint, int, float8, int, bool, int, bigint, name, float8, text, bool, int, float8, bool, text, text, bool, name, float8, int, int, float8, float8, float8);
drop function hkg_estimate(name, text, int, int, int, int, int, text, text, text, float8, float8, int, float8, float8, int, float8, bigint, int, float8, int, bool, int, bigint, name, float8, text, bool, int, float8, bool, text, text, bool, name, float8, int, int, float8, float8, float8);

-- what users do not call

alter procedure hkg_layout_1() rename to _hkg_layout_1;
alter function hkg_estimate_k(internal) rename to _hkg_estimate_k;

-- and what is new

create procedure _hkg_layout_2()
language plpgsql
as $$
declare
	made text;
	grantee text;
	granted text;
begin
	-- who writes facts has committed: what the function of 0.1.0 sends, shared copies of this version do not note
	lock table triple in share mode;

	comment on table holdout is 'facts held out: valid chooses the best iteration and calibrates probabilities, test measures; no training learns from them';

	delete from checkpoint;
	delete from checkpoint_inferred;
	alter table checkpoint add column checksum bigint not null;
	comment on column checkpoint.checksum is 'of the piece, its part and its number: whether it is what was saved';

	alter table iteration add column ranked bigint;
	alter table iteration add column mrr_error float8;
	comment on column iteration.ranked is 'triples of the valid split that were ranked; null in rows of 0.1.0';
	comment on column iteration.mrr_error is 'standard error of mrr, where the metrics are estimates from a sample of the split; else null';

	-- a query of its own
	create table source (
		id int primary key default 1 check (id = 1),
		query text not null
	);
	comment on table source is 'the query that hkg_sync brings the graph in step with, in its only row';
	comment on column source.id is '1';
	comment on column source.query is 'it returns head, relation and tail; hkg_set_source wrote it';

	-- for the foreign keys, when an entity is deleted
	create index holdout_head_idx on holdout (head);
	create index holdout_tail_idx on holdout (tail);
	create index entity_embedding_entity_idx on entity_embedding (entity);
	create index inferred_head_idx on inferred (head);
	create index inferred_tail_idx on inferred (tail);

	alter table rule add evidence_known_heads bigint, add evidence_known_tails bigint, add worth float8;
	comment on column rule.evidence_known_heads is 'of the evidence_body_size pairs, those whose Y is tail of a fact of the head''s relation, estimated where they are many; null in rows of 0.1.0, as if it were all';
	comment on column rule.evidence_known_tails is 'likewise, those whose X is head of one';
	comment on column rule.worth is 'what the rule is worth in learning embeddings, by hybrid of hkg_train: its quality (sampled), rule_weight * pca_confidence (ruge), its score as an axiom (itere) or its weight in the Markov logic network (plogicnet), in the best iteration; null: it has no part in that';
	comment on column rule.evidence_confidence is 'what prediction takes the rule to be worth: evidence_support / (evidence_body_size + 5) - evidence_error; where these are null, of a selected rule, support / (body_size + 5), a tenth of that with a variable in one atom only, a hundredth with an empty body; null: the rule is no evidence';
	alter table evidence_weight add held_out float8, add calibration jsonb;
	comment on table evidence_weight is 'how evidence adds to a score, scale * (embedding''s score + weight * evidence), and how scores become probabilities';
	comment on column evidence_weight.held_out is 'the share of the relation''s known facts that was held out, drawn towards that of all relations as if by ten more held-out facts';
	comment on column evidence_weight.calibration is 'for evidence embedding, rules, paths and both, as far as the model has them: with x = slope * score + best * (the question''s best score) + last * (its tenth, 0 where fewer are shown) + intercept + (unanswered where the question has no known answer, else answers * log(1 + known answers)), T = 1 / (1 + exp(-x)) is the probability to be true, held out or missing, where evidence of table model has a fitted_missing m above 0, else to be held out; where it has choice, answers exclude each other: log(sum of exp(choice * score)) of the ten best stands in place of the score, and a candidate has its share of the result, of which a part odd is even; most: no probability is above; most_odds: there are no more missing facts for each one that is held out; null: that of column evidence of table model';
	comment on table threshold is 'the thresholds of hkg_classify: learnt from false triples that were given, or of a model without learnt probabilities; else it goes by these';
	alter table evidence_weight add closed_world float8;
	comment on column evidence_weight.closed_world is 'what counts as false where the given entity of a question has no fact of the relation: with u the share of such pairs in the body of a rule, the rule is worth its evidence_confidence / (1 - (1 - closed_world) * u); 1: all of them (standard confidence), 0: none (PCA confidence); null in rows of 0.1.0, as 1';

	alter table model add paths jsonb;
	comment on column model.paths is 'the shape of the network that reads paths, see table path_network: layers, width and kept, as arguments path_layers, path_width and path_kept of hkg_train; null: the model has none';
	create table path_network (
		model text collate "C" not null references model on delete cascade on update cascade,
		layer int not null,
		part text not null,
		relation int references relation on delete cascade,
		inverse boolean,
		numbers real[] not null
	);
	create unique index path_network_key on path_network (model, layer, part, coalesce(relation, -1), coalesce(inverse, false));
	create index path_network_relation_idx on path_network (relation);
	comment on table path_network is 'the parameters of the network that reads the paths from an entity, a part at a time; doc/method.md, "Learnt paths", defines them';
	comment on column path_network.model is 'model.name';
	comment on column path_network.layer is '1 first; 0: of no layer';
	comment on column path_network.part is 'start: the state of the given entity by what is asked; readout: the score of a state, and an offset behind it; scale, shift: u and v of a message by atom; attend_atom, attend_asked, attend_state, attend: c, d, W transposed, and w with b, of attention; map: A and B transposed and side by side, a row for each number of M; level, bias: of both likewise; keep: C transposed; priority: pi with its offset';
	comment on column path_network.relation is 'relation.id of the atom; null: of the atom that leads from an entity to itself, or of no atom';
	comment on column path_network.inverse is 'whether the atom is read backwards; null where it has no relation';
	comment on column path_network.numbers is 'the numbers of one row of the part';
	create trigger inserted after insert on path_network referencing new table as changed
		for each statement execute function model_changed();
	create trigger updated after update on path_network referencing new table as changed old table as changed_from
		for each statement execute function model_changed();
	create trigger deleted after delete on path_network referencing old table as changed
		for each statement execute function model_changed();
	create trigger truncated after truncate on path_network
		for each statement execute function model_changed();

	comment on column entity_embedding.embedding is 'd numbers; complex and rotate: d real parts, then d imaginary parts; conve: d numbers and a bias';
	create table shared_weight (
		model text collate "C" not null references model on update cascade on delete cascade,
		number int not null,
		weights real[] not null,
		primary key (model, number)
	);
	alter table shared_weight alter column weights set storage external;
	comment on table shared_weight is 'the weights of the network that makes queries, of models with the score function conve; doc/method.md, "A convolutional network", defines them';
	comment on column shared_weight.model is 'model.name';
	comment on column shared_weight.number is '1 first: the rows of the matrix W2, then all other weights one after the other';
	comment on column shared_weight.weights is 'd numbers';
	create trigger inserted after insert on shared_weight referencing new table as changed
		for each statement execute function model_changed();
	create trigger updated after update on shared_weight referencing new table as changed old table as changed_from
		for each statement execute function model_changed();
	create trigger deleted after delete on shared_weight referencing old table as changed
		for each statement execute function model_changed();
	create trigger truncated after truncate on shared_weight
		for each statement execute function model_changed();

	create table path_epoch (
		model text collate "C" not null references model on update cascade on delete cascade,
		number int not null,
		loss float8 not null,
		mrr float8,
		hits_1 float8,
		hits_3 float8,
		hits_10 float8,
		ranked bigint,
		mrr_error float8,
		train_seconds float8 not null,
		evaluate_seconds float8 not null,
		primary key (model, number)
	);
	comment on table path_epoch is 'the learning curve of the path network of the latest training: a row for each epoch';
	comment on column path_epoch.model is 'model.name';
	comment on column path_epoch.number is '1 first';
	comment on column path_epoch.loss is 'mean loss of a question';
	comment on column path_epoch.mrr is 'filtered, by the network alone, on triples of the valid split or of the facts held out in its place; null where there are none';
	comment on column path_epoch.hits_1 is 'filtered Hits@1, likewise';
	comment on column path_epoch.hits_3 is 'filtered Hits@3, likewise';
	comment on column path_epoch.hits_10 is 'filtered Hits@10, likewise';
	comment on column path_epoch.ranked is 'triples that were ranked: 200 at most';
	comment on column path_epoch.mrr_error is 'standard error of mrr, where not all triples were ranked; else null';
	comment on column path_epoch.train_seconds is 'time for questions';
	comment on column path_epoch.evaluate_seconds is 'time for metrics';

	-- a path network beside rules
	alter table evidence_weight add paths float8;
	comment on column evidence_weight.paths is 'what the score of the path network counts as evidence, which is that of rules + paths * the score; null where the model had no network when weights were learnt, as the usual 0.7';
	alter table threshold drop constraint threshold_evidence_check,
		add constraint threshold_evidence_check check (evidence in ('embedding', 'rules', 'paths', 'both'));
	comment on column threshold.evidence is 'the scores it is for: embedding, rules, paths or both, as the argument of hkg_classify';

	comment on column model.evidence is 'how evidence counts at prediction; null: not at all, or a path network alone, with the usual weights. discount: the weight of each further rule that infers the same candidate, 0 (only the best rule counts) to 1 (noisy-or), for rules alone (null: rules are no evidence) and for rules beside the embedding; calibration: that of all relations together, see evidence_weight.calibration; error: the expected calibration error of the ten best answers, 0 to 1; held_out: the share of the known facts that was held out; fitted_missing: the assume_missing that probabilities were fitted with, 0 where they are the chances to be held out; assume_missing: the share of all true facts that the graph is assumed to lack, argument assume_missing of hkg_train';

	-- who may read or write what a new table is like may do so with it, too; the query of its own is the owner's to write
	for made, grantee, granted in select n.made, case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end, a.privilege_type
			from (values ('source', 'triple'), ('path_network', 'relation_embedding'), ('shared_weight', 'relation_embedding'),
				('path_epoch', 'iteration')) n (made, alike),
				pg_class c, aclexplode(c.relacl) a
			where c.oid = n.alike::regclass and a.grantee <> c.relowner
				and (a.privilege_type = 'SELECT' or a.privilege_type in ('INSERT', 'UPDATE', 'DELETE') and n.made <> 'source')
			order by 1, 2 loop
		execute format('grant %s on %I to %s', granted, made, grantee);
	end loop;
end
$$;
comment on procedure _hkg_layout_2() is 'the tables of 0.2.0; for hkg_upgrade_graph';
create or replace function hkg_create_graph(graph name) returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
as $$
begin
	if graph is null then
		raise exception using errcode = 'null_value_not_allowed', message = 'graph must not be null';
	elsif graph in ('', '$user') then	-- search_path takes the latter for whoever looks
		raise exception using errcode = 'reserved_name', message = format('a graph cannot be named "%s"', graph),
			hint = 'A graph is a schema of its own. Choose another name.';
	end if;
	begin
		if exists (select from pg_namespace where nspname = graph) then	-- also of the server's own, whose names it reserves
			raise duplicate_schema;
		end if;
		execute format('create schema %I', graph);
	exception when duplicate_schema or unique_violation then	-- the latter beside another session
		raise exception using errcode = 'duplicate_schema',
			message = format('schema "%s" already exists', graph),
			hint = 'A graph is a schema of its own. Choose another name, or remove the schema first.';
	end;
	execute format('comment on schema %I is %L', graph, 'a knowledge graph of hybridkg');
	execute format('create view %I.layout as select 0 as version', graph);
	execute format('comment on view %I.layout is %L', graph, 'the version of these tables, which every function checks; see hkg_upgrade_graph');
	execute format('comment on column %I.layout.version is %L', graph, '1 first');
	execute format('grant select on %I.layout to public', graph);
	perform @extschema@.hkg_upgrade_graph(graph);
end
$$;
comment on function hkg_create_graph(name) is
'makes an empty graph: a schema of that name, owned by the caller
graph: the name of the new schema
errors: 42P06 when a schema of that name exists, 42939 for a name that no schema can have';

create or replace function pg_catalog.hkg_facts_changed(facts regclass) returns void
as 'MODULE_PATHNAME', 'hkg_facts_written' language c volatile strict parallel unsafe;
comment on function pg_catalog.hkg_facts_changed(regclass) is
'has every session read the facts of a graph again when this transaction commits; triggers on the table triple call it
facts: the table, which this transaction writes
errors: 55000 when it does not';

create function hkg_drop_graph(graph name, cascade boolean default false) returns void
as 'MODULE_PATHNAME' language c volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set client_min_messages = warning;
comment on function hkg_drop_graph(name, boolean) is
'removes a graph with all its models: drops its schema with everything in it
graph: an existing graph
cascade: whether views, foreign keys and the like of other schemas that depend on the graph are dropped, too
errors: 2BP01, with a list, when there are such and cascade is false, 3F000 when there is no such schema, 42809 when it is not a graph, 42501 for anyone but the owner';

create function hkg_load(graph name, query text, split text default 'train',
	out triples bigint, out duplicates bigint, out entities bigint, out relations bigint, out held_out bigint)
returns record
as 'MODULE_PATHNAME' language c volatile parallel unsafe;
comment on function hkg_load(name, text, text) is
'adds the facts that a query returns, with their entities and relations
Loads, syncs and splits of one graph wait for each other. The first load of 10,000 facts or more locks the empty table until its transaction ends, and builds the indexes after the rows.
graph: an existing graph
query: one SELECT whose first three columns are head, relation and tail, of any type; it runs with the caller''s rights and search_path
split: train (facts to learn from), valid or test (facts held out)
triples, entities, relations: how many were added
duplicates: rows that were facts already or came twice
held_out: facts that are held out, and were left out of train
errors: 22004 or 22023 for a null or empty name, with its row, 42601 for fewer than three columns, 0A000 for a query that writes, 54000 for a name of more than some 2,700 bytes, 53200 above hybridkg.max_memory, 42501 without select on entity, relation and holdout and insert on the table of facts, 23503 when somebody deletes an entity meanwhile, 27000 when a trigger leaves out names, 55000 when the graph was renamed meanwhile';

create function hkg_sync(graph name, query text default null, prune bool default false, allow_empty bool default false,
	out added bigint, out deleted bigint, out unchanged bigint, out held_out bigint, out entities bigint,
	out relations bigint, out pruned bigint)
returns record
as 'MODULE_PATHNAME' language c volatile parallel unsafe;
comment on function hkg_sync(name, text, bool, bool) is
'brings a graph in step with your tables: its facts become what a query returns, those that are held out excepted
New facts are added, and facts that are gone deleted, each as a set, in the caller''s transaction: an error changes nothing. A held-out fact stays held out; one that is among the facts, too, is taken from these. Models stay as they are, and predict from the new facts. Syncs, loads and splits of one graph wait for each other; the query runs afterwards, on what is committed by then.
graph: an existing graph
query: one SELECT whose first three columns are head, relation and tail, as in hkg_load; null: the graph''s source, see hkg_set_source. It runs with the caller''s rights and search_path
prune: whether held-out facts that the query does not return are deleted, too, and then all entities without facts, with their embeddings; not while a model of the graph is being trained
allow_empty: whether a query without rows is meant, and deletes all facts
added, deleted: facts
unchanged: facts that the query returns, and that were there
held_out: facts that the query returns, and that are held out
entities, relations: names that were added. Those that lost all facts stay, with their embeddings, unless pruned
pruned: entities that were deleted
Where row security hides facts from the caller, they stay.
errors: those of hkg_load; P0002 when the query returns no rows, 55000 without a query and a source, or when prune would delete all held-out facts, 55006 for prune during a training, 27000 when a policy or a trigger keeps facts from being deleted or inserted, 42501 without select on entity, relation, holdout and source and select, insert and delete on triple; for prune also without delete on holdout and entity';

create function hkg_set_source(graph name, query text) returns void
as 'MODULE_PATHNAME' language c volatile parallel unsafe;
comment on function hkg_set_source(name, text) is
'keeps a query with a graph, as the one that hkg_sync(graph) brings it in step with
It is checked, but not run. Whoever calls hkg_sync(graph) runs it with their own rights and search_path, as they would a view''s functions: call it for graphs of owners that you trust.
graph: an existing graph
query: one SELECT whose first three columns are head, relation and tail; null: the graph has no source any more
errors: 42601 when the query has fewer than three columns or is no query, 0A000 when it writes, 42501 without select, insert, update and delete on table source';

create function hkg_source(graph name) returns text
as 'MODULE_PATHNAME' language c stable parallel safe
set search_path = pg_catalog, pg_temp;
comment on function hkg_source(name) is
'the query that hkg_sync(graph) brings a graph in step with; null when it has none
graph: an existing graph';

create function hkg_split(graph name, valid float8 default 0.03, test float8 default 0.03, seed bigint default 0,
	out train_facts bigint, out valid_facts bigint, out test_facts bigint)
returns record
as 'MODULE_PATHNAME' language c volatile parallel unsafe
set search_path = pg_catalog, pg_temp;
comment on function hkg_split(name, float8, float8, bigint) is
'holds facts out at random as splits valid and test, and takes back those that were held out before: hkg_split(graph, 0, 0) takes back all
Models that were trained before have learnt from these facts: train anew before you evaluate. No entity and no relation loses its last fact, so fewer may be held out than asked for. Columns of your own go with the facts if triple and holdout both have them.
graph: an existing graph
valid, test: the share of the facts that becomes this split, 0 to 0.5; null: the split is left as it is
seed: the same facts and seed give the same splits
train_facts, valid_facts, test_facts: how many facts there are now; 0 for a split that was left as it is
errors: 22023 for a share out of range, 27000 when a policy or a trigger keeps facts from being moved, 42501 without select on entity and relation and select, insert and delete on triple and holdout, 55000 when columns of your own would lose values, or the graph was renamed meanwhile, 40P01 beside a create index concurrently on a table of facts';

create or replace function hkg_presets() returns table (preset text, purpose text, settings jsonb)
language sql immutable parallel safe rows 10
set search_path = pg_catalog, pg_temp
as $$ values
	('paper', 'the hybrid procedure as it was published: samples accumulate and weigh as much as facts',
	 '{"score_function": "rotate", "dimensions": 200, "iterations": 10, "epochs": 100, "batch_size": 512, "negatives": 256, "negative_sampling": "uniform",
	   "loss": "logistic", "learning_rate": 0.1, "learning_rate_end": 0.1, "regularization": 0, "reciprocal": false, "omega": 0.5, "top_rules": 200, "beta": 1, "max_rule_length": 3,
	   "min_head_coverage": 0.01, "min_support": 2, "constants": false, "min_quality": 0, "min_confidence": 0, "label": "one", "accumulate": true, "evidence_rules": 0, "holdout": 0}'::jsonb),
	('trusted-rules', 'a hybrid that samples from good rules only, and trusts an inference as far as its rule',
	 '{"omega": 0, "min_quality": 0.7, "label": "confidence", "accumulate": false}'),
	('complex', 'embeddings alone: where to start with a graph of up to some ten thousand entities',
	 '{"score_function": "complex", "dimensions": 100, "loss": "softmax", "regularization": 0.05, "reciprocal": true, "batch_size": 500, "iterations": 8, "epochs": 4, "top_rules": 0}'),
	('complex-codex-s', 'codex-s, embeddings alone',
	 '{"score_function": "complex", "dimensions": 400, "loss": "softmax", "regularization": 0.01, "reciprocal": true, "batch_size": 500, "iterations": 5, "epochs": 5, "top_rules": 0}'),
	('complex-fb15k-237', 'FB15k-237, embeddings alone',
	 '{"score_function": "complex", "dimensions": 400, "loss": "softmax", "regularization": 0.05, "relation_weight": 1, "reciprocal": true, "batch_size": 1000, "iterations": 12, "epochs": 3, "top_rules": 0}'),
	('distmult-fb15k-237', 'FB15k-237, embeddings alone',
	 '{"score_function": "distmult", "dimensions": 400, "loss": "softmax", "regularization": 0.05, "reciprocal": true, "batch_size": 1000, "iterations": 6, "epochs": 4, "top_rules": 0}'),
	('rescal-fb15k-237', 'FB15k-237, embeddings alone',
	 '{"score_function": "rescal", "dimensions": 200, "loss": "softmax", "regularizer": "dura", "regularization": 0.05, "batch_size": 1000, "learning_rate": 0.1, "learning_rate_end": 0.01, "iterations": 8, "epochs": 4, "top_rules": 0}'),
	('transe-fb15k-237', 'FB15k-237, embeddings alone',
	 '{"score_function": "transe", "dimensions": 200, "gamma": 6, "negatives": 256, "negative_sampling": "self_adversarial", "learning_rate": 0.1, "learning_rate_end": 0.01, "iterations": 8, "epochs": 10, "top_rules": 0}'),
	('rotate-fb15k-237', 'FB15k-237, embeddings alone',
	 '{"score_function": "rotate", "dimensions": 200, "gamma": 8, "negatives": 256, "negative_sampling": "self_adversarial", "reciprocal": true, "learning_rate": 0.1, "learning_rate_end": 0.01, "iterations": 8, "epochs": 10, "top_rules": 0}'),
	('complex-wn18rr', 'WN18RR, embeddings alone',
	 '{"score_function": "complex", "dimensions": 800, "loss": "softmax", "regularization": 0.1, "reciprocal": true, "batch_size": 2000, "learning_rate": 0.1, "learning_rate_end": 0.02, "iterations": 10, "epochs": 2, "top_rules": 0}'),
	('distmult-wn18rr', 'WN18RR, embeddings alone',
	 '{"score_function": "distmult", "dimensions": 800, "loss": "softmax", "regularization": 0.1, "reciprocal": true, "batch_size": 2000, "learning_rate": 0.1, "learning_rate_end": 0.02, "iterations": 8, "epochs": 2, "top_rules": 0}'),
	('rescal-wn18rr', 'WN18RR, embeddings alone',
	 '{"score_function": "rescal", "dimensions": 256, "loss": "softmax", "regularizer": "dura", "regularization": 0.1, "batch_size": 400, "iterations": 16, "epochs": 3, "top_rules": 0}'),
	('transe-wn18rr', 'WN18RR, embeddings alone',
	 '{"score_function": "transe", "dimensions": 200, "negatives": 256, "gamma": 6, "negative_sampling": "self_adversarial", "temperature": 0.5, "learning_rate": 0.1, "learning_rate_end": 0.1, "iterations": 5, "epochs": 32, "top_rules": 0}'),
	('nne-aer-wn18', 'non-negative entities and approximate entailment (Ding et al. 2018), with the settings published for WN18',
	 '{"score_function": "complex", "constraints": "nne_aer", "dimensions": 200, "entailment_weight": 10, "regularization": 0.00015, "negatives": 10, "negative_sampling": "uniform", "block_size": 1, "learning_rate": 1, "learning_rate_end": 1, "batch_size": 1414, "iterations": 20, "epochs": 50, "top_rules": 0}'),
	('nne-aer-fb15k', 'the same, with those published for FB15k',
	 '{"score_function": "complex", "constraints": "nne_aer", "dimensions": 200, "entailment_weight": 0.001, "regularization": 0.00005, "negatives": 10, "negative_sampling": "uniform", "block_size": 1, "learning_rate": 0.5, "learning_rate_end": 0.5, "batch_size": 4831, "iterations": 20, "epochs": 50, "top_rules": 0}'),
	('ruge-fb15k', 'soft labels of what rules infer (Guo et al. 2018), with the settings published for FB15k',
	 '{"score_function": "complex", "hybrid": "ruge", "rule_weight": 0.01, "dimensions": 200, "regularization": 0.00005, "negatives": 10, "negative_sampling": "uniform", "block_size": 1, "learning_rate": 0.5, "learning_rate_end": 0.5, "batch_size": 4831, "iterations": 20, "epochs": 50, "top_rules": 454}'),
	('plogicnet-fb15k-237', 'embeddings and a Markov logic network in turn (Qu and Tang 2019), with the settings published for FB15k-237',
	 '{"score_function": "transe", "hybrid": "plogicnet", "dimensions": 1000, "gamma": 9, "negatives": 256, "negative_sampling": "self_adversarial", "temperature": 1, "block_size": 1, "optimizer": "adam", "learning_rate": 0.00005, "learning_rate_end": 0.000005, "batch_size": 1024, "iterations": 2, "epochs": 376, "top_rules": 1000000, "min_confidence": 0.6}'),
	('plogicnet-wn18rr', 'the same, with those published for WN18RR',
	 '{"score_function": "transe", "hybrid": "plogicnet", "dimensions": 500, "gamma": 6, "negatives": 1024, "negative_sampling": "self_adversarial", "temperature": 0.5, "block_size": 1, "optimizer": "adam", "learning_rate": 0.00005, "learning_rate_end": 0.000005, "batch_size": 512, "iterations": 2, "epochs": 472, "top_rules": 1000000, "min_confidence": 0.1}'),
	('conve', 'a convolutional network (Dettmers et al. 2018), with the settings published for FB15k-237 and WN18RR',
	 '{"score_function": "conve", "dimensions": 200, "loss": "k_vs_all", "optimizer": "adam", "learning_rate": 0.003, "learning_rate_end": 0.003, "reciprocal": true, "batch_size": 128, "label_smoothing": 0.1, "input_dropout": 0.2, "feature_dropout": 0.2, "hidden_dropout": 0.3, "iterations": 20, "epochs": 10, "top_rules": 0}'),
	('rotate-wn18rr', 'WN18RR, embeddings alone',
	 '{"score_function": "rotate", "dimensions": 200, "negatives": 64, "negative_sampling": "uniform", "gamma": 4, "regularization": 0.01, "reciprocal": true, "learning_rate": 0.1, "learning_rate_end": 0.002, "iterations": 5, "epochs": 30, "top_rules": 0}')
$$;
comment on function hkg_presets() is
'settings of hkg_train that go together under a name, hkg_train(graph, preset => name), with their purpose
settings: arguments of hkg_train, by name; what the call gives wins; another learning_rate alone changes a preset''s learning_rate_end by the same factor';

create function hkg_settings()
returns table (name text, type text, range text, default_value text, tuned bool, meaning text)
as 'MODULE_PATHNAME' language c immutable parallel safe rows 60
set search_path = pg_catalog, pg_temp;
comment on function hkg_settings() is
'what hkg_train and the functions with its arguments take as argument or in settings
name: the name of the setting
type: its type
range: the least and the highest number, or the values that it may have
default_value: what a setting has that is not given, or on what this depends
tuned: whether hkg_tune can search it
meaning: what it does';

create function hkg_train(graph name, score_function text default null, dimensions int default null,
	iterations int default null, epochs int default null, batch_size int default null, negatives int default null,
	negative_sampling text default null, loss text default null, optimizer text default null,
	learning_rate float8 default null, gamma float8 default null, norm int default null, regularization float8 default null,
	omega float8 default null, top_rules int default null, beta float8 default null, sample_size bigint default null,
	max_rule_length int default null, min_head_coverage float8 default null, min_support int default null,
	constants bool default null, patience int default null, seed bigint default 0, model name default 'default',
	min_quality float8 default null, label text default null, accumulate bool default null, block_size int default null,
	temperature float8 default null, reciprocal bool default null, regularizer text default null, preset text default null,
	warm_start bool default false, rules_of name default null, relation_weight float8 default null,
	evidence_rules int default null, evidence_length int default null, evidence_seconds float8 default null,
	holdout float8 default null, learning_rate_end float8 default null, assume_missing float8 default 0.1,
	replace text default 'unless_worse', paths bool default null, path_layers int default null, path_width int default null,
	path_kept int default null, path_epochs int default null, path_facts int default null,
	path_learning_rate float8 default null, partitions int default 1,
	constraints text default null, entailment_weight float8 default null, entailment_confidence float8 default null,
	min_confidence float8 default null, nodes int default null, hybrid text default null, rule_weight float8 default null,
	label_smoothing float8 default null, input_dropout float8 default null, feature_dropout float8 default null, hidden_dropout float8 default null,
	settings jsonb default null)
returns text
as 'MODULE_PATHNAME' language c volatile parallel unsafe cost 1000000
set search_path = pg_catalog, pg_temp;
comment on function hkg_train is
'learns embeddings and rules together and keeps them as a model of the graph; returns the model''s name
graph: an existing graph
score_function: transe, distmult, complex, rotate, rescal (a matrix for each relation) or conve (a convolutional network reads entity and relation: Dettmers et al. 2018; dimensions up to 500, the image of an entity has the most nearly square shape that they allow); null: rotate
dimensions: size d of an embedding (complex, rotate: d complex numbers), 1 to 10000; null: 200
iterations: rounds of training, mining and sampling, 1 to 10000; null: 10
epochs: passes over the positives in one iteration, 1 to 1000000; null: 10
batch_size: positives in a minibatch, 1 to 1000000; under k_vs_all queries, each with all its answers; null: 512
negatives: negatives of each positive, 1 to 100000; block_size positives share them; softmax and k_vs_all have none; null: 64
negative_sampling: uniform, bernoulli (the head is replaced with probability tph / (tph + hpt), by its relation''s tails per head and heads per tail), self_adversarial (the negatives of a positive are weighted by the softmax of temperature * score, and together weigh as much as the positive) or kbgan (a second model, trained by policy gradient, picks one hard negative for each positive); null: self_adversarial under the loss logistic, uniform otherwise
loss: logistic (positives against sampled negatives), margin (the mean of max(0, gamma + score of the negative - score of the positive)), sampled_softmax (cross entropy of the true entity against its negatives), softmax (cross entropy of the true entity against all entities, on both sides), or k_vs_all (logistic over all entities, of which those that answer a query are true at once; conve learns by it alone); null: k_vs_all with conve, logistic otherwise
optimizer: adagrad, or adam (learning_rate 0.001 or so); both move only what a minibatch touches, under softmax and k_vs_all all entities, and with conve all relations; null: adam with conve, adagrad otherwise
learning_rate: step size of the optimizer, 1e-9 to 1000; null: 0.001 with conve, 0.1 otherwise, with warm_start twice that, or twice the preset''s
gamma: margin of transe and rotate; under the loss margin, that of every score function; -1e6 to 1e6; null: 9
norm: 1 or 2, the norm of transe''s and rotate''s distance (rotate, 1: the sum of moduli); null: 1
regularization: weight of the mean penalty of h, r and t over a minibatch''s positives, 0 to 1e6; null: 0
omega: weight of embedding confidence in a rule''s quality, 0 to 1; null: 0
top_rules: how many rules are selected, 0 (embeddings alone) to 1000000; null: 200
beta: temperature of sampling: a triple is drawn in proportion to exp(beta * score), 0 to 1e6; with hybrid ruge, itere and plogicnet all are drawn alike; null: 1
sample_size: how many inferred triples are drawn in an iteration; 1 to 2147483647; null: a tenth of the facts, at least 1; with hybrid ruge, itere and plogicnet as many as the facts
max_rule_length: atoms of a rule, head included, 2 to 4 (4 takes ten times as long as 3 on sparse graphs, hundreds of times on dense ones: raise the other bounds); null: 3
min_head_coverage: least share of the head relation''s facts that a rule infers, 0 to 1; null: 0.01
min_support: least number of facts that a rule infers, at least 1; null: 2
constants: search for rules with constants as well, r(X,Y) <= b(X,Y), c(X,"entity"); null: no
patience: stop after that many iterations, at least 1, without a better MRR on the valid split, or on the facts held out in its place; null: never
seed: the same seed and facts give the same bits
model: the name to keep it under; a model of that name is replaced when the transaction commits
min_quality: rules of lower quality are never selected, 0 to 1; null: there is no such bound
label: one, or confidence: the loss of a sampled triple is weighted by the highest quality among its rules; null: confidence
accumulate: whether samples of earlier iterations stay; null: no
block_size: positives that share their negatives, 1 to 10000; fewer are slower; null: 64
temperature: of self_adversarial; 0 weights a positive''s negatives alike, 1000 at most; null: 1
reciprocal: each relation has a second embedding, that of its inverse, for questions that ask for heads: (?, r, t) is then (t, inverse of r, ?); scores of triples stay those of (h, r, ?). null: yes with conve, which needs it, no otherwise
regularizer: l2 (squares), n3 (cubed moduli) or dura (under softmax with distmult, complex or rescal: squares of h, of t and of the query vectors); null: n3 under softmax, l2 otherwise
preset: a row of hkg_presets(); its settings take the place of arguments that are null; null: none
warm_start: continue from the embeddings of the model of that name, with the same score_function, dimensions, norm and reciprocal; new entities start where their neighbours place them (with conve, like any), deleted ones are left out. Steps are large at first, see learning_rate, and the new model has to be no worse, see replace
rules_of: a model whose selected rules, such as imported ones, are ranked and sampled from instead of mined ones; null: rules are mined
relation_weight: under softmax with distmult, complex or rescal: weight of the cross entropy of the true relation against all relations, given head and tail, 0 to 1000; null: 0
evidence_rules: most path rules, r(X,Y) <= b(X,A), c(A,Y), that are kept as evidence at prediction; when there are more, shorter ones first, of one length the best of each relation; 0 (none) to 1000000; null: 20000
evidence_length: atoms of such a rule, head included, 2 to 6 (6 for a sparse graph such as WordNet; on dense ones long rules mislead); of up to three atoms all are found, longer ones where the graph is sparse enough, otherwise from a sample of paths; null: 4
evidence_seconds: time for that search, 0.001 to 1e6; rules found by then are kept, which depends on the machine; null: no limit
holdout: where the graph has no valid split, the share of the facts that is held out in its place, 0 to 0.5: at most 5000, drawn by seed; none where they would be fewer than 50, or with warm_start (then the old model''s weights, probabilities and thresholds stay). Each entity and relation keeps another fact. Embeddings and rules are learnt without them; the best iteration, the weights of rules, probabilities and thresholds from them. At the end, a tenth more epochs train on all facts, and path rules are counted again on all facts. (Mined rules are counted without them.) Predictions treat them as facts; a notice shows how many there are. 0: none are held out, rules have the default weights, and a probability is sigma(score); null: 0.05
learning_rate_end: the step size in the last epoch of all iterations, reached from learning_rate in equal steps, 1e-10 to 1000; null: a tenth of learning_rate under the loss logistic without warm_start, or with warm_start and a learning_rate of null; learning_rate otherwise
assume_missing: the share m of all true facts that the graph lacks, 1e-6 to 0.99. Probabilities are those of a missing fact: with p the chance that a candidate is one of the facts held out, and s the share that was held out, min(1, p m / ((1 - p) s (1 - m))). Facts that are missing are taken to be like those held out. hkg_learn_evidence changes it. null: a probability is p
replace: of warm_start on a graph with a valid split: unless_worse (the model of before stays, with a notice, where the MRR on that split of the new one''s best iteration is lower by more than the standard error of the difference) or always
paths: also learn a network that reads the paths from a question''s entity (doc/method.md, "Learnt paths"). Its parameters belong to relations: a new entity is predicted as soon as it has a fact. With warm_start it goes on from the model''s network where that has the same layers and width. Training takes ten times as long and more, a prediction some milliseconds more. null: yes where the graph has 20,000 to 300,000 facts, some of which are valid or held out, with evidence_rules and without a preset; with warm_start where the model has a network
path_layers: steps of its paths, 1 to 16; null: 5, or 6 where an entity has fewer than ten facts in the mean
path_width: numbers of an entity''s state, a multiple of 16, 16 to 256; null: 32, or 48 with more than 100 relations
path_kept: entities that a step keeps of those it reaches first (the last step eight times as many), 1 to 65536; null: 1000; where an entity has ten facts or more in the mean 300, but 1000 to answer, and in the last fifth of the epochs, if there are more entities than so can be kept
path_epochs: epochs of the network, 1 to 100000; the one that ranks best on the valid split, or on the facts held out in its place, is kept; null: as many as ask about each fact once, at least 8 and at most 20
path_facts: facts that an epoch asks for, each on both sides, 1 to 2147483647; all of them where they are fewer; null: 4096
path_learning_rate: step size of the network''s first epoch, which falls to a tenth of it, 1e-9 to 1; null: 0.005, or 0.004 where an entity has ten facts or more in the mean
partitions: parts of the entities, of which two are in memory with the state of their optimizer while embeddings are learnt; the others wait in a temporary file. 1 to 128, at most the number of entities; null: 1, all are in memory. From 3 on it takes less memory: hkg_estimate shows how much. Not with the losses softmax and k_vs_all, kbgan or warm_start
constraints: what embeddings fulfil (doc/method.md, "Constraints"), with complex only: none, nne (real and imaginary parts of entities stay in [0, 1]) or nne_aer (this, and a rule with one atom, r(X,Y) <= b(X,Y) or b(Y,X), draws the two relations together: Ding et al. 2018)
entailment_weight: of nne_aer: weight of the penalty of such rules beside a minibatch''s mean loss, times their PCA confidence, 1e-9 to 1e6; null: 0.1
entailment_confidence: of nne_aer: least PCA confidence of such a rule; min_head_coverage and min_support bound them, too; 1e-9 to 1; null: 0.8
min_confidence: rules of lower standard confidence are never selected, whatever their quality, 0 to 1; null: 0.7, or 0 where min_quality is given, by the call or its preset
nodes: buckets, of two partitions each, that are trained at once, 1 to half of partitions; what they change of the relations is then merged. On a distributed graph its nodes train them (hkg_distribute_graph); elsewhere this process does, one after the other, with the same result. null: as many as the graph has nodes for, at most half of partitions; 1 where it is not distributed
hybrid: how rules take part in learning embeddings (doc/method.md, "How rules take part"): sampled (what they infer is sampled and learnt like facts), ruge (what they infer gets a soft label in every step, from its score and the confidences of its rules; under the loss logistic), itere (what axioms infer about sparse entities gets a label, which the embeddings of their relations give; with complex or distmult and the loss logistic), plogicnet (what rules of an axiom''s form infer gets the probability of a Markov logic network as label, whose weights are learnt in turn with the embeddings; under the loss logistic) or none (embeddings learn from facts alone; rules are mined and ranked all the same, for rules and predictions); null: sampled
rule_weight: of ruge: how much the confidence of a rule adds to the label of what it infers, 1e-9 to 1e6; null: 0.01
label_smoothing: of k_vs_all: with e, a label y is (1 - e) y + e / (number of entities), 0 to 0.99; null: 0
input_dropout: of conve: chance that a number of the images of entity and relation is left out while it learns, 0 to 0.99; null: 0.2
feature_dropout: of conve: likewise of all that a filter finds; null: 0.2
hidden_dropout: of conve: likewise of a number of the hidden layer; null: 0.3
settings: any of these by name, {"negatives": 10}; hkg_settings() lists them
errors: 22004 for a null graph, model, seed or warm_start, 22023 for values out of range, or of no use beside another argument, 0A000 for what a score function, or more than one partition, does not go with, and for a precision that the machine lacks, 22003 when training diverges, 53200 when it would need more than hybridkg.max_memory, 55006 when the model is being trained elsewhere, 55000 for a graph without facts or with one entity, or for patience without valid or held-out facts, 42704 or 55000 when there is no trained model to go on from, 42501 before anything is trained when the caller may not write what a model consists of, 54000 when a minibatch would be larger than any memory';

do $do$
declare
	arguments constant text := pg_get_function_arguments('@extschema@.hkg_train'::regproc);
	meaning constant text := substring(obj_description('@extschema@.hkg_train'::regproc, 'pg_proc'), '\n.*');
begin
	execute format($$
create function hkg_train_background(%s) returns int
as 'MODULE_PATHNAME' language c volatile parallel unsafe
set search_path = pg_catalog, pg_temp$$, arguments);
	execute format('comment on function hkg_train_background is %L',
$$hkg_train in a background worker, with the caller's rights; returns its process id once it has begun
It commits after every iteration, and after every epoch of a path network; the model of that name stays as it is until the new one is ready, and is then replaced at once. View hkg_progress shows it, pg_cancel_backend stops it, column status of table model has the outcome, hkg_resume continues a stopped one. It reads what is committed when it starts, as the current role and with the settings of the session, and learns from the facts of that moment.$$ ||
		meaning || ', 53000 when no background worker is free, 55P03 when it waits for a lock that the caller''s transaction holds');

	execute format($$
create function hkg_estimate(%s) returns table (item text, bytes bigint, flops float8)
as 'MODULE_PATHNAME' language c stable parallel unsafe cost 100000 rows 10
set search_path = pg_catalog, pg_temp$$, arguments);
	execute format('comment on function hkg_estimate is %L',
$$what hkg_train would take, before it is tried: bytes of memory by purpose and in all, which must fit hybridkg.max_memory, and the floating-point operations of an epoch, and of one of the path network
On several nodes it has the memory of a node, and what is sent in an epoch, too. It counts the graph's facts and trains nothing. Not included: mined rules and their inferences, which are unknown before they are counted; their memory is checked while they are.$$ ||
		meaning);
end
$do$;
comment on function hkg_resume(name, name) is
'continues a background training that was stopped, in the caller''s transaction, and returns the model''s name
It goes on from the last iteration, epoch of a path network or step of a cluster that was saved, and gives the bits of an unbroken training.
graph: an existing graph
model: the name it was trained under
errors: 55000 when nothing was stopped or when the graph has changed since, 55006 when the model is being trained';

create function hkg_cache()
returns table (database text, graph name, model name, kind text, state text, bytes bigint, users int,
	built_at timestamptz, used_at timestamptz)
as 'MODULE_PATHNAME' language c volatile parallel restricted rows 8
set search_path = pg_catalog, pg_temp;
comment on function hkg_cache() is
'lists the models and indexes of facts that all sessions of the server share (hybridkg.shared_cache bounds them)
returns for each: database; graph and model, null in another database and for roles that do not see all rows of the graph''s table model; kind: model (embeddings and their sketch) or facts (the index of facts, and rules); state: building, ready, or evicted (no session finds it any more, those that have it let go of it when they use the model next, or end); bytes of its file; users: sessions that have it mapped; built_at; used_at';

create function _hkg_trainings()
returns table (graph name, model name, pid int, phase text, iteration int, iterations int, epoch int, epochs int,
	loss float8, started_at timestamptz, eta timestamptz, percent float8, bar text, rows bigint, nodes int)
as 'MODULE_PATHNAME', 'hkg_trainings' language c volatile parallel restricted rows 4
set search_path = pg_catalog, pg_temp;
comment on function _hkg_trainings() is
'the rows of view hkg_progress';

create view hkg_progress as select * from @extschema@._hkg_trainings();
grant select on hkg_progress to public;
comment on view hkg_progress is 'a row for each training and each hkg_load, hkg_sync or hkg_split under way in this database, for the role that runs it, roles that see all rows of the graph''s table model, and members of pg_read_all_stats';
comment on column hkg_progress.graph is 'the graph that is learnt from';
comment on column hkg_progress.model is 'the name that the model will have; null for what changes facts';
comment on column hkg_progress.iteration is 'the current iteration, 1 first';
comment on column hkg_progress.iterations is 'the most there will be';
comment on column hkg_progress.epoch is 'epochs done in this iteration';
comment on column hkg_progress.epochs is 'epochs of an iteration';
comment on column hkg_progress.started_at is 'when it began';
comment on column hkg_progress.pid is 'the process that does it: pg_cancel_backend(pid) stops it';
comment on column hkg_progress.phase is 'reading, mining, training, evaluating, inferring, learning paths, finding path rules, learning weights or writing; of hkg_load and others that change facts reading, comparing, deleting, writing or indexing';
comment on column hkg_progress.loss is 'mean loss of the last epoch';
comment on column hkg_progress.eta is 'when it will end, by the time that epochs and iterations took so far, and by guesses for what has not begun, which are scaled by that time; sooner when patience runs out; null while the graph or a query is read';
comment on column hkg_progress.percent is 'time past, of all time by the same estimate; never falls, and stays below 100';
comment on column hkg_progress.bar is 'percent as a bar, and the time that is left until eta';
comment on column hkg_progress.nodes is 'servers that do the work of the phase now: more than one where nodes of a cluster mine, train, rank the valid split or rate rules; null for what changes facts';
comment on column hkg_progress.rows is 'rows that hkg_load or hkg_sync has read from its query, or rows that were deleted or written';
create procedure _hkg_tune_points(grid jsonb, fixed jsonb, trials int, seed bigint, inout points jsonb[])
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	known constant text[] := array(select a from pg_proc, unnest(proargnames[1 : pronargs]) a
		where oid = '@extschema@.hkg_train'::regproc and a not in ('graph', 'model', 'warm_start', 'replace'));
	part record;
begin
	if jsonb_typeof(grid) <> 'object' or jsonb_typeof(fixed) <> 'object' then
		raise exception using errcode = 'invalid_parameter_value',
			message = format('grid and fixed must be objects, not %s and %s', jsonb_typeof(grid), jsonb_typeof(fixed)),
			hint = 'A grid has a list for each argument, {"dimensions": [100, 200]}; fixed has a value, {"epochs": 50}.';
	end if;
	for part in select key, grid ? key and fixed ? key as twice from jsonb_object_keys(grid || fixed) key loop
		if part.key <> all (known) then
			raise exception using errcode = 'invalid_parameter_value',
				message = format('"%s" is not an argument that can be tuned', left(part.key, 100)),
				hint = format('Known are: %s.', array_to_string(known, ', '));
		elsif part.twice then
			raise exception using errcode = 'invalid_parameter_value',
				message = format('"%s" is both in grid and in fixed', part.key),
				hint = 'Leave it out of one of them.';
		elsif grid ? part.key and (part.key like 'path%'
				or part.key = any ('{evidence_rules,evidence_length,evidence_seconds,holdout,assume_missing}')) then
			raise exception using errcode = 'invalid_parameter_value',
				message = format('"%s" cannot be in the grid', part.key),
				detail = 'They are compared on the valid split by what the embedding alone scores.',
				hint = 'What all trials share goes to fixed.';
		end if;
	end loop;
	points := array[jsonb_build_object('seed', seed) || fixed];
	for part in select key, value from jsonb_each(grid) loop
		if jsonb_typeof(part.value) <> 'array' or part.value = '[]' then
			raise exception using errcode = 'invalid_parameter_value',
				message = format('grid must have a list of values for "%s", not %s', part.key, left(part.value::text, 100)),
				hint = 'What all trials share goes to fixed.';
		elsif cardinality(points)::bigint * jsonb_array_length(part.value) > 100000 then
			raise exception using errcode = 'program_limit_exceeded', message = 'the grid has more than 100000 points',
				detail = format('With "%s" it has %s.', part.key, cardinality(points)::bigint * jsonb_array_length(part.value)),
				hint = 'Give fewer values, or search some arguments after the others.';
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
end
$$;
comment on procedure _hkg_tune_points(jsonb, jsonb, int, bigint, jsonb[]) is
'the points of a grid, each an object of arguments of hkg_train, in the order in which they are tried; for hkg_tune
grid, fixed, trials, seed: those of hkg_tune
points: the result';

create procedure _hkg_tune_lock(graph name, model name)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	has_valid bool;
begin
	if current_setting('transaction_isolation') <> 'read committed' then
		raise exception using errcode = 'active_sql_transaction',
			message = format('trials are not seen at isolation level %s', current_setting('transaction_isolation')),
			detail = 'They are trained in the background and committed one by one.', hint = 'Use read committed.';
	end if;

	execute format('select exists (select from %I.holdout where split = ''valid'')', graph) into has_valid;
	if not has_valid then
		raise exception using errcode = 'object_not_in_prerequisite_state',
			message = format('graph "%s" has no valid split', graph), detail = 'Trials are compared on it.',
			hint = format('Before a training, hkg_split(%L) holds facts out at random, hkg_load(%L, query, ''valid'') loads the split.', graph, graph);
	elsif exists (select from @extschema@._hkg_trainings() t where t.graph = _hkg_tune_lock.graph and t.model = _hkg_tune_lock.model) then
		raise exception using errcode = 'object_in_use', message = format('model "%s" of graph "%s" is being trained', model, graph),
			hint = 'Wait for it to end, or name another model.';
	end if;
	begin
		execute format('lock table only %I.trial in share row exclusive mode nowait', graph);
	exception when lock_not_available then
		raise exception using errcode = 'object_in_use',
			message = format('graph "%s" is being searched by another session', graph), hint = 'Wait for it to end.';
	end;
end
$$;
comment on procedure _hkg_tune_lock(name, name) is
'locks table trial for a search, or says why none can begin; for hkg_tune
graph, model: those of hkg_tune';

create procedure _hkg_tune_trial(graph name, trial name, arguments jsonb, settings text)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	worker int;
	waits_for text;
	refusal text;		-- why it cannot be trained
	done bool;
begin
	execute format('select exists (select from %I.model where name = $1 and status = ''ready'')', graph) into done using trial;
	if not done then
		worker := null;
		begin
			execute 'select @extschema@.hkg_train_background' || format('(%L, model => %L, %s)', graph, trial, settings)
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
		exception
			when query_canceled or lock_not_available then
				perform pg_cancel_backend(worker);
				raise;
			when out_of_memory or program_limit_exceeded then
				refusal := sqlerrm;
		end;
	end if;
	execute format($sql$ insert into %1$I.trial (model, arguments, status, mrr, hits_1, hits_3, hits_10, best_iteration, seconds, error, trained_at)
			select $1, $2, case m.status when 'ready' then 'done' when 'cancelled' then m.status else 'failed' end,
				m.mrr, m.hits_1, m.hits_3, m.hits_10, m.best_iteration,
				(select coalesce(sum(train_seconds + mine_seconds + sample_seconds + evaluate_seconds), 0)
					from %1$I.iteration i where i.model = m.name),
				case when m.name is null then $3 when m.status like 'failed: %%' then substr(m.status, 9)
					when m.status = 'training' then 'its process ended early' end,
				m.trained_at
			from (select) trial left join %1$I.model m on m.name = $1
			on conflict (model) do update set status = excluded.status, mrr = excluded.mrr, hits_1 = excluded.hits_1,
				hits_3 = excluded.hits_3, hits_10 = excluded.hits_10, best_iteration = excluded.best_iteration,
				seconds = excluded.seconds, error = excluded.error, trained_at = excluded.trained_at
			$sql$, graph)
		using trial, arguments, refusal;
end
$$;
comment on procedure _hkg_tune_trial(name, name, jsonb, text) is
'trains a trial in the background, unless its model is there, and keeps its result in table trial; for hkg_tune
graph: that of hkg_tune
trial: the name of its model
arguments: its point of the grid
settings: the arguments of hkg_train_background that it stands for, as SQL';

create or replace function hkg_tune(graph name, grid jsonb, fixed jsonb default '{}', trials int default null,
	seed bigint default 0, model name default 'default')
returns table (trial int, arguments jsonb, status text, mrr float8, hits_1 float8, hits_3 float8, hits_10 float8,
	best_iteration int, seconds float8, error text)
language plpgsql volatile parallel unsafe cost 1000000 rows 100
set search_path = pg_catalog, pg_temp
as $$
declare
	points jsonb[];
	calls text[];		-- their arguments as SQL
	names text[];		-- and their models
	tried text[] := '{}';
	settings text;
	place int;
	done bool;
	part record;
	best record;
	latest record;
begin
	for part in select * from (values ('graph', graph is null), ('grid', grid is null), ('fixed', fixed is null),
			('seed', seed is null), ('model', model is null)) v (argument, missing) where missing loop
		raise exception using errcode = 'null_value_not_allowed', message = format('%s must not be null', part.argument);
	end loop;
	call @extschema@._hkg_tune_points(grid, fixed, trials, seed, points);
	-- no paths by the graph, since trials are compared by the embedding alone
	calls := array(select (select string_agg(format('%I => %L', key, value #>> '{}'), ', ') from jsonb_each('{"paths": false}' || p))
		from unnest(points) with ordinality u (p, i) order by i);
	-- hkg_train's own checks of every trial, before one is trained
	foreach settings in array calls loop
		execute 'select from @extschema@.hkg_estimate' || format('(%L, model => %L, %s)', graph, model, settings);
	end loop;
	call @extschema@._hkg_tune_lock(graph, model);
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
			-- all were tried; the best one may have lost its model to a search that had a better one
			execute format('select exists (select from %I.model where trained_at = $1 and name in ($2, $3))', graph)
				into done using best.trained_at, best.model, model;
			exit when done or best.id is null or best.model = any (tried);
			place := array_position(names, best.model);
		end if;
		tried := tried || names[place];
		call @extschema@._hkg_tune_trial(graph, names[place], points[place], calls[place]);
		execute format('select * from %I.trial where model = $1', graph) into latest using names[place];
		-- of the models tried the best stays
		execute format($sql$ delete from %1$I.model where name = any ($2) and name is distinct from
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
		-- somebody may have begun to train it meanwhile
		call @extschema@._hkg_tune_lock(graph, model);
		execute format('delete from %I.model where name = $1', graph) using model;
		execute format('update %I.model set name = $1, settings = settings || jsonb_build_object(''model'', $1) where name = $2', graph)
			using model, best.model;
	end if;
	return query execute format($sql$ select id, arguments, status, mrr, hits_1, hits_3, hits_10, best_iteration, seconds, error
		from %I.trial where model = any ($1) order by mrr desc nulls last, id $sql$, graph) using names;
end
$$;
comment on function hkg_tune(name, jsonb, jsonb, int, bigint, name) is
'trains with every combination of some arguments of hkg_train and keeps the model that is best on the valid split; returns the trials, best first, as table trial of the graph has them
Each trial is a background training, which commits (hkg_progress shows it): a search that was stopped continues when it is called again, and no trial is repeated with the same arguments, facts and valid split. Until then a model named trial ... is kept of each.
graph: an existing graph with a valid split, committed
grid: an object with a list of values for each argument to tune, {"dimensions": [100, 200], "regularization": [0.01, 0.05]}; not those of evidence, because trials are compared by the embedding alone; not warm_start or replace
fixed: an object of arguments that all trials share; others have their defaults, or the values of a preset in it or in the grid
trials: the number of points of the grid, drawn at random; null: all
seed: draws them, and seeds the trainings, unless grid or fixed has a seed
model: the name of the best model; a model of that name is replaced when the transaction commits
errors: before anything is trained, 22023 or 0A000 for arguments that hkg_train would refuse, 54000 for a grid of more than 100,000 points, 22P02 or 22003 for values of another type, 55000 without a valid split, 55006 when the model is being trained or another search of the graph is under way, 25001 unless the transaction is read committed; 53000 when no background worker is free for a trial; 55P03 when a training waits for a lock that the caller''s transaction holds; a trial that fails later, or would need more than hybridkg.max_memory, is a row with its error';

create function hkg_apply_rule(graph name, rule text, slice int default 1, slices int default 1)
returns table (head text, relation text, tail text, known bool)
as 'MODULE_PATHNAME' language c stable parallel safe cost 10000 rows 1000
set search_path = pg_catalog, pg_temp;
comment on function hkg_apply_rule(name, text, int, int) is
'what a rule infers; known: whether it is a fact already
Several sessions or servers can share the work: each takes a slice of the entities X.
graph: an existing graph
rule: its text, r(X,Y) <= b1(X,A), b2(A,Y), or with a constant in the head, r(X,"c") <= b(X,"d")
slice: its number, 1 to slices
slices: how many there are
errors: 42601 with the position when the rule does not parse, 42704 for unknown names, 22023 for a rule outside the language or a slice that there is not';

create function hkg_count_rules(graph name, rules text[], slice int default 1, slices int default 1)
returns table (rule text, support bigint, body_size bigint, pca_body_size bigint)
as 'MODULE_PATHNAME' language c stable parallel restricted cost 100000 rows 100
set search_path = pg_catalog, pg_temp;
comment on function hkg_count_rules(name, text[], int, int) is
'the counts of given rules on the facts, as hkg_mine_rules has them; one row for each different rule
Several sessions or servers can share the work: counts add up over all slices.
graph: an existing graph
rules: their texts, r(X,Y) <= b1(X,A), b2(A,Y), or with a constant in the head, r(X,"c") <= b(X,"d")
slice: its number, 1 to slices
slices: how many there are
errors: 42601 with the position when a rule does not parse, 42704 for unknown names, 22023 for a rule outside the language';
create function hkg_import_rules(graph name, lines text, format text default 'hybridkg', model name default 'default',
	on_error text default 'skip')
returns bigint
as 'MODULE_PATHNAME' language c volatile parallel unsafe cost 100000
set search_path = pg_catalog, pg_temp;
comment on function hkg_import_rules(name, text, text, name, text) is
'adds rules of other programs to a model, as selected rules, counted on the graph''s facts; returns the number of different rules
A rule that is imported again is counted anew. A training of that name replaces them all.
graph: an existing graph
lines: one rule a line; numbers that come with a rule are ignored. A variable of one atom only is some entity, r(X,"c") <= b(X,A); an empty body, r(X,"c") <=, is any X with a fact of r
format: hybridkg (r(X,Y) <= b1(X,A), b2(A,Y), up to a TAB), amie (AMIE 3; lines without an arrow are skipped) or anyburl. Lines of amie and anyburl are cut so that their names are in the graph
model: the model they are added to; if there is none, one that explains, but has no embeddings to predict with
on_error: skip (lines that are no rules of the graph are left out, and a NOTICE counts them with the reasons) or stop (an error)
errors: with the line, 42601 with the position when one does not parse, 42704 for unknown names, 22023 for a rule outside the language; 55006 when the model is being trained, 55000 when entities or relations have come since the model was trained';

create function hkg_import_embeddings(graph name, model name, score_function text, entity_query text, relation_query text,
	gamma float8 default 0, norm int default 1, reciprocal bool default false, out entities bigint, out relations bigint)
as 'MODULE_PATHNAME' language c volatile parallel unsafe cost 100000;
comment on function hkg_import_embeddings(name, name, text, text, text, float8, int, bool) is
'makes a model of embeddings that another program trained
Queries run with the caller''s rights and search_path. Entities without an embedding are predicted like those that came after a training. hkg_learn_evidence adds rules, weights and probabilities.
graph: an existing graph
model: the name of a new model, or of one of imported rules
score_function: transe, distmult, complex, rotate or rescal
entity_query: a query of two columns: the name of an entity, and its embedding of d numbers; complex and rotate: d real parts, then d imaginary parts. Names that the graph lacks are left out
relation_query: likewise for relations; rotate: d phases in radians; rescal: a matrix of d x d, row by row. With reciprocal, a third column has the embedding of the inverse
gamma, norm: of transe and rotate: a score is gamma minus the distance in that norm, 1 or 2
reciprocal: whether each relation has an embedding of its inverse, by which heads are scored
entities, relations: how many got an embedding
errors: 42710 when the model has embeddings, P0002 when no name is known, 22000 for an embedding of another length or with what is no finite number, 22003 for a number beyond real, 23502 for an embedding that is null, 23505 for a name that is there twice; 55006 when the model is being trained';

create function hkg_predict_tails(graph name, head text, relation text, k int default 10,
	model name default 'default', known bool default false, evidence text default 'both',
	candidates "any" default null)
returns table (tail text, score float8, probability float8)
as 'MODULE_PATHNAME' language c stable parallel safe cost 10000 rows 10 support @extschema@._hkg_estimate_k;
comment on function hkg_predict_tails(name, text, text, int, name, bool, text, "any") is
'the k most plausible tails of (head, relation, ?), best first
graph: an existing graph
head: an entity; one that came after the training needs a fact
relation: a relation
k: how many, at least 1
model: a trained model of the graph
known: whether known facts are listed, too; their probability is as if each of them were no fact
evidence: what scores use: ''embedding'', ''rules'' (only what a rule infers), ''paths'' (only what the path network scores) or ''both'', which is all that the model has
candidates: list only these entities: an array of names, or a query as text whose first column names them; null: all. Probabilities stay those among all entities
score: any real number, higher is more plausible; see hkg_score
probability: the chance that the fact is true, if the share assume_missing of all true facts is missing; null if the model has learnt none. Rows come in its order';

create function hkg_predict_heads(graph name, relation text, tail text, k int default 10,
	model name default 'default', known bool default false, evidence text default 'both',
	candidates "any" default null)
returns table (head text, score float8, probability float8)
as 'MODULE_PATHNAME' language c stable parallel safe cost 10000 rows 10 support @extschema@._hkg_estimate_k;
comment on function hkg_predict_heads(name, text, text, int, name, bool, text, "any") is
'the k most plausible heads of (?, relation, tail), best first
graph: an existing graph
relation: a relation
tail: an entity; one that came after the training needs a fact
k: how many, at least 1
model: a trained model of the graph
known: whether known facts are listed, too; their probability is as if each of them were no fact
evidence: what scores use: ''embedding'', ''rules'' (only what a rule infers), ''paths'' (only what the path network scores) or ''both'', which is all that the model has
candidates: list only these entities: an array of names, or a query as text whose first column names them; null: all. Probabilities stay those among all entities
score: any real number, higher is more plausible; see hkg_score
probability: the chance that the fact is true, if the share assume_missing of all true facts is missing; null if the model has learnt none. Rows come in its order';

create function hkg_predict_tails(graph name, heads "any", relation text, k int default 10,
	model name default 'default', known bool default false, evidence text default 'both',
	candidates "any" default null)
returns table (head text, tail text, score float8, probability float8)
as 'MODULE_PATHNAME', 'hkg_predict_tails_many'
language c stable parallel safe cost 10000 rows 100 support @extschema@._hkg_estimate_k;
comment on function hkg_predict_tails(name, "any", text, int, name, bool, text, "any") is
'the k most plausible tails of (head, relation, ?) for each of many heads: the same as one by one, in a fraction of the time
graph: an existing graph
heads: entities: an array of names, or a query as text whose first column names them
relation: a relation
k: how many for each of them, at least 1
model: a trained model of the graph
known: whether known facts are listed, too; their probability is as if each of them were no fact
evidence: what scores use: ''embedding'', ''rules'' (only what a rule infers), ''paths'' (only what the path network scores) or ''both'', which is all that the model has
candidates: list only these entities: an array of names, or a query as text whose first column names them; null: all. Probabilities stay those among all entities
head: the name in heads; rows come in the order of heads
score: any real number, higher is more plausible; see hkg_score
probability: the chance that the fact is true, if the share assume_missing of all true facts is missing; null if the model has learnt none. Rows come in its order';

create function hkg_predict_heads(graph name, relation text, tails "any", k int default 10,
	model name default 'default', known bool default false, evidence text default 'both',
	candidates "any" default null)
returns table (tail text, head text, score float8, probability float8)
as 'MODULE_PATHNAME', 'hkg_predict_heads_many'
language c stable parallel safe cost 10000 rows 100 support @extschema@._hkg_estimate_k;
comment on function hkg_predict_heads(name, text, "any", int, name, bool, text, "any") is
'the k most plausible heads of (?, relation, tail) for each of many tails: the same as one by one, in a fraction of the time
graph: an existing graph
relation: a relation
tails: entities: an array of names, or a query as text whose first column names them
k: how many for each of them, at least 1
model: a trained model of the graph
known: whether known facts are listed, too; their probability is as if each of them were no fact
evidence: what scores use: ''embedding'', ''rules'' (only what a rule infers), ''paths'' (only what the path network scores) or ''both'', which is all that the model has
candidates: list only these entities: an array of names, or a query as text whose first column names them; null: all. Probabilities stay those among all entities
tail: the name in tails; rows come in the order of tails
score: any real number, higher is more plausible; see hkg_score
probability: the chance that the fact is true, if the share assume_missing of all true facts is missing; null if the model has learnt none. Rows come in its order';
comment on function hkg_predict_relations(name, text, text, int, name, bool, text) is
'the k most plausible relations of (head, ?, tail), best first
Each triple is judged alone, as by hkg_classify, so probabilities may differ from those of hkg_predict_tails.
graph: an existing graph
head, tail: entities
k: how many, at least 1
model: a trained model of the graph
known: whether known facts are listed, too; their probability is as if each of them were no fact
evidence: what scores use: ''embedding'', ''rules'' (only what a rule infers), ''paths'' (only what the path network scores) or ''both'', which is all that the model has
score: any real number, higher is more plausible; see hkg_score
probability: the chance that the fact is true, if the share assume_missing of all true facts is missing; null if the model has learnt none. Rows come in its order';

create or replace function hkg_score(graph name, head text, relation text, tail text, model name default 'default',
	evidence text default 'both')
returns float8
as 'MODULE_PATHNAME' language c stable parallel safe cost 250;

comment on function hkg_score(name, text, text, text, name, text) is
'the score of a triple as an answer to (head, relation, ?): any real number, higher is more plausible
With ''both'' it is scale * (embedding + weight * (rules + paths * path network)), with numbers of table evidence_weight. A fact is part of its own evidence, and may score higher than if it were missing. Evidence takes about a millisecond for each (head, relation): sort many triples by these, or use the embedding alone.
graph: an existing graph
head, relation, tail: names
model: a trained model of the graph
evidence: what scores use: ''embedding'', ''rules'' (only what a rule infers), ''paths'' (only what the path network scores) or ''both'', which is all that the model has';

create or replace function hkg_classify(graph name, head text, relation text, tail text, model name default 'default',
	evidence text default 'both')
returns bool
as 'MODULE_PATHNAME' language c stable parallel safe cost 250;

comment on function hkg_classify(name, text, text, text, name, text) is
'whether a triple is true: its probability is at least 1/2, or, after hkg_learn_thresholds with false triples, its score at least the threshold of its relation
graph: an existing graph
head, relation, tail: names
model: a trained model of the graph
evidence: what scores use: ''embedding'', ''rules'' (only what a rule infers), ''paths'' (only what the path network scores) or ''both'', which is all that the model has
errors: 55000 when the model has neither probabilities nor thresholds';
comment on function hkg_learn_thresholds(name, regclass, name, bigint) is
'learns the thresholds of hkg_classify from false triples that you give, beside the valid split, and returns the accuracy on these; without them, deletes thresholds, so that hkg_classify goes by probabilities
graph: an existing graph with a valid split
negatives: a table or view of false triples, with the columns head, relation and tail; null: none
model: a trained model of the graph
seed: draws false triples for the accuracy, if none are given
errors: 55000 when there is no valid split, 42704 for an unknown name among the negatives, 55006 when the model is being trained';

create function hkg_learn_evidence(graph name, model name default 'default', assume_missing float8 default -1) returns void
as 'MODULE_PATHNAME' language c volatile parallel unsafe cost 100000
set search_path = pg_catalog, pg_temp;
comment on function hkg_learn_evidence(name, name, float8) is
'learns how rules and learnt paths weigh beside the embedding, and what the probability of a score is, from the valid split and the current facts, as every training does at its end
Without a valid split, what was learnt in training stays. Thresholds of all scores but the embedding''s are deleted.
graph: an existing graph
model: a trained model of the graph
assume_missing: the share of all true facts that the graph is assumed to lack, 1e-6 to 0.99; -1: as before
errors: 22023 for a value out of range, 55006 when the model is being trained';
comment on function hkg_explain(name, text, text, text, name) is
'the reasons for a triple''s score: the embedding, then rules and learnt paths with the facts that ground them, largest share first
If the triple is a fact, the fact itself may be in a grounding.
graph: an existing graph
head, relation, tail: names; the triple need not be a fact
model: a trained model of the graph
rule: (embedding), with how a new entity was placed; a rule that is evidence or was selected; (path) and a rule, for one of the five paths that weigh most in the path network; (other paths)
quality: that of table rule, or else the rule''s confidence as evidence
grounding: the facts that match the rule''s body; of a selected rule one row for each grounding
share: its part of hkg_score; all shares add up to it. Null: a better rule infers much the same';

create function hkg_path_rules(graph name, relation text default null, model name default 'default', k int default 10,
	sample int default 100, seed bigint default 0)
returns table (relation text, rule text, length int, share float8, questions bigint, support bigint, body_size bigint,
	head_coverage float8, confidence float8, confidence_error float8, pca_confidence float8, rule_id int)
as 'MODULE_PATHNAME' language c stable parallel safe cost 1000000 rows 100
set search_path = pg_catalog, pg_temp;
comment on function hkg_path_rules(name, text, name, int, int, bigint) is
'what a path network has learnt, as rules: for each relation the paths that weigh most over many facts, with their counts
A fact takes about twenty times as long as a prediction.
graph: an existing graph
relation: a relation; null: each of them, by itself
model: a model with a path network
k: rules of each relation, 1 to 10000
sample: facts of each relation to ask for, at least 2; null: all
seed: draws the facts, and the pairs if counts are estimates
rule: a path from X to Y; a path that returns to an entity counts without the loop
length: atoms of the rule, head included
share: the mean share of the path in the network''s scores of these facts
questions: how many of them (two for each fact) the path has a share in
support, body_size, head_coverage, confidence, pca_confidence: as those of path rules in table rule; null if they take too long
confidence_error: standard error of confidence; 0: all pairs were counted
rule_id: the same rule in table rule; null: it is not there
errors: 42704 for an unknown relation, 55000 if the model has no path network, or came before the relation, 53200 above hybridkg.max_memory';

create function hkg_complete(graph name, relation text default null, k int default 100,
	min_probability float8 default 0.5, model name default 'default', evidence text default 'both',
	heads "any" default null, candidates "any" default null, one_each bool default false, exact bool default false)
returns table (head text, relation text, tail text, score float8, probability float8, rule text)
as 'MODULE_PATHNAME' language c stable parallel restricted cost 1000000 rows 100 support @extschema@._hkg_estimate_k;
comment on function hkg_complete(name, text, int, float8, name, text, "any", "any", bool, bool) is
'the most probable missing facts of a graph, best first, as a list to review
It asks about entities that have a fact of the relation, and about entities like them, for tails and for heads. An empty list comes with a NOTICE that has the best probability found.
graph: an existing graph
relation: a relation; null: all of them together
k: how many in all, at least 1
min_probability: less probable ones are left out, 0 to 1
model: a trained model of the graph
evidence: what scores use: ''embedding'', ''rules'' (only what a rule infers), ''paths'' (only what the path network scores) or ''both'', which is all that the model has
heads: list only rows with these heads: an array of names, or a query as text whose first column names them; null: all. A query runs with the caller''s rights and search_path, and only reads
candidates: likewise for tails
one_each: whether each head is listed once, with its most probable row
exact: whether all questions that may have an answer for the list are asked. Otherwise two kinds are left out: those that a path network is unlikely to answer, and, if few heads or candidates are given, those about entities that no question about these ranks high
score: any real number, higher is more plausible; see hkg_score
probability: combines the questions for the tail and for the head: its log odds are the mean of theirs
rule: the rule with the largest share, or else the best selected rule that infers the fact; null if none does';

create function hkg_evaluate(graph name, split text default 'test', model name default 'default', seed bigint default 0,
	evidence text default 'both', sample int default null)
returns table (side text, triples bigint, mrr float8, mr float8, hits_1 float8, hits_3 float8, hits_10 float8,
	mrr_error float8)
as 'MODULE_PATHNAME' language c stable parallel safe cost 1000000 rows 3
set search_path = pg_catalog, pg_temp;
comment on function hkg_evaluate(name, text, name, bigint, text, int) is
'link prediction on a split: filtered ranks, ties at random
Every entity of the graph is ranked. NOTICEs count triples for which the metrics are too high (learnt as well, or with an inverse or a duplicate among the facts) or too low (about entities or relations without a fact).
graph: an existing graph
split: valid or test; or train, whose triples are part of their own evidence
model: a trained model of the graph
seed: draws the places of ties, and the sample
evidence: what scores use: ''embedding'', ''rules'' (only what a rule infers), ''paths'' (only what the path network scores) or ''both'', which is all that the model has
sample: how many triples to rank, at least 2; the metrics then estimate those of the whole split; null: all
side: head, tail, or both (the mean over both)
triples: how many were ranked
mrr_error: the standard error of mrr; null without a sample';

create function hkg_evaluate_by_relation(graph name, split text default 'test', model name default 'default',
	seed bigint default 0, sample int default null)
returns table (relation text, side text, triples bigint,
	mrr_embedding float8, mrr_rules float8, mrr_paths float8, mrr_both float8,
	hits_1_embedding float8, hits_1_rules float8, hits_1_paths float8, hits_1_both float8,
	hits_10_embedding float8, hits_10_rules float8, hits_10_paths float8, hits_10_both float8)
as 'MODULE_PATHNAME' language c stable parallel safe cost 3000000 rows 30
set search_path = pg_catalog, pg_temp;
comment on function hkg_evaluate_by_relation(name, text, name, bigint, int) is
'hkg_evaluate relation by relation, with what the embedding, rules, learnt paths and all together reach beside each other; relations with most triples first
graph: an existing graph
split: valid or test; or train, whose triples are facts and part of their own evidence (see hkg_score)
model: a trained model of the graph
seed: draws the places of ties, and the sample
sample: as in hkg_evaluate; null: all triples
relation: one that the split has triples of
side: head, tail, or both (the mean over both)
triples: that were ranked
mrr_embedding, mrr_rules, mrr_paths, mrr_both and so on: filtered metrics; null for what the model does not have
The split is ranked once for each of them.';
comment on function hkg_ranks(name, text, name, bigint, text) is
'the filtered ranks behind hkg_evaluate, triple by triple
graph: an existing graph
split: valid or test; or train, whose triples are facts and part of their own evidence (see hkg_score)
model: a trained model of the graph
seed: draws the places of ties
evidence: what scores use: ''embedding'', ''rules'', ''paths'' or ''both'', which is all that the model has';

create function hkg_report(graph name, model name default 'default', compare name default null) returns text
as 'MODULE_PATHNAME' language c stable parallel unsafe cost 10000000
set search_path = pg_catalog, pg_temp;
comment on function hkg_report(name, name, name) is
'a page (HTML) that shows a graph and a model of it: relations, training, accuracy, probabilities, rules, a map, missing facts, cost
psql -XAtc "select hkg_report(''g'')" >report.html writes it to a file, which needs nothing else: no script, no font, no picture
graph: an existing graph
model: a model of it; a graph without models has a page without them
compare: another model, which stands beside the first one; null: none
Accuracy is measured on split test (or valid), by a sample where that is large; missing facts are those of hkg_complete, or of a sample of questions where all would take long. The page states both. Two calls differ in the times that are measured.
It reads with the caller''s rights and writes nothing. A section that needs what the caller may not read, or more than hybridkg.max_memory, is left out, and the page states why.
errors: 42704 for an unknown model';

create function hkg_explain_svg(graph name, head text, relation text, tail text, model name default 'default') returns text
as 'MODULE_PATHNAME' language c stable parallel safe cost 20000
set search_path = pg_catalog, pg_temp;
comment on function hkg_explain_svg(name, text, text, text, name) is
'hkg_explain as a picture (SVG): the triple, the groundings of the rules that count most, and all shares as bars
graph: an existing graph
head, relation, tail: names; the triple need not be a fact
model: a trained model of the graph';

create procedure _hkg_keys_set_aside(graph name)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	part record;
begin
	execute format('create table if not exists %I.key (of_table name not null, of_column name not null, referenced name not null,
		name name not null, definition text not null, primary key (of_table, name))', graph);
	execute format('comment on table %I.key is %L', graph, 'keys of local tables to tables that are on every node; a trigger deletes what names a deleted row');
	for part in
		select t.relname as of_table, a.attname as of_column, r.relname as referenced, k.conname as name,
			pg_get_constraintdef(k.oid) as definition
		from pg_constraint k
			join pg_class t on t.oid = k.conrelid
			join pg_class r on r.oid = k.confrelid
			join pg_attribute a on a.attrelid = t.oid and a.attnum = k.conkey[1]
		where k.contype = 'f' and t.relnamespace = quote_ident(graph)::regnamespace and r.relnamespace = t.relnamespace
			and r.relname in ('entity', 'relation')
	loop
		execute format('insert into %I.key values ($1, $2, $3, $4, $5)', graph)
			using part.of_table, part.of_column, part.referenced, part.name, part.definition;
		execute format('alter table %I.%I drop constraint %I', graph, part.of_table, part.name);
	end loop;
end
$$;
comment on procedure _hkg_keys_set_aside(name) is
'drops the keys to entity and relation, and keeps them in a table; for hkg_distribute_graph
graph: an existing graph';

create procedure _hkg_keys_restored(graph name, tables name[] default null)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	part record;
begin
	for part in execute format('delete from %I.key where of_table = any ($1) or $1 is null returning *', graph) using tables loop
		-- the graph may have had another name
		execute format('alter table %I.%I add constraint %I %s%I.%I%s', graph, part.of_table, part.name,
			substring(part.definition from '^.*? REFERENCES '), graph, part.referenced, substring(part.definition from '[(][^(]*$'));
	end loop;
end
$$;
comment on procedure _hkg_keys_restored(name, name[]) is
'adds keys again; for hkg_distribute_graph and hkg_undistribute_graph
graph: an existing graph
tables: those whose keys are added; null: all';

create procedure _hkg_numbered_by(graph name, identity bool)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	part name;
	next bigint;
begin
	foreach part in array array['entity', 'relation'] loop
		if identity = exists (select from pg_attribute
				where attrelid = format('%I.%I', graph, part)::regclass and attname = 'id' and attidentity <> '') then
			continue;
		end if;
		execute format('select last_value + is_called::int from %s',
			pg_get_serial_sequence(format('%I.%I', graph, part), 'id')) into next;
		if identity then
			execute format('alter table %I.%I alter id drop default', graph, part);
			execute format('drop sequence %s', pg_get_serial_sequence(format('%I.%I', graph, part), 'id'));
			execute format('alter table %I.%I alter id add generated by default as identity (start %s)', graph, part, next);
		else
			execute format('alter table %I.%I alter id drop identity', graph, part);
			execute format('create sequence %I.%I as int start %s owned by %1$I.%4$I.id', graph, part || '_id_seq', next, part);
			execute format('alter table %I.%I alter id set default nextval(%L)', graph, part, format('%I.%I', graph, part || '_id_seq'));
		end if;
	end loop;
end
$$;
comment on procedure _hkg_numbered_by(name, bool) is
'makes the ids of a graph identity columns, or columns with a sequence as their default; for hkg_distribute_graph and hkg_undistribute_graph
graph: an existing graph
identity: whether they become identity columns';

create procedure _hkg_place_slices(graph name)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	nodes int := (select count(*) from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary');
	placed int;
	reader oid;
begin
	if to_regclass(format('%I.slice', graph)) is not null then
		execute 'select count(distinct p.groupid) from pg_dist_shard s join pg_dist_placement p using (shardid) where s.logicalrelid = $1'
			into placed using format('%I.slice', graph)::regclass;
		if placed = nodes then
			return;
		end if;
		execute format('drop table %I.slice', graph);
	end if;
	execute format('create table %I.slice (place int primary key, slice int not null, slices int not null)', graph);
	for reader in select distinct a.grantee from pg_class c, aclexplode(c.relacl) a
			where c.oid = format('%I.triple', graph)::regclass and a.privilege_type = 'SELECT' and a.grantee <> c.relowner loop
		execute format('grant select on %I.slice to %s', graph, case reader when 0 then 'public' else quote_ident(pg_get_userbyid(reader)) end);
	end loop;
	execute format('comment on table %I.slice is %L', graph, 'slices of the work of mining, one on each node that has shards');
	perform create_distributed_table(format('%I.slice', graph)::regclass, 'place', shard_count => nodes, colocate_with => 'none');
	execute format('insert into %I.slice select place, row_number() over (order by place), $1
		from (select min(n) as place from generate_series(1, 1000 * $1) n group by get_shard_id_for_distribution_column($2, n)) s', graph)
		using nodes, format('%I.slice', graph)::regclass;
end
$$;
comment on procedure _hkg_place_slices(name) is
'makes the table slice of a graph; for hkg_distribute_graph
graph: an existing graph';

create procedure _hkg_place_buckets(graph name)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	writer oid;
begin
	if to_regclass(format('%I.bucket', graph)) is not null then
		if (select count(distinct colocationid) = 1 and count(*) = 2 from pg_dist_partition
				where logicalrelid in (format('%I.bucket', graph)::regclass, format('%I.slice', graph)::regclass)) then
			return;
		end if;
		execute format('drop table %I.bucket', graph);
	end if;
	execute format('create unlogged table %I.bucket (place int, lane int, number bigint, bytes bytea, primary key (place, lane, number))', graph);
	execute format('alter table %I.bucket alter bytes set storage external', graph);	-- random numbers: nothing to compress
	for writer in select distinct a.grantee from pg_class c, aclexplode(c.relacl) a
			where c.oid = format('%I.model', graph)::regclass and a.privilege_type = 'INSERT' and a.grantee <> c.relowner loop
		execute format('grant select, insert, update, truncate on %I.bucket to %s', graph,
			case writer when 0 then 'public' else quote_ident(pg_get_userbyid(writer)) end);
	end loop;
	execute format('comment on table %I.bucket is %L', graph, 'entities on their way to a node that trains them, or ranks by them; empty otherwise');
	perform create_distributed_table(format('%I.bucket', graph)::regclass, 'place', colocate_with => format('%I.slice', graph));
end
$$;
comment on procedure _hkg_place_buckets(name) is
'makes the table bucket of a graph; for hkg_distribute_graph
graph: an existing graph with a table slice';

create function _hkg_train_slice(graph name, settings jsonb, blocks regclass, place int, lane int) returns float8[]
as 'MODULE_PATHNAME', 'hkg_train_slice' language c volatile parallel unsafe cost 1000000
set search_path = pg_catalog, pg_temp;
comment on function _hkg_train_slice(name, jsonb, regclass, int, int) is
'trains a bucket whose blocks are in a table, for hkg_train on all nodes of a cluster: it changes those of embeddings, relations and the state of their optimizer
graph: a graph, on any node that has its facts
settings: the arguments of hkg_train, as column settings of table model has them
blocks: the table, or the shard of it on this node
place, lane: of its rows, those of the bucket
returns the sum of the losses, and of how many
errors: XX001 when blocks are missing or do not fit each other; 22023 when settings are of a training without partitions; 42P01 and 42703 when blocks is no such table; 53200 when they would need more than hybridkg.max_memory';

create function _hkg_valid_slice(graph name, settings jsonb, blocks regclass, place int, lane int) returns int[]
as 'MODULE_PATHNAME', 'hkg_valid_slice' language c stable parallel restricted cost 1000000
set search_path = pg_catalog, pg_temp;
comment on function _hkg_valid_slice(name, jsonb, regclass, int, int) is
'ranks triples of the valid split by embeddings whose blocks are in a table, for hkg_train on all nodes of a cluster
graph, settings, blocks, place, lane: see _hkg_train_slice
returns the ranks of the heads, then those of the tails
errors: as of _hkg_train_slice, but for 22023';

create function _hkg_rate_slice(graph name, settings jsonb, blocks regclass, place int, lane int) returns float8[]
as 'MODULE_PATHNAME', 'hkg_rate_slice' language c stable parallel restricted cost 1000000
set search_path = pg_catalog, pg_temp;
comment on function _hkg_rate_slice(name, jsonb, regclass, int, int) is
'rates rules by embeddings whose blocks are in a table, for hkg_train on all nodes of a cluster
graph, settings, blocks, place, lane: see _hkg_train_slice
returns for each rule its embedding confidence, the standard error of it, and its quality; NaN where that is too low
errors: as of _hkg_train_slice, but for 22023';

create procedure _hkg_place_models(graph name)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	part text;
	reader oid;
begin
	foreach part in array array['model', 'entity_embedding', 'relation_embedding', 'evidence_weight', 'rule', 'path_network', 'shared_weight'] loop
		if to_regclass(format('%I.sent_%s', graph, part)) is not null then
			continue;
		end if;
		execute format('create table %1$I.sent_%2$s (like %1$I.%2$s)', graph, part);
		if part = 'model' then
			execute format('alter table %I.sent_model add version text not null', graph);
		end if;
		execute format('create index on %I.sent_%s (%s)', graph, part, case part when 'model' then 'name' else 'model' end);
		for reader in select distinct a.grantee from pg_class c, aclexplode(c.relacl) a
				where c.oid = format('%I.%I', graph, part)::regclass and a.privilege_type = 'SELECT' and a.grantee <> c.relowner
					and not c.relrowsecurity loop
			execute format('grant select on %I.sent_%s to %s', graph, part,
				case reader when 0 then 'public' else quote_ident(pg_get_userbyid(reader)) end);
		end loop;
		execute format('comment on table %I.sent_%s is %L', graph, part, format('rows of table %s, on every node of a cluster', part));
		perform create_reference_table(format('%I.sent_%s', graph, part)::regclass);
	end loop;
end
$$;
comment on procedure _hkg_place_models(name) is
'makes the tables of models that are sent to the nodes of a cluster; for hkg_distribute_graph
graph: an existing graph';

create function _hkg_send_model(graph name, model name default 'default') returns bigint
language plpgsql volatile parallel unsafe cost 1000000
set search_path = pg_catalog, pg_temp
as $$
declare
	wanted text;
	found text;
	models name[];
	part text;
	condition text;
	sent bigint;
	bytes bigint;
	others int;
begin
	perform @extschema@.hkg_source(graph);	-- errors unless it is a graph
	if to_regclass(format('%I.sent_model', graph)) is null then
		raise exception using errcode = 'object_not_in_prerequisite_state', message = format('graph "%s" is not distributed', graph),
			hint = format('On a cluster of Citus: select hkg_distribute_graph(%L)', graph);
	end if;
	perform pg_advisory_xact_lock(format('%I.sent_model', graph)::regclass::oid::bigint);
	select count(*) - 1 into others from pg_dist_node where isactive and noderole = 'primary';
	loop
		execute format('select xmin::text || ctid::text from %I.model where name = $1', graph) into wanted using model;
		if wanted is null then
			raise exception using errcode = 'undefined_object', message = format('model "%s" does not exist in graph "%s"', model, graph);
		end if;
		execute format('select version from %I.sent_model where name = $1', graph) into found using model;
		if found = wanted then
			return coalesce(bytes, 0);
		end if;
		execute format('select array_agg(name) from %I.model where name <> $1', graph) into models using model;
		bytes := 0;
		foreach part in array array['model', 'entity_embedding', 'relation_embedding', 'evidence_weight', 'rule', 'path_network', 'shared_weight'] loop
			execute format('delete from %I.sent_%s where %s <> all ($1)', graph, part, case part when 'model' then 'name' else 'model' end)
				using coalesce(models, '{}');
			-- of rules, those that are evidence
			condition := case part when 'model' then 't.name = $1' when 'rule' then 't.model = $1 and t.evidence_confidence is not null'
				else 't.model = $1' end;
			execute format('insert into %1$I.sent_%2$s select t.*%3$s from %1$I.%2$s t where %4$s', graph, part,
				case part when 'model' then format(', %L', wanted) else '' end, condition) using model;
			execute format('select coalesce(sum(pg_column_size(t.*)), 0) from %I.%s t where %s', graph, part, condition)
				into sent using model;
			bytes := bytes + sent * others;
		end loop;
	end loop;
end
$$;
comment on function _hkg_send_model(name, name) is
'copies a model to every node of a cluster, for ranking there; hkg_complete and whatever ranks a split do it themselves where it pays
A node that has this version of the model gets nothing. Models that are gone are deleted there.
graph: a distributed graph of the caller
model: a model of the graph
returns the bytes of the rows that were sent to other nodes
errors: 55000 when the graph is not distributed; 42704 when there is no such model';

create function _hkg_rank_slice(graph name, model name, split text, seed bigint, evidence text, sample int, version text,
	slice int, slices int) returns bigint[]
as 'MODULE_PATHNAME', 'hkg_rank_slice' language c stable parallel restricted cost 1000000
set search_path = pg_catalog, pg_temp;
comment on function _hkg_rank_slice(name, name, text, bigint, text, int, text, int, int) is
'the ranks of a slice of the triples of a split, for hkg_evaluate on all nodes of a cluster
graph, model, split, seed, evidence: see hkg_ranks
sample: see hkg_evaluate; 0: all triples
version: that of the model: on the coordinator, xmin and ctid of its row
slice: the number of the slice, 1 first
slices: how many there are. Each has eight stretches of the triples, in the order of hkg_ranks
returns a checksum of the facts and of the split, then the ranks of the heads, then those of the tails; null when this node has another version of the model';

create function _hkg_complete_slice(graph name, model name, evidence text, relation int, k int, min_probability float8, one_each bool,
	exact bool, heads int[], candidates int[], version text, slice int, slices int) returns bigint[]
as 'MODULE_PATHNAME', 'hkg_complete_slice' language c stable parallel restricted cost 1000000
set search_path = pg_catalog, pg_temp;
comment on function _hkg_complete_slice(name, name, text, int, int, float8, bool, bool, int[], int[], text, int, int) is
'the most probable missing facts that answer a slice of the questions, for hkg_complete on all nodes of a cluster
graph, model, evidence, k, min_probability, one_each, exact: see hkg_complete; min_probability may leave out what is less probable
relation: a row of the model, from 0 on; -1: all
heads, candidates: rows of the model, ascending; null: all
version: see _hkg_rank_slice
slice: the number of the slice, 1 first
slices: how many there are. Each has a part of the questions of each relation and side
returns a checksum of the facts, then for each fact: rows of head, relation and tail; 0 where it was found as a head, 1 as a tail; score, its parts and the probability, as bits; null when this node has another version of the model';

create procedure _hkg_check_cluster()
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	wanted text := (select extversion from pg_extension where extname = 'hybridkg');
	node record;
begin
	if to_regclass('pg_catalog.pg_dist_node') is null then
		raise exception using errcode = 'object_not_in_prerequisite_state',
			message = 'this database has no extension citus',
			hint = 'Install Citus on every server, add it to shared_preload_libraries, run "create extension citus" in this database of each, and name the workers: select citus_add_node(host, port). A graph on one server needs none of it.';
	elsif (select groupid from pg_dist_local_group) <> 0 then
		raise exception using errcode = 'object_not_in_prerequisite_state', message = 'this server is a worker',
			hint = 'Connect to the coordinator: select nodename, nodeport from pg_dist_node where groupid = 0';
	elsif not exists (select from pg_dist_node where groupid = 0) then
		raise exception using errcode = 'object_not_in_prerequisite_state', message = 'the coordinator is not among the nodes of the cluster',
			detail = 'It would have no copy of the facts.', hint = 'Name it: select citus_set_coordinator_host(host, port)';
	end if;
	for node in select * from run_command_on_workers('select max(extversion) from pg_extension where extname = ''hybridkg''') loop
		if not node.success then
			raise exception using errcode = 'connection_failure', message = format('node %s:%s does not answer', node.nodename, node.nodeport),
				detail = node.result, hint = format('Start it, or take it out of the cluster: select citus_disable_node(%L, %s)', node.nodename, node.nodeport);
		elsif node.result is distinct from wanted then
			raise exception using errcode = 'object_not_in_prerequisite_state',
				message = format('node %s:%s does not have version %s of hybridkg', node.nodename, node.nodeport, wanted),
				detail = format('It has: %s', coalesce(nullif(node.result, ''), 'none')),
				hint = 'Install the same version on every server, then: select run_command_on_workers(''set citus.enable_ddl_propagation = off; create extension if not exists hybridkg'')';
		end if;
	end loop;
end
$$;
comment on procedure _hkg_check_cluster() is 'errors where the cluster is not ready; for hkg_distribute_graph';

create function hkg_distribute_graph(graph name)
returns table (copied text, nodes int, bytes bigint)
language plpgsql volatile parallel unsafe cost 100000 rows 4
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set citus.enable_unsafe_triggers = on
as $$
declare
	others int;
begin
	perform @extschema@.hkg_source(graph);	-- errors unless it is a graph
	call @extschema@._hkg_check_cluster();
	select count(*) - 1 into others from pg_dist_node where isactive and noderole = 'primary';
	if not exists (select from pg_dist_partition where logicalrelid = format('%I.triple', graph)::regclass) then
		execute format('lock table %1$I.triple, %1$I.holdout, %1$I.entity, %1$I.relation in access exclusive mode', graph);
		call @extschema@._hkg_keys_set_aside(graph);
		call @extschema@._hkg_numbered_by(graph, false);
		foreach copied in array array['entity', 'relation', 'triple', 'holdout'] loop
			nodes := others + 1;
			bytes := pg_relation_size(format('%I.%I', graph, copied)::regclass) * others;
			perform create_reference_table(format('%I.%I', graph, copied)::regclass);
			perform truncate_local_data_after_distributing_table(format('%I.%I', graph, copied)::regclass);
			return next;
		end loop;
		execute format('grant select on %I.layout to public', graph);	-- on nodes that were added after it was
		call @extschema@._hkg_keys_restored(graph, array['triple', 'holdout']);
		execute format($body$
			create function %1$I.names_deleted() returns trigger
			language plpgsql security definer	-- as keys do it; the owner's, so tables of others may not use it
			set search_path = pg_catalog, pg_temp
			as $trigger$
			declare
				part record;
			begin
				if to_regclass(format('%%I.key', tg_table_schema)) is null then	-- another node
					return null;
				elsif exists (select from pg_class where oid in (tg_relid, format('%%I.key', tg_table_schema)::regclass)
						and pg_get_userbyid(relowner) <> current_user) then
					raise exception using errcode = 'insufficient_privilege',
						message = format('trigger %%I of %%s runs as %%I, who does not own both that table and %%I.key', tg_name, tg_relid::regclass, current_user, tg_table_schema),
						hint = 'Give the tables of the graph and its function names_deleted one owner.';
				end if;
				for part in execute format('select * from %%I.key where starts_with($1, referenced)', tg_table_schema) using tg_table_name loop
					execute format('delete from %%I.%%I where %%I in (select id from gone)', tg_table_schema, part.of_table, part.of_column);
				end loop;
				return null;
			end
			$trigger$
			$body$, graph);
		execute format('create trigger deleted after delete on %I.entity referencing old table as gone
			for each statement execute function %1$I.names_deleted()', graph);
		execute format('create trigger deleted after delete on %I.relation referencing old table as gone
			for each statement execute function %1$I.names_deleted()', graph);
	end if;
	call @extschema@._hkg_place_models(graph);
	call @extschema@._hkg_place_slices(graph);
	call @extschema@._hkg_place_buckets(graph);
end
$$;
comment on function hkg_distribute_graph(name) is
'copies the facts of a graph to every node of a Citus cluster, so that mining, its counts, ranking and training by partitions use all of them; everything else is typed as before
Tables entity, relation, triple and holdout become reference tables, with their triggers and keys; models stay on the coordinator. Rules are the same as on one server. Keys from tables of models to entity and relation become a trigger that deletes what names a deleted row. It locks the facts until its transaction ends. A graph that is distributed already gets new slices if nodes were added or removed.
graph: an existing graph of the caller
copied: a table that this call copied
nodes: how many nodes have it now
bytes: of its rows, that were sent to other nodes
errors: 55000 without the extension citus, on a worker, where the coordinator is not among the nodes, or where a node has another version of hybridkg; 08006 where a node does not answer; 0A000 when a table of the graph is sharded';

create function _hkg_search_slice(graph name, left_out int[], max_rule_length int, min_head_coverage float8, min_support int,
	constants bool, slice int, slices int) returns bigint[]
as 'MODULE_PATHNAME', 'hkg_search_slice' language c stable parallel restricted cost 1000000
set search_path = pg_catalog, pg_temp;
comment on function _hkg_search_slice(name, int[], int, float8, int, bool, int, int) is
'the rules over the bounds with the heads of a slice, for mining on all nodes of a cluster
graph: a graph, on any node that has its facts
left_out: facts that do not count: ids of head, relation and tail, one after the other
max_rule_length, min_head_coverage, min_support, constants: see hkg_mine_rules
slice: the number of the slice, 1 first
slices: how many there are. The relations with most facts come first, each to the slice with fewest facts
returns a checksum of the facts, then each rule: its head, the number of its atoms, relation, first and second term of each (see column body of table rule), and its support';

create function _hkg_count_slice(graph name, left_out int[], rules int[], slice int, slices int) returns bigint[]
as 'MODULE_PATHNAME', 'hkg_count_slice' language c stable parallel restricted cost 1000000
set search_path = pg_catalog, pg_temp;
comment on function _hkg_count_slice(name, int[], int[], int, int) is
'the sizes of the bodies of rules in a slice of their pairs, for mining on all nodes of a cluster: over all slices they add up
graph, left_out, slice, slices: see _hkg_search_slice; slices are those of the first variable, or of the second one of a body that is counted backwards
rules: as _hkg_search_slice returns them, without supports
returns a checksum of the facts, then for each rule the pairs of its body, and those of them that PCA confidence counts
errors: 22023 for rules that are none';

create function hkg_undistribute_graph(graph name)
returns table (returned text, bytes bigint)
language plpgsql volatile parallel unsafe cost 100000 rows 4
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set citus.enable_unsafe_triggers = on
as $$
declare
	comments text[];
	comment_again text;
begin
	perform @extschema@.hkg_source(graph);
	if to_regclass(format('%I.key', graph)) is null then
		return;
	end if;
	-- Citus makes the tables anew, without their comments
	select array_agg(case when d.objsubid = 0 then format('comment on table %I.%I is %L', graph, c.relname, d.description)
			else format('comment on column %I.%I.%I is %L', graph, c.relname, a.attname, d.description) end)
		into comments
		from pg_description d
			join pg_class c on d.classoid = 'pg_class'::regclass and c.oid = d.objoid
			left join pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid
		where c.relnamespace = quote_ident(graph)::regnamespace and c.relname in ('entity', 'relation', 'triple', 'holdout');
	execute format('drop trigger if exists deleted on %I.entity', graph);
	execute format('drop trigger if exists deleted on %I.relation', graph);
	execute format('drop function if exists %I.names_deleted()', graph);
	call @extschema@._hkg_keys_set_aside(graph);
	if to_regclass('pg_catalog.pg_dist_partition') is not null then
		foreach returned in array array['holdout', 'triple', 'relation', 'entity'] loop
			if exists (select from pg_dist_partition where logicalrelid = format('%I.%I', graph, returned)::regclass) then
				perform undistribute_table(format('%I.%I', graph, returned)::regclass);
				bytes := pg_relation_size(format('%I.%I', graph, returned)::regclass);
				return next;
			end if;
		end loop;
	end if;
	call @extschema@._hkg_numbered_by(graph, true);
	call @extschema@._hkg_keys_restored(graph);
	foreach comment_again in array coalesce(comments, '{}') loop	-- a dump may leave them out
		execute comment_again;
	end loop;
	execute format('drop table if exists %1$I.bucket, %1$I.slice, %1$I.key, %1$I.sent_model, %1$I.sent_entity_embedding, %1$I.sent_relation_embedding,
		%1$I.sent_evidence_weight, %1$I.sent_rule, %1$I.sent_path_network, %1$I.sent_shared_weight', graph);
end
$$;
comment on function hkg_undistribute_graph(name) is
'takes back what hkg_distribute_graph did: all tables of the graph are local, with their keys
A graph that is restored from a dump of a distributed one, on a server with Citus or without, has all facts, but neither the copies nor these keys: this adds the keys, hkg_distribute_graph after it the copies.
graph: an existing graph of the caller; one that is not distributed is left as it is
returned: a table that is local again
bytes: of its rows, that were written anew
errors: 23503 when a model''s table names an entity or a relation that is gone';

-- of functions that are otherwise as they were
comment on function hkg_neighbors(name, text, int, name) is
'the k entities with the most similar embeddings, nearest first
graph: an existing graph
entity: an entity
k: how many, at least 1
model: a trained model of the graph
similarity: the cosine of the two embeddings as stored, -1 to 1
errors: 55000 for an entity without an embedding and without a fact that places it';

comment on function hkg_compare(name, name, name, text, text) is
'the filtered ranks of a split under two models, triple by triple, with the rule that may explain the change
Rows are ordered by how much 1 / head rank + 1 / tail rank changes.
graph: an existing graph
model_a, model_b: trained models of the graph
split: valid or test; or train, whose triples are part of their own evidence
evidence: what scores use: ''embedding'', ''rules'' (only what a rule infers), ''paths'' (only what the path network scores) or ''both'', which is all that the model has
rule: the rule of model_b with the largest share, or else its best selected rule that infers the triple; null if none does';

-- ---------------------------------------------------------------------------
-- Help
-- ---------------------------------------------------------------------------

create or replace function hkg_help() returns table (function text, purpose text)
language sql stable parallel safe rows 30
set search_path = pg_catalog, pg_temp
as $$
	select p.proname || '(' || concat_ws(', ',
			array_to_string((p.proargnames::text[])[1 : p.pronargs - p.pronargdefaults], ', '),
			case when p.pronargdefaults > 0 then '...' end) || ')',
		split_part(obj_description(p.oid, 'pg_proc'), e'\n', 1)
	from pg_proc p
	join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
	join pg_extension e on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid
	where e.extname = 'hybridkg' and p.pronamespace = e.extnamespace and p.proname like 'hkg\_%'
	order by p.oid
$$;
comment on function hkg_help() is
'this list: every function with its purpose in one line; \df+ lists the arguments
function: its name and the arguments that it needs; ... stands for those that have defaults';

comment on function hkg_upgrade_graph(name) is
'brings a graph of an older version to the tables of this version, and returns the version of its layout
Its models stay and predict as before. A graph that is up to date is left as it is.
graph: an existing graph of the caller
errors: 42501 for anyone but the owner, 55006 while a model of the graph is being trained, 55000 when the graph is newer than the extension, or alter extension hybridkg update comes first';

comment on function hkg_mine_rules(name, int, float8, int, bool, text, name, float8, int, float8) is
'every closed rule above the bounds, best first
graph: an existing graph
max_rule_length: atoms of a rule, head included, 2 to 4; 4 takes ten times as long as 3 on sparse graphs, hundreds of times on dense ones
min_head_coverage: least share of the head relation''s facts that a rule infers, 0 to 1
min_support: least number of facts that a rule infers
constants: whether rules with constants are searched, too, r(X,Y) <= b(X,Y), c(X,"entity")
measure: what quality is: standard (standard confidence), pca (PCA confidence) or hybrid ((1 - omega) * standard + omega * embedding confidence; drops a rule when a shorter rule within it has at least its quality)
model: the model that gives embedding confidence; for hybrid
omega: weight of embedding confidence, 0 to 1; for hybrid
ec_sample: predictions of a rule to score, at least 2, always the same ones; null: all; for hybrid
min_confidence: least standard confidence of a rule, 0 to 1
embedding_confidence_error: its standard error; 0 if all predictions were scored';

comment on function hkg_rule_sql(name, text) is
'the SELECT (x int, y int) that evaluates a rule''s body, to run or to EXPLAIN: the distinct pairs of entity ids for which the rule infers its head
graph: an existing graph
rule: its text, r(X,Y) <= b1(X,A), b2(A,Y), or with a constant in the head, r(X,"c") <= b(X,"d")
errors: 42601 with the position when the rule does not parse, 42704 for unknown names, 22023 for a rule outside the language';

comment on function hkg_project(name, int, name) is
'principal components of the entities'' embeddings: the k directions in which they vary most, a row for each entity with its place along them
graph: an existing graph
k: how many components, 1 to 100
model: a trained model of the graph
entity: in the order of entity.id; one without an embedding is not listed
coordinates: k numbers, with a mean of 0 over all entities; the largest number of each component is positive
explained: k numbers, the same in every row: each component''s share of the variance, falling
errors: 22023 for a k out of range, 42704 for an unknown model, 55000 when it has no embeddings, 54000 for embeddings of more than 5,000 numbers, 53200 above hybridkg.max_memory, 0A000 when hybridkg was built without BLAS and LAPACK';

comment on function hkg_rule_precision(name, int, text, name) is
'how many of the triples that the best rules infer, and that are not facts, are in a split
graph: an existing graph
top_rules: how many of the model''s rules, at least 1: the selected ones first, best quality first
split: valid or test
model: a trained model of the graph
inferred: distinct triples
correct: those in the split
precision: correct / inferred, null when nothing is inferred';
