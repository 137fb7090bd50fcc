src/report/section.o: src/report/section.c src/report/section.h \
 src/graph/graph.h src/server/compat.h src/core/core.h \
 src/report/markup.h src/server/sql.h src/server/compat.h \
 src/report/table.h src/server/growing_array.h
src/report/section.h:
src/graph/graph.h:
src/server/compat.h:
src/core/core.h:
src/report/markup.h:
src/server/sql.h:
src/server/compat.h:
src/report/table.h:
src/server/growing_array.h:
