src/evidence/body_plan.o: src/evidence/body_plan.c \
 src/evidence/body_plan.h src/evidence/body.h src/facts/fact_index.h \
 src/core/core.h src/core/pool.h src/core/core.h
src/evidence/body_plan.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
