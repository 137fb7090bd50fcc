src/kge/one_vs_all.o: src/kge/one_vs_all.c src/core/pool.h \
 src/core/core.h src/core/vector.h src/kge/bfloat16.h \
 src/core/allocation.h src/kge/engine.h src/kge/score_function.h \
 src/kge/kge.h src/core/question.h src/core/allocation.h src/core/pool.h \
 src/kge/one_vs_all.h src/kge/trainer.h src/kge/learning.h \
 src/kge/optimizer.h src/kge/loss.h
src/core/pool.h:
src/core/core.h:
src/core/vector.h:
src/kge/bfloat16.h:
src/core/allocation.h:
src/kge/engine.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/kge/one_vs_all.h:
src/kge/trainer.h:
src/kge/learning.h:
src/kge/optimizer.h:
src/kge/loss.h:
