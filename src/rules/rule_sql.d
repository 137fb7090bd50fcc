src/rules/rule_sql.o: src/rules/rule_sql.c src/rules/rule_sql.h \
 src/server/compat.h src/rules/rule.h src/facts/fact_index.h \
 src/core/core.h src/core/pool.h src/core/core.h src/graph/graph.h \
 src/server/growing_array.h src/server/compat.h src/server/sql.h \
 src/server/argument.h src/rules/mine.h
src/rules/rule_sql.h:
src/server/compat.h:
src/rules/rule.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/graph/graph.h:
src/server/growing_array.h:
src/server/compat.h:
src/server/sql.h:
src/server/argument.h:
src/rules/mine.h:
