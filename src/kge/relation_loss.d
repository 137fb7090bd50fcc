src/kge/relation_loss.o: src/kge/relation_loss.c src/kge/one_vs_all.h \
 src/kge/trainer.h src/core/allocation.h src/core/core.h src/core/pool.h \
 src/core/vector.h src/kge/engine.h src/kge/score_function.h \
 src/kge/kge.h src/core/question.h src/core/allocation.h src/core/pool.h \
 src/kge/learning.h src/kge/optimizer.h src/kge/bfloat16.h \
 src/core/dense.h src/kge/loss.h
src/kge/one_vs_all.h:
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
src/kge/bfloat16.h:
src/core/dense.h:
src/kge/loss.h:
