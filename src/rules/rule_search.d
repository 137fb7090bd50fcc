src/rules/rule_search.o: src/rules/rule_search.c src/rules/rule_search.h \
 src/server/compat.h src/rules/body_table.h src/core/random.h \
 src/facts/fact_index.h src/core/core.h src/core/pool.h src/core/core.h \
 src/rules/component.h src/server/growing_array.h src/server/compat.h \
 src/rules/mining.h src/graph/graph.h src/rules/mine.h src/rules/rule.h \
 src/server/host.h
src/rules/rule_search.h:
src/server/compat.h:
src/rules/body_table.h:
src/core/random.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/rules/component.h:
src/server/growing_array.h:
src/server/compat.h:
src/rules/mining.h:
src/graph/graph.h:
src/rules/mine.h:
src/rules/rule.h:
src/server/host.h:
