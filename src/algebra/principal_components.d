src/algebra/principal_components.o: src/algebra/principal_components.c \
 src/algebra/principal_components.h src/core/core.h src/core/allocation.h \
 src/core/core.h src/algebra/lapack.h
src/algebra/principal_components.h:
src/core/core.h:
src/core/allocation.h:
src/core/core.h:
src/algebra/lapack.h:
