/*
 * prelude.cuh
 *	  The names that kernels use beyond plain C.
 *
 * Kernel text is plain functions in what CUDA C++ and C have in common; it is
 * compiled by NVRTC for a GPU and by the host's C compiler for the simulated
 * device.  Everything that the two say differently has one name here: types,
 * qualifiers, collectives, atomics.  This must be included before the
 * operations' headers (fn.h), whose needs under NVRTC it meets.
 *
 * A kernel has one parameter, a struct, passed by value:
 *
 *		typedef struct AddArgs { const double *a; double *sum; uint32_t n; } AddArgs;
 *
 *		KERNEL(add, AddArgs, args)
 *		{
 *			SHARED double partial[32];
 *			DYNAMIC_SHARED(uint64_t, table);
 *			...
 *		}
 *
 * The host lays out the same struct with DevicePtr for pointers, and passes one
 * pointer to it to Device.launch.
 *
 *	DEVICE_FN		a function of the device, written out where it is called
 *	DEVICE_CALL		one that is called: large, or rarely used
 *	SHARED			a variable shared by the block, declared inside a kernel
 *					or function; its start value is garbage
 *	DYNAMIC_SHARED(type, name)	declares a pointer to the launch's dynamic
 *					shared memory, aligned to 16 bytes; the same memory
 *					wherever it is declared
 *	CONSTANT		a read-only table at file scope, with an initialiser
 *	threadIdx.x, blockIdx.x, blockDim.x, gridDim.x	grids have one dimension
 *
 * Collectives take the mask of the lanes that meet, as CUDA's _sync functions
 * do.  simt is stricter than the hardware where the hardware's result would
 * only be undefined: a mask that names a lane that has returned or that the
 * block does not have, and lanes that meet at different places of the text, are
 * errors.  A shuffle from a lane outside the mask gives garbage.  So blocks are
 * multiples of 32 threads, and threads without work stay until the last
 * collective.
 *
 * A loop that waits for another thread must call gpu_relax() or read with
 * load_volatile; a lock needs neither, its atomics do.
 */
#ifndef GPUAGG_PRELUDE_CUH
#define GPUAGG_PRELUDE_CUH

#define WARP_SIZE 32
#define FULL_MASK 0xffffffffu

#ifdef __CUDACC__

/*----------
 * CUDA
 *----------
 */
#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;

#define INT32_C(x) (x)
#define UINT32_C(x) (x##U)
#define INT64_C(x) (x##L)
#define UINT64_C(x) (x##UL)
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32767 - 1)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-INT64_C(9223372036854775807) - 1)
#define INT64_MAX INT64_C(9223372036854775807)
#define UINT64_MAX UINT64_C(18446744073709551615)
#ifndef NULL
#define NULL 0
#endif
#else
#include <stdint.h>
#endif

#define KERNEL(name, Args, args) \
	extern "C" __global__ void name(const __grid_constant__ Args args)
/* The same, for at most that many threads a block and at least blocks on an SM. */
#define KERNEL_BOUNDS(name, Args, args, threads, blocks) \
	extern "C" __global__ void __launch_bounds__(threads, blocks) \
	name(const __grid_constant__ Args args)
#define DEVICE_FN static __device__ __forceinline__
#define DEVICE_CALL static __device__ __noinline__
#define SHARED __shared__
#define DYNAMIC_SHARED(type, name) \
	extern __shared__ __align__(16) unsigned char gpuagg_dynamic_shared[]; \
	type *name = (type *) gpuagg_dynamic_shared
#define CONSTANT static __constant__ const

/* Read-only memory: no other thread writes it during the kernel. */
#define load_readonly(address) __ldg(address)

/* Before a loop that is to be written out, and one that is not. */
#define PRAGMA_UNROLL _Pragma("unroll")
#define PRAGMA_NO_UNROLL _Pragma("unroll 1")

/* Hide from the compiler where a variable's value comes from. */
#define OPAQUE_U32(variable) asm("" : "+r"(variable))

#define warp_sync(mask) __syncwarp(mask)
#define warp_ballot(mask, value) __ballot_sync(mask, value)
#define warp_any(mask, value) (__any_sync(mask, value) != 0)
#define warp_all(mask, value) (__all_sync(mask, value) != 0)
#define warp_active() __activemask()
#define block_sync() __syncthreads()
#define block_sync_or(value) (__syncthreads_or(value) != 0)
#define block_sync_and(value) (__syncthreads_and(value) != 0)
#define block_sync_count(value) ((uint32_t) __syncthreads_count(value))

#define GPUAGG_SHUFFLES(suffix, type, raw) \
	DEVICE_FN type warp_shfl_##suffix(uint32_t mask, type value, uint32_t lane) \
	{ return (type) __shfl_sync(mask, (raw) value, (int) lane); } \
	DEVICE_FN type warp_shfl_up_##suffix(uint32_t mask, type value, uint32_t delta) \
	{ return (type) __shfl_up_sync(mask, (raw) value, delta); } \
	DEVICE_FN type warp_shfl_down_##suffix(uint32_t mask, type value, uint32_t delta) \
	{ return (type) __shfl_down_sync(mask, (raw) value, delta); } \
	DEVICE_FN type warp_shfl_xor_##suffix(uint32_t mask, type value, uint32_t lanes) \
	{ return (type) __shfl_xor_sync(mask, (raw) value, (int) lanes); }

GPUAGG_SHUFFLES(u32, uint32_t, unsigned int)
GPUAGG_SHUFFLES(s32, int32_t, int)
GPUAGG_SHUFFLES(u64, uint64_t, unsigned long long)
GPUAGG_SHUFFLES(s64, int64_t, long long)
GPUAGG_SHUFFLES(f32, float, float)
GPUAGG_SHUFFLES(f64, double, double)

/* __match_any_sync exists from compute capability 7.0, __reduce_* from 8.0. */
DEVICE_FN uint32_t
warp_match_u32(uint32_t mask, uint32_t value)
{
	return __match_any_sync(mask, value);
}

DEVICE_FN uint32_t
warp_match_u64(uint32_t mask, uint64_t value)
{
	return __match_any_sync(mask, (unsigned long long) value);
}

DEVICE_FN uint32_t
warp_reduce_add_u32(uint32_t mask, uint32_t value)
{
#if __CUDA_ARCH__ >= 800
	return __reduce_add_sync(mask, value);
#else
	uint32_t	sum = 0;

	for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
		if ((mask >> lane) & 1)
			sum += __shfl_sync(mask, value, (int) lane);
	return sum;
#endif
}

#define bits_count_u32(x) ((uint32_t) __popc(x))
#define bits_count_u64(x) ((uint32_t) __popcll(x))
#define bits_first_u32(x) ((uint32_t) __ffs((int) (x)))
#define bits_first_u64(x) ((uint32_t) __ffsll((long long) (x)))
#define bits_leading_zeros_u32(x) ((uint32_t) __clz((int) (x)))
#define bits_leading_zeros_u64(x) ((uint32_t) __clzll((long long) (x)))
#define bits_reverse_u32(x) __brev(x)
#define multiply_high_u64(a, b) ((uint64_t) __umul64hi((a), (b)))

/* The bits of a double, and back. */
#define f64_bits(x) ((uint64_t) __double_as_longlong(x))
#define f64_from_bits(x) __longlong_as_double((long long) (x))

/*
 * Conversions that end at the largest or least number; of NaN they make any.
 * To a double the last one of larger magnitude is never taken.
 */
#define f64_to_s64_floor(x) ((int64_t) __double2ll_rd(x))
#define f64_to_u32(x) ((uint32_t) __double2uint_rz(x))
#define s64_to_f64_toward_0(x) __ll2double_rz((long long) (x))

/*
 * Copy what no other thread needs: a power of 2 of bytes, 16 at once, at an address
 * that is a multiple of as many.
 */
DEVICE_FN void
load_stream(void *to, const void *from, int size)
{
	uint4	   *parts = (uint4 *) to;

	if (size == 1)
		*(uint8_t *) to = __ldcs((const unsigned char *) from);
	else if (size == 2)
		*(uint16_t *) to = __ldcs((const unsigned short *) from);
	else if (size == 4)
		*(uint32_t *) to = __ldcs((const unsigned int *) from);
	else if (size == 8)
		*(uint2 *) to = __ldcs((const uint2 *) from);
	PRAGMA_UNROLL
	for (int i = 0; i < size / 16; i++)
		parts[i] = __ldcs((const uint4 *) from + i);
}

/* Have L2 fetch what will be loaded from that address. */
DEVICE_FN void
load_ahead(const void *address)
{
	asm volatile("prefetch.global.L2 [%0];" : : "l"(__cvta_generic_to_global(address)));
}

/* A number of three words more. */
DEVICE_FN void
add_u192(uint64_t *low, uint64_t *middle, uint64_t *high, uint64_t by_low, uint64_t by_middle,
		 uint64_t by_high)
{
	asm("add.cc.u64 %0, %0, %3;\n\t"
		"addc.cc.u64 %1, %1, %4;\n\t"
		"addc.u64 %2, %2, %5;"
		: "+l"(*low), "+l"(*middle), "+l"(*high)
		: "l"(by_low), "l"(by_middle), "l"(by_high));
}

/* A number, and 1 more if the sum of two others has a carry. */
DEVICE_FN uint32_t
add_carry_u32(uint32_t number, uint32_t a, uint32_t b)
{
	uint32_t	sum;

	asm("add.cc.u32 %1, %2, %3;\n\t"
		"addc.u32 %0, %0, 0;"
		: "+r"(number), "=r"(sum) : "r"(a), "r"(b));
	return number;
}

DEVICE_FN uint64_t
add_carry_u64(uint64_t number, uint32_t a, uint32_t b)
{
	uint32_t	low = (uint32_t) number;
	uint32_t	high = (uint32_t) (number >> 32);
	uint32_t	sum;

	asm("add.cc.u32 %2, %3, %4;\n\t"
		"addc.cc.u32 %0, %0, 0;\n\t"
		"addc.u32 %1, %1, 0;"
		: "+r"(low), "+r"(high), "=r"(sum) : "r"(a), "r"(b));
	return low | (uint64_t) high << 32;
}

#define GPUAGG_ATOMIC(name, fn, type, raw) \
	DEVICE_FN type name(type *address, type value) \
	{ return (type) fn((raw *) address, (raw) value); }
/* Without a result the compiler uses RED, which does not wait. */
#define GPUAGG_ATOMIC_NORETURN(name, fn, type, raw) \
	DEVICE_FN void name(type *address, type value) \
	{ (void) fn((raw *) address, (raw) value); }

GPUAGG_ATOMIC(atomic_add_u32, atomicAdd, uint32_t, unsigned int)
GPUAGG_ATOMIC(atomic_add_u64, atomicAdd, uint64_t, unsigned long long)
GPUAGG_ATOMIC(atomic_add_f32, atomicAdd, float, float)
GPUAGG_ATOMIC(atomic_add_f64, atomicAdd, double, double)
GPUAGG_ATOMIC(atomic_min_s32, atomicMin, int32_t, int)
GPUAGG_ATOMIC(atomic_max_s32, atomicMax, int32_t, int)
GPUAGG_ATOMIC(atomic_min_u32, atomicMin, uint32_t, unsigned int)
GPUAGG_ATOMIC(atomic_max_u32, atomicMax, uint32_t, unsigned int)
GPUAGG_ATOMIC(atomic_min_s64, atomicMin, int64_t, long long)
GPUAGG_ATOMIC(atomic_max_s64, atomicMax, int64_t, long long)
GPUAGG_ATOMIC(atomic_min_u64, atomicMin, uint64_t, unsigned long long)
GPUAGG_ATOMIC(atomic_max_u64, atomicMax, uint64_t, unsigned long long)
GPUAGG_ATOMIC(atomic_or_u32, atomicOr, uint32_t, unsigned int)
GPUAGG_ATOMIC(atomic_or_u64, atomicOr, uint64_t, unsigned long long)
GPUAGG_ATOMIC(atomic_and_u32, atomicAnd, uint32_t, unsigned int)
GPUAGG_ATOMIC(atomic_and_u64, atomicAnd, uint64_t, unsigned long long)
GPUAGG_ATOMIC(atomic_xor_u32, atomicXor, uint32_t, unsigned int)
GPUAGG_ATOMIC(atomic_xor_u64, atomicXor, uint64_t, unsigned long long)
GPUAGG_ATOMIC(atomic_exchange_u32, atomicExch, uint32_t, unsigned int)
GPUAGG_ATOMIC(atomic_exchange_u64, atomicExch, uint64_t, unsigned long long)
GPUAGG_ATOMIC_NORETURN(atomic_add_u32_noreturn, atomicAdd, uint32_t, unsigned int)
GPUAGG_ATOMIC_NORETURN(atomic_add_u64_noreturn, atomicAdd, uint64_t, unsigned long long)
GPUAGG_ATOMIC_NORETURN(atomic_add_f64_noreturn, atomicAdd, double, double)

DEVICE_FN uint32_t
atomic_cas_u32(uint32_t *address, uint32_t expected, uint32_t value)
{
	return atomicCAS(address, expected, value);
}

DEVICE_FN uint64_t
atomic_cas_u64(uint64_t *address, uint64_t expected, uint64_t value)
{
	return atomicCAS((unsigned long long *) address,
					 (unsigned long long) expected, (unsigned long long) value);
}

/* Add to a word in shared memory, but no 0: without a branch. */
/* Words that others may change, each of them at once, at an address of 16 bytes. */
DEVICE_FN void
shared_load_u32x4(const uint32_t *address, uint32_t *to)
{
	asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
				 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
				 : "r"((uint32_t) __cvta_generic_to_shared(address)) : "memory");
}

DEVICE_FN void
shared_load_u64x2(const uint64_t *address, uint64_t *to)
{
	asm volatile("ld.volatile.shared.v2.u64 {%0, %1}, [%2];"
				 : "=l"(to[0]), "=l"(to[1])
				 : "r"((uint32_t) __cvta_generic_to_shared(address)) : "memory");
}

DEVICE_FN void
shared_add_nonzero_u32(uint32_t *address, uint32_t value)
{
	asm volatile("{\n\t"
				 ".reg .pred some;\n\t"
				 "setp.ne.u32 some, %1, 0;\n\t"
				 "@some red.shared.add.u32 [%0], %1;\n\t"
				 "}"
				 : : "r"((uint32_t) __cvta_generic_to_shared(address)), "r"(value)
				 : "memory");
}

/* Loads that see what other threads write while they wait for it. */
DEVICE_FN uint32_t
load_volatile_u32(const uint32_t *address)
{
	return *(const volatile uint32_t *) address;
}

DEVICE_FN uint64_t
load_volatile_u64(const uint64_t *address)
{
	return *(const volatile uint64_t *) address;
}

#define fence_block() __threadfence_block()
#define fence_device() __threadfence()
/* Sleep is there from compute capability 7.0. */
#define gpu_relax() __nanosleep(32)
/* End the kernel with an error: for what must never be. */
#define gpu_trap() __trap()

#else

/*----------
 * The simulated device
 *----------
 */
#include "shim.h"

#define KERNEL(name, Args, args) \
	SIMT_KERNEL_OF(name, Args, args, SIMT_UNBOUND_THREADS)
#define KERNEL_BOUNDS(name, Args, args, threads, blocks) \
	SIMT_KERNEL_OF(name, Args, args, threads)
#define SIMT_KERNEL_OF(name, Args, args, threads) \
	_Static_assert(sizeof(Args) <= SIMT_MAX_PARAMS, "the parameter of " #name " is too large"); \
	static void name##_body(const Args args); \
	static void \
	name##_start(const void *params) \
	{ \
		name##_body(*(const Args *) params); \
	} \
	SIMT_EXPORT const SimtKernel name = { \
		SIMT_KERNEL_MAGIC, sizeof(Args), (threads), name##_start \
	}; \
	static void \
	name##_body(const Args args)
#define DEVICE_FN static inline
#define DEVICE_CALL static
#define SHARED SIMT_SHARED
#define DYNAMIC_SHARED(type, name) \
	type *name = (type *) simt_rt->dynamic_shared
#define CONSTANT static const

#define load_readonly(address) (*(address))

#define PRAGMA_UNROLL
#define PRAGMA_NO_UNROLL
#define OPAQUE_U32(variable) ((void) (variable))

#define SIMT_WARP(kind, mask, value, operand) \
	simt_rt->warp(simt_rt, kind, mask, value, operand, SIMT_SITE)

#define warp_sync(mask) ((void) SIMT_WARP(SIMT_SYNCWARP, mask, 0, 0))
#define warp_ballot(mask, value) \
	((uint32_t) SIMT_WARP(SIMT_BALLOT, mask, (value) != 0, 0))
#define warp_any(mask, value) (warp_ballot(mask, value) != 0)
#define warp_all(mask, value) (warp_ballot(mask, !(value)) == 0)
#define warp_active() ((uint32_t) SIMT_WARP(SIMT_ACTIVEMASK, FULL_MASK, 0, 0))
#define block_sync() \
	((void) simt_rt->block(simt_rt, SIMT_SYNCTHREADS, false, SIMT_SITE))
#define block_sync_or(value) \
	(simt_rt->block(simt_rt, SIMT_SYNCTHREADS_OR, (value) != 0, SIMT_SITE) != 0)
#define block_sync_and(value) \
	(simt_rt->block(simt_rt, SIMT_SYNCTHREADS_AND, (value) != 0, SIMT_SITE) != 0)
#define block_sync_count(value) \
	simt_rt->block(simt_rt, SIMT_SYNCTHREADS_COUNT, (value) != 0, SIMT_SITE)

/* Macros, not functions, for the sake of SIMT_SITE. */
#define warp_shfl_u32(mask, value, lane) \
	((uint32_t) SIMT_WARP(SIMT_SHFL, mask, (uint32_t) (value), lane))
#define warp_shfl_up_u32(mask, value, delta) \
	((uint32_t) SIMT_WARP(SIMT_SHFL_UP, mask, (uint32_t) (value), delta))
#define warp_shfl_down_u32(mask, value, delta) \
	((uint32_t) SIMT_WARP(SIMT_SHFL_DOWN, mask, (uint32_t) (value), delta))
#define warp_shfl_xor_u32(mask, value, lanes) \
	((uint32_t) SIMT_WARP(SIMT_SHFL_XOR, mask, (uint32_t) (value), lanes))
#define warp_shfl_s32(mask, value, lane) \
	((int32_t) warp_shfl_u32(mask, value, lane))
#define warp_shfl_up_s32(mask, value, delta) \
	((int32_t) warp_shfl_up_u32(mask, value, delta))
#define warp_shfl_down_s32(mask, value, delta) \
	((int32_t) warp_shfl_down_u32(mask, value, delta))
#define warp_shfl_xor_s32(mask, value, lanes) \
	((int32_t) warp_shfl_xor_u32(mask, value, lanes))
#define warp_shfl_u64(mask, value, lane) \
	SIMT_WARP(SIMT_SHFL, mask, (uint64_t) (value), lane)
#define warp_shfl_up_u64(mask, value, delta) \
	SIMT_WARP(SIMT_SHFL_UP, mask, (uint64_t) (value), delta)
#define warp_shfl_down_u64(mask, value, delta) \
	SIMT_WARP(SIMT_SHFL_DOWN, mask, (uint64_t) (value), delta)
#define warp_shfl_xor_u64(mask, value, lanes) \
	SIMT_WARP(SIMT_SHFL_XOR, mask, (uint64_t) (value), lanes)
#define warp_shfl_s64(mask, value, lane) \
	((int64_t) warp_shfl_u64(mask, value, lane))
#define warp_shfl_up_s64(mask, value, delta) \
	((int64_t) warp_shfl_up_u64(mask, value, delta))
#define warp_shfl_down_s64(mask, value, delta) \
	((int64_t) warp_shfl_down_u64(mask, value, delta))
#define warp_shfl_xor_s64(mask, value, lanes) \
	((int64_t) warp_shfl_xor_u64(mask, value, lanes))
#define warp_shfl_f32(mask, value, lane) \
	simt_f32_bits(SIMT_WARP(SIMT_SHFL, mask, simt_bits_f32(value), lane))
#define warp_shfl_up_f32(mask, value, delta) \
	simt_f32_bits(SIMT_WARP(SIMT_SHFL_UP, mask, simt_bits_f32(value), delta))
#define warp_shfl_down_f32(mask, value, delta) \
	simt_f32_bits(SIMT_WARP(SIMT_SHFL_DOWN, mask, simt_bits_f32(value), delta))
#define warp_shfl_xor_f32(mask, value, lanes) \
	simt_f32_bits(SIMT_WARP(SIMT_SHFL_XOR, mask, simt_bits_f32(value), lanes))
#define warp_shfl_f64(mask, value, lane) \
	simt_f64_bits(SIMT_WARP(SIMT_SHFL, mask, simt_bits_f64(value), lane))
#define warp_shfl_up_f64(mask, value, delta) \
	simt_f64_bits(SIMT_WARP(SIMT_SHFL_UP, mask, simt_bits_f64(value), delta))
#define warp_shfl_down_f64(mask, value, delta) \
	simt_f64_bits(SIMT_WARP(SIMT_SHFL_DOWN, mask, simt_bits_f64(value), delta))
#define warp_shfl_xor_f64(mask, value, lanes) \
	simt_f64_bits(SIMT_WARP(SIMT_SHFL_XOR, mask, simt_bits_f64(value), lanes))

#define warp_match_u32(mask, value) \
	((uint32_t) SIMT_WARP(SIMT_MATCH, mask, (uint32_t) (value), 0))
#define warp_match_u64(mask, value) \
	((uint32_t) SIMT_WARP(SIMT_MATCH, mask, (uint64_t) (value), 0))
#define warp_reduce_add_u32(mask, value) \
	((uint32_t) SIMT_WARP(SIMT_REDUCE_ADD, mask, (uint32_t) (value), 0))

#define bits_count_u32(x) ((uint32_t) __builtin_popcount(x))
#define bits_count_u64(x) ((uint32_t) __builtin_popcountll(x))
#define bits_first_u32(x) ((uint32_t) __builtin_ffs((int) (x)))
#define bits_first_u64(x) ((uint32_t) __builtin_ffsll((long long) (x)))

DEVICE_FN uint32_t
bits_leading_zeros_u32(uint32_t x)
{
	return x ? (uint32_t) __builtin_clz(x) : 32;
}

DEVICE_FN uint32_t
bits_leading_zeros_u64(uint64_t x)
{
	return x ? (uint32_t) __builtin_clzll(x) : 64;
}

DEVICE_FN uint32_t
bits_reverse_u32(uint32_t x)
{
	x = ((x >> 1) & 0x55555555) | ((x & 0x55555555) << 1);
	x = ((x >> 2) & 0x33333333) | ((x & 0x33333333) << 2);
	x = ((x >> 4) & 0x0f0f0f0f) | ((x & 0x0f0f0f0f) << 4);
	return __builtin_bswap32(x);
}

DEVICE_FN uint64_t
multiply_high_u64(uint64_t a, uint64_t b)
{
	return (uint64_t) (((unsigned __int128) a * b) >> 64);
}

DEVICE_FN void
add_u192(uint64_t *low, uint64_t *middle, uint64_t *high, uint64_t by_low, uint64_t by_middle,
		 uint64_t by_high)
{
	unsigned __int128 sum = (unsigned __int128) *low + by_low;

	*low = (uint64_t) sum;
	sum = (sum >> 64) + *middle + by_middle;
	*middle = (uint64_t) sum;
	*high += (uint64_t) (sum >> 64) + by_high;
}

#define f64_bits(x) simt_bits_f64(x)
#define f64_from_bits(x) simt_f64_bits(x)

DEVICE_FN int64_t
f64_to_s64_floor(double x)
{
	if (!(x >= -0x1p63))
		return INT64_MIN;
	return x >= 0x1p63 ? INT64_MAX : (int64_t) floor(x);
}

DEVICE_FN uint32_t
f64_to_u32(double x)
{
	if (!(x >= 0))
		return 0;
	return x >= 0x1p32 ? UINT32_MAX : (uint32_t) x;
}

DEVICE_FN double
s64_to_f64_toward_0(int64_t x)
{
	uint64_t	magnitude = x < 0 ? 0 - (uint64_t) x : (uint64_t) x;

	for (int bit = 0; magnitude >> bit > UINT64_C(0x1fffffffffffff); bit++)
		magnitude &= ~(UINT64_C(1) << bit);
	return x < 0 ? -(double) magnitude : (double) magnitude;
}

DEVICE_FN uint32_t
add_carry_u32(uint32_t number, uint32_t a, uint32_t b)
{
	return number + (a > UINT32_MAX - b);
}

DEVICE_FN uint64_t
add_carry_u64(uint64_t number, uint32_t a, uint32_t b)
{
	return number + (a > UINT32_MAX - b);
}

SIMT_ATOMIC(atomic_add_u32, uint32_t, old + value)
SIMT_ATOMIC(atomic_add_u64, uint64_t, old + value)
SIMT_ATOMIC(atomic_add_f32, float, old + value)
SIMT_ATOMIC(atomic_add_f64, double, old + value)
SIMT_ATOMIC(atomic_min_s32, int32_t, value < old ? value : old)
SIMT_ATOMIC(atomic_max_s32, int32_t, value > old ? value : old)
SIMT_ATOMIC(atomic_min_u32, uint32_t, value < old ? value : old)
SIMT_ATOMIC(atomic_max_u32, uint32_t, value > old ? value : old)
SIMT_ATOMIC(atomic_min_s64, int64_t, value < old ? value : old)
SIMT_ATOMIC(atomic_max_s64, int64_t, value > old ? value : old)
SIMT_ATOMIC(atomic_min_u64, uint64_t, value < old ? value : old)
SIMT_ATOMIC(atomic_max_u64, uint64_t, value > old ? value : old)
SIMT_ATOMIC(atomic_or_u32, uint32_t, old | value)
SIMT_ATOMIC(atomic_or_u64, uint64_t, old | value)
SIMT_ATOMIC(atomic_and_u32, uint32_t, old & value)
SIMT_ATOMIC(atomic_and_u64, uint64_t, old & value)
SIMT_ATOMIC(atomic_xor_u32, uint32_t, old ^ value)
SIMT_ATOMIC(atomic_xor_u64, uint64_t, old ^ value)
SIMT_ATOMIC(atomic_exchange_u32, uint32_t, value)
SIMT_ATOMIC(atomic_exchange_u64, uint64_t, value)
#define shared_add_nonzero_u32(address, value) ((void) atomic_add_u32(address, value))
#define atomic_add_u32_noreturn(address, value) ((void) atomic_add_u32(address, value))
#define atomic_add_u64_noreturn(address, value) ((void) atomic_add_u64(address, value))
#define atomic_add_f64_noreturn(address, value) ((void) atomic_add_f64(address, value))
SIMT_CAS(atomic_cas_u32, uint32_t)
SIMT_CAS(atomic_cas_u64, uint64_t)
SIMT_LOAD(load_volatile_u32, uint32_t)
SIMT_LOAD(load_volatile_u64, uint64_t)

#define fence_block() simt_point()
#define fence_device() simt_point()
#define gpu_relax() simt_rt->relax(simt_rt)
#define gpu_trap() simt_rt->trap(simt_rt, SIMT_SITE)

#define SIMT_SHARED_LOAD(name, type, load, n) \
	DEVICE_FN void \
	name(const type *address, type *to) \
	{ \
		if ((uintptr_t) address % 16 != 0) \
			gpu_trap(); \
		for (int i = 0; i < (n); i++) \
			to[i] = load(address + i); \
	}

SIMT_SHARED_LOAD(shared_load_u32x4, uint32_t, load_volatile_u32, 4)
SIMT_SHARED_LOAD(shared_load_u64x2, uint64_t, load_volatile_u64, 2)

DEVICE_FN void
load_stream(void *to, const void *from, int size)
{
	/* as the hardware does */
	if ((uintptr_t) from % (uintptr_t) (size < 16 ? size : 16) != 0)
		gpu_trap();
	memcpy(to, from, (size_t) size);
}

/* There must be something. */
DEVICE_FN void
load_ahead(const void *address)
{
	(void) *(const volatile uint8_t *) address;
}

#endif							/* __CUDACC__ */

/* A thread's lane in its warp, and its warp in the block. */
DEVICE_FN uint32_t
lane_index(void)
{
	return threadIdx.x % WARP_SIZE;
}

DEVICE_FN uint32_t
warp_index(void)
{
	return threadIdx.x / WARP_SIZE;
}

/* The lanes below the thread's own. */
DEVICE_FN uint32_t
lanes_below(void)
{
	return (1u << lane_index()) - 1;
}

/* The thread's number in the grid, and how many threads the grid has. */
DEVICE_FN uint64_t
grid_index(void)
{
	return (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
}

DEVICE_FN uint64_t
grid_size(void)
{
	return (uint64_t) gridDim.x * blockDim.x;
}

#endif							/* GPUAGG_PRELUDE_CUH */
