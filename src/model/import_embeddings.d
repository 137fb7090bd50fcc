src/model/import_embeddings.o: src/model/import_embeddings.c \
 src/model/model.h src/server/compat.h src/evidence/evidence.h \
 src/evidence/body.h src/facts/fact_index.h src/core/core.h \
 src/core/pool.h src/core/core.h src/kge/top.h src/kge/kge.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/paths/paths.h src/graph/graph.h src/server/argument.h \
 src/server/compat.h src/server/sql.h src/server/user_query.h
src/model/model.h:
src/server/compat.h:
src/evidence/evidence.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/kge/top.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/paths/paths.h:
src/graph/graph.h:
src/server/argument.h:
src/server/compat.h:
src/server/sql.h:
src/server/user_query.h:
