src/train/axioms.o: src/train/axioms.c src/train/axioms.h \
 src/server/compat.h src/kge/learning.h src/kge/kge.h src/core/pool.h \
 src/core/core.h src/core/question.h src/core/allocation.h \
 src/core/pool.h src/rules/rule.h src/facts/fact_index.h src/core/core.h \
 src/graph/graph.h src/server/growing_array.h src/server/compat.h
src/train/axioms.h:
src/server/compat.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/rules/rule.h:
src/facts/fact_index.h:
src/core/core.h:
src/graph/graph.h:
src/server/growing_array.h:
src/server/compat.h:
