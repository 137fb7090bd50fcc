src/train/node_buckets.o: src/train/node_buckets.c \
 src/train/node_buckets.h src/server/compat.h src/graph/graph.h \
 src/core/core.h src/train/node_blocks.h src/train/bucket_blocks.h \
 src/kge/learning.h src/kge/kge.h src/core/pool.h src/core/core.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/server/sql.h src/server/compat.h src/train/settings.h \
 src/train/partition_memory.h src/train/lane_relations.h \
 src/train/partition_file.h src/train/positives.h \
 src/train/training_facts.h src/graph/node_slices.h src/graph/graph.h
src/train/node_buckets.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/train/node_blocks.h:
src/train/bucket_blocks.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/server/sql.h:
src/server/compat.h:
src/train/settings.h:
src/train/partition_memory.h:
src/train/lane_relations.h:
src/train/partition_file.h:
src/train/positives.h:
src/train/training_facts.h:
src/graph/node_slices.h:
src/graph/graph.h:
