src/rules/confidence.o: src/rules/confidence.c src/rules/selection.h \
 src/server/compat.h src/rules/body_pairs.h src/evidence/body_join.h \
 src/evidence/body.h src/facts/fact_index.h src/core/core.h \
 src/core/pool.h src/core/core.h src/graph/graph.h src/rules/rule.h \
 src/server/growing_array.h src/server/compat.h src/kge/kge.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/rules/mine.h src/rules/inference.h src/server/host.h
src/rules/selection.h:
src/server/compat.h:
src/rules/body_pairs.h:
src/evidence/body_join.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/graph/graph.h:
src/rules/rule.h:
src/server/growing_array.h:
src/server/compat.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/rules/mine.h:
src/rules/inference.h:
src/server/host.h:
