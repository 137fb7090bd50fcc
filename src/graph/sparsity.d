src/graph/sparsity.o: src/graph/sparsity.c src/server/compat.h \
 src/graph/graph.h src/core/core.h src/server/argument.h \
 src/server/compat.h src/server/sql.h
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/server/argument.h:
src/server/compat.h:
src/server/sql.h:
