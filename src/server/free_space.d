src/server/free_space.o: src/server/free_space.c src/server/free_space.h \
 src/server/compat.h src/server/host.h src/core/pool.h src/core/core.h
src/server/free_space.h:
src/server/compat.h:
src/server/host.h:
src/core/pool.h:
src/core/core.h:
