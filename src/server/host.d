src/server/host.o: src/server/host.c src/server/host.h \
 src/server/compat.h src/core/pool.h src/core/core.h
src/server/host.h:
src/server/compat.h:
src/core/pool.h:
src/core/core.h:
