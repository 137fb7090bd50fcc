src/predict/side_scores.o: src/predict/side_scores.c \
 src/predict/side_scores.h src/server/compat.h src/model/predictor.h \
 src/model/model_cache.h src/model/model.h src/evidence/evidence.h \
 src/evidence/body.h src/facts/fact_index.h src/core/core.h \
 src/core/pool.h src/core/core.h src/kge/top.h src/kge/kge.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/paths/paths.h src/graph/graph.h src/model/model_evidence.h \
 src/model/added_entities.h src/core/sort.h src/server/growing_array.h \
 src/server/compat.h src/server/host.h
src/predict/side_scores.h:
src/server/compat.h:
src/model/predictor.h:
src/model/model_cache.h:
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
src/model/model_evidence.h:
src/model/added_entities.h:
src/core/sort.h:
src/server/growing_array.h:
src/server/compat.h:
src/server/host.h:
