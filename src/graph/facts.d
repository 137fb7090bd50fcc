src/graph/facts.o: src/graph/facts.c src/graph/graph.h \
 src/server/compat.h src/core/core.h src/core/search.h src/core/sort.h \
 src/core/pool.h src/core/core.h src/server/growing_array.h \
 src/server/compat.h src/server/host.h src/core/pool.h src/server/sql.h
src/graph/graph.h:
src/server/compat.h:
src/core/core.h:
src/core/search.h:
src/core/sort.h:
src/core/pool.h:
src/core/core.h:
src/server/growing_array.h:
src/server/compat.h:
src/server/host.h:
src/core/pool.h:
src/server/sql.h:
