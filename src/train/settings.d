src/train/settings.o: src/train/settings.c src/train/settings.h \
 src/server/compat.h src/kge/learning.h src/kge/kge.h src/core/pool.h \
 src/core/core.h src/core/question.h src/core/allocation.h \
 src/core/pool.h src/train/hybrid.h src/rules/inference.h \
 src/rules/body_pairs.h src/evidence/body_join.h src/evidence/body.h \
 src/facts/fact_index.h src/core/core.h src/graph/graph.h \
 src/rules/rule.h src/server/growing_array.h src/server/compat.h \
 src/rules/mine.h src/rules/mine.h src/model/model_evidence.h \
 src/model/added_entities.h src/model/model.h src/evidence/evidence.h \
 src/kge/top.h src/paths/paths.h src/server/argument.h src/server/host.h \
 src/rules/rule.h src/server/sql.h
src/train/settings.h:
src/server/compat.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/train/hybrid.h:
src/rules/inference.h:
src/rules/body_pairs.h:
src/evidence/body_join.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/core/core.h:
src/graph/graph.h:
src/rules/rule.h:
src/server/growing_array.h:
src/server/compat.h:
src/rules/mine.h:
src/rules/mine.h:
src/model/model_evidence.h:
src/model/added_entities.h:
src/model/model.h:
src/evidence/evidence.h:
src/kge/top.h:
src/paths/paths.h:
src/server/argument.h:
src/server/host.h:
src/rules/rule.h:
src/server/sql.h:
