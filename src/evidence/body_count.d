src/evidence/body_count.o: src/evidence/body_count.c \
 src/evidence/body_count.h src/evidence/body_join.h src/evidence/body.h \
 src/facts/fact_index.h src/core/core.h src/core/pool.h src/core/core.h \
 src/core/allocation.h
src/evidence/body_count.h:
src/evidence/body_join.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/core/allocation.h:
