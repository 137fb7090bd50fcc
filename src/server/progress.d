src/server/progress.o: src/server/progress.c src/server/progress.h \
 src/server/compat.h src/server/pause.h src/server/shared_memory.h \
 src/server/sql.h src/server/visibility.h
src/server/progress.h:
src/server/compat.h:
src/server/pause.h:
src/server/shared_memory.h:
src/server/sql.h:
src/server/visibility.h:
