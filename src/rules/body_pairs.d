src/rules/body_pairs.o: src/rules/body_pairs.c src/rules/body_pairs.h \
 src/server/compat.h src/evidence/body_join.h src/evidence/body.h \
 src/facts/fact_index.h src/core/core.h src/core/pool.h src/core/core.h \
 src/graph/graph.h src/rules/rule.h src/server/growing_array.h \
 src/server/compat.h src/server/host.h
src/rules/body_pairs.h:
src/server/compat.h:
src/evidence/body_join.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/graph/graph.h:
src/rules/rule.h:
src/server/growing_array.h:
src/server/compat.h:
src/server/host.h:
