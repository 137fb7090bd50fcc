src/train/warm_start.o: src/train/warm_start.c src/train/learner.h \
 src/server/compat.h src/train/partition_memory.h \
 src/train/lane_relations.h src/train/bucket_blocks.h src/kge/learning.h \
 src/kge/kge.h src/core/pool.h src/core/core.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/train/node_blocks.h \
 src/graph/graph.h src/core/core.h src/server/sql.h src/server/compat.h \
 src/train/settings.h src/train/partition_file.h src/train/positives.h \
 src/train/training_facts.h src/rules/mine.h src/rules/rule.h \
 src/facts/fact_index.h src/server/growing_array.h \
 src/model/model_cache.h src/model/model.h src/evidence/evidence.h \
 src/evidence/body.h src/kge/top.h src/paths/paths.h \
 src/model/model_evidence.h src/model/added_entities.h
src/train/learner.h:
src/server/compat.h:
src/train/partition_memory.h:
src/train/lane_relations.h:
src/train/bucket_blocks.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/train/node_blocks.h:
src/graph/graph.h:
src/core/core.h:
src/server/sql.h:
src/server/compat.h:
src/train/settings.h:
src/train/partition_file.h:
src/train/positives.h:
src/train/training_facts.h:
src/rules/mine.h:
src/rules/rule.h:
src/facts/fact_index.h:
src/server/growing_array.h:
src/model/model_cache.h:
src/model/model.h:
src/evidence/evidence.h:
src/evidence/body.h:
src/kge/top.h:
src/paths/paths.h:
src/model/model_evidence.h:
src/model/added_entities.h:
