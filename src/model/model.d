src/model/model.o: src/model/model.c src/model/model.h \
 src/server/compat.h src/evidence/evidence.h src/evidence/body.h \
 src/facts/fact_index.h src/core/core.h src/core/pool.h src/core/core.h \
 src/kge/top.h src/kge/kge.h src/core/question.h src/core/allocation.h \
 src/core/pool.h src/paths/paths.h src/graph/graph.h \
 src/model/embeddings.h src/model/shared_weights.h src/kge/kge.h \
 src/server/argument.h src/server/compat.h src/server/growing_array.h \
 src/server/host.h src/server/sql.h
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
src/model/embeddings.h:
src/model/shared_weights.h:
src/kge/kge.h:
src/server/argument.h:
src/server/compat.h:
src/server/growing_array.h:
src/server/host.h:
src/server/sql.h:
