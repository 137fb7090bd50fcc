src/rules/body_counts.o: src/rules/body_counts.c src/rules/mining.h \
 src/server/compat.h src/facts/fact_index.h src/core/core.h \
 src/core/pool.h src/core/core.h src/graph/graph.h src/rules/mine.h \
 src/rules/rule.h src/server/growing_array.h src/server/compat.h \
 src/evidence/body_count.h src/evidence/body_join.h src/evidence/body.h \
 src/server/host.h src/rules/body_pairs.h src/evidence/body_join.h
src/rules/mining.h:
src/server/compat.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/graph/graph.h:
src/rules/mine.h:
src/rules/rule.h:
src/server/growing_array.h:
src/server/compat.h:
src/evidence/body_count.h:
src/evidence/body_join.h:
src/evidence/body.h:
src/server/host.h:
src/rules/body_pairs.h:
src/evidence/body_join.h:
