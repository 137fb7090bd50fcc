src/kge/conve_batch.o: src/kge/conve_batch.c src/kge/conve.h \
 src/core/allocation.h src/core/core.h src/core/pool.h \
 src/kge/score_function.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/core/dense.h src/core/random.h \
 src/core/vector.h
src/kge/conve.h:
src/core/allocation.h:
src/core/core.h:
src/core/pool.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/core/dense.h:
src/core/random.h:
src/core/vector.h:
