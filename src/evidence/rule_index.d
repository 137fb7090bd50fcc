src/evidence/rule_index.o: src/evidence/rule_index.c \
 src/evidence/evidence.h src/evidence/body.h src/facts/fact_index.h \
 src/core/core.h src/core/pool.h src/core/core.h src/kge/top.h \
 src/kge/kge.h src/core/question.h src/core/allocation.h src/core/pool.h \
 src/paths/paths.h src/core/allocation.h src/core/sort.h
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
src/core/allocation.h:
src/core/sort.h:
