src/train/sampling.o: src/train/sampling.c src/train/sampling.h \
 src/server/compat.h src/train/hybrid.h src/kge/learning.h src/kge/kge.h \
 src/core/pool.h src/core/core.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/rules/inference.h \
 src/rules/body_pairs.h src/evidence/body_join.h src/evidence/body.h \
 src/facts/fact_index.h src/core/core.h src/graph/graph.h \
 src/rules/rule.h src/server/growing_array.h src/server/compat.h \
 src/rules/mine.h src/rules/mine.h src/train/learner.h \
 src/train/partition_memory.h src/train/lane_relations.h \
 src/train/bucket_blocks.h src/train/node_blocks.h src/server/sql.h \
 src/train/settings.h src/train/partition_file.h src/train/positives.h \
 src/train/training_facts.h src/server/host.h
src/train/sampling.h:
src/server/compat.h:
src/train/hybrid.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
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
src/train/learner.h:
src/train/partition_memory.h:
src/train/lane_relations.h:
src/train/bucket_blocks.h:
src/train/node_blocks.h:
src/server/sql.h:
src/train/settings.h:
src/train/partition_file.h:
src/train/positives.h:
src/train/training_facts.h:
src/server/host.h:
