MODULE_big = gpuagg
EXTENSION = gpuagg
DATA = sql/gpuagg--1.0.sql
PGFILEDESC = "gpuagg - GROUP BY aggregation on a GPU"

# kernel_text.c is generated: it may not be there yet
OBJS = $(patsubst %.c,%.o,$(sort src/engine/cuda/kernel_text.c \
	$(wildcard src/*.c src/*/*.c src/*/*/*.c)))
EXTRA_CLEAN = src/engine/cuda/kernel_text.c

PG_CPPFLAGS = -I$(srcdir)/src
PG_CFLAGS = -std=gnu99 -Wall -Wextra -Wno-unused-parameter

# the module's inner loops are no candidates for JIT inlining
override with_llvm = no

PG_CONFIG = pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

gpuagg_dir = $(srcdir)
include $(gpuagg_dir)/kernels.mk

# vectorised loops: the CPU engine gains from full vectorisation
src/engine/cpu/%.o: CFLAGS += -O3
