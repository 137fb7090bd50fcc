src/kge/rough_moduli.o: src/kge/rough_moduli.c src/kge/engine.h \
 src/kge/score_function.h src/kge/kge.h src/core/pool.h src/core/core.h \
 src/core/question.h src/core/allocation.h src/core/pool.h
src/kge/engine.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
