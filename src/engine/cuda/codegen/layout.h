/*
 * layout.h
 *	  How a Program's columns, keys and states lie in device memory.
 *
 * A pure function of the Program and of how the group table is addressed; read
 * by the code generator, which writes it into the kernels, and by the host.
 */
#ifndef GPUAGG_LAYOUT_H
#define GPUAGG_LAYOUT_H

#include "engine/cuda/kernels/kernel_args.h"
#include "program/program.h"

/*
 * An extreme of values that no word holds, kept by reference: see values.cuh.
 */
typedef struct DeviceValue
{
	uint8_t		acc;			/* AccKind */
	int16_t		arg;
	int16_t		filter;
} DeviceValue;

/* A list of values: their register, and FILTER's, or -1. */
typedef struct DeviceListPlace
{
	int16_t		acc;
	int16_t		arg;
	int16_t		filter;
} DeviceListPlace;

/* A column's place: bytes a row of what stands before it. */
typedef struct ColumnPlace
{
	uint32_t	values;
	uint32_t	nulls;			/* one byte a row; 0: never NULL */
} ColumnPlace;

/* How groups are found. */
typedef enum TableKind
{
	TABLE_HASH,
	TABLE_DIRECT				/* one integer key from a small range */
} TableKind;

/*
 * The most words of a state that strategies merge in registers, by code that is
 * written out for each word.  Larger ones have no room there, and a scan of 230 words
 * took NVRTC 194 s: they are only updated in the group table, by strategy `atomic`.
 */
#define LAYOUT_MERGE_WORDS 64

/*
 * Conditions, conjuncts of the filter that cannot be errors, nor stand behind one that can.  In
 * the order in which they are evaluated; ahead: their columns are fetched before, since most rows
 * are left when it is their turn.
 */
#define PREFILTER_CONDITIONS 8

typedef struct Prefilter
{
	int			n;
	int16_t		conditions[PREFILTER_CONDITIONS];	/* registers */
	bool		finds[PREFILTER_CONDITIONS];	/* int4_ge of an int8_lookup and 0: is its
												 * key in the table? */
	bool		ahead[PREFILTER_CONDITIONS];
} Prefilter;

typedef struct KernelLayout
{
	TableKind	table;
	ColumnPlace columns[PROGRAM_MAX_COLUMNS];
	uint32_t	row_bytes;		/* of all columns */
	bool		segments;		/* a batch's rows are in segments: set by who makes
								 * such batches */
	Prefilter	candidates;		/* conditions that a sample tells of: set by who knows
								 * the parameters */
	Prefilter	prefilter;		/* those that kernels evaluate first, if any: set by who
								 * chooses them */

	int			nwords;			/* of a state on the device */
	int			nhot;			/* of these, in the slot: all but the last ones */
	int			nblock;			/* words of 32 bits of a state in a block's table */
	int			nparts;
	DeviceWord	parts[2 * PROGRAM_MAX_ACCS + 1];
	int16_t		part_of[PROGRAM_MAX_ACCS][2];	/* Program's accumulators -> parts */
	int			nsums;			/* float sums among them */
	int			presence;		/* word that counts all rows; direct only */
	int			nvalues;		/* behind the state's words */
	bool		has_text_value; /* is one of them a text? */
	DeviceValue values[PROGRAM_MAX_ACCS];
	int16_t		value_of[PROGRAM_MAX_ACCS]; /* Program's accumulators -> values; -1:
											 * has parts */

	int			nlists;			/* of values, for statistics: value_lists.c */
	DeviceListPlace lists[ARGS_MAX_LISTS];
	int			nstatistics;	/* words of what is read from them */
	int16_t		statistic_of[PROGRAM_MAX_ACCS]; /* Program's accumulators -> the first of these;
												 * -1: it is not read from a list */

	int			nfirst;			/* rows of a group that are wanted: group_rows.c; 0: none */
	int			first_words;	/* of an entry of these */

	bool		merges;			/* the table takes groups of other devices' tables, too: set by
								 * who knows of them */

	int			key_words;		/* the first is the tag if more than one */
	bool		key32;			/* one word, of 32 bits but for NULL */
	bool		key64;			/* a tag and one word without texts: see codegen_keys.c */
	KeyPlace	keys[PROGRAM_MAX_KEYS];
	bool		has_text;
	bool		emits_texts;	/* has the output texts: keys, codes' ones too, or
								 * extremes? */
	int			state;			/* words of a slot before the state */
	int			stride;			/* words of a slot */

	/* What these are, or were, with direct addressing. */
	int			direct_stride;
	int			direct_presence;
	int			direct_nhot;

	/* Output: places in bits a group of what stands before. */
	uint32_t	out_valid[PROGRAM_MAX_KEYS];
	uint32_t	out_values[PROGRAM_MAX_KEYS];
	uint32_t	out_states;
	uint32_t	out_bits;		/* of all */
} KernelLayout;

/* Does one word tell a key in private tables?  See block.cuh. */
static inline bool
layout_has_word_keys(const KernelLayout *layout)
{
	return layout->key_words == 1 || layout->key64;
}

extern void layout_make(const Program *program, TableKind table, KernelLayout *layout);

/*
 * Can a table take another device's groups, by slots alone?  Neither keys nor states refer to
 * memory beside them, and a thread holds a state.
 */
extern bool layout_can_merge(const Program *program, const KernelLayout *layout);

/*
 * A table of hashed keys has twice as many slots as it takes groups, so that probes are short.
 * At least it has 512 KB, with 32 bytes a slot.
 */
#define TABLE_LOAD 2
#define TABLE_MIN_SLOTS 16384
#define TABLE_MAX_SLOTS (UINT32_C(1) << 31)

/* Bytes of a slot of the group table, its cold words included. */
extern uint64_t layout_slot_size(const KernelLayout *layout);

/* The same with what reading statistics takes by slots, when all rows are there. */
extern uint64_t layout_slot_memory(const KernelLayout *layout);

/* Slots of a table of hashed keys for so many groups: a power of 2. */
extern uint64_t layout_slots_for(uint64_t groups);

/* Lists of values that a Program has. */
extern int	layout_nlists(const Program *program);

/* Parts of an accumulator: one or two; none if it is kept by reference, or is a statistic. */
extern int	layout_nparts(const Program *program, int acc);

/* The words of a part in a block's table. */
extern int	layout_block_words(const DeviceWord *part);

/* The place in the state of a part's i-th word. */
static inline int
layout_word(const DeviceWord *part, int i)
{
	if (part->outer < 0)
		return part->word + i;
	return i == 1 ? part->word : part->outer + i / 2;
}

/*
 * Where the i-th word of an accumulator is, of one that has parts or is read from a list, in a
 * table of so many slots.
 */
extern WordPlace layout_place(const KernelLayout *layout, uint64_t capacity, int acc, int i);

/* Can its groups be addressed directly? */
extern bool layout_direct_possible(const Program *program);

/* If so, have the keys 32 bits at most? */
extern bool layout_direct_narrow(const Program *program);

/* Has it float sums whose units come from the kernel `exponents`? */
extern bool layout_needs_exponents(const Program *program);

/* Bytes of a value in a device column, TEXT included. */
extern int	layout_value_size(ValueType type);

/* The width (args.cuh) of numbers that are a type's values; WIDTH_NONE: they are no integers. */
extern uint32_t layout_type_width(ValueType type);

#endif							/* GPUAGG_LAYOUT_H */
