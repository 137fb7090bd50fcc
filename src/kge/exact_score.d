src/kge/exact_score.o: src/kge/exact_score.c src/kge/exact_score.h \
 src/core/allocation.h src/core/core.h src/kge/score_function.h \
 src/kge/kge.h src/core/pool.h src/core/question.h src/core/allocation.h \
 src/core/pool.h
src/kge/exact_score.h:
src/core/allocation.h:
src/core/core.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/pool.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
