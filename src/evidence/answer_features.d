src/evidence/answer_features.o: src/evidence/answer_features.c \
 src/evidence/answering.h src/evidence/evidence.h src/evidence/body.h \
 src/facts/fact_index.h src/core/core.h src/core/pool.h src/core/core.h \
 src/kge/top.h src/kge/kge.h src/core/question.h src/core/allocation.h \
 src/core/pool.h src/paths/paths.h src/evidence/feature_count.h \
 src/core/allocation.h src/core/sort.h
src/evidence/answering.h:
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
src/evidence/feature_count.h:
src/core/allocation.h:
src/core/sort.h:
