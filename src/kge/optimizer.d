src/kge/optimizer.o: src/kge/optimizer.c src/kge/optimizer.h \
 src/core/allocation.h src/core/core.h src/kge/learning.h src/kge/kge.h \
 src/core/pool.h src/core/question.h src/core/allocation.h \
 src/core/pool.h src/kge/score_function.h src/core/names.h \
 src/core/vector.h
src/kge/optimizer.h:
src/core/allocation.h:
src/core/core.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/kge/score_function.h:
src/core/names.h:
src/core/vector.h:
