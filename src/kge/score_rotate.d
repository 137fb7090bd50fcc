src/kge/score_rotate.o: src/kge/score_rotate.c src/core/vector.h \
 src/kge/score_function.h src/kge/kge.h src/core/pool.h src/core/core.h \
 src/core/question.h src/core/allocation.h src/core/pool.h
src/core/vector.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
