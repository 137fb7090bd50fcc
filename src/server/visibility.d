src/server/visibility.o: src/server/visibility.c src/server/visibility.h \
 src/server/compat.h
src/server/visibility.h:
src/server/compat.h:
