src/graph/rights.o: src/graph/rights.c src/graph/graph.h \
 src/server/compat.h src/core/core.h
src/graph/graph.h:
src/server/compat.h:
src/core/core.h:
