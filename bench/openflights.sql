-- The tables of OpenFlights: airport, airline and route, from the CSV files in :folder.  Routes that lack an airline or an
-- airport are left out, and so are utc_offset and dst, which all but say tz.

\setenv folder :folder
create temp table raw_airport (id int, name text, city text, country text, iata text, icao text, latitude float8, longitude float8, altitude int,
	utc_offset text, dst text, tz text, kind text, source text);
create temp table raw_route (airline_code text, airline int, source_code text, source int, destination_code text, destination int, codeshare text,
	stops int, equipment text, place serial);
create table airline (id int primary key, name text, alias text, iata text, icao text, callsign text, country text, active text);
\copy raw_airport from program 'xz -dc "$folder/airport.csv.xz" | tr -d "\r"' with (format csv, header)
\copy airline from program 'xz -dc "$folder/airline.csv.xz" | tr -d "\r"' with (format csv, header)
\copy raw_route (airline_code, airline, source_code, source, destination_code, destination, codeshare, stops, equipment) from program 'xz -dc "$folder/route.csv.xz" | tr -d "\r"' with (format csv, header)

create table airport (id int primary key, name text, city text, country text, iata text, icao text, latitude float8, longitude float8, altitude int, tz text);
insert into airport select id, name, city, country, iata, icao, latitude, longitude, altitude, tz from raw_airport order by id;
create table route (id serial primary key, airline int references airline, source int references airport, destination int references airport,
	codeshare text, stops int, equipment text);
insert into route (airline, source, destination, codeshare, stops, equipment)
select r.airline, r.source, r.destination, codeshare, stops, equipment
from raw_route r join airline l on l.id = r.airline join airport s on s.id = r.source join airport d on d.id = r.destination
order by place;
drop table raw_airport, raw_route;
analyze airport, airline, route;
