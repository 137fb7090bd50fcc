src/model/evidence_rules.o: src/model/evidence_rules.c \
 src/model/model_evidence.h src/server/compat.h \
 src/model/added_entities.h src/model/model.h src/evidence/evidence.h \
 src/evidence/body.h src/facts/fact_index.h src/core/core.h \
 src/core/pool.h src/core/core.h src/kge/top.h src/kge/kge.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/paths/paths.h src/graph/graph.h src/model/rule_table.h \
 src/rules/mine.h src/rules/rule.h src/server/growing_array.h \
 src/server/compat.h src/server/progress.h src/server/sql.h \
 src/server/host.h
src/model/model_evidence.h:
src/server/compat.h:
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
src/model/rule_table.h:
src/rules/mine.h:
src/rules/rule.h:
src/server/growing_array.h:
src/server/compat.h:
src/server/progress.h:
src/server/sql.h:
src/server/host.h:
