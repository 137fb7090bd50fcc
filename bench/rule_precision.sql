-- rule_precision(graph, top_rules, split, model): how many of the triples that the best rules of a model infer, and that
-- are not facts, are held out.  The selected rules come first, then others with a quality.
create or replace function rule_precision(graph name, top_rules int, split text, model name,
	out inferred bigint, out correct bigint, out "precision" float8)
language plpgsql stable
as $$
begin
	execute format($sql$
		with best as (select rule from %1$I.rule where model = $1 and quality is not null and predictions > 0
				order by selected desc, quality desc, support desc, rule collate "C" limit $2),
			held as (select h.name::text, r.name::text, t.name::text from %1$I.holdout f join %1$I.entity h on h.id = f.head
				join %1$I.relation r on r.id = f.relation join %1$I.entity t on t.id = f.tail where f.split = $3)
		select count(*), count(*) filter (where is_held)
		from (select distinct a.head, a.relation, a.tail, (a.head, a.relation, a.tail) in (select * from held) as is_held
			from best, hkg_apply_rule(%1$L, best.rule) a where not a.known) i
	$sql$, graph) into inferred, correct using model, top_rules, split;
	"precision" := correct::float8 / nullif(inferred, 0);
end
$$;
