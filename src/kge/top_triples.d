src/kge/top_triples.o: src/kge/top_triples.c src/core/allocation.h \
 src/core/core.h src/core/pool.h src/core/sort.h src/core/pool.h \
 src/kge/kept_triples.h src/kge/top.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/kge/screen.h
src/core/allocation.h:
src/core/core.h:
src/core/pool.h:
src/core/sort.h:
src/core/pool.h:
src/kge/kept_triples.h:
src/kge/top.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/kge/screen.h:
