src/graph/draw_facts.o: src/graph/draw_facts.c src/graph/draw_facts.h \
 src/server/compat.h src/graph/graph.h src/core/core.h src/core/random.h \
 src/server/growing_array.h src/server/compat.h
src/graph/draw_facts.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/core/random.h:
src/server/growing_array.h:
src/server/compat.h:
