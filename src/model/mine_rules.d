src/model/mine_rules.o: src/model/mine_rules.c src/model/rule_table.h \
 src/server/compat.h src/rules/mine.h src/rules/rule.h \
 src/facts/fact_index.h src/core/core.h src/core/pool.h src/core/core.h \
 src/graph/graph.h src/server/growing_array.h src/server/compat.h \
 src/server/progress.h src/server/sql.h src/server/argument.h \
 src/rules/selection.h src/rules/body_pairs.h src/evidence/body_join.h \
 src/evidence/body.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/rules/mine.h
src/model/rule_table.h:
src/server/compat.h:
src/rules/mine.h:
src/rules/rule.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/graph/graph.h:
src/server/growing_array.h:
src/server/compat.h:
src/server/progress.h:
src/server/sql.h:
src/server/argument.h:
src/rules/selection.h:
src/rules/body_pairs.h:
src/evidence/body_join.h:
src/evidence/body.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/rules/mine.h:
