src/core/pool.o: src/core/pool.c src/core/pool.h src/core/core.h
src/core/pool.h:
src/core/core.h:
