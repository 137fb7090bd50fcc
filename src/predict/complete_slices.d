src/predict/complete_slices.o: src/predict/complete_slices.c \
 src/predict/complete.h src/predict/missing_questions.h \
 src/server/compat.h src/predict/entity_set.h src/graph/call.h \
 src/graph/graph.h src/core/core.h src/server/sql.h src/server/compat.h \
 src/kge/kge.h src/core/pool.h src/core/core.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/model/added_entities.h \
 src/model/model.h src/evidence/evidence.h src/evidence/body.h \
 src/facts/fact_index.h src/kge/top.h src/kge/kge.h src/paths/paths.h \
 src/graph/graph.h src/server/given_names.h src/graph/node_slices.h \
 src/model/predictor.h src/model/model_cache.h src/model/model_evidence.h \
 src/model/added_entities.h src/model/sent_model.h src/server/argument.h \
 src/server/array.h src/server/sql.h src/server/growing_array.h \
 src/server/host.h
src/predict/complete.h:
src/predict/missing_questions.h:
src/server/compat.h:
src/predict/entity_set.h:
src/graph/call.h:
src/graph/graph.h:
src/core/core.h:
src/server/sql.h:
src/server/compat.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/model/added_entities.h:
src/model/model.h:
src/evidence/evidence.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/kge/top.h:
src/kge/kge.h:
src/paths/paths.h:
src/graph/graph.h:
src/server/given_names.h:
src/graph/node_slices.h:
src/model/predictor.h:
src/model/model_cache.h:
src/model/model_evidence.h:
src/model/added_entities.h:
src/model/sent_model.h:
src/server/argument.h:
src/server/array.h:
src/server/sql.h:
src/server/growing_array.h:
src/server/host.h:
