MODULE_big = gpuagg
EXTENSION = gpuagg
EXTVERSION := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" gpuagg.control)
DATA = $(sort $(wildcard sql/gpuagg--*.sql))
PGFILEDESC = "gpuagg - GROUP BY aggregation on a GPU"

# kernel_text.c is generated: it may not be there yet
SOURCES = $(sort src/engine/cuda/kernels/kernel_text.c $(shell find src -name "*.c"))
DEPENDENCIES = $(SOURCES:.c=.d)
EXTRA_CLEAN = src/engine/cuda/kernels/kernel_text.c $(DEPENDENCIES)

PG_CPPFLAGS = -I$(srcdir)/src -DGPUAGG_VERSION='"$(EXTVERSION)"'
# no contraction: a product fused with a sum is not PostgreSQL's (ops.h)
# PostgreSQL 19's headers are in a later C
# the compiler writes what each file includes beside its object (DEPENDENCIES)
PG_CFLAGS = $(if $(filter 15 16 17 18,$(MAJORVERSION)),-std=gnu99) -MMD -MP -Wall -Wextra -Wno-unused-parameter \
	-Werror=implicit-function-declaration -ffp-contract=off

# Calls of the module's own functions are bound when it is linked: each process that loads
# it, as parallel workers do, would look their names up in all libraries of the server first.
SHLIB_LINK = -Wl,-Bsymbolic

# builds for tests can be told to fail (src/handle/inject.h) and have a
# simulated device, which runs the C compiler (src/engine/simt)
ifdef TESTING
PG_CPPFLAGS += -DGPUAGG_TESTING
OBJS = $(SOURCES:.c=.o)
else
OBJS = $(patsubst %.c,%.o,$(filter-out src/engine/simt/%,$(SOURCES)))
endif

# one after the other; tools/run-tests runs the schedule's groups in parallel
REGRESS = $(shell sed -n 's/^test://p' test/regress/schedule)
REGRESS_OPTS = --inputdir=$(srcdir)/test/regress

# the module's inner loops are no candidates for JIT inlining
override with_llvm = no

# the newest one that is installed, if none is named
ifndef PG_CONFIG
PG_CONFIG := $(shell tools/find-postgres)
endif
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
# a server's package can have the makefiles without the headers
HEADER := $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)/postgres.h

ifneq ($(and $(wildcard $(PGXS)),$(wildcard $(HEADER)),$(shell command -v $(CC))),)
include $(PGXS)
else
all install installcheck clean:
	@echo "gpuagg needs PostgreSQL 15, 17, 18 or 19 with its headers, and a C compiler." >&2
	@echo "As root, tools/install-needs installs them; PG_CONFIG=/path/to/pg_config names a PostgreSQL that is elsewhere." >&2
	@exit 1
endif

-include $(DEPENDENCIES)

# a build for tests has other objects, and so has each server
.build/flags: force
	@mkdir -p $(@D)
	@echo '$(TESTING) $(COPT) $(VERSION)' | cmp -s - $@ || echo '$(TESTING) $(COPT) $(VERSION)' > $@
$(OBJS): .build/flags
.PHONY: force

gpuagg_dir = .
include $(gpuagg_dir)/kernels.mk

# vectorised loops: the CPU engine gains from full vectorisation
src/engine/cpu/%.o: CFLAGS += -O3
src/source/heap.o: CFLAGS += $(CFLAGS_VECTORIZE)
# the sanitizers do not know fibers
src/engine/fiber.o src/engine/simt/block.o: CFLAGS += -fno-sanitize=all

# These need nothing but make: they install what is missing, or say what it is.
.PHONY: demo test test-all gpu-test bench deb dist
demo: export PG_CONFIG := $(PG_CONFIG)
demo:
	+@tools/install-needs && tools/demo

test: export PG_CONFIG := $(PG_CONFIG)
test:
	+@tools/install-needs --for-tests && tools/run-tests

# on every version of PostgreSQL that gpuagg is written for, root only; then, on the
# installed one, with sanitizers and with a server that checks its assertions
test-all: export PG_CONFIG := $(PG_CONFIG)
test-all: export GPUAGG_TEST_DAMAGED ?= 200
test-all:
	+@tools/install-needs --for-tests && { \
		status=0; \
		tools/run-tests --server 15 --server 17 --server 18 --server 19 || status=1; \
		SUITES="asan tsan cassert" tools/run-tests || status=1; \
		exit $$status; }

# on a machine with a GPU, its driver, NVRTC and compute-sanitizer
gpu-test: export PG_CONFIG := $(PG_CONFIG)
gpu-test: export ENGINES = cuda
gpu-test: export SUITES = gpu regress isolation fuzz tap soak
gpu-test: export GPUAGG_KILL_QUERIES ?= 400
gpu-test: export GPUAGG_WRITERS_SECONDS ?= 60
gpu-test:
	+@tools/install-needs --for-tests && tools/run-tests

bench: export PG_CONFIG := $(PG_CONFIG)
bench:
	+@tools/install-needs --for-bench && bench/all

# packages of Debian, below .build/deb
deb:
	@tools/build-deb

# the committed source as a release, for PGXN among others
dist:
	mkdir -p .build
	git archive --prefix=gpuagg-$(EXTVERSION)/ --output=.build/gpuagg-$(EXTVERSION).tar.gz HEAD
	git archive --prefix=gpuagg-$(EXTVERSION)/ --output=.build/gpuagg-$(EXTVERSION).zip HEAD
