src/train/hold_out.o: src/train/hold_out.c src/train/training_facts.h \
 src/server/compat.h src/graph/graph.h src/core/core.h \
 src/train/settings.h src/kge/learning.h src/kge/kge.h src/core/pool.h \
 src/core/core.h src/core/question.h src/core/allocation.h \
 src/core/pool.h src/core/random.h src/graph/draw_facts.h \
 src/graph/graph.h src/server/growing_array.h src/server/compat.h
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
src/core/random.h:
src/graph/draw_facts.h:
src/graph/graph.h:
src/server/growing_array.h:
src/server/compat.h:
