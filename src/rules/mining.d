src/rules/mining.o: src/rules/mining.c src/rules/mining.h \
 src/server/compat.h src/facts/fact_index.h src/core/core.h \
 src/core/pool.h src/core/core.h src/graph/graph.h src/rules/mine.h \
 src/rules/rule.h src/server/growing_array.h src/server/compat.h \
 src/server/host.h
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
src/server/host.h:
