src/model/model_cache.o: src/model/model_cache.c src/model/model_cache.h \
 src/server/compat.h src/model/model.h src/evidence/evidence.h \
 src/evidence/body.h src/facts/fact_index.h src/core/core.h \
 src/core/pool.h src/core/core.h src/kge/top.h src/kge/kge.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/paths/paths.h src/graph/graph.h src/model/model_evidence.h \
 src/model/added_entities.h src/model/model_share.h \
 src/server/shared_copy.h src/server/compat.h src/server/copy_directory.h \
 src/server/copy_file.h src/server/visibility.h src/graph/changes.h \
 src/graph/graph.h src/graph/writers.h src/server/host.h
src/model/model_cache.h:
src/server/compat.h:
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
src/model/model_evidence.h:
src/model/added_entities.h:
src/model/model_share.h:
src/server/shared_copy.h:
src/server/compat.h:
src/server/copy_directory.h:
src/server/copy_file.h:
src/server/visibility.h:
src/graph/changes.h:
src/graph/graph.h:
src/graph/writers.h:
src/server/host.h:
