src/kge/sketch_product.o: src/kge/sketch_product.c \
 src/kge/sketch_product.h src/core/allocation.h src/core/core.h \
 src/kge/engine.h src/kge/score_function.h src/kge/kge.h src/core/pool.h \
 src/core/question.h src/core/allocation.h src/core/pool.h
src/kge/sketch_product.h:
src/core/allocation.h:
src/core/core.h:
src/kge/engine.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/pool.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
