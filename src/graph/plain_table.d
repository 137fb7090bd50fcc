src/graph/plain_table.o: src/graph/plain_table.c src/graph/plain_table.h \
 src/server/compat.h src/graph/graph.h src/core/core.h \
 src/graph/changes.h src/server/visibility.h src/server/compat.h
src/graph/plain_table.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/graph/changes.h:
src/server/visibility.h:
src/server/compat.h:
