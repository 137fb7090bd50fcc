src/predict/learnt_rules.o: src/predict/learnt_rules.c \
 src/predict/evaluate.h src/kge/rank.h src/kge/kge.h src/core/pool.h \
 src/core/core.h src/core/question.h src/core/allocation.h \
 src/core/pool.h src/model/predictor.h src/server/compat.h \
 src/model/model_cache.h src/model/model.h src/evidence/evidence.h \
 src/evidence/body.h src/facts/fact_index.h src/core/core.h src/kge/top.h \
 src/paths/paths.h src/graph/graph.h src/model/model_evidence.h \
 src/model/added_entities.h src/graph/call.h src/graph/graph.h \
 src/server/sql.h src/server/compat.h src/rules/rule.h \
 src/server/growing_array.h src/server/argument.h src/server/array.h \
 src/server/sql.h src/server/host.h
src/predict/evaluate.h:
src/kge/rank.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/model/predictor.h:
src/server/compat.h:
src/model/model_cache.h:
src/model/model.h:
src/evidence/evidence.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/core/core.h:
src/kge/top.h:
src/paths/paths.h:
src/graph/graph.h:
src/model/model_evidence.h:
src/model/added_entities.h:
src/graph/call.h:
src/graph/graph.h:
src/server/sql.h:
src/server/compat.h:
src/rules/rule.h:
src/server/growing_array.h:
src/server/argument.h:
src/server/array.h:
src/server/sql.h:
src/server/host.h:
