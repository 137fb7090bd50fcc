src/train/partition_memory.o: src/train/partition_memory.c \
 src/train/partition_memory.h src/server/compat.h \
 src/train/lane_relations.h src/train/bucket_blocks.h src/kge/learning.h \
 src/kge/kge.h src/core/pool.h src/core/core.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/train/node_blocks.h \
 src/graph/graph.h src/core/core.h src/server/sql.h src/server/compat.h \
 src/train/settings.h src/train/partition_file.h src/train/positives.h \
 src/train/training_facts.h src/server/host.h
src/train/partition_memory.h:
src/server/compat.h:
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
src/server/host.h:
