src/model/path_network.o: src/model/path_network.c \
 src/model/path_network.h src/server/compat.h src/graph/graph.h \
 src/core/core.h src/paths/paths.h src/core/pool.h src/core/core.h \
 src/facts/fact_index.h src/server/array.h src/server/compat.h \
 src/server/sql.h src/server/host.h src/server/sql.h
src/model/path_network.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/paths/paths.h:
src/core/pool.h:
src/core/core.h:
src/facts/fact_index.h:
src/server/array.h:
src/server/compat.h:
src/server/sql.h:
src/server/host.h:
src/server/sql.h:
