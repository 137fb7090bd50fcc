src/server/shared_memory.o: src/server/shared_memory.c \
 src/server/shared_memory.h src/server/compat.h
src/server/shared_memory.h:
src/server/compat.h:
