src/server/copy_directory.o: src/server/copy_directory.c \
 src/server/copy_directory.h src/server/compat.h src/server/copy_file.h \
 src/server/shared_memory.h src/server/sql.h src/server/visibility.h
src/server/copy_directory.h:
src/server/compat.h:
src/server/copy_file.h:
src/server/shared_memory.h:
src/server/sql.h:
src/server/visibility.h:
