/*
 * atoms.cuh
 *	  What the strategies' kernels ask of generated code, for programs that add one
 *	  number to one word of a table, and the kernels themselves.
 *
 * G-Atom's programs are all of this form: a key that is the word's place, and a number.
 * So the engine's kernels of strategy `atomic` (plain atomics), `scan` (atomicSR) and
 * `vote` (atomicVR) run here as they are; atomicSS is below.  A number is one of
 *
 *		ATOMS_ONE		1, into an integer
 *		ATOMS_VALUE		the value that stands in the key's place, into an integer; all
 *						rows have the key 0
 *		ATOMS_DOUBLE	the row's double
 *		ATOMS_PRODUCT	its product with a vector's element, whose number the row has
 *
 * Columns of a batch: keys (uint32_t), then doubles, then numbers of elements
 * (uint32_t).  The vector stands where a query's constants do.
 */
#ifndef GPUAGG_ATOMS_CUH
#define GPUAGG_ATOMS_CUH

#define NKEYS 1
#define KEY_WORDS 1
#define KEY_ROOM 1
#define NWORDS 1
#define STATE_ROOM 1
#define NHOT 1
#define STATE 0
#define STRIDE 1
#define NVALUES 0
#define TABLE_DIRECT 1
#define PRESENCE_WORD 0
#define ROWS_AT_ONCE 4
#define INTERPRETED 0
#define KERNEL_BEGIN(table)
#define HAS_WORD_KEYS 0
#define HAS_TAGGED_KEYS 0
#define HAS_VALUES 0
#define WIDE_STATE 0

#if defined(ATOMS_ONE) || defined(ATOMS_VALUE)
#define ATOMS_INTEGER 1
#else
#define ATOMS_INTEGER 0
#endif

#include "prelude.cuh"
#include "fn.h"
#include "args.cuh"
#include "key.cuh"
#include "words.cuh"

typedef struct Raw
{
	uint32_t	key;
	uint32_t	element;
	double		number;
} Raw;

typedef struct Row
{
	uint64_t	key[KEY_WORDS];
	uint64_t	words[NWORDS];
	bool		passes;
	bool		error;
	bool		widen;
} Row;

DEVICE_FN void
words_identity(uint64_t *words)
{
	words[0] = 0;				/* of doubles, too */
}

DEVICE_FN void
words_merge(uint64_t *into, const uint64_t *from)
{
#if ATOMS_INTEGER
	into[0] += from[0];
#else
	into[0] = f64_bits(f64_from_bits(into[0]) + f64_from_bits(from[0]));
#endif
}

DEVICE_FN void
words_add(uint64_t *state, uint64_t *cold, const uint64_t *words)
{
	(void) cold;
#if ATOMS_INTEGER
	atomic_add_u64_noreturn(&state[0], words[0]);
#else
	atomic_add_f64_noreturn((double *) state, f64_from_bits(words[0]));
#endif
}

DEVICE_FN bool
key_same(const AggregateArgs *args, const uint64_t *a, const uint64_t *b)
{
	(void) args;
	return a[0] == b[0];
}

DEVICE_FN void
row_load(const RowBatch *batch, uint64_t row, Raw *raw)
{
	raw->key = ((const uint32_t *) batch->columns)[row];
#if !ATOMS_INTEGER
	raw->number = ((const double *) (batch->columns + 4 * batch->capacity))[row];
#endif
#ifdef ATOMS_PRODUCT
	raw->element = ((const uint32_t *) (batch->columns + 12 * batch->capacity))[row];
#endif
}

DEVICE_FN void
row_eval(const AggregateArgs *args, const Raw *raw, uint32_t index, Row *row)
{
	(void) args, (void) index;
#ifdef ATOMS_VALUE
	row->key[0] = 0;
#else
	row->key[0] = raw->key;
#endif
	row->passes = true;
	row->error = false;
	row->widen = false;
#if defined(ATOMS_ONE)
	row->words[0] = 1;
#elif defined(ATOMS_VALUE)
	row->words[0] = raw->key;
#elif defined(ATOMS_PRODUCT)
	row->words[0] = f64_bits(raw->number *
							 load_readonly((const double *) args->constants + raw->element));
#else
	row->words[0] = f64_bits(raw->number);
#endif
}

#include "table.cuh"
#include "rows.cuh"
#include "values.cuh"
#include "atomic.cuh"
#include "vote.cuh"
#include "reduce.cuh"

/* Threads of a block, and the rows that it exchanges. */
#define ATOMS_THREADS 256
#define ATOMS_TILE (ATOMS_THREADS * ROWS_AT_ONCE)

/* Where a tile's row stands in shared memory: so that lanes meet different banks. */
#define ATOMS_PLACE(row) ((row) + (row) / WARP_SIZE)
#define ATOMS_ROOM ATOMS_PLACE(ATOMS_TILE)

/*
 * The place in a tile of what a thread takes: a warp's lanes take rows that are as far
 * apart as can be.
 */
DEVICE_FN uint32_t
atoms_scattered(uint32_t step)
{
	uint32_t	row = lane_index() * (ATOMS_TILE / WARP_SIZE) + warp_index() * ROWS_AT_ONCE + step;

	return ATOMS_PLACE(row);
}

/*
 * atomicSS: a block exchanges its rows in shared memory, so that equal keys that follow
 * each other go to different warps; then plain atomics.
 */
DEVICE_FN void
aggregate_scattered(const AggregateArgs *args)
{
	SHARED Row	rows[ATOMS_ROOM];

	for (uint64_t first = (uint64_t) blockIdx.x * ATOMS_TILE; first < args->batch.nrows;
		 first += (uint64_t) gridDim.x * ATOMS_TILE)
	{
		for (uint32_t i = threadIdx.x; i < ATOMS_TILE; i += ATOMS_THREADS)
		{
			Row		   *row = &rows[ATOMS_PLACE(i)];
			Raw			raw;

			row->passes = false;
			if (first + i >= args->batch.nrows)
				continue;
			row_load(&args->batch, first + i, &raw);
			row_eval(args, &raw, (uint32_t) (first + i), row);
		}
		block_sync();
		for (uint32_t step = 0; step < ROWS_AT_ONCE; step++)
		{
			const Row  *row = &rows[atoms_scattered(step)];

			if (row->passes)
				group_update(args, group_find(args, row->key), row->words);
		}
		block_sync();
	}
}

KERNEL_BOUNDS(plain, AggregateArgs, args, ATOMS_THREADS, 4)
{
	aggregate_atomic(&args);
}

KERNEL_BOUNDS(atomic_sr, AggregateArgs, args, ATOMS_THREADS, 3)
{
	aggregate_scan(&args);
}

KERNEL_BOUNDS(atomic_vr, AggregateArgs, args, ATOMS_THREADS, 3)
{
	aggregate_vote(&args);
}

KERNEL_BOUNDS(atomic_ss, AggregateArgs, args, ATOMS_THREADS, 3)
{
	aggregate_scattered(&args);
}

KERNEL_BOUNDS(reduce, AggregateArgs, args, ATOMS_THREADS, 4)
{
	aggregate_reduce(&args);
}

#endif							/* GPUAGG_ATOMS_CUH */
