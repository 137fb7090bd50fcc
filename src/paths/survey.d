src/paths/survey.o: src/paths/survey.c src/paths/paths.h src/core/core.h \
 src/core/pool.h src/core/core.h src/facts/fact_index.h \
 src/core/allocation.h src/core/sort.h src/core/pool.h
src/paths/paths.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/facts/fact_index.h:
src/core/allocation.h:
src/core/sort.h:
src/core/pool.h:
