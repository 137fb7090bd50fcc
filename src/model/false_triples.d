src/model/false_triples.o: src/model/false_triples.c \
 src/model/thresholds.h src/server/compat.h src/graph/graph.h \
 src/core/core.h src/kge/kge.h src/core/pool.h src/core/core.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/core/random.h src/server/argument.h src/server/compat.h \
 src/server/growing_array.h src/server/host.h src/server/sql.h
src/model/thresholds.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/core/random.h:
src/server/argument.h:
src/server/compat.h:
src/server/growing_array.h:
src/server/host.h:
src/server/sql.h:
