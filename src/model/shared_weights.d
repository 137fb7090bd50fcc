src/model/shared_weights.o: src/model/shared_weights.c \
 src/model/shared_weights.h src/server/compat.h src/graph/graph.h \
 src/core/core.h src/kge/kge.h src/core/pool.h src/core/core.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/model/embeddings.h src/server/array.h src/server/compat.h \
 src/server/sql.h src/server/sql.h
src/model/shared_weights.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/model/embeddings.h:
src/server/array.h:
src/server/compat.h:
src/server/sql.h:
src/server/sql.h:
