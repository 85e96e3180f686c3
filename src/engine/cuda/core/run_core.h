/*
 * run_core.h
 *	  What all parts of a run work with: its program, its device and the memory
 *	  there, its streams, its constants and counters.
 *
 * The parts of a run take its core and what is theirs.  A function that returns an
 * EngineStatus other than OK and BUSY has left the reason in head.message, and the
 * run can only be closed.
 */
#ifndef GPUAGG_RUN_CORE_H
#define GPUAGG_RUN_CORE_H

#include "engine/cuda/codegen/layout.h"
#include "engine/cuda/context/context.h"
#include "engine/cuda/device/device.h"
#include "engine/cuda/kernels/kernel_args.h"
#include "engine/engine.h"

/* Device memory of a run, counted against its limit; zeros: none. */
typedef struct DeviceBuffer
{
	DevicePtr	ptr;
	uint64_t	size;			/* in bytes */
} DeviceBuffer;

/* A DeviceBuffer that was freed; given back once both streams have got there. */
typedef struct FreedBuffer
{
	struct FreedBuffer *next;
	DeviceBuffer buffer;
	DeviceEvent *copied;
	DeviceEvent *worked;
} FreedBuffer;

/* The Program's parameters on the device: constants.c. */
typedef struct Constants
{
	const ParamValue *params;	/* the caller's */
	DeviceConstant *host;		/* what is uploaded, and small tables; freed by close */
	uint64_t	host_size;		/* in bytes */
	DeviceBuffer values;		/* the same on the device */
	char	   *bytes;			/* texts of parameters, behind one another; they stand
								 * before the bytes of every batch */
	uint32_t	bytes_size;		/* a multiple of 256 */
	DeviceBuffer *tables;		/* by parameter, of those that the run alone has; freed by
								 * close */
	struct DeviceLookup **lookups;	/* by parameter, of tables that are kept: those that the
								 * run has pinned */
	uint64_t	key;			/* a hash of all of them */
} Constants;

/* For the Program before its kernels are compiled: interpreter.c. */
typedef struct Interpreter
{
	bool		forced;			/* gpuagg.strategy = interpret */
	Script	   *scripts;		/* by TableKind; NULL: there are none */
	DeviceBuffer device;		/* the same on the device, or nothing yet */
} Interpreter;

typedef struct RunCore
{
	EngineRun	head;			/* first: callers have a pointer to it */
	Context    *context;
	const DeviceOps *device_ops;
	Device	   *device;			/* NULL: not open yet */
	Program    *program;		/* a copy */
	Program    *kernel_program; /* what kernels run: the same, or with codes
								 * (coded.h) */
	KernelLayout layouts[2];	/* of that, by TableKind */
	DeviceTexts coded[ARGS_MAX_CODED];	/* what its codes stand for, */
	uint32_t	ncoded[ARGS_MAX_CODED]; /* and how many there are of kept rows */
	DevicePtr	answers[ARGS_MAX_ANSWERS];	/* to conditions on codes: answers.c */
	EngineHints hints;
	int			forced;			/* Strategy, or -1: auto, and the interpreter */

	uint64_t	memory_limit;	/* bytes of device memory */
	uint64_t	memory_used;

	FreedBuffer *freed;			/* work on the device may still use them */

	DeviceStream *copy;			/* uploads */
	DeviceStream *work;			/* kernels and downloads */
	DeviceEvent *waited;		/* run_wait's */
	bool		ended;			/* nothing is left that works on the device */

	uint64_t	served_key;		/* a hash of what rows the segments have that are
								 * served; 0: none are */

	Constants	constants;
	Interpreter interpreter;
	DeviceBuffer counters;		/* see COUNTERS_SIZE */
	Stage		results;		/* page-locked: the same, downloaded */
} RunCore;

/*
 * Places in counters and results: Counters of each of two input buffers, of two launches
 * over kept columns and of two output buffers, then the table's, then exponents of float
 * sums (float_units.c).
 */
#define COUNTERS_OF_INPUT(i) ((i) * sizeof(Counters))
#define COUNTERS_OF_SEGMENTS(i) ((2 + (i)) * sizeof(Counters))
#define COUNTERS_OF_OUTPUT(i) ((4 + (i)) * sizeof(Counters))
#define COUNTERS_OF_TABLE (6 * sizeof(Counters))
#define COUNTERS_OF_EXPONENTS (COUNTERS_OF_TABLE + sizeof(TableCounters))
#define COUNTERS_SIZE (COUNTERS_OF_EXPONENTS + ARGS_MAX_SUMS * sizeof(uint32_t))

/* Set the message; returns the status. */
extern EngineStatus run_fail(RunCore *run, EngineStatus status, const char *format, ...)
			__attribute__((format(printf, 3, 4)));

/*
 * The device's status as the engine's; what: what could not be done.  Only DEVICE_FAILED
 * makes the context's device lost.
 */
extern EngineStatus run_device(RunCore *run, DeviceStatus status, const char *what);

/*
 * From now on tell of what run_device does not find OK, and of a device that cannot be
 * opened, with the run's message.
 */
extern void run_report_to(void (*report) (EngineStatus status, const char *message));
extern void run_report(EngineStatus status, const char *message);

/*
 * If that status is OK, wait for all that was given to the work stream.  Other runs
 * may go on meanwhile.  The status of both; what: what could not be done.
 */
extern EngineStatus run_wait(RunCore *run, DeviceStatus status, const char *what);

/* What pool.h lends, for the run; given back it becomes NULL, or empty. */
extern EngineStatus run_take_event(RunCore *run, DeviceEvent **event);
extern void run_give_event(RunCore *run, DeviceEvent **event);
extern EngineStatus run_take_stage(RunCore *run, size_t size, Stage *stage);
extern void run_give_stage(RunCore *run, Stage *stage);

/*
 * Allocate device memory within the limit; a buffer that has some is not freed.  For
 * 0 bytes it stays empty, since drivers do not allocate them.
 */
extern EngineStatus run_alloc(RunCore *run, uint64_t size, DeviceBuffer *buffer);

/*
 * Free it, if there is any, and make the buffer empty.  Work that was given to the
 * device before may go on to use it.
 */
extern void run_free(RunCore *run, DeviceBuffer *buffer);

/* Give back what was freed and is not used any more. */
extern void run_collect(RunCore *run);

#endif							/* GPUAGG_RUN_CORE_H */
