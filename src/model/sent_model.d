src/model/sent_model.o: src/model/sent_model.c src/model/sent_model.h \
 src/server/compat.h src/model/model_evidence.h \
 src/model/added_entities.h src/model/model.h src/evidence/evidence.h \
 src/evidence/body.h src/facts/fact_index.h src/core/core.h \
 src/core/pool.h src/core/core.h src/kge/top.h src/kge/kge.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/paths/paths.h src/graph/graph.h src/graph/node_slices.h \
 src/graph/graph.h src/server/sql.h src/server/compat.h src/kge/rank.h
src/model/sent_model.h:
src/server/compat.h:
src/model/model_evidence.h:
src/model/added_entities.h:
src/model/model.h:
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
src/graph/node_slices.h:
src/graph/graph.h:
src/server/sql.h:
src/server/compat.h:
src/kge/rank.h:
