src/graph/fact_writer.o: src/graph/fact_writer.c src/graph/fact_writer.h \
 src/server/compat.h src/graph/graph.h src/core/core.h \
 src/server/growing_array.h src/server/compat.h src/server/progress.h \
 src/graph/changes.h src/server/visibility.h src/core/sort.h \
 src/core/pool.h src/core/core.h src/graph/plain_table.h \
 src/server/array.h src/server/sql.h src/server/attempt.h \
 src/server/host.h src/core/pool.h src/server/sql.h
src/graph/fact_writer.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/server/growing_array.h:
src/server/compat.h:
src/server/progress.h:
src/graph/changes.h:
src/server/visibility.h:
src/core/sort.h:
src/core/pool.h:
src/core/core.h:
src/graph/plain_table.h:
src/server/array.h:
src/server/sql.h:
src/server/attempt.h:
src/server/host.h:
src/core/pool.h:
src/server/sql.h:
