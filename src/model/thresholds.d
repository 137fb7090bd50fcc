src/model/thresholds.o: src/model/thresholds.c src/model/thresholds.h \
 src/server/compat.h src/graph/graph.h src/core/core.h src/kge/kge.h \
 src/core/pool.h src/core/core.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/graph/call.h src/graph/graph.h \
 src/server/sql.h src/server/compat.h src/kge/rank.h src/kge/kge.h \
 src/model/model_cache.h src/model/model.h src/evidence/evidence.h \
 src/evidence/body.h src/facts/fact_index.h src/kge/top.h \
 src/paths/paths.h src/model/model_evidence.h src/model/added_entities.h \
 src/model/predictor.h src/server/argument.h src/server/growing_array.h \
 src/server/host.h
src/model/thresholds.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/graph/call.h:
src/graph/graph.h:
src/server/sql.h:
src/server/compat.h:
src/kge/rank.h:
src/kge/kge.h:
src/model/model_cache.h:
src/model/model.h:
src/evidence/evidence.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/kge/top.h:
src/paths/paths.h:
src/model/model_evidence.h:
src/model/added_entities.h:
src/model/predictor.h:
src/server/argument.h:
src/server/growing_array.h:
src/server/host.h:
