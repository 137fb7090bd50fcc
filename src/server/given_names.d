src/server/given_names.o: src/server/given_names.c \
 src/server/given_names.h src/server/compat.h src/server/growing_array.h \
 src/server/host.h src/core/pool.h src/core/core.h src/server/sql.h \
 src/server/user_query.h
src/server/given_names.h:
src/server/compat.h:
src/server/growing_array.h:
src/server/host.h:
src/core/pool.h:
src/core/core.h:
src/server/sql.h:
src/server/user_query.h:
