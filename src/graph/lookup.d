src/graph/lookup.o: src/graph/lookup.c src/graph/graph.h \
 src/server/compat.h src/core/core.h src/server/argument.h \
 src/server/compat.h src/server/named_numbers.h src/server/sql.h
src/graph/graph.h:
src/server/compat.h:
src/core/core.h:
src/server/argument.h:
src/server/compat.h:
src/server/named_numbers.h:
src/server/sql.h:
