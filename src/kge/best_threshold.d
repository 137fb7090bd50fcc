src/kge/best_threshold.o: src/kge/best_threshold.c src/kge/rank.h \
 src/kge/kge.h src/core/pool.h src/core/core.h src/core/question.h \
 src/core/allocation.h src/core/pool.h
src/kge/rank.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
