src/train/node_blocks.o: src/train/node_blocks.c src/train/node_blocks.h \
 src/server/compat.h src/train/bucket_blocks.h src/kge/learning.h \
 src/kge/kge.h src/core/pool.h src/core/core.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/graph/graph.h src/core/core.h \
 src/server/sql.h src/server/compat.h src/train/settings.h \
 src/graph/node_slices.h src/graph/graph.h src/server/host.h \
 src/train/transaction.h
src/train/node_blocks.h:
src/server/compat.h:
src/train/bucket_blocks.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/graph/graph.h:
src/core/core.h:
src/server/sql.h:
src/server/compat.h:
src/train/settings.h:
src/graph/node_slices.h:
src/graph/graph.h:
src/server/host.h:
src/train/transaction.h:
