src/server/shared_copy.o: src/server/shared_copy.c \
 src/server/shared_copy.h src/server/compat.h src/server/copy_directory.h \
 src/server/copy_file.h src/server/pause.h
src/server/shared_copy.h:
src/server/compat.h:
src/server/copy_directory.h:
src/server/copy_file.h:
src/server/pause.h:
