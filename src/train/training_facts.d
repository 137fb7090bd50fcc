src/train/training_facts.o: src/train/training_facts.c \
 src/train/training_facts.h src/server/compat.h src/graph/graph.h \
 src/core/core.h src/train/settings.h src/kge/learning.h src/kge/kge.h \
 src/core/pool.h src/core/core.h src/core/question.h \
 src/core/allocation.h src/core/pool.h src/server/host.h \
 src/server/compat.h
src/train/training_facts.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/train/settings.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/pool.h:
src/core/core.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/server/host.h:
src/server/compat.h:
