MODULE_big = gpuagg
EXTENSION = gpuagg
EXTVERSION := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" gpuagg.control)
DATA = sql/gpuagg--$(EXTVERSION).sql
PGFILEDESC = "gpuagg - GROUP BY aggregation on a GPU"

OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c src/*/*/*.c)))

PG_CPPFLAGS = -I$(srcdir)/src -DGPUAGG_VERSION='"$(EXTVERSION)"'
PG_CFLAGS = -std=gnu99 -Wall -Wextra -Wno-unused-parameter

# the module's inner loops are no candidates for JIT inlining
override with_llvm = no

PG_CONFIG = pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# vectorised loops: the CPU engine gains from full vectorisation
src/engine/cpu/%.o: CFLAGS += -O3
