src/report/section_calibration.o: src/report/section_calibration.c \
 src/report/chart.h src/report/markup.h src/server/compat.h \
 src/report/drawn_questions.h src/report/section.h src/graph/graph.h \
 src/core/core.h src/server/sql.h src/server/compat.h src/report/table.h
src/report/chart.h:
src/report/markup.h:
src/server/compat.h:
src/report/drawn_questions.h:
src/report/section.h:
src/graph/graph.h:
src/core/core.h:
src/server/sql.h:
src/server/compat.h:
src/report/table.h:
