/*
 * fn.h
 *	  What the operations' headers need to be read both as C and as CUDA C.
 *
 * An operation is one function, `GA_FN result name(operands)`, or, where it
 * can fail, `GA_FN result name(operands, bool *error)`.  Functions are only
 * called for operands that are not NULL, but may be called with any bits in
 * them (the vectorised engine also computes rows that are not needed), so they
 * must not trap; a failing function sets *error and returns anything, a
 * succeeding one leaves *error alone.
 * Under NVRTC, the including text defines the fixed-width integers first.
 *
 * All operations of ops.def are strict: a NULL operand makes the result NULL.
 * But an operand that is an error comes first, since PostgreSQL computes all of
 * them before it looks for NULLs: the result is an error.
 * AND and OR over (value, null, error), as PostgreSQL evaluates them, left
 * side first:
 *	  AND: left false -> false; left error -> error; right error -> error;
 *		   right false -> false; else NULL if one is NULL, else true
 *	  OR:  the same with true for false.
 * A selection, which CASE and its relatives are made of:
 *	  condition error -> error; condition true -> the second operand, be it a
 *	  value, NULL or an error; else the third.
 */
#ifndef GPUAGG_FN_H
#define GPUAGG_FN_H

#ifdef __CUDACC_RTC__
#define GA_FN static __device__ __forceinline__
/* A value in memory that nothing writes while the kernel runs. */
#define GA_LOAD(address) __ldg(address)
#else
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#define GA_FN static inline
#define GA_LOAD(address) (*(address))
#endif

/* Before a loop over a number's words, which for large states is not written out. */
#if defined(__CUDACC_RTC__) && WIDE_STATE
#define PRAGMA_WORDS _Pragma("unroll 1")
#else
#define PRAGMA_WORDS
#endif

/* A string of bytes, whose memory is not its own; not zero-terminated. */
typedef struct Bytes
{
	const char *data;
	uint32_t	len;
} Bytes;

/* The value of a uuid. */
typedef struct Uuid
{
	uint64_t	w[2];			/* the 16 bytes as they stand in memory */
} Uuid;

/* The value of a macaddr. */
typedef struct Mac
{
	uint64_t	w[1];			/* the 6 bytes as they stand in memory, and two of zeros */
} Mac;

/* A number of 128 bits, two's complement, the low word first. */
typedef struct Wide
{
	uint64_t	w[2];
} Wide;

/* The value of an interval, as it stands in memory. */
typedef struct TimeSpan
{
	int64_t		time;			/* microseconds */
	int32_t		day;
	int32_t		month;
} TimeSpan;

#endif							/* GPUAGG_FN_H */
