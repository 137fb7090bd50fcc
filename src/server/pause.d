src/server/pause.o: src/server/pause.c src/server/compat.h \
 src/server/pause.h
src/server/compat.h:
src/server/pause.h:
