src/facts/fact_index.o: src/facts/fact_index.c src/facts/fact_index.h \
 src/core/core.h src/core/pool.h src/core/core.h src/core/allocation.h \
 src/core/search.h src/core/sort.h src/core/pool.h
src/facts/fact_index.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/core/allocation.h:
src/core/search.h:
src/core/sort.h:
src/core/pool.h:
