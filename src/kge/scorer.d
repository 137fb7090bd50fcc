src/kge/scorer.o: src/kge/scorer.c src/kge/block.h src/core/allocation.h \
 src/core/core.h src/kge/sketch.h src/kge/engine.h \
 src/kge/score_function.h src/kge/kge.h src/core/pool.h \
 src/core/question.h src/core/allocation.h src/core/pool.h src/kge/top.h \
 src/kge/sketch_moduli.h src/kge/sketch_product.h src/core/vector.h
src/kge/block.h:
src/core/allocation.h:
src/core/core.h:
src/kge/sketch.h:
src/kge/engine.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/pool.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/kge/top.h:
src/kge/sketch_moduli.h:
src/kge/sketch_product.h:
src/core/vector.h:
