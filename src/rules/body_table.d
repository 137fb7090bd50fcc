src/rules/body_table.o: src/rules/body_table.c src/rules/body_table.h \
 src/server/compat.h src/core/random.h src/facts/fact_index.h \
 src/core/core.h src/core/pool.h src/core/core.h src/rules/mining.h \
 src/graph/graph.h src/rules/mine.h src/rules/rule.h \
 src/server/growing_array.h src/server/compat.h src/server/host.h
src/rules/body_table.h:
src/server/compat.h:
src/core/random.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/rules/mining.h:
src/graph/graph.h:
src/rules/mine.h:
src/rules/rule.h:
src/server/growing_array.h:
src/server/compat.h:
src/server/host.h:
