src/paths/network.o: src/paths/network.c src/paths/network.h \
 src/paths/paths.h src/core/core.h src/core/pool.h src/core/core.h \
 src/facts/fact_index.h src/core/allocation.h src/core/random.h
src/paths/network.h:
src/paths/paths.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/facts/fact_index.h:
src/core/allocation.h:
src/core/random.h:
