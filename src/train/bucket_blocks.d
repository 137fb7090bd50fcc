src/train/bucket_blocks.o: src/train/bucket_blocks.c \
 src/train/bucket_blocks.h src/server/compat.h src/kge/learning.h \
 src/kge/kge.h src/core/pool.h src/core/core.h src/core/question.h \
 src/core/allocation.h src/core/pool.h
src/train/bucket_blocks.h:
src/server/compat.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
