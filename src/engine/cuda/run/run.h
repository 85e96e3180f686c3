/*
 * run.h
 *	  One run of the CUDA engine: what its parts share.
 *
 *	run.c		open, poll, close; memory; messages
 *	kernels.c	the run's kernels: compile, launch
 *	device_table.c	the group table: make, grow, free
 *	device_values.c	what extremes refer to: likewise
 *	choose.c	the strategy, from a sample
 *	units.c		the units of float sums, from the first batch
 *	input.c		buffers of rows; pages.c and columns.c fill them
 *	aggregate.c	from a full buffer to the table
 *	output.c	groups out
 */
#ifndef GPUAGG_RUN_H
#define GPUAGG_RUN_H

#include "engine/engine.h"
#include "engine/cuda/codegen/codegen.h"
#include "engine/cuda/context/context.h"
#include "engine/cuda/device/device.h"
#include "engine/cuda/cache/kernel_cache.h"
#include "engine/cuda/codegen/layout.h"
#include "engine/left_list.h"
#include "../../../../cuda/args.cuh"

/* Device memory of a run; zeros: none. */
typedef struct DeviceBuffer
{
	DevicePtr	ptr;
	uint64_t	size;
} DeviceBuffer;

/* The kernels of one module. */
typedef struct Kernels
{
	LoadedModule *module;
	DeviceKernel *aggregate;
	DeviceKernel *table_init;
	DeviceKernel *table_move;	/* NULL with direct addressing */
	DeviceKernel *table_normalize;
	DeviceKernel *emit;
	DeviceKernel *sample;
	DeviceKernel *hot_bits;		/* strategy `block` */
	DeviceKernel *exponents;	/* float sums, below EXACT_FULL */
	DeviceKernel *values_again; /* extremes kept by reference */
	DeviceKernel *values_move;
} Kernels;

/* How rows meet their groups: what choose.c decides. */
typedef struct StrategyChoice
{
	Strategy	strategy;
	TableKind	table;
	uint64_t	groups;			/* expected */
	int64_t		direct_min;
	uint64_t	direct_range;	/* values, without NULL */
	uint32_t	block_slots;
	uint32_t	block_replicas;
	bool		block_direct;	/* private tables without keys */
	bool		hot;			/* private tables for frequent keys only */
} StrategyChoice;

typedef enum BufferState
{
	BUFFER_EMPTY,
	BUFFER_FILLING,
	BUFFER_SUBMITTED			/* the device works on it */
} BufferState;

/*
 * A batch of rows on its way: gathered in page-locked memory, copied to the
 * device, aggregated.  `bytes` on the device begins with the slots' bytes.
 */
typedef struct InputBuffer
{
	BufferState state;
	bool		pages;			/* what it is filled with, not column batches */
	Stage		stage;
	DeviceBuffer bytes;
	DeviceBuffer columns;
	DeviceBuffer left;			/* one byte a row, if the program leaves rows */
	DeviceBuffer undone[2];		/* lists of rows: from the last launch, and for
								 * the next */
	uint32_t	nrows;
	uint32_t	npages;
	uint32_t	nlines;			/* in the list of line pointers */
	uint32_t	nbytes;			/* of texts, behind the slots' */
	uint32_t	text_capacity;	/* bytes of texts of column batches */
	Counters   *counters;		/* page-locked: what the kernels told */
	uint64_t	first;			/* rows of the buffers before */
	uint64_t	values_missed;	/* of its launches: Counters.values_missed */
	DeviceEvent *begun;
	DeviceEvent *uploaded;
	DeviceEvent *deformed;		/* columns are there, the strategy is chosen */
	DeviceEvent *done;
} InputBuffer;

#define INPUT_BUFFERS 2

/* Groups on their way out. */
typedef struct OutputBuffer
{
	DeviceBuffer vectors;
	DeviceBuffer text;
	Stage		stage;			/* of the vectors, then of the texts */
	uint32_t	from;			/* slots it stands for */
	uint32_t	to;
	bool		launched;
	DeviceEvent *done;
} OutputBuffer;

/* Groups in the host's memory, their vectors behind them in the same piece. */
typedef struct KeptGroups
{
	struct KeptGroups *next;
	GroupBatch	batch;
} KeptGroups;

typedef struct CudaRun
{
	EngineRun	head;
	Context    *context;
	const DeviceOps *device_ops;
	Device	   *device;
	Program    *program;		/* a copy */
	const SlotValue *slots;
	EngineHints hints;
	int			forced;			/* Strategy, or -1: auto */
	bool		failed;			/* nothing more may be asked of it */

	uint64_t	memory_limit;
	uint64_t	memory_used;

	DeviceStream *copy;			/* uploads */
	DeviceStream *work;			/* kernels and downloads */

	KernelLayout layouts[2];	/* by TableKind */
	StrategyChoice		choice;
	bool		chosen;
	uint32_t	exponents[PROGRAM_MAX_ACCS];	/* of float sums, by their numbers */
	int32_t		units[PROGRAM_MAX_ACCS];	/* likewise */
	int32_t		group_units[PROGRAM_MAX_ACCS];	/* by accumulators, for the output */
	Kernels		kernels;
	LoadedModule *deform_module;
	DeviceKernel *deform;

	/* Host memory that queued copies may still read or write: freed by close. */
	DeviceConstant *host_slots;
	DeformAttr *host_attrs;
	SampledRow *host_sample;

	DeviceBuffer slot_values;	/* DeviceConstant */
	DeviceBuffer attrs;			/* DeformAttr, then DeviceColumn */
	DeviceBuffer hot;			/* bits of the frequent keys, if choice.hot */
	uint32_t	nattrs;
	char	   *slot_bytes;		/* texts of slots, behind one another */
	uint32_t	slot_bytes_size;

	DeviceTable	table;
	DeviceBuffer table_slots;
	DeviceBuffer table_arena;
	DeviceBuffer table_values;
	DeviceBuffer counters;		/* Counters of each buffer, of the output, then
								 * TableCounters */
	Stage		results;		/* page-locked: the same, downloaded */
	uint64_t	rows_since_normalize;
	uint64_t	rows_before;	/* of batches that have been submitted */

	InputBuffer inputs[INPUT_BUFFERS];
	int			filling;		/* the buffer that rows go to */
	uint64_t	copying;		/* ticket of the last page given to the copier */
	uint32_t	batch_taken;	/* rows of the caller's batch taken so far */
	uint32_t	capacity;		/* rows of a buffer */
	uint32_t	page_capacity;
	uint32_t	line_capacity;
	uint32_t	bytes_capacity; /* of pages with their lists, or of texts */
	uint32_t	batch_rows;		/* rows of column batches that the stage holds */

	bool		leaves;			/* program_leaves_rows */
	LeftList	left;
	uint8_t    *left_marks;		/* downloaded from a buffer */

	bool		input_ended;
	OutputBuffer outputs[2];
	uint32_t	output_next;	/* first slot that no output stands for yet */
	int			output_turn;
	uint32_t	output_capacity;
	bool		output_begun;
	bool		negative_zero;	/* the float key 0 is -0 */
	KeptGroups *kept;			/* all groups */
	bool		giving;			/* they are complete */
	KeptGroups *give_next;
} CudaRun;

/* Places in `counters` and `results`. */
#define COUNTERS_OF_BUFFER(i) ((i) * sizeof(Counters))
#define COUNTERS_OF_OUTPUT(i) ((INPUT_BUFFERS + (i)) * sizeof(Counters))
#define COUNTERS_OF_TABLE ((INPUT_BUFFERS + 2) * sizeof(Counters))
#define COUNTERS_SIZE (COUNTERS_OF_TABLE + sizeof(TableCounters))

/* Rows that are worth another block of strategy `block`: small batches take few. */
#define BLOCK_STRATEGY_ROWS 8192

/* Columns of one input buffer take no more than that share of the limit. */
#define INPUT_MEMORY_SHARE 8
#define INPUT_COLUMN_BYTES (UINT64_C(64) << 20)

/* run.c: set the message; a device's failure as an engine's. */
extern EngineStatus run_fail(CudaRun *run, EngineStatus status, const char *format, ...)
			__attribute__((format(printf, 3, 4)));
extern EngineStatus run_device(CudaRun *run, DeviceStatus status, const char *what);
extern EngineStatus run_alloc(CudaRun *run, uint64_t size, DeviceBuffer *buffer);
extern void run_free(CudaRun *run, DeviceBuffer *buffer);

/*
 * kernels.c: begin to get the kernels that the run needs first, if the device has
 * yet to be opened: that takes about as long.
 */
extern void kernels_ask(CudaRun *run);

/* For the run's choice; threads of a whole grid, at least one block. */
extern EngineStatus kernels_load(CudaRun *run, const StrategyChoice *choice, KernelPart part,
								 Kernels *kernels);
extern EngineStatus kernels_load_deform(CudaRun *run);
extern void kernels_release(Kernels *kernels);
extern EngineStatus kernels_launch(CudaRun *run, DeviceKernel *kernel, uint64_t threads,
								   uint32_t block, uint32_t shared, void *args);

/* device_table.c */
extern EngineStatus device_table_create(CudaRun *run, uint64_t groups);
extern EngineStatus device_table_grow(CudaRun *run, uint64_t more_groups);
extern EngineStatus device_table_counters(CudaRun *run, TableCounters *counters);
extern EngineStatus device_table_normalize(CudaRun *run, uint64_t rows);
extern void device_table_free(CudaRun *run);

/* device_values.c */
extern EngineStatus device_values_create(CudaRun *run, uint64_t groups);
extern EngineStatus device_values_grow(CudaRun *run, uint64_t units);
extern void device_values_free(CudaRun *run);

/* choose.c: what is known before the first row: how to sample, or all there is. */
extern StrategyChoice choose_first(const CudaRun *run);

/* What a sample will probably choose, on such a device; false: who knows? */
extern bool choose_probably(const CudaRun *run, const DeviceInfo *info, StrategyChoice *choice);

/* From the first batch's rows; no batch: there are no rows. */
extern EngineStatus choose(CudaRun *run, const RowBatch *batch);

/* units.c: the units of float sums, from the same. */
extern EngineStatus units_choose(CudaRun *run, const RowBatch *batch);

/* Shared memory that strategy `block` needs for such a table. */
extern uint32_t block_table_size(const KernelLayout *layout, bool direct, uint32_t slots,
								 uint32_t replicas);

/* input.c, pages.c, columns.c */
extern EngineStatus input_open(CudaRun *run);
extern void input_close(CudaRun *run);
extern EngineStatus input_current(CudaRun *run, bool pages, InputBuffer **buffer);
extern EngineStatus input_alloc_bytes(CudaRun *run, InputBuffer *buffer, uint64_t size);
extern EngineStatus input_flush(CudaRun *run);
extern uint64_t input_rows(const CudaRun *run);
extern void input_batch(const CudaRun *run, const InputBuffer *buffer, RowBatch *batch);
extern EngineStatus pages_open(CudaRun *run);
extern EngineStatus pages_take(CudaRun *run, const PageRef *pages, int n);
extern EngineStatus pages_upload(CudaRun *run, InputBuffer *buffer);
extern EngineStatus pages_deform(CudaRun *run, InputBuffer *buffer);
extern EngineStatus pages_note_left(CudaRun *run, const InputBuffer *buffer);
extern EngineStatus columns_open(CudaRun *run);
extern size_t columns_stage_size(const CudaRun *run, uint32_t text_capacity);
extern EngineStatus columns_take(CudaRun *run, const ColumnBatch *batch);
extern EngineStatus columns_upload(CudaRun *run, InputBuffer *buffer);

/* aggregate.c: hand a buffer to the device; see what came of it (or BUSY). */
extern EngineStatus aggregate_submit(CudaRun *run, InputBuffer *buffer);
extern EngineStatus aggregate_launch(CudaRun *run, InputBuffer *buffer);
extern EngineStatus aggregate_finish(CudaRun *run, InputBuffer *buffer);
extern EngineStatus aggregate_finish_all(CudaRun *run);

/* output.c */
extern EngineStatus output_next(CudaRun *run, GroupBatch *batch);
extern void output_restart(CudaRun *run);
extern void output_close(CudaRun *run);

#endif							/* GPUAGG_RUN_H */
