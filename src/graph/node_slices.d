src/graph/node_slices.o: src/graph/node_slices.c src/graph/node_slices.h \
 src/server/compat.h src/graph/graph.h src/core/core.h src/server/sql.h \
 src/server/compat.h src/server/array.h src/server/sql.h \
 src/server/growing_array.h src/server/host.h src/core/pool.h \
 src/core/core.h
src/graph/node_slices.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/server/sql.h:
src/server/compat.h:
src/server/array.h:
src/server/sql.h:
src/server/growing_array.h:
src/server/host.h:
src/core/pool.h:
src/core/core.h:
