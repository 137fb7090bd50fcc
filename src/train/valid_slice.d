src/train/valid_slice.o: src/train/valid_slice.c src/server/compat.h \
 src/graph/node_slices.h src/graph/graph.h src/core/core.h \
 src/server/sql.h src/server/compat.h src/train/node_ranking.h \
 src/graph/graph.h src/kge/rank.h src/kge/kge.h src/core/pool.h \
 src/core/core.h src/core/question.h src/core/allocation.h \
 src/core/pool.h src/train/settings.h src/kge/learning.h \
 src/train/sent_blocks.h src/train/bucket_blocks.h src/server/array.h \
 src/server/sql.h src/server/growing_array.h src/server/host.h
src/server/compat.h:
src/graph/node_slices.h:
src/graph/graph.h:
src/core/core.h:
src/server/sql.h:
src/server/compat.h:
src/train/node_ranking.h:
src/graph/graph.h:
src/kge/rank.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/train/settings.h:
src/kge/learning.h:
src/train/sent_blocks.h:
src/train/bucket_blocks.h:
src/server/array.h:
src/server/sql.h:
src/server/growing_array.h:
src/server/host.h:
