src/kge/nne_aer.o: src/kge/nne_aer.c src/core/vector.h \
 src/kge/constraint.h src/kge/trainer.h src/core/allocation.h \
 src/core/core.h src/core/pool.h src/kge/engine.h \
 src/kge/score_function.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/kge/learning.h \
 src/kge/optimizer.h
src/core/vector.h:
src/kge/constraint.h:
src/kge/trainer.h:
src/core/allocation.h:
src/core/core.h:
src/core/pool.h:
src/kge/engine.h:
src/kge/score_function.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/kge/learning.h:
src/kge/optimizer.h:
