src/evidence/feature_count.o: src/evidence/feature_count.c \
 src/evidence/feature_count.h src/core/allocation.h src/core/core.h \
 src/facts/fact_index.h src/core/core.h src/core/pool.h src/core/random.h \
 src/core/sort.h src/core/pool.h src/evidence/evidence.h \
 src/evidence/body.h src/kge/top.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/paths/paths.h
src/evidence/feature_count.h:
src/core/allocation.h:
src/core/core.h:
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/random.h:
src/core/sort.h:
src/core/pool.h:
src/evidence/evidence.h:
src/evidence/body.h:
src/kge/top.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/paths/paths.h:
