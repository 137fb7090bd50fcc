src/graph/split.o: src/graph/split.c src/server/compat.h \
 src/core/random.h src/graph/draw_facts.h src/graph/graph.h \
 src/core/core.h src/graph/fact_table.h src/graph/fact_writer.h \
 src/server/growing_array.h src/server/compat.h src/server/progress.h \
 src/server/argument.h src/server/host.h src/core/pool.h src/core/core.h \
 src/server/sql.h
src/server/compat.h:
src/core/random.h:
src/graph/draw_facts.h:
src/graph/graph.h:
src/core/core.h:
src/graph/fact_table.h:
src/graph/fact_writer.h:
src/server/growing_array.h:
src/server/compat.h:
src/server/progress.h:
src/server/argument.h:
src/server/host.h:
src/core/pool.h:
src/core/core.h:
src/server/sql.h:
