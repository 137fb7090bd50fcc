src/kge/rank_sample.o: src/kge/rank_sample.c src/core/random.h \
 src/kge/rank.h src/kge/kge.h src/core/pool.h src/core/core.h \
 src/core/question.h src/core/allocation.h src/core/pool.h
src/core/random.h:
src/kge/rank.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
