src/graph/call.o: src/graph/call.c src/graph/call.h src/server/compat.h \
 src/graph/graph.h src/core/core.h src/server/sql.h src/server/compat.h \
 src/server/argument.h
src/graph/call.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/server/sql.h:
src/server/compat.h:
src/server/argument.h:
