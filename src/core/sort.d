src/core/sort.o: src/core/sort.c src/core/sort.h src/core/pool.h \
 src/core/core.h src/core/random.h
src/core/sort.h:
src/core/pool.h:
src/core/core.h:
src/core/random.h:
