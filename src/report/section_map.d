src/report/section_map.o: src/report/section_map.c src/report/chart.h \
 src/report/markup.h src/server/compat.h src/report/section.h \
 src/graph/graph.h src/core/core.h src/server/sql.h src/server/compat.h \
 src/report/table.h src/server/growing_array.h
src/report/chart.h:
src/report/markup.h:
src/server/compat.h:
src/report/section.h:
src/graph/graph.h:
src/core/core.h:
src/server/sql.h:
src/server/compat.h:
src/report/table.h:
src/server/growing_array.h:
