src/train/node_rating.o: src/train/node_rating.c src/train/node_rating.h \
 src/server/compat.h src/graph/graph.h src/core/core.h \
 src/rules/selection.h src/rules/body_pairs.h src/evidence/body_join.h \
 src/evidence/body.h src/facts/fact_index.h src/core/pool.h \
 src/core/core.h src/rules/rule.h src/server/growing_array.h \
 src/server/compat.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/rules/mine.h \
 src/server/progress.h src/train/settings.h src/kge/learning.h \
 src/kge/kge.h src/train/node_blocks.h src/train/bucket_blocks.h \
 src/server/sql.h src/rules/body_pairs.h src/server/host.h
src/train/node_rating.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/rules/selection.h:
src/rules/body_pairs.h:
src/evidence/body_join.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/core/pool.h:
src/core/core.h:
src/rules/rule.h:
src/server/growing_array.h:
src/server/compat.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/rules/mine.h:
src/server/progress.h:
src/train/settings.h:
src/kge/learning.h:
src/kge/kge.h:
src/train/node_blocks.h:
src/train/bucket_blocks.h:
src/server/sql.h:
src/rules/body_pairs.h:
src/server/host.h:
