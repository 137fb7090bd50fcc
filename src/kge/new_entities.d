src/kge/new_entities.o: src/kge/new_entities.c src/core/random.h \
 src/kge/score_function.h src/kge/kge.h src/core/pool.h src/core/core.h \
 src/core/question.h src/core/allocation.h src/core/pool.h
src/core/random.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
