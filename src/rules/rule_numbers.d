src/rules/rule_numbers.o: src/rules/rule_numbers.c src/rules/rule.h \
 src/server/compat.h src/facts/fact_index.h src/core/core.h \
 src/core/pool.h src/core/core.h src/graph/graph.h \
 src/server/growing_array.h src/server/compat.h
src/rules/rule.h:
src/server/compat.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/graph/graph.h:
src/server/growing_array.h:
src/server/compat.h:
