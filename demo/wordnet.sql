--
-- hybridkg, shown on all of WordNet 3.0.
--
-- `make demo-wordnet` runs this on a server of its own.  By hand, in any database of a server
-- that has the extension: psql -f demo/wordnet.sql.  It makes one schema, wordnet, and
-- needs the files of Debian's package wordnet-base in /usr/share/wordnet.
--
\set ON_ERROR_STOP on
\set QUIET on
\pset footer off
\pset null ''
\timing off
set client_min_messages = warning;

create extension if not exists hybridkg;

\echo
\echo '=== 1. WordNet becomes a graph'
\echo
\echo 'Its files are read line by line; the rest is SQL.'

create temp table data_line (line text);
create temp table index_line (line text);
\copy data_line from '/usr/share/wordnet/data.noun' with (format csv, delimiter e'\x01', quote e'\x02')
\copy data_line from '/usr/share/wordnet/data.verb' with (format csv, delimiter e'\x01', quote e'\x02')
\copy data_line from '/usr/share/wordnet/data.adj' with (format csv, delimiter e'\x01', quote e'\x02')
\copy data_line from '/usr/share/wordnet/data.adv' with (format csv, delimiter e'\x01', quote e'\x02')
\copy index_line from '/usr/share/wordnet/index.noun' with (format csv, delimiter e'\x01', quote e'\x02')
\copy index_line from '/usr/share/wordnet/index.verb' with (format csv, delimiter e'\x01', quote e'\x02')
\copy index_line from '/usr/share/wordnet/index.adj' with (format csv, delimiter e'\x01', quote e'\x02')
\copy index_line from '/usr/share/wordnet/index.adv' with (format csv, delimiter e'\x01', quote e'\x02')

-- An index line ends with the places of a word's meanings, the first meaning first:
--	lemma pos meanings p [p symbols] meanings tagged place...
create temp table meaning as
select field[1] as lemma, field[2] as pos, place, number
from (
	select string_to_array(rtrim(line), ' ') as field
	from index_line
	where line not like ' %'
) l, unnest(field[cardinality(field) - field[3]::int + 1:]) with ordinality as m (place, number);

-- A data line is a set of synonyms, its pointers to others, and a gloss:
--	place file pos words(hexadecimal) [word id]... pointers [symbol place pos words]... | gloss
-- Adjectives come in two kinds, a and s; an index has them all under a.
create temp table synset as
select field, gloss, field[1] as place, translate(field[3], 's', 'a') as pos, field[3] as kind,
	lower(regexp_replace(field[5], '\(.*', '')) as lemma,
	6 + 2 * ('x' || lpad(field[4], 8, '0'))::bit(32)::int as pointers
from (
	select string_to_array(split_part(line, ' | ', 1), ' ') as field,
		rtrim(substr(line, strpos(line, ' | ') + 3)) as gloss
	from data_line
	where line not like ' %'
) l;

analyze meaning;
analyze synset;

-- A name is the first word, its kind, and which of the word's meanings this is: dog.n.01
create temp table concept as
select place, pos, lemma || '.' || kind || '.' || to_char(number, 'FM00') as name, gloss
from synset join meaning using (lemma, pos, place);

analyze concept;

-- Of two inverse relations one is kept: dog has the hypernym canine, not canine the hyponym dog.
create temp table meant (symbol text, relation text, reads text);
insert into meant values
	('@', 'hypernym', 'X is a kind of Y'),
	('@i', 'instance_hypernym', 'X is one of the Y'),
	('#m', 'member_holonym', 'X is a member of Y'),
	('#p', 'part_holonym', 'X is a part of Y'),
	('#s', 'substance_holonym', 'Y is made of X'),
	('+', 'derivationally_related_form', 'X and Y have words of one root'),
	('!', 'antonym', 'X is the opposite of Y'),
	('&', 'similar_to', 'X is similar to Y (adjectives)'),
	('^', 'also_see', 'for X, see also Y'),
	('$', 'verb_group', 'X and Y are akin (verbs)'),
	('*', 'entailment', 'to X is also to Y'),
	('>', 'cause', 'to X is to make Y'),
	('<', 'participle', 'X is the participle of Y'),
	('\', 'pertainym', 'X pertains to Y, or is the adverb of Y'),
	('=', 'attribute', 'X is a value of Y, or the other way round'),
	(';c', 'domain_topic', 'X belongs to the subject Y'),
	(';r', 'domain_region', 'X is used in the region Y'),
	(';u', 'domain_usage', 'X is a Y (slang, archaism, ...)');

create temp table fact as
select distinct h.name as head, m.relation, t.name as tail
from synset s
cross join lateral generate_series(s.pointers, s.pointers + 4 * s.field[s.pointers - 1]::int - 1, 4) as i
join meant m on m.symbol = s.field[i]
join concept h on h.place = s.place and h.pos = s.pos
join concept t on t.place = s.field[i + 1] and t.pos = translate(s.field[i + 2], 's', 'a');

select relation, reads, facts, example
from meant
join (
	select relation, count(*) as facts, min(head || ', ' || tail) filter (where head ~ '^dog\.|^wheel\.|^run\.|^good\.|^tree\.|^paris\.') as example
	from fact group by relation
) f using (relation)
order by facts desc;

\echo 'Its facts go into a graph.'

-- One fact in 256 is held out, by a hash, to see what the model makes of facts that it never saw.
create temp table split as
select *, case hashtextextended(concat_ws(' ', head, relation, tail), 0) & 255
	when 0 then 'valid' else 'train' end as split
from fact;

select hkg_create_graph('wordnet') \g /dev/null
select hkg_load('wordnet', $$select head, relation, tail from split where split = 'train' order by relation, head, tail$$) \g /dev/null
select hkg_load('wordnet', $$select head, relation, tail from split where split = 'valid' order by relation, head, tail$$, 'valid') \g /dev/null

-- A graph is a schema of ordinary tables; ours can stand beside them.
create table wordnet.gloss (entity int primary key references wordnet.entity, gloss text not null);
insert into wordnet.gloss
select e.id, c.gloss from concept c join wordnet.entity e using (name);
analyze wordnet.gloss;

select count(*) as entities, (select count(*) from wordnet.triple) as facts,
	(select count(*) from wordnet.holdout) as held_out
from wordnet.entity \gset
\echo :facts 'facts about' :entities 'concepts to learn from,' :held_out 'more held out.'


\echo
\echo '=== 2. Embeddings and rules are learnt together'
\echo
\echo 'One statement, with the preset for a first look.  Each iteration trains for some epochs,'
\echo 'looks for the best rules under the embeddings of the moment, and samples what these rules'
\echo 'infer for the next one.'
\echo
set client_min_messages = notice;
set hybridkg.progress = epoch;
\set VERBOSITY terse
select hkg_train('wordnet', preset => 'quick') as model;

\echo 'The learning curve (the metrics are those of the held out facts: where does the true'
\echo 'concept stand among all of them, facts that are known left aside?):'
\echo
select number as iteration, round(loss::numeric, 4) as loss, round(mrr::numeric, 3) as "MRR",
	round(hits_1::numeric, 3) as "Hits@1", round(hits_10::numeric, 3) as "Hits@10",
	rules, inferred as "facts inferred", sampled,
	round((train_seconds + mine_seconds + sample_seconds + evaluate_seconds)::numeric, 1) as seconds
from wordnet.iteration
order by number;

\echo
\echo '=== 3. The best rules'
\echo
\echo 'Quality weighs how often a rule is right about facts (standard confidence) and how'
\echo 'plausible the embeddings find what else it infers (embedding confidence).  Of rules'
\echo 'that differ in the direction of an atom alone, the best is shown.'
\echo
select rule, support, round(standard_confidence::numeric, 3) as standard,
	round(embedding_confidence::numeric, 3) as embedding, round(quality::numeric, 3) as quality
from (
	select distinct on (head, relations) *
	from (
		select r.*, array(select body[i][1] from generate_subscripts(body, 1) as i order by 1) as relations
		from wordnet.rule r
		where embedding_confidence is not null
	) r
	order by head, relations, quality desc, id
) r
order by quality desc
limit 16;

\echo
\echo '=== 4. What WordNet does not say'
\echo
\echo 'Facts that the rules infer and that WordNet lacks, those that the embeddings find most'
\echo 'plausible: up to five of each relation, and one of each pair of mirror images:'
\echo
select head, relation, tail, round(plausibility::numeric, 2) as plausible,
	case when held_out then 'held out' else '' end as "in WordNet?"
from (
	select *, row_number() over (partition by relation order by score desc) as place
	from (
		select distinct on (r.name, least(h.name, t.name), greatest(h.name, t.name))
			h.name as head, r.name as relation, t.name as tail, i.score, 1 / (1 + exp(-i.score)) as plausibility,
			exists (select from wordnet.holdout o where (o.head, o.relation, o.tail) = (i.head, i.relation, i.tail)) as held_out
		from wordnet.inferred i
		join wordnet.entity h on h.id = i.head
		join wordnet.relation r on r.id = i.relation
		join wordnet.entity t on t.id = i.tail
		where i.iteration = (select best_iteration from wordnet.model where name = 'default') and i.head <> i.tail
		order by r.name, least(h.name, t.name), greatest(h.name, t.name), i.score desc
	) inference
) inference
where place <= 5
order by relation, place;

\echo
\echo 'What else are these?  Those rules do not infer it; embeddings, and rules with constants, rank it high:'
\echo 'the three most plausible answers that are no facts, out of' :entities 'concepts, and the chance of each to be one.'
\echo
select w.name as concept, known.tails as "WordNet says: one of the",
	string_agg(p.tail || ' (' || round(p.probability::numeric, 4) || ')', ', ' order by p.score desc) as "might as well be"
from unnest(array['mozart.n.01', 'newton.n.01', 'shakespeare.n.01', 'chaplin.n.01', 'lincoln.n.01', 'istanbul.n.01'])
	with ordinality as w (name, place)
cross join lateral (
	select string_agg(t.name, ', ') as tails
	from wordnet.triple f
	join wordnet.entity h on h.id = f.head
	join wordnet.entity t on t.id = f.tail
	join wordnet.relation r on r.id = f.relation
	where h.name = w.name and r.name = 'instance_hypernym'
) known
cross join hkg_predict_tails('wordnet', w.name, 'instance_hypernym', 3) p
group by w.place, w.name, known.tails
order by w.place;

\echo
\echo '=== 5. Why?'
\echo
\echo 'One of the inferred facts: competent.a.03 belongs to the subject law.n.01.'
\echo
select e.name, regexp_replace(g.gloss, ';.*', '') as gloss
from wordnet.entity e join wordnet.gloss g on g.entity = e.id
where e.name in ('competent.a.03', 'law.n.01');

\echo 'Which rules infer it, and through which facts:'
\echo
select rule, round(quality::numeric, 3) as quality, grounding
from hkg_explain('wordnet', 'competent.a.03', 'domain_topic', 'law.n.01');

\echo 'A rule is a query over the graph''s tables; this one''s yields the ids of all its X and Y:'
\echo
\pset tuples_only on
select hkg_rule_sql('wordnet', 'domain_topic(X,Y) <= antonym(X,A), domain_topic(A,Y)');
\pset tuples_only off
