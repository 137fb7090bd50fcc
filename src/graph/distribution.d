src/graph/distribution.o: src/graph/distribution.c src/graph/graph.h \
 src/server/compat.h src/core/core.h
src/graph/graph.h:
src/server/compat.h:
src/core/core.h:
