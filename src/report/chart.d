src/report/chart.o: src/report/chart.c src/report/chart.h \
 src/report/markup.h src/server/compat.h
src/report/chart.h:
src/report/markup.h:
src/server/compat.h:
