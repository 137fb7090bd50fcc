src/report/drawn_questions.o: src/report/drawn_questions.c \
 src/report/drawn_questions.h src/report/section.h src/graph/graph.h \
 src/server/compat.h src/core/core.h src/report/markup.h src/server/sql.h \
 src/server/compat.h src/report/table.h src/model/predictor.h \
 src/model/model_cache.h src/model/model.h src/evidence/evidence.h \
 src/evidence/body.h src/facts/fact_index.h src/core/pool.h \
 src/core/core.h src/kge/top.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/paths/paths.h \
 src/model/model_evidence.h src/model/added_entities.h src/server/array.h \
 src/server/sql.h src/server/growing_array.h src/server/host.h
src/report/drawn_questions.h:
src/report/section.h:
src/graph/graph.h:
src/server/compat.h:
src/core/core.h:
src/report/markup.h:
src/server/sql.h:
src/server/compat.h:
src/report/table.h:
src/model/predictor.h:
src/model/model_cache.h:
src/model/model.h:
src/evidence/evidence.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/core/pool.h:
src/core/core.h:
src/kge/top.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/paths/paths.h:
src/model/model_evidence.h:
src/model/added_entities.h:
src/server/array.h:
src/server/sql.h:
src/server/growing_array.h:
src/server/host.h:
