src/server/sql_batch.o: src/server/sql_batch.c src/server/sql.h \
 src/server/compat.h
src/server/sql.h:
src/server/compat.h:
