src/kge/labels.o: src/kge/labels.c src/kge/labels.h src/kge/learning.h \
 src/kge/kge.h src/core/pool.h src/core/core.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/core/exponential.h \
 src/core/names.h
src/kge/labels.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/core/exponential.h:
src/core/names.h:
