src/report/markup.o: src/report/markup.c src/report/markup.h \
 src/server/compat.h
src/report/markup.h:
src/server/compat.h:
