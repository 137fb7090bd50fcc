src/kge/engine.o: src/kge/engine.c src/kge/engine.h \
 src/kge/score_function.h src/kge/kge.h src/core/pool.h src/core/core.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/core/vector.h src/core/dense.h
src/kge/engine.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/core/vector.h:
src/core/dense.h:
