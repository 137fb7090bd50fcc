src/evidence/weights.o: src/evidence/weights.c src/evidence/examples.h \
 src/core/allocation.h src/core/core.h src/evidence/evidence.h \
 src/evidence/body.h src/facts/fact_index.h src/core/core.h \
 src/core/pool.h src/kge/top.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/paths/paths.h
src/evidence/examples.h:
src/core/allocation.h:
src/core/core.h:
src/evidence/evidence.h:
src/evidence/body.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/kge/top.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/paths/paths.h:
