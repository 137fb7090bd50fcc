src/server/attempt.o: src/server/attempt.c src/server/attempt.h
src/server/attempt.h:
