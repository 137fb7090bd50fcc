src/kge/epoch_order.o: src/kge/epoch_order.c src/core/random.h \
 src/kge/trainer.h src/core/allocation.h src/core/core.h src/core/pool.h \
 src/core/vector.h src/kge/engine.h src/kge/score_function.h \
 src/kge/kge.h src/core/question.h src/core/allocation.h src/core/pool.h \
 src/kge/learning.h src/kge/optimizer.h
src/core/random.h:
src/kge/trainer.h:
src/core/allocation.h:
src/core/core.h:
src/core/pool.h:
src/core/vector.h:
src/kge/engine.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/kge/learning.h:
src/kge/optimizer.h:
