src/train/checkpoint.o: src/train/checkpoint.c src/train/procedure.h \
 src/server/compat.h src/train/learner.h src/train/partition_memory.h \
 src/train/lane_relations.h src/train/bucket_blocks.h src/kge/learning.h \
 src/kge/kge.h src/core/pool.h src/core/core.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/train/node_blocks.h \
 src/graph/graph.h src/core/core.h src/server/sql.h src/server/compat.h \
 src/train/settings.h src/train/partition_file.h src/train/positives.h \
 src/train/training_facts.h src/rules/mine.h src/rules/rule.h \
 src/facts/fact_index.h src/server/growing_array.h \
 src/train/node_rating.h src/rules/selection.h src/rules/body_pairs.h \
 src/evidence/body_join.h src/evidence/body.h src/kge/kge.h \
 src/rules/mine.h src/server/progress.h src/train/path_learning.h \
 src/train/path_ranking.h src/train/path_settings.h src/paths/paths.h \
 src/train/valid_ranking.h src/train/node_ranking.h src/kge/rank.h \
 src/train/record.h src/train/sampling.h src/train/hybrid.h \
 src/rules/inference.h src/rules/body_pairs.h src/model/model.h \
 src/evidence/evidence.h src/kge/top.h src/server/pause.h
src/train/procedure.h:
src/server/compat.h:
src/train/learner.h:
src/train/partition_memory.h:
src/train/lane_relations.h:
src/train/bucket_blocks.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/train/node_blocks.h:
src/graph/graph.h:
src/core/core.h:
src/server/sql.h:
src/server/compat.h:
src/train/settings.h:
src/train/partition_file.h:
src/train/positives.h:
src/train/training_facts.h:
src/rules/mine.h:
src/rules/rule.h:
src/facts/fact_index.h:
src/server/growing_array.h:
src/train/node_rating.h:
src/rules/selection.h:
src/rules/body_pairs.h:
src/evidence/body_join.h:
src/evidence/body.h:
src/kge/kge.h:
src/rules/mine.h:
src/server/progress.h:
src/train/path_learning.h:
src/train/path_ranking.h:
src/train/path_settings.h:
src/paths/paths.h:
src/train/valid_ranking.h:
src/train/node_ranking.h:
src/kge/rank.h:
src/train/record.h:
src/train/sampling.h:
src/train/hybrid.h:
src/rules/inference.h:
src/rules/body_pairs.h:
src/model/model.h:
src/evidence/evidence.h:
src/kge/top.h:
src/server/pause.h:
