src/graph/locks.o: src/graph/locks.c src/graph/graph.h \
 src/server/compat.h src/core/core.h
src/graph/graph.h:
src/server/compat.h:
src/core/core.h:
