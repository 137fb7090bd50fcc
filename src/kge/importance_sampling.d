src/kge/importance_sampling.o: src/kge/importance_sampling.c \
 src/core/allocation.h src/core/core.h src/core/heap.h src/core/random.h \
 src/core/sort.h src/core/pool.h src/kge/learning.h src/kge/kge.h \
 src/core/pool.h src/core/question.h src/core/allocation.h
src/core/allocation.h:
src/core/core.h:
src/core/heap.h:
src/core/random.h:
src/core/sort.h:
src/core/pool.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/question.h:
src/core/allocation.h:
