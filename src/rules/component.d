src/rules/component.o: src/rules/component.c src/rules/component.h \
 src/server/compat.h
src/rules/component.h:
src/server/compat.h:
