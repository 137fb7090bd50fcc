src/train/path_rules.o: src/train/path_rules.c src/train/path_rules.h \
 src/server/compat.h src/evidence/evidence.h src/evidence/body.h \
 src/facts/fact_index.h src/core/core.h src/core/pool.h src/core/core.h \
 src/kge/top.h src/kge/kge.h src/core/question.h src/core/allocation.h \
 src/core/pool.h src/paths/paths.h src/graph/graph.h src/rules/mine.h \
 src/rules/rule.h src/server/growing_array.h src/server/compat.h \
 src/train/settings.h src/kge/learning.h src/server/host.h \
 src/server/progress.h
src/train/path_rules.h:
src/server/compat.h:
src/evidence/evidence.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/kge/top.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/paths/paths.h:
src/graph/graph.h:
src/rules/mine.h:
src/rules/rule.h:
src/server/growing_array.h:
src/server/compat.h:
src/train/settings.h:
src/kge/learning.h:
src/server/host.h:
src/server/progress.h:
