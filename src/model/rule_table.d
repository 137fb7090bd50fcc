src/model/rule_table.o: src/model/rule_table.c src/model/rule_table.h \
 src/server/compat.h src/rules/mine.h src/rules/rule.h \
 src/facts/fact_index.h src/core/core.h src/core/pool.h src/core/core.h \
 src/graph/graph.h src/server/growing_array.h src/server/compat.h \
 src/server/progress.h src/server/sql.h src/evidence/evidence.h \
 src/evidence/body.h src/kge/top.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/paths/paths.h \
 src/model/model_cache.h src/model/model.h src/model/model_evidence.h \
 src/model/added_entities.h src/rules/selection.h src/rules/body_pairs.h \
 src/evidence/body_join.h src/kge/kge.h src/rules/mine.h \
 src/server/host.h
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
src/evidence/evidence.h:
src/evidence/body.h:
src/kge/top.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/paths/paths.h:
src/model/model_cache.h:
src/model/model.h:
src/model/model_evidence.h:
src/model/added_entities.h:
src/rules/selection.h:
src/rules/body_pairs.h:
src/evidence/body_join.h:
src/kge/kge.h:
src/rules/mine.h:
src/server/host.h:
