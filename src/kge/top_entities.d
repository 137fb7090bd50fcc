src/kge/top_entities.o: src/kge/top_entities.c src/core/allocation.h \
 src/core/core.h src/core/heap.h src/core/pool.h src/core/sort.h \
 src/core/pool.h src/core/vector.h src/kge/engine.h \
 src/kge/score_function.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/kge/exact_score.h src/kge/sketch.h \
 src/kge/top.h
src/core/allocation.h:
src/core/core.h:
src/core/heap.h:
src/core/pool.h:
src/core/sort.h:
src/core/pool.h:
src/core/vector.h:
src/kge/engine.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/kge/exact_score.h:
src/kge/sketch.h:
src/kge/top.h:
