src/report/style.o: src/report/style.c src/report/style.h \
 src/report/picture.css.inc src/report/page.css.inc
src/report/style.h:
src/report/picture.css.inc:
src/report/page.css.inc:
