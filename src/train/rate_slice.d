src/train/rate_slice.o: src/train/rate_slice.c src/server/compat.h \
 src/graph/node_slices.h src/graph/graph.h src/core/core.h \
 src/server/sql.h src/server/compat.h src/train/node_rating.h \
 src/graph/graph.h src/rules/selection.h src/rules/body_pairs.h \
 src/evidence/body_join.h src/evidence/body.h src/facts/fact_index.h \
 src/core/pool.h src/core/core.h src/rules/rule.h \
 src/server/growing_array.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/rules/mine.h \
 src/server/progress.h src/train/settings.h src/kge/learning.h \
 src/kge/kge.h src/rules/body_pairs.h src/train/sent_blocks.h \
 src/train/bucket_blocks.h src/server/array.h src/server/sql.h \
 src/server/host.h
src/server/compat.h:
src/graph/node_slices.h:
src/graph/graph.h:
src/core/core.h:
src/server/sql.h:
src/server/compat.h:
src/train/node_rating.h:
src/graph/graph.h:
src/rules/selection.h:
src/rules/body_pairs.h:
src/evidence/body_join.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/core/pool.h:
src/core/core.h:
src/rules/rule.h:
src/server/growing_array.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/rules/mine.h:
src/server/progress.h:
src/train/settings.h:
src/kge/learning.h:
src/kge/kge.h:
src/rules/body_pairs.h:
src/train/sent_blocks.h:
src/train/bucket_blocks.h:
src/server/array.h:
src/server/sql.h:
src/server/host.h:
