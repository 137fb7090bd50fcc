src/kge/k_vs_all.o: src/kge/k_vs_all.c src/kge/bfloat16.h \
 src/core/allocation.h src/core/core.h src/kge/engine.h \
 src/kge/score_function.h src/kge/kge.h src/core/pool.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/kge/conve.h src/core/random.h src/core/sort.h src/kge/loss.h \
 src/kge/one_vs_all.h src/kge/trainer.h src/core/vector.h \
 src/kge/learning.h src/kge/optimizer.h
src/kge/bfloat16.h:
src/core/allocation.h:
src/core/core.h:
src/kge/engine.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/pool.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/kge/conve.h:
src/core/random.h:
src/core/sort.h:
src/kge/loss.h:
src/kge/one_vs_all.h:
src/kge/trainer.h:
src/core/vector.h:
src/kge/learning.h:
src/kge/optimizer.h:
