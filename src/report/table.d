src/report/table.o: src/report/table.c src/report/table.h \
 src/report/markup.h src/server/compat.h src/server/sql.h \
 src/server/compat.h
src/report/table.h:
src/report/markup.h:
src/server/compat.h:
src/server/sql.h:
src/server/compat.h:
