src/report/explain_svg.o: src/report/explain_svg.c src/report/chart.h \
 src/report/markup.h src/server/compat.h src/graph/call.h \
 src/graph/graph.h src/core/core.h src/server/sql.h src/server/compat.h \
 src/rules/rule_sql.h src/rules/rule.h src/facts/fact_index.h \
 src/core/pool.h src/core/core.h src/graph/graph.h \
 src/server/growing_array.h src/report/section.h src/report/table.h \
 src/server/argument.h src/report/style.h
src/report/chart.h:
src/report/markup.h:
src/server/compat.h:
src/graph/call.h:
src/graph/graph.h:
src/core/core.h:
src/server/sql.h:
src/server/compat.h:
src/rules/rule_sql.h:
src/rules/rule.h:
src/facts/fact_index.h:
src/core/pool.h:
src/core/core.h:
src/graph/graph.h:
src/server/growing_array.h:
src/report/section.h:
src/report/table.h:
src/server/argument.h:
src/report/style.h:
