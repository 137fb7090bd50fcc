src/evidence/path_count.o: src/evidence/path_count.c \
 src/evidence/path_task.h src/core/allocation.h src/core/core.h \
 src/evidence/evidence.h src/evidence/body.h src/facts/fact_index.h \
 src/core/core.h src/core/pool.h src/kge/top.h src/kge/kge.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/paths/paths.h src/core/sort.h
src/evidence/path_task.h:
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
src/core/sort.h:
