# hybridkg: built with PGXS, like any extension
#
#	make, make install, make installcheck	for the server of PG_CONFIG
#	make test	everything that checks the extension, on a private server
#	make test SERVERS="15 17 18"	the same for each of these, in clean systems of Debian
#	make test-arm	the unit tests of the pure half for 64-bit Arm, under qemu (test/arm)
#	make soak	the long forms of some tests, in slices (test/soak/run)
#	make demo	the packages of this Debian machine as tables, filled on a private server
#	make demo-wordnet	all of WordNet, learnt likewise
#	make paper-check	the paper's figures, our tables and the names of arms agree (bench/paper/check)
#	make rdf	the extension hybridkg_rdf (make -C rdf install installs it)
#	make package-test	the Debian package, built, used and purged in systems of their own
#	make container-test	Dockerfile and compose.yaml, built and run where no registry of images is in reach
#	make site	the documents as a site, in build/site/html: mkdocs.yml
#	make dist	the archive of the last commit, for PGXN
#	make lint, make fuzz, make coverage	see CONTRIBUTING.md
#
# make test, soak and demo need nothing but this folder: they see to the packages, and run
# on a throw-away server that they make and remove (test/server).

ifneq (,$(filter test test-arm soak demo demo-wordnet package-test container-test lint fuzz coverage dist site paper-check,$(MAKECMDGOALS)))

# these come before pg_config is there
.PHONY: test test-arm soak demo demo-wordnet package-test container-test lint fuzz coverage dist site paper-check
test:
	@bash test/$(if $(SERVERS),servers,run)
test-arm:
	@bash test/arm
soak:
	@bash test/soak/run
demo:
	@bash demo/run packages
demo-wordnet:
	@bash demo/run wordnet
lint:
	@bash test/lint
fuzz:
	@bash test/fuzz/run
coverage:
	@bash test/coverage
package-test:
	@bash test/package
container-test:
	@bash test/container
paper-check:
	@bench/paper/check
site:
	@test/packages site
	rm -rf build/site
	mkdir -p build/site/source
	git ls-files '*.md' 'doc/*.png' LICENSE | xargs cp --parents -t build/site/source
	mkdocs build -q
dist: VERSION = $(shell sed -n "s/^default_version = '\(.*\)'$$/\1/p" hybridkg.control)
dist:
	git archive --format=zip --prefix=hybridkg-$(VERSION)/ --output=hybridkg-$(VERSION).zip HEAD

else

MODULE_big = hybridkg
OBJS = $(patsubst %.c,%.o,$(sort $(filter-out src/algebra/%,$(wildcard src/*.c src/*/*.c src/*/*/*.c))))
EXTENSION = hybridkg
RELEASE := $(shell sed -n "s/^default_version = '\(.*\)'$$/\1/p" hybridkg.control)
# what updates a released version: sql/from-*.sql, then the script of this version
DATA_built = $(patsubst sql/from-%.sql,sql/hybridkg--%--$(RELEASE).sql,$(wildcard sql/from-*.sql))
DATA = $(filter-out $(DATA_built),$(sort $(wildcard sql/hybridkg--*.sql sql/hybridkg--*.control)))

REGRESS = $(patsubst test/sql/%.sql,%,$(sort $(wildcard test/sql/*.sql)))
REGRESS_OUT = build/regress
REGRESS_OPTS = --inputdir=test --outputdir=$(REGRESS_OUT) --load-extension=hybridkg
REGRESS_PREP = $(REGRESS_OUT)
TAP_TESTS = 1
PROVE_TESTS = test/t/*.pl
PAGE = src/report/page.html.inc
EXTRA_CLEAN = build tmp_check $(ALGEBRA) $(ALGEBRA_OBJS) $(PAGE) $(DEPENDENCIES)

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)

# Warnings are for this code: -isystem keeps those of the server's headers quiet.
# (make COPT=-Werror makes them errors, as the tests do.)  The types of callbacks
# are given, so not every one has a use for all its parameters.  Only what SQL calls
# leaves the library; servers before 16 do not mark their own part of that.
PG_CPPFLAGS = -DNDEBUG -Isrc -isystem $(shell $(PG_CONFIG) --includedir-server) \
	-D'PGDLLEXPORT=__attribute__((visibility("default")))'
PG_CFLAGS = -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Wno-declaration-after-statement \
	-fvisibility=hidden
SHLIB_LINK = -lm -lpthread

# No bitcode: the server could inline it into expressions, which nothing here is
# worth, and LLVM 14 fails on functions that are chosen at run time.
override with_llvm = no

include $(PGXS)

sql/hybridkg--%--$(RELEASE).sql: sql/from-%.sql sql/hybridkg--$(RELEASE).sql
	sed -e '/^\\echo Use "CREATE EXTENSION/d' -e 's/^create \(function\|procedure\)/create or replace \1/' $^ >$@

# The pure half is arithmetic.  In engine.c and sketch.c sums over vectors may be taken in any order (the
# same one each time), which is what lets the compiler use vector registers; not
# elsewhere, where a sum may rely on its order.  Never -ffast-math: linked into a
# library it changes the arithmetic of the whole backend.  The server's -fwrapv is taken back: with
# it, an index such as half + j may wrap, and loops over it are not vectorised (a factor of 4 for
# rotate); test/unit runs this code under UBSan.  Never -march=native:
# one build serves all machines, kernels choose at run time.
PURE_OPTIMIZATION ?= -O3
src/core/%.o src/similar/%.o src/facts/%.o src/paths/%.o src/kge/%.o src/evidence/%.o src/compared/kge/%.o: override CFLAGS += $(PURE_OPTIMIZATION) -fno-math-errno -fno-trapping-math -fno-wrapv
src/kge/score/engine.o src/kge/search/sketch.o: override CFLAGS += -fassociative-math -fno-signed-zeros

# the page of reports, as a string of C
src/report/page.o src/report/page.clang: $(PAGE)
%.html.inc: %.html
	sed 's/["\\]/\\&/g; s/.*/"&\\n"/' $< >$@

# hkg_project: a library of its own, which the first call opens.  Where BLAS and LAPACK are
# not installed, or with_blas=no says so, all else is built, and that function is an error.
ALGEBRA = hybridkg_algebra$(DLSUFFIX)
ALGEBRA_OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/algebra/*.c)))
ALGEBRA_LINK = -llapack -lblas -lm
with_blas ?= $(shell echo 'void ssyrk_(void), sstemr_(void); int main(void) { ssyrk_(); sstemr_(); }' | \
	$(CC) -x c - -o /dev/null $(ALGEBRA_LINK) 2>/dev/null && echo yes)

ifeq ($(with_blas),yes)
all: $(ALGEBRA)
$(ALGEBRA): $(ALGEBRA_OBJS)
	$(CC) $(CFLAGS) -shared -o $@ $^ $(LDFLAGS) $(ALGEBRA_LINK)
install: install-algebra
.PHONY: install-algebra
install-algebra: $(ALGEBRA) | installdirs
	$(INSTALL_SHLIB) $< '$(DESTDIR)$(pkglibdir)/'
endif
uninstall: uninstall-algebra
.PHONY: uninstall-algebra
uninstall-algebra:
	rm -f '$(DESTDIR)$(pkglibdir)/$(ALGEBRA)'

# what includes a header that changed is made again
DEPENDENCIES = $(patsubst %.o,%.d,$(OBJS) $(ALGEBRA_OBJS))
$(OBJS) $(ALGEBRA_OBJS): override CFLAGS += -MMD -MP
-include $(wildcard $(DEPENDENCIES))

# make clang: what the other compiler warns of
.PHONY: clang
clang: $(OBJS:.o=.clang) $(ALGEBRA_OBJS:.o=.clang) test/fuzz/fuzz.clang test/fuzz/direct.clang
%.clang: %.c
	clang -fsyntax-only -Werror $(PG_CFLAGS) $(CPPFLAGS) $<

$(OBJS) $(ALGEBRA_OBJS): Makefile $(wildcard src/*/*.h src/*/*/*.h)

.PHONY: rdf
rdf:
	$(MAKE) -C rdf

$(REGRESS_OUT):
	mkdir -p $@

# make -j2 -Orecurse regress-1 regress-2: every other SQL test, in databases of their own
regress-1 regress-2: regress-%:
	$(MAKE) installcheck TAP_TESTS= CONTRIB_TESTDB=regression_$* REGRESS_OUT=$(REGRESS_OUT)-$* \
		REGRESS="$(shell printf '%s\n' $(REGRESS) | awk 'NR % 2 == $* - 1')"

endif
