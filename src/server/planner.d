src/server/planner.o: src/server/planner.c src/server/compat.h
src/server/compat.h:
