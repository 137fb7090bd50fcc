src/evidence/body_join.o: src/evidence/body_join.c \
 src/evidence/body_join.h src/evidence/body.h src/facts/fact_index.h \
 src/core/core.h src/core/pool.h src/core/core.h src/evidence/body_plan.h \
 src/core/allocation.h src/core/random.h src/core/search.h
src/evidence/body_join.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/evidence/body_plan.h:
src/core/allocation.h:
src/core/random.h:
src/core/search.h:
