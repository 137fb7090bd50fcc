src/server/array.o: src/server/array.c src/server/array.h \
 src/server/compat.h src/core/core.h src/server/sql.h
src/server/array.h:
src/server/compat.h:
src/core/core.h:
src/server/sql.h:
