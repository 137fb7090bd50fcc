src/server/sql.o: src/server/sql.c src/server/sql.h src/server/compat.h \
 src/server/host.h src/core/pool.h src/core/core.h
src/server/sql.h:
src/server/compat.h:
src/server/host.h:
src/core/pool.h:
src/core/core.h:
