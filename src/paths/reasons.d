src/paths/reasons.o: src/paths/reasons.c src/paths/walk.h \
 src/core/allocation.h src/core/core.h src/paths/network.h \
 src/paths/paths.h src/core/core.h src/core/pool.h src/facts/fact_index.h \
 src/core/exponential.h src/core/heap.h
src/paths/walk.h:
src/core/allocation.h:
src/core/core.h:
src/paths/network.h:
src/paths/paths.h:
src/core/core.h:
src/core/pool.h:
src/facts/fact_index.h:
src/core/exponential.h:
src/core/heap.h:
