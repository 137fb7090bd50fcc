src/model/embeddings.o: src/model/embeddings.c src/model/embeddings.h \
 src/server/compat.h src/graph/graph.h src/core/core.h src/server/array.h \
 src/server/compat.h src/server/sql.h src/server/growing_array.h \
 src/server/sql.h
src/model/embeddings.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/server/array.h:
src/server/compat.h:
src/server/sql.h:
src/server/growing_array.h:
src/server/sql.h:
