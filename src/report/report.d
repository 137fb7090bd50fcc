src/report/report.o: src/report/report.c src/graph/call.h \
 src/server/compat.h src/graph/graph.h src/core/core.h src/server/sql.h \
 src/server/compat.h src/model/model.h src/evidence/evidence.h \
 src/evidence/body.h src/facts/fact_index.h src/core/pool.h \
 src/core/core.h src/kge/top.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/paths/paths.h \
 src/graph/graph.h src/report/section.h src/report/markup.h \
 src/report/table.h src/server/argument.h src/server/attempt.h \
 src/server/host.h src/report/style.h
src/graph/call.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/server/sql.h:
src/server/compat.h:
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
src/graph/graph.h:
src/report/section.h:
src/report/markup.h:
src/report/table.h:
src/server/argument.h:
src/server/attempt.h:
src/server/host.h:
src/report/style.h:
