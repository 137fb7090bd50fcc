src/rules/formats.o: src/rules/formats.c src/rules/formats.h \
 src/server/compat.h src/rules/rule.h src/facts/fact_index.h \
 src/core/core.h src/core/pool.h src/core/core.h src/graph/graph.h \
 src/server/growing_array.h src/server/compat.h
src/rules/formats.h:
src/server/compat.h:
src/rules/rule.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/graph/graph.h:
src/server/growing_array.h:
src/server/compat.h:
