src/graph/load.o: src/graph/load.c src/server/compat.h \
 src/graph/fact_query.h src/graph/fact_writer.h src/graph/graph.h \
 src/core/core.h src/server/growing_array.h src/server/compat.h \
 src/server/progress.h src/graph/fact_table.h src/server/argument.h \
 src/server/sql.h
src/server/compat.h:
src/graph/fact_query.h:
src/graph/fact_writer.h:
src/graph/graph.h:
src/core/core.h:
src/server/growing_array.h:
src/server/compat.h:
src/server/progress.h:
src/graph/fact_table.h:
src/server/argument.h:
src/server/sql.h:
