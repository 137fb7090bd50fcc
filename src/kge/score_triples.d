src/kge/score_triples.o: src/kge/score_triples.c src/core/allocation.h \
 src/core/core.h src/core/pool.h src/core/vector.h src/kge/engine.h \
 src/kge/score_function.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/core/pool.h
src/core/allocation.h:
src/core/core.h:
src/core/pool.h:
src/core/vector.h:
src/kge/engine.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
