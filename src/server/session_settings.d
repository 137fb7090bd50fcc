src/server/session_settings.o: src/server/session_settings.c \
 src/server/session_settings.h src/server/compat.h
src/server/session_settings.h:
src/server/compat.h:
