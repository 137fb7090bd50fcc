src/kge/bfloat16.o: src/kge/bfloat16.c src/kge/bfloat16.h \
 src/core/allocation.h src/core/core.h src/kge/engine.h \
 src/kge/score_function.h src/kge/kge.h src/core/pool.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/core/vector.h src/kge/learning.h
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
src/core/vector.h:
src/kge/learning.h:
