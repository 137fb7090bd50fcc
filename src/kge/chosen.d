src/kge/chosen.o: src/kge/chosen.c src/core/allocation.h src/core/core.h \
 src/kge/score_function.h src/kge/kge.h src/core/pool.h \
 src/core/question.h src/core/allocation.h src/core/pool.h src/kge/top.h
src/core/allocation.h:
src/core/core.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/pool.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/kge/top.h:
