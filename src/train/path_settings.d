src/train/path_settings.o: src/train/path_settings.c \
 src/train/path_settings.h src/server/compat.h src/paths/paths.h \
 src/core/core.h src/core/pool.h src/core/core.h src/facts/fact_index.h \
 src/train/settings.h src/kge/learning.h src/kge/kge.h \
 src/core/question.h src/core/allocation.h src/core/pool.h \
 src/train/training_facts.h src/graph/graph.h src/model/path_network.h
src/train/path_settings.h:
src/server/compat.h:
src/paths/paths.h:
src/core/core.h:
src/core/pool.h:
src/core/core.h:
src/facts/fact_index.h:
src/train/settings.h:
src/kge/learning.h:
src/kge/kge.h:
src/core/question.h:
src/core/allocation.h:
src/core/pool.h:
src/train/training_facts.h:
src/graph/graph.h:
src/model/path_network.h:
