src/kge/score_rescal.o: src/kge/score_rescal.c src/core/vector.h \
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
