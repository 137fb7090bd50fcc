src/graph/changes.o: src/graph/changes.c src/graph/changes.h \
 src/server/compat.h src/graph/graph.h src/core/core.h \
 src/server/visibility.h src/server/compat.h src/graph/writers.h
src/graph/changes.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/server/visibility.h:
src/server/compat.h:
src/graph/writers.h:
