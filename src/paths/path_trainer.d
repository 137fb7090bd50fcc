src/paths/path_trainer.o: src/paths/path_trainer.c src/paths/walk.h \
 src/core/allocation.h src/core/core.h src/paths/network.h \
 src/paths/paths.h src/core/core.h src/core/pool.h src/facts/fact_index.h \
 src/core/random.h src/core/vector.h src/kge/optimizer.h \
 src/kge/learning.h src/kge/kge.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/kge/score_function.h
src/paths/walk.h:
src/core/allocation.h:
src/core/core.h:
src/paths/network.h:
src/paths/paths.h:
src/core/core.h:
src/core/pool.h:
src/facts/fact_index.h:
src/core/random.h:
src/core/vector.h:
src/kge/optimizer.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/kge/score_function.h:
