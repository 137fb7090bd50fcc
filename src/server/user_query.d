src/server/user_query.o: src/server/user_query.c src/server/user_query.h \
 src/server/compat.h
src/server/user_query.h:
src/server/compat.h:
