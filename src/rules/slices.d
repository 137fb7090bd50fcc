src/rules/slices.o: src/rules/slices.c src/rules/mining.h \
 src/server/compat.h src/facts/fact_index.h src/core/core.h \
 src/core/pool.h src/core/core.h src/graph/graph.h src/rules/mine.h \
 src/rules/rule.h src/server/growing_array.h src/server/compat.h \
 src/core/sort.h src/core/pool.h src/graph/node_slices.h \
 src/graph/graph.h src/server/sql.h src/server/argument.h \
 src/server/array.h src/server/sql.h src/server/host.h
src/rules/mining.h:
src/server/compat.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/graph/graph.h:
src/rules/mine.h:
src/rules/rule.h:
src/server/growing_array.h:
src/server/compat.h:
src/core/sort.h:
src/core/pool.h:
src/graph/node_slices.h:
src/graph/graph.h:
src/server/sql.h:
src/server/argument.h:
src/server/array.h:
src/server/sql.h:
src/server/host.h:
