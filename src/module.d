src/module.o: src/module.c src/server/compat.h src/core/dense.h \
 src/server/host.h src/server/compat.h src/core/pool.h src/core/core.h \
 src/server/progress.h src/server/shared_copy.h \
 src/server/copy_directory.h src/server/copy_file.h src/train/settings.h \
 src/server/compat.h src/kge/learning.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/core/pool.h
src/server/compat.h:
src/core/dense.h:
src/server/host.h:
src/server/compat.h:
src/core/pool.h:
src/core/core.h:
src/server/progress.h:
src/server/shared_copy.h:
src/server/copy_directory.h:
src/server/copy_file.h:
src/train/settings.h:
src/server/compat.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
