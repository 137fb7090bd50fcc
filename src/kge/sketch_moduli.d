src/kge/sketch_moduli.o: src/kge/sketch_moduli.c src/kge/sketch_moduli.h \
 src/core/allocation.h src/core/core.h src/kge/engine.h \
 src/kge/score_function.h src/kge/kge.h src/core/pool.h \
 src/core/question.h src/core/allocation.h src/core/pool.h
src/kge/sketch_moduli.h:
src/core/allocation.h:
src/core/core.h:
src/kge/engine.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/pool.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
