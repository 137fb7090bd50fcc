src/train/lane_relations.o: src/train/lane_relations.c \
 src/train/lane_relations.h src/server/compat.h src/train/bucket_blocks.h \
 src/kge/learning.h src/kge/kge.h src/core/pool.h src/core/core.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/server/host.h src/server/compat.h
src/train/lane_relations.h:
src/server/compat.h:
src/train/bucket_blocks.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/server/host.h:
src/server/compat.h:
