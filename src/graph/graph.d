src/graph/graph.o: src/graph/graph.c src/graph/graph.h \
 src/server/compat.h src/core/core.h src/server/argument.h \
 src/server/compat.h src/server/shared_copy.h src/server/copy_directory.h \
 src/server/copy_file.h src/server/sql.h
src/graph/graph.h:
src/server/compat.h:
src/core/core.h:
src/server/argument.h:
src/server/compat.h:
src/server/shared_copy.h:
src/server/copy_directory.h:
src/server/copy_file.h:
src/server/sql.h:
