src/train/sent_blocks.o: src/train/sent_blocks.c src/train/sent_blocks.h \
 src/server/compat.h src/train/bucket_blocks.h src/kge/learning.h \
 src/kge/kge.h src/core/pool.h src/core/core.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/train/settings.h \
 src/graph/graph.h src/core/core.h src/server/argument.h \
 src/server/compat.h src/server/growing_array.h src/server/host.h \
 src/server/sql.h
src/train/sent_blocks.h:
src/server/compat.h:
src/train/bucket_blocks.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/train/settings.h:
src/graph/graph.h:
src/core/core.h:
src/server/argument.h:
src/server/compat.h:
src/server/growing_array.h:
src/server/host.h:
src/server/sql.h:
