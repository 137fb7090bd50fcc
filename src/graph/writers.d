src/graph/writers.o: src/graph/writers.c src/graph/writers.h \
 src/server/compat.h src/server/visibility.h src/server/compat.h \
 src/server/shared_memory.h
src/graph/writers.h:
src/server/compat.h:
src/server/visibility.h:
src/server/compat.h:
src/server/shared_memory.h:
