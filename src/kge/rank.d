src/kge/rank.o: src/kge/rank.c src/core/pool.h src/core/core.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/core/random.h src/core/vector.h src/kge/conve.h \
 src/core/allocation.h src/kge/score_function.h src/kge/kge.h \
 src/kge/engine.h src/kge/rank.h
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/core/random.h:
src/core/vector.h:
src/kge/conve.h:
src/core/allocation.h:
src/kge/score_function.h:
src/kge/kge.h:
src/kge/engine.h:
src/kge/rank.h:
