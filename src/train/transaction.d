src/train/transaction.o: src/train/transaction.c src/train/transaction.h \
 src/server/compat.h src/server/sql.h src/server/compat.h
src/train/transaction.h:
src/server/compat.h:
src/server/sql.h:
src/server/compat.h:
