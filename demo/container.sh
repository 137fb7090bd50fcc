# Sourced when the container's database is made: the tables of make demo, filled, and the page about them
cd /hybridkg
psql -X -U "$POSTGRES_USER" -d "$POSTGRES_DB" -f demo/packages.sql
psql -XAt -U "$POSTGRES_USER" -d "$POSTGRES_DB" -c "select hkg_report('packages')" >/report/index.html
cd - >/dev/null
