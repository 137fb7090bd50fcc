src/server/copy_file.o: src/server/copy_file.c src/server/copy_file.h \
 src/server/compat.h src/server/host.h src/core/pool.h src/core/core.h
src/server/copy_file.h:
src/server/compat.h:
src/server/host.h:
src/core/pool.h:
src/core/core.h:
