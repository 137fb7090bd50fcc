src/kge/loss.o: src/kge/loss.c src/kge/loss.h src/core/exponential.h \
 src/core/vector.h
src/kge/loss.h:
src/core/exponential.h:
src/core/vector.h:
