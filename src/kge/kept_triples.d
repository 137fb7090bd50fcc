src/kge/kept_triples.o: src/kge/kept_triples.c src/kge/kept_triples.h \
 src/core/allocation.h src/core/core.h src/kge/top.h src/kge/kge.h \
 src/core/pool.h src/core/question.h src/core/allocation.h \
 src/core/pool.h src/core/heap.h src/core/sort.h
src/kge/kept_triples.h:
src/core/allocation.h:
src/core/core.h:
src/kge/top.h:
src/kge/kge.h:
src/core/pool.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/core/heap.h:
src/core/sort.h:
