/*
 * program.h
 *	  What an engine is asked to compute: a GROUP BY, lowered to plain old data.
 *
 * A Program is one flat chunk of bytes without pointers and without anything
 * of PostgreSQL's, so that it can be copied, hashed, printed, stored in a plan
 * tree and sent to another process.  Its parts, in this order behind the
 * header: attributes, columns, instructions, accumulators, aggregates, keys, and
 * the keys' scales.
 *
 * The way of a row: the columns come from a heap page (attributes say how the
 * tuple is laid out) or from a column batch.  Instructions, in static single
 * assignment form, compute one register each from columns, parameters and earlier
 * registers.  If the filter's register is true, the keys' registers name the
 * group, and each accumulator takes its argument's register into its words of
 * that group's state.
 *
 * A Program has parameters: what no row changes.  These are constants, PostgreSQL's
 * Params, and other expressions that are evaluated once a run.  An instruction names a
 * parameter by its number, and the values (ParamValue) are handed to the engine beside
 * the Program, so that queries which differ in their constants only share one compiled
 * kernel.
 *
 * Errors: the value of a register is a value, NULL, or an error (the operation
 * would have raised one).  An error that reaches the filter's root, or a key's
 * or an accumulator's argument of a row that passes the filter, ends the run
 * with ENGINE_INEXACT, and PostgreSQL's own plan raises it in its own words.
 * AND and OR know, as PostgreSQL does, that a false left side leaves the right
 * one unevaluated, and a selection leaves one of its sides so: see fn.h.
 *
 * Plain C99 without postgres.h; also read by the CUDA code generator.
 */
#ifndef GPUAGG_PROGRAM_H
#define GPUAGG_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "digest.h"
#include "exact.h"
#include "fn.h"
#include "kinds.h"
#include "numeric_page.h"

/* The most that a Program can hold; lowering rejects what is larger. */
#define PROGRAM_MAX_ATTRS 1600
#define PROGRAM_MAX_COLUMNS 256
#define PROGRAM_MAX_INSNS 1024
#define PROGRAM_MAX_PARAMS 512
#define PROGRAM_MAX_KEYS 64
#define PROGRAM_MAX_ACCS 512
#define PROGRAM_MAX_AGGS 512

/* Where rows come from. */
typedef enum RowSource
{
	SOURCE_PAGES,				/* heap pages: EngineOps.pages; and column
								 * batches */
	SOURCE_COLUMNS				/* column batches only: EngineOps.columns */
} RowSource;

/* One attribute of the heap tuple, dropped ones included (SOURCE_PAGES). */
typedef struct Attribute
{
	int16_t		len;			/* pg_attribute.attlen: > 0, or -1 for varlena */
	uint16_t	align;			/* 1, 2, 4 or 8 */
} Attribute;

/* One input column, in the order of a column batch. */
typedef struct Column
{
	int16_t		attno;			/* number of the attribute in the row, from 1; or
								 * COLUMN_PLACE: INT8, the row's place (first_rows.h) */
	int16_t		missing;		/* parameter with the value for tuples that are too
								 * short to hold it, or -1: NULL */
	uint8_t		type;			/* ValueType */
	uint8_t		nullable;
	uint8_t		numeric;		/* NumericPart: INT8 or WIDE, INT4 if SHOWN; and
								 * NUMERIC_SPECIALS */
	uint8_t		scale;			/* of a numeric: it counts units of 10^-scale */
	uint8_t		presence;		/* BOOL: the attribute is of any type, and only
								 * whether it is NULL is read; the value is any */
	uint8_t		coded;			/* INT4, in kernels only: a text's number in a dictionary */
} Column;

#define COLUMN_PLACE 0

typedef struct Insn
{
	uint16_t	op;				/* OpCode */
	uint8_t		type;			/* ValueType of the result */
	uint8_t		nullable;		/* can be NULL */
	uint8_t		fallible;		/* can be an error, its own or an operand's */
	uint8_t		special;		/* OP_param: it is a numeric, NaN or infinite; of TEXT: it is a
								 * table (ops_lookup.h), and no value but that of operations */
	int16_t		arg[3];			/* registers, that is indexes of earlier
								 * instructions; -1: none.  OP_column: -1, or, in
								 * kernels only, the first is the number of a condition
								 * on the coded column, whose answer the value is */
	int16_t		index;			/* OP_column: column; OP_param: parameter */
} Insn;

/* Takes no values in, but the same accumulator's words of finer groups. */
#define ACC_MERGED (-2)

/* Takes no values in, but is read from another accumulator's list of them. */
#define ACC_READ (-3)

typedef struct Accumulator
{
	uint8_t		kind;			/* AccKind */
	uint8_t		descending;		/* ACC_READ: the greatest value is the first */
	uint16_t	nwords;
	int16_t		arg;			/* register; -1: count(*); ACC_MERGED; ACC_READ */
	int16_t		filter;			/* register of FILTER (WHERE ...), or -1 */
	uint16_t	word;			/* first of its words in the group's state */
	int16_t		arg2;			/* SUM_PRODUCT: the other register; FIRST_ROWS: that of
								 * the order's second key, of which arg is the first; else,
								 * or if there is no such key, -1 */
	int16_t		limit;			/* float sums: values are below 2^limit */
	int16_t		values;			/* ACC_READ: the accumulator of the values; ROW_COLUMN: that of
								 * the rows, which it stands behind; else 0 */
	int16_t		param;			/* percentiles: the parameter of the fraction, or
								 * FRACTION_OF_GROUP; ROWS: how many ROW_COLUMNs are behind it;
								 * ROW_COLUMN: the scale of a numeric, or KEY_NOT_NUMERIC; else 0 */
	uint16_t	order;			/* FIRST_ROWS: of the keys, ORDER_ bits; else 0 */
	int16_t		place;			/* FIRST_ROWS: the register of the row's place; else 0 */
} Accumulator;

/*
 * The fraction of a percentile is another one in each group: that accumulator, which is before it,
 * is the MAX_FLOAT of the fractions that the group's rows have, all of them the same.
 */
#define FRACTION_OF_GROUP(acc) (-1 - (acc))

/* That accumulator; negative: all groups have the same fraction. */
static inline int
acc_of_fraction(const Accumulator *acc)
{
	return FRACTION_OF_GROUP(acc->param);
}

/* How an aggregate's result is made from accumulators: src/exec/values/final.c. */
typedef enum FinalKind
{
	FINAL_COUNT,				/* acc: COUNT */
	FINAL_RANK,					/* acc: COUNT of rows, or COUNT_DISTINCT of values, before a
								 * hypothetical row */
	FINAL_DENSE_RANK,			/* acc: COUNT_DISTINCT of values before it; count: of NULLs before it */
	FINAL_PERCENT_RANK,			/* acc: COUNT of rows before it; count: of all rows */
	FINAL_CUME_DIST,			/* acc: COUNT of rows before or equal to it; count: of all rows */
	FINAL_SUM_INT8,				/* sum(int2), sum(int4): acc SUM_INT */
	FINAL_SUM_ADDED,			/* sum(int2 + constant): acc SUM_INT of the int2; added */
	FINAL_SUM_NUMERIC,			/* sum(int8, numeric): acc SUM_INT128 */
	FINAL_AVG_NUMERIC,			/* avg(int2, int4, int8, numeric): SUM_INT or
								 * SUM_INT128 */
	FINAL_SUM_FLOAT4,
	FINAL_SUM_FLOAT8,
	FINAL_AVG_FLOAT8,
	FINAL_EXTREME_INT2,			/* min, max: acc MIN_INT, MAX_INT; percentile_disc,
								 * mode: PERCENTILE_DISC, MODE, here and below */
	FINAL_EXTREME_INT4,			/* int4, date */
	FINAL_EXTREME_INT8,			/* int8, timestamp, timestamptz */
	FINAL_EXTREME_FLOAT4,
	FINAL_EXTREME_FLOAT8,
	FINAL_EXTREME_NUMERIC,		/* acc MIN_INT, MAX_INT, MIN_WIDE, MAX_WIDE */
	FINAL_EXTREME_TEXT,			/* acc: an extreme of texts */
	FINAL_EXTREME_INTERVAL,		/* acc MIN_INTERVAL, MAX_INTERVAL */
	FINAL_LENGTH,				/* an interval by its length: acc PERCENTILE_DISC, MODE */
	FINAL_BOOL,					/* bool_and, bool_or: acc BIT_AND, BIT_OR; likewise */
	FINAL_BITS_INT2,			/* bit_and, bit_or, bit_xor: acc BIT_* */
	FINAL_BITS_INT4,
	FINAL_BITS_INT8,
	FINAL_PERCENTILE_CONT,		/* of floats: acc PERCENTILE_CONT */
	FINAL_PERCENTILE_LENGTH,	/* of intervals by their lengths: acc PERCENTILE_CONT */
	FINAL_SUM_MONEY,			/* acc SUM_INT */
	FINAL_SUM_INTERVAL,			/* acc SUM_INT of times; high: of months and days */
	FINAL_AVG_INTERVAL,
	FINAL_VAR_POP,				/* of integers and numerics: acc SUM_INT128, and
								 * squares */
	FINAL_VAR_SAMP,
	FINAL_STDDEV_POP,
	FINAL_STDDEV_SAMP,
	FINAL_FLOAT_VAR_POP,		/* of floats, and all that follow: moments */
	FINAL_FLOAT_VAR_SAMP,
	FINAL_FLOAT_STDDEV_POP,
	FINAL_FLOAT_STDDEV_SAMP,
	FINAL_REGR_SXX,
	FINAL_REGR_SYY,
	FINAL_REGR_SXY,
	FINAL_REGR_AVGX,
	FINAL_REGR_AVGY,
	FINAL_REGR_R2,
	FINAL_REGR_SLOPE,
	FINAL_REGR_INTERCEPT,
	FINAL_COVAR_POP,
	FINAL_COVAR_SAMP,
	FINAL_CORR,
	FINAL_ORDERED				/* acc ROWS: exec/values/ordered_aggregate.h */
} FinalKind;

/* The exact sums that variances and regressions of floats are made of. */
typedef enum FloatMoment
{
	MOMENT_X,					/* sum(x); the first argument is Y */
	MOMENT_Y,
	MOMENT_XX,					/* sum(x * x) */
	MOMENT_YY,
	MOMENT_XY,
	MOMENT_COUNT
} FloatMoment;

typedef struct Aggregate
{
	uint8_t		final;			/* FinalKind */
	uint8_t		scale;			/* of the values, where they are numeric: they
								 * count units of 10^-scale */
	int16_t		acc;			/* accumulator of the value */
	int16_t		count;			/* accumulator that counts the values taken in:
								 * none means a NULL result */
	int16_t		squares[2];		/* accumulators of the squares' two parts (see
								 * program_add_variance); -1: there is none */
	int16_t		high;			/* accumulator of the values' high parts, which
								 * count 2^64 times; of intervals' months and days;
								 * -1: there is none */
	int16_t		shown;			/* accumulator of the largest display scale, which
								 * is the result's; -1: it is `scale` */
	int16_t		moments[MOMENT_COUNT];	/* accumulators by FloatMoment; -1: there
								 * is none */
	int16_t		special;		/* accumulator of the bits of special.h that the
								 * values have; -1: they are numbers */
	int16_t		added;			/* SUM_ADDED: the constant; else 0 */
} Aggregate;

typedef struct Program
{
	uint32_t	size;			/* of the whole, in bytes */
	uint8_t		source;			/* RowSource */
	uint8_t		level;			/* ExactLevel of all float sums */
	uint16_t	nattrs;
	uint16_t	ncolumns;
	uint16_t	ninsns;
	uint16_t	nparams;
	uint16_t	nkeys;			/* 0: no GROUP BY, always exactly one group */
	uint16_t	naccs;
	uint16_t	naggs;
	uint16_t	nwords;			/* of a group's state */
	int16_t		filter;			/* BOOL register, or -1: all rows pass */
	uint8_t		specials;		/* numerics can be NaN or infinite: specials.c */
	uint8_t		hides_rows;		/* what is told of a run must not depend on the values of
								 * rows that do not pass */
	uint8_t		unused[2];
} Program;

/* A table of so many bytes is sent with each run: to ask whether it is there would take as long. */
#define TABLE_SMALL 4096

/* The digest of a table's bytes, made by who wants it first. */
typedef struct TableDigest
{
	bool		is_made;
	Digest		digest;
} TableDigest;

/*
 * What is there of a table that somebody keeps who has checked it.  outline: a table of the
 * form LOOKUP_BITS with the same keys, if the table is one of bits or numbers; else the
 * table's header alone.  So filter_range.h needs no more of it.
 */
typedef struct TableCopy
{
	Bytes		outline;
} TableCopy;

/*
 * The value of a Program's parameter.  TEXT, UUID and INTERVAL: bytes, owned by the
 * maker of the parameters, valid until the run is closed.  Else: word, the value's
 * bits in its lowest bytes (as int64 for integers, sign-extended; the bits of the
 * float or double for floats).
 */
typedef struct ParamValue
{
	uint8_t		type;			/* ValueType */
	bool		isnull;
	int64_t		word;
	Bytes		bytes;
	TableDigest *digest;		/* of the bytes of a table that others may keep; the maker's.
								 * NULL: it is for one run */
	const TableCopy *kept;		/* of a table that is kept where its digest was found: its
								 * bytes are not here, only their length */
} ParamValue;

/* The parts of a Program. */
static inline const Attribute *
program_attrs(const Program *p)
{
	return (const Attribute *) (p + 1);
}

static inline const Column *
program_columns(const Program *p)
{
	return (const Column *) (program_attrs(p) + p->nattrs);
}

static inline const Insn *
program_insns(const Program *p)
{
	return (const Insn *) (program_columns(p) + p->ncolumns);
}

static inline const Accumulator *
program_accs(const Program *p)
{
	return (const Accumulator *) (program_insns(p) + p->ninsns);
}

static inline const Aggregate *
program_aggs(const Program *p)
{
	return (const Aggregate *) (program_accs(p) + p->naccs);
}

static inline const int16_t *	/* registers */
program_keys(const Program *p)
{
	return (const int16_t *) (program_aggs(p) + p->naggs);
}

/* The scales of keys that are numeric; others have KEY_NOT_NUMERIC. */
#define KEY_NOT_NUMERIC (-1)

static inline const int8_t *
program_key_scales(const Program *p)
{
	return (const int8_t *) (program_keys(p) + p->nkeys);
}

/* Is the instruction's parameter a table? */
static inline bool
insn_is_table(const Insn *insn)
{
	return insn->op == OP_param && insn->type == VT_TEXT && insn->special;
}

/* Is the operation's second operand a parameter that it reads as a table, or as values of one? */
static inline bool
op_reads_table(OpCode op)
{
	return op == OP_int8_lookup || op == OP_text_lookup ||
		(op >= OP_row_has && op <= OP_row_text);
}

/* Does the operation make a text, whose bytes are no operand's (ops_made.h)? */
static inline bool
op_makes_text(OpCode op)
{
	return op >= OP_text_concat && op <= OP_int8_text;
}

/* Does the C library compute it (ops_libm.h)? */
static inline bool
op_calls_libm(OpCode op)
{
	return op >= OP_float8_exp && op <= OP_float8_atanh;
}

static inline ValueType
program_key_type(const Program *p, int key)
{
	return (ValueType) program_insns(p)[program_keys(p)[key]].type;
}

/*
 * A Program in the making.  Fixed arrays: about 60 kB, to be allocated by the
 * caller.  The adding functions return the new part's index, or -1 once
 * anything did not fit; all that follow then return -1, and program_size 0.  Equal
 * columns, instructions and accumulators are found again, not added twice.
 */
typedef struct ProgramBuilder
{
	Program		head;
	bool		overflow;
	Attribute	attrs[PROGRAM_MAX_ATTRS];
	Column		columns[PROGRAM_MAX_COLUMNS];
	Insn		insns[PROGRAM_MAX_INSNS];
	Accumulator accs[PROGRAM_MAX_ACCS];
	Aggregate	aggs[PROGRAM_MAX_AGGS];
	int16_t		keys[PROGRAM_MAX_KEYS];
	int8_t		key_scales[PROGRAM_MAX_KEYS];
	uint8_t		param_types[PROGRAM_MAX_PARAMS];
} ProgramBuilder;

extern void program_begin(ProgramBuilder *b, RowSource source);
extern int	program_add_attr(ProgramBuilder *b, int len, int align);
extern int	program_add_param(ProgramBuilder *b, ValueType type);

/* A column's register; missing is a parameter or -1. */
extern int	program_add_column(ProgramBuilder *b, int attno, ValueType type,
							   bool nullable, int missing);

/* A column of which only its NULLs are known; one that another Program has. */
extern int	program_add_presence(ProgramBuilder *b, int attno, bool nullable, int missing);
extern int	program_copy_column(ProgramBuilder *b, const Column *column);

extern int	program_add_numeric_column(ProgramBuilder *b, int attno, NumericPart part,
									   int scale, bool nullable, int missing);
extern int	program_add_wide_column(ProgramBuilder *b, int attno, NumericPart part,
									int scale, bool nullable);

/*
 * Registers of a parameter (a special one's value is special_number's, as a numeric's),
 * and of an operation over registers (arg2 may be -1).
 */
extern int	program_add_param_ref(ProgramBuilder *b, int param);
extern int	program_add_special_param_ref(ProgramBuilder *b, int param);

/* The register of a parameter that is a look-up or a column of its numbers; it is never NULL. */
extern int	program_add_table_ref(ProgramBuilder *b, int param);
extern int	program_add_op(ProgramBuilder *b, OpCode op, int arg1, int arg2);
extern int	program_add_select(ProgramBuilder *b, int when, int then, int otherwise);
extern int	program_add_key(ProgramBuilder *b, int reg);
extern int	program_add_numeric_key(ProgramBuilder *b, int reg, int scale);
extern int	program_add_acc(ProgramBuilder *b, AccKind kind, int arg, int filter);

/*
 * An accumulator that is read from the list of another one, which is ACC_VALUES; param: of
 * a percentile's fraction, a FLOAT8, or FRACTION_OF_GROUP.
 */
extern int	program_add_read_acc(ProgramBuilder *b, AccKind kind, int values, int param,
								 bool descending);

/* What a column of rows is of; scale: of a numeric, or KEY_NOT_NUMERIC. */
typedef struct RowListColumn
{
	int			reg;
	int			scale;
} RowListColumn;

/* A list of rows of so many columns, at most ROW_MAX_COLUMNS; the ROW_COLUMNs are behind it. */
extern int	program_add_rows(ProgramBuilder *b, const RowListColumn *columns, int ncolumns,
							 int filter);

/* The row's place, as a column; and the first n rows by up to two keys, -1: there is none. */
extern int	program_add_place(ProgramBuilder *b);
extern int	program_add_first_rows(ProgramBuilder *b, int n, const int keys[2], int order,
								   int place);

/*
 * An accumulator that merges one of another Program.  It is always a new one;
 * those of a whole Program, added first and in order, have the same words.
 */
extern int	program_add_merged_acc(ProgramBuilder *b, const Accumulator *acc);

/*
 * An exact sum of floats, or of products of two (arg2 may be -1); equal ones are
 * one, with the lower limit.
 */
extern int	program_add_float_acc(ProgramBuilder *b, int arg, int arg2, int filter,
								  int limit);
extern int	program_add_agg(ProgramBuilder *b, FinalKind final, int acc, int count);

/* An aggregate as another Program has it, over the same accumulators. */
extern int	program_copy_agg(ProgramBuilder *b, const Aggregate *agg);
extern int	program_add_numeric_agg(ProgramBuilder *b, FinalKind final, int acc,
									int count, int scale);

/*
 * A variance or standard deviation: the squares of the values in sum are
 * low + high * 2^64; high is -1 where the squares fit the accumulator low.
 */
extern int	program_add_variance(ProgramBuilder *b, FinalKind final, int sum,
								 int count, int low, int high, int scale);

/* A variance, covariance or regression of floats: sums by FloatMoment. */
extern int	program_add_moments(ProgramBuilder *b, FinalKind final, int count,
								const int16_t sums[MOMENT_COUNT]);

/* The accumulator of high parts of an aggregate's values. */
extern void program_set_high(ProgramBuilder *b, int agg, int acc);

/* What is added to each of a SUM_ADDED's values: an int16. */
extern void program_set_added(ProgramBuilder *b, int agg, int constant);

/* The accumulator of the display scales of an aggregate's values. */
extern void program_set_shown(ProgramBuilder *b, int agg, int acc);

/* The accumulator of what specials they have. */
extern void program_set_special(ProgramBuilder *b, int agg, int acc);
extern void program_set_filter(ProgramBuilder *b, int reg);

/* The flat size, or 0 if something did not fit; then the flat copy into buf. */
extern size_t program_size(const ProgramBuilder *b);
extern void program_finish(const ProgramBuilder *b, Program *buf);

/*
 * The same Program with some of its keys only, those whose bit is in `keys`, and
 * with no accumulators and aggregates unless they are wanted, into buf of at
 * least p->size bytes.
 */
extern void program_with_keys(const Program *p, uint64_t keys, bool with_accs,
							  Program *buf);

/*
 * The same Program with more words for its float sums, the next level, into a
 * copy of the same size.  False if there are none, or no next level.
 */
extern bool program_widen(const Program *p, Program *wider);

/*
 * specials.c: build the Program that gives what p gives and has numerics that are special in
 * its registers, with the same parameters.  If p merges groups (ACC_MERGED), fine is
 * the Program that has them, made to admit specials before; else NULL.  False:
 * there is none, since p admits them already, or has no numerics and no fine, or
 * since it would get too large.
 */
extern bool program_admit_specials(const Program *p, const Program *fine,
								   ProgramBuilder *b);

/* Has it float sums? */
extern bool program_sums_floats(const Program *p);

static inline bool
acc_sums_floats(const Accumulator *acc)
{
	return acc_is_exact((AccKind) acc->kind);
}

/* Words of an accumulator of that kind in a Program of that level; not of FIRST_ROWS. */
extern uint8_t program_acc_words(AccKind kind, int level);

/* FIRST_ROWS: how many keys the order has, and how many rows are wanted. */
static inline int
acc_order_keys(const Accumulator *acc)
{
	return acc->arg < 0 ? 0 : acc->arg2 < 0 ? 1 : 2;
}

static inline int
acc_first_rows(const Accumulator *acc)
{
	return acc->nwords / (acc_order_keys(acc) + 1);
}

/* Words of a float sum without its flags, and its unit: see exact_unit. */
static inline int
acc_number_words(const Accumulator *acc, int level)
{
	return EXACT_NUMBER_WORDS(acc->nwords, level);
}

static inline int32_t
acc_unit(const Accumulator *acc, int level, uint32_t exponent)
{
	return exact_unit((ExactLevel) level, acc_form((AccKind) acc->kind) == FORM_FLOAT_PRODUCT,
					  acc_number_words(acc, level), exponent, acc->limit);
}

/*
 * Does an engine leave out rows of pages that hold compressed values or such
 * stored out of line?  Not if the Program has no use for them, nor if their
 * coming later could be seen: of the keys 0 and -0, which are one, the group
 * shows the one that came first.
 */
extern bool program_leaves_rows(const Program *p);

/* The bytes of all parameters that are tables, but for those that are kept. */
extern uint64_t program_tables_size(const Program *p, const ParamValue *params);

/*
 * Which operations read the parameter as a table: bits of lookup_reader (check_lookup.h); 0: none
 * do, and it is no table.
 */
extern uint32_t program_table_readers(const Program *p, int param);

/* Has it operations that only the CPU engine computes: of a jsonb, or a text's float8? */
extern bool program_needs_cpu(const Program *p);
extern bool op_needs_cpu(OpCode op);

/* Does it ask for nothing but the number of rows? */
extern bool program_only_counts(const Program *p);

/* Has it lists of values? */
extern bool program_has_values(const Program *p);

/* Has it such whose values leave the engine, which only one in the caller's process can give? */
extern bool program_gives_values(const Program *p);
#define GIVEN_VALUES_MESSAGE "ordered arrays and aggregates with ORDER BY are made by the CPU engine only"

/* The accumulator of the groups' first rows, or NULL. */
extern const Accumulator *program_first_rows(const Program *p);

/* Is a key a float? */
extern bool program_has_float_key(const Program *p);

/* Is there one key, an integer? */
extern bool program_has_integer_key(const Program *p);

/*
 * Can rows of pages be taken from columns that earlier runs have kept?  Not if a key is a
 * float, of whose groups the first row's 0 or -0 is shown.
 */
extern bool program_can_be_served(const Program *p);

/* Facts about types and operations, from the tables. */
extern const char *value_type_name(ValueType type);
extern const char *op_name(OpCode op);
extern int	op_nargs(OpCode op);
extern ValueType op_result(OpCode op);	/* of operations in ops.def */
extern ValueType op_arg(OpCode op, int n);
extern bool op_checked(OpCode op);
extern const char *acc_name(AccKind kind);

/*
 * One line of text for one part of the program: line 0, 1, ... until false.
 * For EXPLAIN (VERBOSE) and for debugging.
 */
extern bool program_print_line(const Program *p, int line, char *buf, size_t len);

#endif							/* GPUAGG_PROGRAM_H */
