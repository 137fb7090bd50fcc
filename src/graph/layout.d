src/graph/layout.o: src/graph/layout.c src/graph/graph.h \
 src/server/compat.h src/core/core.h src/server/argument.h \
 src/server/compat.h src/server/sql.h
src/graph/graph.h:
src/server/compat.h:
src/core/core.h:
src/server/argument.h:
src/server/compat.h:
src/server/sql.h:
