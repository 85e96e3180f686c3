/*
 * shim.h
 *	  What a kernel compiled by the host compiler sees of the simulated device.
 *
 * Read by both sides: by the runtime (block.c), and, with SIMT_KERNEL defined,
 * by kernel text through prelude.cuh, which documents the names that kernels
 * use.  A module holds one pointer, simt_rt, which the runtime sets when the
 * module is loaded; everything goes through it, so a module needs no symbol of
 * the process that loads it.
 *
 * Threads are fibers of one OS thread and change only inside the runtime's
 * functions, hence atomics are plain operations.  They, and the loads of spin
 * loops, pass a switching point first: it bounds loops that wait for another
 * thread, and, when a seed is set, changes threads there at random.
 *
 * Every collective passes its place in the text (SIMT_SITE): lanes meet only at
 * the same one, as the hardware demands of them.
 */
#ifndef SIMT_SHIM_H
#define SIMT_SHIM_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef enum SimtKind
{
	SIMT_SYNCWARP,
	SIMT_SHFL,
	SIMT_SHFL_UP,
	SIMT_SHFL_DOWN,
	SIMT_SHFL_XOR,
	SIMT_BALLOT,
	SIMT_MATCH,
	SIMT_REDUCE_ADD,
	SIMT_ACTIVEMASK,
	SIMT_SYNCTHREADS,
	SIMT_SYNCTHREADS_OR,
	SIMT_SYNCTHREADS_AND,
	SIMT_SYNCTHREADS_COUNT
} SimtKind;

typedef struct SimtIndex
{
	uint32_t	x;
} SimtIndex;

/* The running thread's view of the device; the runtime keeps it current. */
typedef struct SimtRuntime SimtRuntime;
struct SimtRuntime
{
	SimtIndex	thread_idx;
	SimtIndex	block_idx;
	SimtIndex	block_dim;
	SimtIndex	grid_dim;
	void	   *dynamic_shared;
	uint32_t	quota;			/* switching points to pass before the runtime
								 * is called */

	uint64_t	(*warp) (SimtRuntime *rt, SimtKind kind, uint32_t mask,
						 uint64_t value, uint32_t operand, const char *site);
	uint32_t	(*block) (SimtRuntime *rt, SimtKind kind, bool value,
						  const char *site);
	void		(*point) (SimtRuntime *rt);
	void		(*relax) (SimtRuntime *rt);
	void		(*trap) (SimtRuntime *rt, const char *site);
	void		(*misaligned) (SimtRuntime *rt, const char *file, uint32_t line,
							   const void *address, uint32_t alignment);
};

/* What a module exports under a kernel's name. */
typedef struct SimtKernel
{
	uint32_t	magic;
	uint32_t	params;			/* bytes of its parameter */
	uint32_t	threads;		/* that a block can have */
	void		(*start) (const void *params);
} SimtKernel;

#define SIMT_KERNEL_MAGIC 0x53494d54

/* Bytes of static shared memory that are the shim's, not the kernels'. */
#define SIMT_SHARED_MARK 16

/* Bytes of parameters that every driver passes. */
#define SIMT_MAX_PARAMS 4096

/* Threads that there are registers for, however many one needs: 65,536 for 255 each. */
#define SIMT_UNBOUND_THREADS 256

#ifdef SIMT_KERNEL

#define SIMT_EXPORT __attribute__((visibility("default")))

SIMT_EXPORT SimtRuntime *simt_rt;

/*
 * Static shared memory is a section of its own, for the runtime to poison
 * before each block; the first variable makes sure that there is one.
 */
#define SIMT_SHARED static __attribute__((section("simt_shared"), aligned(16)))
__attribute__((used)) SIMT_SHARED unsigned char simt_shared_first[SIMT_SHARED_MARK];
extern unsigned char __start_simt_shared[] __attribute__((visibility("hidden")));
extern unsigned char __stop_simt_shared[] __attribute__((visibility("hidden")));
SIMT_EXPORT unsigned char *const simt_shared_bounds[2] = {
	__start_simt_shared, __stop_simt_shared
};

#define SIMT_STRING2(x) #x
#define SIMT_STRING(x) SIMT_STRING2(x)
#define SIMT_SITE (__FILE__ ":" SIMT_STRING(__LINE__))

#define threadIdx (simt_rt->thread_idx)
#define blockIdx (simt_rt->block_idx)
#define blockDim (simt_rt->block_dim)
#define gridDim (simt_rt->grid_dim)

static inline uint64_t
simt_bits_f64(double value)
{
	uint64_t	bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline double
simt_f64_bits(uint64_t bits)
{
	double		value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline uint64_t
simt_bits_f32(float value)
{
	uint32_t	bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline float
simt_f32_bits(uint64_t wide)
{
	uint32_t	bits = (uint32_t) wide;
	float		value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/*
 * Called before an access at an address that is not a multiple of its type's alignment, which a
 * GPU traps on: by what the compiler makes of -fsanitize=alignment.  The name, and the struct,
 * are those of its run-time library, which modules do without.
 */
typedef struct SimtMismatch
{
	const char *file;
	uint32_t	line,
				column;
	const void *type;
	unsigned char log_alignment;
	unsigned char kind;
} SimtMismatch;

__attribute__((used, visibility("hidden"))) void
__ubsan_handle_type_mismatch_v1(const SimtMismatch *mismatch, const void *address)
{
	simt_rt->misaligned(simt_rt, mismatch->file, mismatch->line, address,
						1u << mismatch->log_alignment);
}

static inline void
simt_point(void)
{
	if (simt_rt->quota-- == 0)
		simt_rt->point(simt_rt);
}

/* Read, modify and write: a function of each type and operation. */
#define SIMT_ATOMIC(name, type, expression) \
	static inline type \
	name(type *address, type value) \
	{ \
		type		old; \
		\
		simt_point(); \
		old = *address; \
		*address = (expression); \
		return old; \
	}

#define SIMT_CAS(name, type) \
	static inline type \
	name(type *address, type expected, type value) \
	{ \
		type		old; \
		\
		simt_point(); \
		old = *address; \
		if (old == expected) \
			*address = value; \
		return old; \
	}

#define SIMT_LOAD(name, type) \
	static inline type \
	name(const type *address) \
	{ \
		simt_point(); \
		return *(const volatile type *) address; \
	}

#endif							/* SIMT_KERNEL */

#endif							/* SIMT_SHIM_H */
