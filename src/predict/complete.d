src/predict/complete.o: src/predict/complete.c src/server/argument.h \
 src/server/compat.h src/server/array.h src/core/core.h src/server/sql.h \
 src/predict/best_rule.h src/model/model_evidence.h src/server/compat.h \
 src/model/added_entities.h src/model/model.h src/evidence/evidence.h \
 src/evidence/body.h src/facts/fact_index.h src/core/pool.h \
 src/core/core.h src/kge/top.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/paths/paths.h \
 src/graph/graph.h src/rules/rule.h src/server/growing_array.h \
 src/server/sql.h src/predict/both_questions.h src/model/predictor.h \
 src/model/model_cache.h src/model/model_evidence.h \
 src/predict/complete.h src/predict/missing_questions.h \
 src/predict/entity_set.h src/graph/call.h src/graph/graph.h \
 src/kge/kge.h src/model/added_entities.h src/server/given_names.h \
 src/graph/node_slices.h src/predict/side_scores.h src/server/host.h
src/server/argument.h:
src/server/compat.h:
src/server/array.h:
src/core/core.h:
src/server/sql.h:
src/predict/best_rule.h:
src/model/model_evidence.h:
src/server/compat.h:
src/model/added_entities.h:
src/model/model.h:
src/evidence/evidence.h:
src/evidence/body.h:
src/facts/fact_index.h:
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
src/server/sql.h:
src/predict/both_questions.h:
src/model/predictor.h:
src/model/model_cache.h:
src/model/model_evidence.h:
src/predict/complete.h:
src/predict/missing_questions.h:
src/predict/entity_set.h:
src/graph/call.h:
src/graph/graph.h:
src/kge/kge.h:
src/model/added_entities.h:
src/server/given_names.h:
src/graph/node_slices.h:
src/predict/side_scores.h:
src/server/host.h:
