src/kge/screen.o: src/kge/screen.c src/kge/screen.h src/core/allocation.h \
 src/core/core.h src/kge/top.h src/kge/kge.h src/core/pool.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/kge/block.h src/kge/sketch.h src/kge/engine.h \
 src/kge/score_function.h src/kge/sketch_moduli.h \
 src/kge/sketch_product.h src/core/heap.h src/core/search.h
src/kge/screen.h:
src/core/allocation.h:
src/core/core.h:
src/kge/top.h:
src/kge/kge.h:
src/core/pool.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/kge/block.h:
src/kge/sketch.h:
src/kge/engine.h:
src/kge/score_function.h:
src/kge/sketch_moduli.h:
src/kge/sketch_product.h:
src/core/heap.h:
src/core/search.h:
