src/train/hybrid_itere.o: src/train/hybrid_itere.c src/train/hybrid.h \
 src/server/compat.h src/kge/learning.h src/kge/kge.h src/core/pool.h \
 src/core/core.h src/core/question.h src/core/allocation.h \
 src/core/pool.h src/rules/inference.h src/rules/body_pairs.h \
 src/evidence/body_join.h src/evidence/body.h src/facts/fact_index.h \
 src/core/core.h src/graph/graph.h src/rules/rule.h \
 src/server/growing_array.h src/server/compat.h src/rules/mine.h \
 src/rules/mine.h src/train/axioms.h src/rules/rule.h
src/train/hybrid.h:
src/server/compat.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/rules/inference.h:
src/rules/body_pairs.h:
src/evidence/body_join.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/core/core.h:
src/graph/graph.h:
src/rules/rule.h:
src/server/growing_array.h:
src/server/compat.h:
src/rules/mine.h:
src/rules/mine.h:
src/train/axioms.h:
src/rules/rule.h:
