/*
 * reasons.h
 *	  Classes of reasons, as far as cumulative statistics tell them apart.
 *
 * A reason in words names columns and functions.  It is for who may execute the
 * query.  Statistics are for everybody, and have a counter for each class.
 *
 * The order of the classes is part of PostgreSQL's file of statistics: new ones come
 * last.
 */
#ifndef GPUAGG_REASONS_H
#define GPUAGG_REASONS_H

/* Why a grouping is left to PostgreSQL when the query is planned. */
#define REJECTION_CLASSES(X) \
	X(QUERY, "query")			/* how keys and sets are written */ \
	X(AGGREGATE, "aggregate")	/* an aggregate, or how it is called */ \
	X(EXPRESSION, "expression") \
	X(TYPE, "type") \
	X(COLLATION, "collation") \
	X(NUMERIC, "numeric")		/* the scale, or digits, of a numeric */ \
	X(INPUT, "input")			/* where the rows come from */ \
	X(VOLATILE, "volatile function") \
	X(SIZE, "size")				/* the program gets too large */ \
	X(ENGINE, "engine")			/* no engine can run the program */ \
	X(COST, "cost")				/* PostgreSQL's own plan costs less */

/* Why an engine did not finish. */
#define FALLBACK_CLASSES(X) \
	X(INEXACT, "inexact") \
	X(CORRUPT, "corrupt page") \
	X(NO_MEMORY, "out of memory") \
	X(FAILED, "engine failure") \
	X(LOST, "device process ended") \
	X(NO_STORE, "temporary file")	/* it cannot be written or read */

#define X(class, name) REJECTED_##class,
typedef enum RejectionClass
{
	REJECTION_CLASSES(X)
	NUM_REJECTION_CLASSES
} RejectionClass;
#undef X

#define X(class, name) FALLBACK_##class,
typedef enum FallbackClass
{
	FALLBACK_CLASSES(X)
	NUM_FALLBACK_CLASSES
} FallbackClass;
#undef X

#endif							/* GPUAGG_REASONS_H */
