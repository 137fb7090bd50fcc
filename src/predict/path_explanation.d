src/predict/path_explanation.o: src/predict/path_explanation.c \
 src/predict/path_explanation.h src/server/compat.h src/graph/graph.h \
 src/core/core.h src/model/model_evidence.h src/model/added_entities.h \
 src/model/model.h src/evidence/evidence.h src/evidence/body.h \
 src/facts/fact_index.h src/core/pool.h src/core/core.h src/kge/top.h \
 src/kge/kge.h src/core/question.h src/core/allocation.h src/core/pool.h \
 src/paths/paths.h src/rules/rule.h src/server/growing_array.h \
 src/server/compat.h src/server/host.h
src/predict/path_explanation.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/model/model_evidence.h:
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
src/rules/rule.h:
src/server/growing_array.h:
src/server/compat.h:
src/server/host.h:
