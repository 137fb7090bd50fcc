src/train/partition_file.o: src/train/partition_file.c \
 src/train/partition_file.h src/server/compat.h src/kge/learning.h \
 src/kge/kge.h src/core/pool.h src/core/core.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/server/host.h \
 src/server/compat.h
src/train/partition_file.h:
src/server/compat.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/server/host.h:
src/server/compat.h:
