src/predict/predict.o: src/predict/predict.c src/core/search.h \
 src/core/sort.h src/core/pool.h src/core/core.h src/server/argument.h \
 src/server/compat.h src/server/array.h src/core/core.h src/server/sql.h \
 src/server/host.h src/core/pool.h src/graph/call.h src/server/compat.h \
 src/graph/graph.h src/server/sql.h src/model/model_cache.h \
 src/model/model.h src/evidence/evidence.h src/evidence/body.h \
 src/facts/fact_index.h src/kge/top.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/paths/paths.h src/graph/graph.h \
 src/model/model_evidence.h src/model/added_entities.h \
 src/model/predictor.h src/model/model_cache.h src/predict/predict_many.h \
 src/predict/entity_set.h src/kge/kge.h src/model/added_entities.h \
 src/server/given_names.h src/server/growing_array.h
src/core/search.h:
src/core/sort.h:
src/core/pool.h:
src/core/core.h:
src/server/argument.h:
src/server/compat.h:
src/server/array.h:
src/core/core.h:
src/server/sql.h:
src/server/host.h:
src/core/pool.h:
src/graph/call.h:
src/server/compat.h:
src/graph/graph.h:
src/server/sql.h:
src/model/model_cache.h:
src/model/model.h:
src/evidence/evidence.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/kge/top.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/paths/paths.h:
src/graph/graph.h:
src/model/model_evidence.h:
src/model/added_entities.h:
src/model/predictor.h:
src/model/model_cache.h:
src/predict/predict_many.h:
src/predict/entity_set.h:
src/kge/kge.h:
src/model/added_entities.h:
src/server/given_names.h:
src/server/growing_array.h:
