/*
 * script.cuh
 *	  A Program as the interpreter reads it.
 *
 * What the code generator writes into a compiled kernel, the places of columns and
 * words, the expressions, the packing of keys, is a table here, which kernels that
 * fit every Program follow (interpret_rows.cuh, interpret_groups.cuh).  A Program
 * that is larger than the arrays has no script.
 *
 * Read by the kernels and by the engine's host code, as args.cuh.
 */
#ifndef GPUAGG_SCRIPT_CUH
#define GPUAGG_SCRIPT_CUH

/*
 * One word on the device, or those of a float sum.  It may stand for several of
 * the Program's words: equal accumulators share one, and count(x) of an x that
 * is never NULL is count(*).  A float sum's flags come right behind it.
 *
 * Of a narrow sum of floats only the middle word, to which nearly all of its
 * additions go, is one of the slot's; the outer ones are cold, and are kept apart
 * (table.cuh).
 */
typedef struct DeviceWord
{
	uint8_t		kind;			/* WordKind: how it merges */
	uint8_t		acc;			/* AccKind it belongs to */
	uint8_t		part;			/* of that accumulator: SUM_INT128's words, a float
								 * sum's number and flags */
	uint8_t		nwords;
	int16_t		arg;
	int16_t		arg2;
	int16_t		filter;
	int16_t		limit;			/* of a float sum */
	int16_t		sum;			/* number of the float sum */
	uint16_t	word;			/* place in the state, of the first if several */
	int16_t		outer;			/* narrow sum: place of the lowest word, before
								 * that of the highest; else -1 */
	uint16_t	block;			/* first of its words in a block's table
								 * (block_words.cuh), if it has any there */
} DeviceWord;

/* A key's place in the packed key. */
typedef struct KeyPlace
{
	uint8_t		type;			/* ValueType */
	uint8_t		bits;			/* in each word it takes */
	uint8_t		nullable;
	uint8_t		null_shift;		/* bit of null_word that says NULL */
	int16_t		word;			/* first word */
	int16_t		null_word;
	uint8_t		shift;
	uint8_t		coded;			/* 1 more than its place in EmitArgs.coded; 0: no code */
} KeyPlace;

/* NULL bits of keys in a tag: so many, from that bit on. */
#define TAG_NULL_BITS 8
#define TAG_NULL_SHIFT 2

/* Words of an extreme that is kept by reference, in a slot. */
#define LAYOUT_VALUE_WORDS 2

/* Such an extreme: see values.cuh. */
typedef struct ScriptValue
{
	uint8_t		acc;			/* AccKind */
	uint8_t		nwords;			/* of the Program's state */
	int16_t		arg;
	int16_t		filter;
	uint16_t	word;			/* the first of these words */
	uint64_t	start[3];		/* what they are without a value */
} ScriptValue;

/*
 * An instruction.  Its value's place is a register, which later steps take once nothing needs the
 * value any more; or, of a parameter, which all rows have alike, -1 - the step's number.
 */
typedef struct ScriptStep
{
	uint16_t	op;				/* OpCode */
	uint8_t		type;			/* ValueType */
	uint8_t		table;			/* OP_param: it is a table */
	int16_t		arg[3];			/* places of earlier steps' values; OP_column: as in Insn */
	int16_t		index;			/* OP_param: parameter; OP_column: column */
	int16_t		place;			/* of the value */
	uint16_t	decides;		/* the row is left out if it is false: see steps_run */
	uint32_t	values;			/* OP_column: its place, as in ColumnPlace */
	uint32_t	nulls;
} ScriptStep;

/* Dynamic shared memory of a parameter, and of a register and thread: a value of 16 bytes, and flags. */
#define SCRIPT_VALUE_BYTES 17

/*
 * Shared memory of the states that a block of the interpreter has of its own, and how many there
 * are at most and at least.  What they take is taken from the cache of what rows are looked up in.
 */
#define SCRIPT_STATES_BYTES 8192
#define SCRIPT_MOST_STATES 512
#define SCRIPT_LEAST_STATES 16

/* Threads of a block of the interpreter's kernel over rows. */
#define INTERPRET_THREADS 128

#define SCRIPT_STEPS 96
#define SCRIPT_KEYS 16
#define SCRIPT_KEY_WORDS 8
#define SCRIPT_WORDS 24			/* of a state on the device */
#define SCRIPT_OUTPUT_WORDS 64	/* of the Program's state */
#define SCRIPT_VALUES 10
#define SCRIPT_CONDITIONS 8		/* PREFILTER_CONDITIONS */

typedef struct Script
{
	/* how a row is evaluated */
	uint16_t	nsteps;
	uint16_t	nconstants;		/* the first ones, which are parameters; no other is one */
	uint16_t	filter_steps;	/* the first ones, all that the filter needs */
	uint16_t	nregisters;
	uint16_t	nstates;		/* of a block's own: 0, or a power of 2 */
	int16_t		filter;			/* step, or -1 */
	uint8_t		leaves_rows;	/* program_leaves_rows */
	uint8_t		level;			/* ExactLevel */
	uint16_t	nconditions;	/* that a sample tells of; */
	int16_t		conditions[SCRIPT_CONDITIONS];	/* steps of the filter */
	ScriptStep	steps[SCRIPT_STEPS];

	/* keys */
	uint16_t	nkeys;
	uint16_t	key_words;
	uint32_t	key_texts;		/* a bit for each key word: is it a text? */
	int16_t		key_steps[SCRIPT_KEYS];
	KeyPlace	keys[SCRIPT_KEYS];

	/* states and slots, as in KernelLayout */
	uint16_t	nwords;
	uint16_t	nhot;
	uint16_t	nparts;
	uint16_t	nsums;
	uint16_t	nvalues;
	uint16_t	state;
	uint16_t	stride;
	uint16_t	presence;
	uint16_t	direct_stride;
	uint16_t	direct_presence;
	uint16_t	direct_nhot;
	uint8_t		table_direct;
	uint8_t		unused;
	DeviceWord	parts[SCRIPT_WORDS];
	uint64_t	starts[SCRIPT_WORDS];	/* start values of a state's words */
	ScriptValue values[SCRIPT_VALUES];

	/* output, as in KernelLayout */
	uint32_t	out_states;
	uint16_t	out_nwords;
	int16_t		out_words[SCRIPT_OUTPUT_WORDS]; /* the device's word for each of
												 * the Program's; -1: a value's */
	uint32_t	out_valid[SCRIPT_KEYS];
	uint32_t	out_values[SCRIPT_KEYS];
} Script;

#endif							/* GPUAGG_SCRIPT_CUH */
