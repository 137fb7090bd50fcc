src/predict/explain.o: src/predict/explain.c src/predict/best_rule.h \
 src/model/model_evidence.h src/server/compat.h \
 src/model/added_entities.h src/model/model.h src/evidence/evidence.h \
 src/evidence/body.h src/facts/fact_index.h src/core/core.h \
 src/core/pool.h src/core/core.h src/kge/top.h src/kge/kge.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/paths/paths.h src/graph/graph.h src/rules/rule.h \
 src/server/growing_array.h src/server/compat.h src/server/sql.h \
 src/graph/call.h src/graph/graph.h src/model/predictor.h \
 src/model/model_cache.h src/model/model_evidence.h \
 src/predict/path_explanation.h src/rules/rule_sql.h src/rules/rule.h \
 src/server/argument.h src/server/array.h src/server/sql.h
src/predict/best_rule.h:
src/model/model_evidence.h:
src/server/compat.h:
src/model/added_entities.h:
src/model/model.h:
src/evidence/evidence.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/kge/top.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/paths/paths.h:
src/graph/graph.h:
src/rules/rule.h:
src/server/growing_array.h:
src/server/compat.h:
src/server/sql.h:
src/graph/call.h:
src/graph/graph.h:
src/model/predictor.h:
src/model/model_cache.h:
src/model/model_evidence.h:
src/predict/path_explanation.h:
src/rules/rule_sql.h:
src/rules/rule.h:
src/server/argument.h:
src/server/array.h:
src/server/sql.h:
