src/core/question.o: src/core/question.c src/core/question.h \
 src/core/allocation.h src/core/core.h src/core/pool.h src/core/random.h \
 src/core/search.h src/core/sort.h
src/core/question.h:
src/core/allocation.h:
src/core/core.h:
src/core/pool.h:
src/core/random.h:
src/core/search.h:
src/core/sort.h:
