-- For the SQL tests, \i test/asked.sql after test/tools.sql.
-- The questions that hkg_complete asks about a graph: of each relation and side of the answers, about each entity with facts of the
-- relation, and each that has an atom of whose entities half, and two at least, have such facts.
create or replace function hkg_tools.asked(graph name) returns table (relation text, side text, entity text)
language plpgsql as $$
begin
	return query execute format('
		with atom as (select distinct f.relation, ''tail'' as side, f.head as entity from %1$I.triple f
			union select f.relation, ''head'', f.tail from %1$I.triple f),
		size as (select a.relation, a.side, count(*) as entities from atom a group by 1, 2),
		alike as (select a.relation, a.side, b.relation as other_relation, b.side as other_side from atom a join atom b using (entity)
			join size s on (s.relation, s.side) = (b.relation, b.side) group by 1, 2, 3, 4, s.entities
			having count(*) >= 2 and count(*) >= 0.5 * s.entities)
		select r.name::text, q.side, e.name::text
		from (select a.relation, a.side, a.entity from atom a union
			select l.relation, l.side, a.entity from alike l join atom a on (a.relation, a.side) = (l.other_relation, l.other_side)) q
		join %1$I.relation r on r.id = q.relation join %1$I.entity e on e.id = q.entity', graph);
end
$$;
