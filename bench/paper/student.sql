-- Student's t distribution, by the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4

-- P(|T| > |t|)
create or replace function student_p(t float8, df int) returns float8
language plpgsql immutable strict as $$
declare
	theta float8 := atan(abs(t) / sqrt(df));
	term float8 := case when df % 2 = 0 then 1 else cos(theta) end;
	total float8 := case when df = 1 then 0 else term end;
begin
	for k in 2 + df % 2 .. df - 2 by 2 loop
		exit when term < 1e-100;
		term := term * cos(theta) ^ 2 * (k - 1) / k;
		total := total + term;
	end loop;
	return 1 - case when df % 2 = 0 then sin(theta) * total else 2 / pi() * (theta + sin(theta) * total) end;
end
$$;

-- the t with P(|T| > t) = p
create or replace function student_t(p float8, df int) returns float8
language plpgsql immutable strict as $$
declare
	low float8 := 0;
	high float8 := 1e6;
begin
	for step in 1 .. 100 loop
		if student_p((low + high) / 2, df) > p then
			low := (low + high) / 2;
		else
			high := (low + high) / 2;
		end if;
	end loop;
	return low;
end
$$;

-- the tables that every textbook prints
do $$
declare
	known record;
begin
	for known in select * from (values (1, 0.05, 12.706), (2, 0.05, 4.303), (3, 0.01, 5.841), (4, 0.05, 2.776), (4, 0.01, 4.604),
			(5, 0.05, 2.571), (9, 0.01, 3.250), (30, 0.05, 2.042), (120, 0.01, 2.617)) v (df, p, t) loop
		assert round(student_t(known.p, known.df)::numeric, 3) = known.t, format('t of %s', known);
	end loop;
end
$$;

-- Two columns of the same seeds: mean gain, the ends of its 95 % confidence interval, and the p-value of the paired t-test,
-- as four cells
create or replace function paired(plain float8[], hybrid float8[]) returns text
language sql immutable strict as $$
	select case when n < 2 then format('%s|||', to_char(gain, 'FMSG0.0000'))
		when sd = 0 then format('%s|||%s', to_char(gain, 'FMSG0.0000'), case when gain = 0 then 1 else 0 end)
		else format('%s|%s|%s|%s', to_char(gain, 'FMSG0.0000'), to_char(gain - half, 'FMSG0.0000'),
			to_char(gain + half, 'FMSG0.0000'), p) end
	from (select *, student_t(0.05, n - 1) * sd / sqrt(n) as half,
			case when sd = 0 then '' when student_p(gain / sd * sqrt(n), n - 1) < 0.0001 then '< 0.0001'
				else to_char(student_p(gain / sd * sqrt(n), n - 1), 'FM0.0000') end as p
		from (select count(*)::int as n, avg(h - p) as gain, stddev_samp(h - p) as sd from unnest(plain, hybrid) u (p, h)) d) e
$$;
