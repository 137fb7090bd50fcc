src/server/argument.o: src/server/argument.c src/server/argument.h \
 src/server/compat.h
src/server/argument.h:
src/server/compat.h:
