src/rules/count_rules.o: src/rules/count_rules.c src/rules/mine.h \
 src/server/compat.h src/rules/rule.h src/facts/fact_index.h \
 src/core/core.h src/core/pool.h src/core/core.h src/graph/graph.h \
 src/server/growing_array.h src/server/compat.h src/server/argument.h \
 src/server/host.h src/server/sql.h
src/rules/mine.h:
src/server/compat.h:
src/rules/rule.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/graph/graph.h:
src/server/growing_array.h:
src/server/compat.h:
src/server/argument.h:
src/server/host.h:
src/server/sql.h:
