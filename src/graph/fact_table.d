src/graph/fact_table.o: src/graph/fact_table.c src/graph/fact_table.h \
 src/server/compat.h src/graph/fact_writer.h src/graph/graph.h \
 src/core/core.h src/server/growing_array.h src/server/compat.h \
 src/server/progress.h src/core/sort.h src/core/pool.h src/core/core.h \
 src/server/array.h src/server/sql.h src/server/host.h src/core/pool.h \
 src/server/sql.h
src/graph/fact_table.h:
src/server/compat.h:
src/graph/fact_writer.h:
src/graph/graph.h:
src/core/core.h:
src/server/growing_array.h:
src/server/compat.h:
src/server/progress.h:
src/core/sort.h:
src/core/pool.h:
src/core/core.h:
src/server/array.h:
src/server/sql.h:
src/server/host.h:
src/core/pool.h:
src/server/sql.h:
