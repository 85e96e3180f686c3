MODULE_big = gpuagg
EXTENSION = gpuagg
DATA = sql/gpuagg--1.0.sql
PGFILEDESC = "gpuagg - GROUP BY aggregation on a GPU"

OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c src/*/*/*.c)))

PG_CPPFLAGS = -I$(srcdir)/src
# no contraction: a product fused with a sum is not PostgreSQL's (ops.h)
PG_CFLAGS = -std=gnu99 -Wall -Wextra -Wno-unused-parameter -ffp-contract=off

# the module's inner loops are no candidates for JIT inlining
override with_llvm = no

PG_CONFIG = pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# vectorised loops: the CPU engine gains from full vectorisation
src/engine/cpu/%.o: CFLAGS += -O3
