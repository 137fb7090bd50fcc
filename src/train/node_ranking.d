src/train/node_ranking.o: src/train/node_ranking.c \
 src/train/node_ranking.h src/server/compat.h src/graph/graph.h \
 src/core/core.h src/kge/rank.h src/kge/kge.h src/core/pool.h \
 src/core/core.h src/core/question.h src/core/allocation.h \
 src/core/pool.h src/train/settings.h src/kge/learning.h \
 src/core/search.h src/core/sort.h src/graph/node_slices.h \
 src/graph/graph.h src/server/sql.h src/server/compat.h \
 src/train/node_blocks.h src/train/bucket_blocks.h \
 src/server/growing_array.h src/server/host.h
src/train/node_ranking.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/kge/rank.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/train/settings.h:
src/kge/learning.h:
src/core/search.h:
src/core/sort.h:
src/graph/node_slices.h:
src/graph/graph.h:
src/server/sql.h:
src/server/compat.h:
src/train/node_blocks.h:
src/train/bucket_blocks.h:
src/server/growing_array.h:
src/server/host.h:
