src/graph/source.o: src/graph/source.c src/graph/source.h \
 src/server/compat.h src/graph/graph.h src/core/core.h \
 src/graph/fact_query.h src/graph/fact_writer.h \
 src/server/growing_array.h src/server/compat.h src/server/progress.h \
 src/server/argument.h src/server/sql.h
src/graph/source.h:
src/server/compat.h:
src/graph/graph.h:
src/core/core.h:
src/graph/fact_query.h:
src/graph/fact_writer.h:
src/server/growing_array.h:
src/server/compat.h:
src/server/progress.h:
src/server/argument.h:
src/server/sql.h:
