/*
 * args.cuh
 *	  What the host hands to the kernels: their parameters and shared records.
 *
 * Read by the kernels and by the engine's host code.  All members have the same
 * size and place in both: a POINTER is an address in device memory.
 */
#ifndef GPUAGG_ARGS_CUH
#define GPUAGG_ARGS_CUH

#ifdef GPUAGG_PRELUDE_CUH
#define POINTER(type) type *
#else
#include <stdint.h>
#define POINTER(type) uint64_t
#endif

#include "script.cuh"

/*
 * A text: length bytes at `start` of the batch's bytes (in a column) or of the
 * table's arena, there in 8-byte words.
 */
typedef struct TextRef
{
	uint32_t	start;
	uint32_t	length;
} TextRef;

/*
 * The value of one of the Program's parameters.  text: its place in every batch's bytes.  Of a
 * table (ops_lookup.h) the word is its address, and of the text there is the length only.
 */
typedef struct DeviceConstant
{
	int64_t		word;
	uint64_t	bytes[2];		/* UUID */
	TextRef		text;
	uint32_t	isnull;
	uint32_t	unused;
} DeviceConstant;

/* Bits of Counters.errors. */
#define ERROR_INEXACT 1			/* an expression would raise an error */
#define ERROR_CORRUPT 2			/* a page contradicts itself */
#define ERROR_TOASTED 4			/* a needed value is compressed or external:
								 * not told if the row can be left out */
#define ERROR_NUMERIC 8			/* a numeric is not what its column says */
#define ERROR_WIDEN 16			/* a float sum needs more words */
#define ERROR_SPECIAL 32		/* a numeric is NaN or infinite */
#define ERROR_CODES 64			/* a text found no code */

/* What kernels tell the host; downloaded after every batch. */
typedef struct Counters
{
	uint32_t	errors;
	uint32_t	block;			/* of a page that is corrupt */
	uint32_t	undone;			/* rows in the list of undone ones */
	uint32_t	emitted;		/* groups in the output */
	uint32_t	left;			/* rows left out */
	uint32_t	refused;		/* rows whose tuples were not gathered */
	uint32_t	unpacked;		/* rows of segments that have a place in columns */
	uint32_t	first_missed;	/* may a first row have found no room? */
	uint64_t	rows_passed;
	uint64_t	emitted_bytes;	/* of texts in the output */
	uint64_t	values_missed;	/* 1 and the most 8-byte words that an extreme's
								 * value asked of the arena in vain */
} Counters;

/* What belongs to the group table and changes while it fills. */
typedef struct TableCounters
{
	uint32_t	groups;
	uint32_t	unused;
	uint64_t	arena_top;		/* in 8-byte words */
	uint64_t	arena_missed;	/* the most that a key asked for in vain */
	uint64_t	values_top;		/* of the values' arena, in 8-byte words */
	uint64_t	zero_rows[2];	/* UINT64_MAX less the number of the first row
								 * with the float key 0, and with -0; 0: none */
} TableCounters;

/*
 * The group table: an array of slots of 8-byte words, see table.cuh.  Direct
 * addressing: slot 0 is NULL, slot 1 + v - direct_min is the value v.
 */
typedef struct DeviceTable
{
	POINTER(uint64_t) slots;
	POINTER(uint8_t) arena;		/* bytes of text keys */
	POINTER(uint8_t) values;	/* what extremes refer to: see values.cuh */
	POINTER(TableCounters) counters;
	POINTER(const Script) script;	/* for the interpreter only */
	uint64_t	arena_size;		/* in 8-byte words */
	uint64_t	values_size;	/* likewise */
	int64_t		direct_min;
	uint32_t	capacity;		/* slots; a power of 2 unless direct */
	uint32_t	limit;			/* groups beyond which no new ones are taken */
} DeviceTable;

/*
 * Words of a segment (segments.cuh): how many rows it has, the address of a byte a row, is it
 * left out, or 0; for each of the Program's columns the place of its values, what is added to
 * each of them, and the place of its NULLs, 1 of each row that is NULL.
 *
 * A place is the address of unsigned numbers of one width, and that width.  Values of
 * integers and of BOOL are read so, in a width of at most their type's.  So are codes of texts,
 * whose base is the address of a dictionary's entry.  All others stand there as they are, and
 * of their place only the address counts; texts too, if their base is 0.
 */
#define SEGMENT_NROWS 0
#define SEGMENT_MASK 1
#define SEGMENT_VALUES(column) (2 + 3 * (column))
#define SEGMENT_BASE(column) (3 + 3 * (column))
#define SEGMENT_NULLS(column) (4 + 3 * (column))
#define SEGMENT_WORDS(ncolumns) (2 + 3 * (ncolumns))

/* Widths: none, all numbers are 0; else 2^(width - 1) bits, those of a byte lowest first. */
#define WIDTH_NONE 0
#define WIDTH_BIT 1
#define WIDTH_1 4
#define WIDTH_2 5
#define WIDTH_4 6
#define WIDTH_8 7

#define PLACE_SHIFT 56
#define PLACE(address, width) ((uint64_t) (address) | (uint64_t) (width) << PLACE_SHIFT)
#define PLACE_ADDRESS(place) ((place) & ((UINT64_C(1) << PLACE_SHIFT) - 1))
#define PLACE_WIDTH(place) ((uint32_t) ((place) >> PLACE_SHIFT))

/* A place begins at a multiple of that, and 8 bytes can be read where any of them can. */
#define PLACE_ALIGN 16

/* Rows that a segment is given room for are a multiple of that. */
#define SEGMENT_ALIGN 256

/*
 * How often so many rows go into a row's number, by a multiplication.  Exact for less than
 * 2^40 rows: the error of the magic number, less than one, is multiplied by the number of
 * SEGMENT_ALIGN rows, and must stay below 2^40 / (segment_rows / SEGMENT_ALIGN).
 */
#define SEGMENT_MAGIC_SHIFT 40
#define SEGMENT_MAGIC(rows) \
	(((UINT64_C(1) << SEGMENT_MAGIC_SHIFT) - 1) / ((rows) / SEGMENT_ALIGN) + 1)

/*
 * The rows of a batch: columns of `capacity` rows each behind one another, at
 * places that the generated code knows; or, in kernels that are made for it, segments.
 */
typedef struct RowBatch
{
	POINTER(const uint64_t) segments;	/* 0: the interpreter has none */
	uint64_t	segment_magic;
	uint32_t	segment_rows;
	uint32_t	segment_words;	/* of each */
	POINTER(uint8_t) columns;
	POINTER(uint8_t) bytes;		/* of texts: pages, or what was gathered */
	POINTER(uint32_t) rows;		/* the rows to take; 0: all */
	POINTER(uint32_t) undone;	/* list of rows that found no room; one entry for
								 * every row */
	POINTER(uint8_t) left;		/* one byte a row: is it left out?  0 if the
								 * program leaves no rows */
	POINTER(const uint8_t) answers; /* of rows to each condition on texts, `capacity` a
									 * condition; 0: by rows' codes */
	uint64_t	capacity;
	uint64_t	nrows;			/* rows to take */
	uint64_t	first;			/* rows of the batches before */
} RowBatch;

/* The bit of a key: of its number with TABLE_DIRECT, else of its hash. */
#define FREQUENT_BITS 8192
#define FREQUENT_BIT(key) ((uint32_t) ((uint64_t) (key) * UINT64_C(0x9e3779b97f4a7c15) >> 51))

/* Float sums at most, one for each accumulator. */
#define ARGS_MAX_SUMS 512

/* Kernels over a batch's rows; the interpreter's are one, which does all of this. */
#define TASK_AGGREGATE 0
#define TASK_SAMPLE 1
#define TASK_EXPONENTS 2
#define TASK_VALUES_AGAIN 3
#define TASK_ANSWERS 4			/* the interpreter's only */

/*
 * Conditions on texts that are looked up by codes, at most; and the bits of an answer, of which
 * a false one has none.
 */
#define ARGS_MAX_ANSWERS 8
#define ANSWER_TRUE 1
#define ANSWER_NULL 2

/*
 * Parameters of `aggregate`, `values_again`, `sample`, `exponents` and
 * `frequent_bits`.
 */
typedef struct AggregateArgs
{
	RowBatch	batch;
	DeviceTable	table;
	POINTER(DeviceConstant) constants;	/* the Program's parameters */
	POINTER(Counters) counters;
	POINTER(uint32_t) frequent; /* block: FREQUENT_BITS bits, which keys may have
								 * a slot in a block's table; NULL: all */
	uint32_t	block_slots;	/* block: slots of a block's table */
	uint32_t	block_replicas; /* block: copies of each state, a power of 2 */
	uint32_t	block_hot;		/* block: is the first of `sampled` the hot key? */
	uint32_t	block_places;	/* block: where a warp takes rows from, a power of 2 */
	uint32_t	nfrequent;		/* frequent_bits: keys, in `sampled` */
	uint32_t	task;			/* for the interpreter only */
	uint32_t	unused;
	POINTER(struct SampledRow) sampled;
	uint64_t	sample_chunk;	/* rows of a chunk, a multiple of 32 */
	uint64_t	sample_stride;	/* from one chunk to the next */
	POINTER(uint32_t) exponents;	/* `exponents`: one for each float sum */
	POINTER(const uint8_t) answers[ARGS_MAX_ANSWERS];	/* to each condition on texts: of
														 * NULL, then of codes */
	POINTER(uint8_t) row_answers;	/* TASK_ANSWERS: to the filter, of the batch's rows */
	int32_t		units[ARGS_MAX_SUMS];	/* of float sums */
} AggregateArgs;

/*
 * Strategy `scatter`: rows [from, to) of a partition, or, between two passes, of some
 * partitions that follow each other.
 */
typedef struct ScatterUnit
{
	uint32_t	partition;		/* the first one */
	uint32_t	from;
	uint32_t	to;
	uint32_t	alone;			/* all rows of these partitions are in the unit */
} ScatterUnit;

/* Units that are made, and how many of them blocks have taken. */
typedef struct ScatterUnits
{
	uint32_t	made;
	uint32_t	taken;
} ScatterUnits;

/*
 * Threads of a block.  A multiprocessor has one block of `scatter_move` and of
 * `scatter_aggregate`, which take most of its shared memory: of smaller tiles and tables
 * rows would take more and shorter parts.  It has two of `scatter_count`.
 */
#define SCATTER_THREADS 1024
#define SCATTER_COUNT_BLOCKS 2

/* Rows that a thread of `scatter_move` has of a tile, at most. */
#define SCATTER_MOST_ROWS 16

/*
 * Bins of one pass at most, and partitions of both.  Two passes of 50 bins took 11 ms for
 * 400 million rows of 12 bytes, one of 2,400 took 14, one of 245 7 (on an H200; with tiles
 * of 8,192 rows).
 */
#define SCATTER_MAX_BINS 1024
#define SCATTER_MAX_PARTITIONS (SCATTER_MAX_BINS * SCATTER_MAX_BINS)

/* Partitions that scatter_count has room for, with 96 KB of shared memory. */
#define SCATTER_MAX_COUNTED 24576

/*
 * Each partition's first row has a number that is a multiple of that: tiles are copied by 16
 * bytes.
 */
#define SCATTER_ALIGN 16

/*
 * Parameters of the kernels of strategy `scatter`.  rows.batch: the rows to read.
 *
 * A pass takes rows to bins: the first one to bins of 2^bin_shift partitions, of the whole
 * batch; the second one to partitions (bin_shift is 0), of units of one of these bins each.
 * counts, starts and cursors are those of all of a pass's bins.
 */
typedef struct ScatterArgs
{
	AggregateArgs rows;
	POINTER(uint8_t) to;		/* scatter_move: columns, of to_capacity rows each */
	uint64_t	to_capacity;
	POINTER(uint32_t) counts;	/* for each bin its rows, */
	POINTER(uint32_t) starts;	/* its first row, */
	POINTER(uint32_t) cursors;	/* and the next free one */
	POINTER(const uint32_t) parts;	/* scatter_bins: rows of each partition */
	POINTER(const uint32_t) ranges; /* scatter_starts: where bins of each unit of the
									 * first pass begin; 0: there are no units */
	POINTER(ScatterUnit) units; /* 0: of the whole batch */
	POINTER(ScatterUnits) counters;
	uint32_t	npartitions;
	uint32_t	shift;			/* direct: 2^shift slots of the group table are a
								 * partition's; else so many bits that a slot's number
								 * has not */
	uint32_t	nbins;			/* of a unit; scatter_units: of all */
	uint32_t	bin_shift;
	uint32_t	unit_rows;		/* scatter_units: at most */
	uint32_t	nranges;		/* scatter_starts: units of the first pass, or 1 */
} ScatterArgs;

/* One sampled row: its key's hash, and its value if it is one integer. */
typedef struct SampledRow
{
	uint64_t	hash;
	int64_t		value;
	uint16_t	passes;			/* the filter */
	uint16_t	conditions;		/* which of its conditions are true: KernelLayout.candidates */
	uint32_t	isnull;
} SampledRow;

/* Parameters of `table_init`, `table_move`, `table_normalize` and `values_move`. */
typedef struct TableArgs
{
	DeviceTable	table;
	DeviceTable	old;			/* table_move, values_move: moved from here */
	uint32_t	old_direct;		/* table_move: is it addressed directly? */
	uint32_t	unused;
	POINTER(uint32_t) moved;	/* table_move: by old slots, the groups' new ones; 0: not wanted */
} TableArgs;

/* Parameters of `table_merge`. */
typedef struct MergeArgs
{
	AggregateArgs rows;			/* the run's table, and counters */
	DeviceTable from;			/* a copy of another device's table */
	uint32_t	from_direct;	/* is it addressed directly? */
	uint32_t	unused;
} MergeArgs;

/* Lists of values that a Program can have. */
#define ARGS_MAX_LISTS 8

/* Pairs of a group's slot and a value in its order (order_statistic.h). */
typedef struct DeviceList
{
	POINTER(uint32_t) slots;
	POINTER(uint64_t) values;
	uint64_t	room;			/* pairs */
} DeviceList;

/* Parameters of `list_values`. */
typedef struct ListArgs
{
	AggregateArgs rows;
	POINTER(uint64_t) tops;		/* of each list: pairs that are there */
	DeviceList	lists[ARGS_MAX_LISTS];
} ListArgs;

/* No entry. */
#define FIRST_NONE UINT32_MAX

/* The first rows of groups (first_rows.cuh). */
typedef struct DeviceFirstRows
{
	POINTER(uint32_t) refs;		/* by slots: the entries in their order, by numbers; or
								 * FIRST_NONE */
	POINTER(uint64_t) bounds;	/* by slots: first_bound of the last one */
	POINTER(uint64_t) entries;	/* of first_rows.h */
	POINTER(uint64_t) top;		/* how many entries there are, or more than there is room for */
	uint64_t	room;			/* entries */
} DeviceFirstRows;

/* Parameters of `group_rows_take`, `group_rows_copy` and `group_rows_move`. */
typedef struct FirstRowsArgs
{
	AggregateArgs rows;			/* group_rows_take */
	DeviceFirstRows first;
	DeviceFirstRows old;		/* group_rows_copy, group_rows_move: from here */
	POINTER(const uint32_t) moved;	/* group_rows_move: TableArgs.moved */
	uint64_t	capacity;		/* slots of the table, or of the old one */
} FirstRowsArgs;

/* What a pass of the sort tells apart, and what a block of it takes at a time. */
#define SORT_BINS 256
#define SORT_THREADS 512
#define SORT_ITEMS 8			/* a thread */
#define SORT_TILE (SORT_THREADS * SORT_ITEMS)

/* An array that is sorted, from one place to another: words of 8 bytes, or of 4. */
typedef struct SortArray
{
	POINTER(const void) from;
	POINTER(void) to;
	uint32_t	wide;			/* 8 bytes */
	uint32_t	unused;
} SortArray;

/* Parameters of `sort_count`, `sort_starts` and `sort_move`. */
typedef struct SortArgs
{
	SortArray	key;			/* a byte of its words tells where they go */
	SortArray	other;			/* goes with the key; from 0: nothing does */
	POINTER(uint32_t) starts;	/* by byte, then by block: counts; then places among those
								 * with the byte */
	POINTER(uint32_t) totals;	/* by byte */
	uint64_t	n;				/* words, less than 2^32 */
	uint64_t	part;			/* of each block: a multiple of SORT_TILE */
	uint32_t	parts;			/* blocks */
	uint32_t	shift;			/* of the byte */
} SortArgs;

/*
 * Parameters of `sort_pack` and `sort_unpack`: a pair as one word, which has the slot above
 * the value's lowest bits, so many, of what the value is more than the least one, shifted.
 */
typedef struct SortPackArgs
{
	DeviceList	list;
	POINTER(void) words;
	uint64_t	n;
	uint64_t	least;
	uint32_t	shift;			/* lowest bits that are the same in all values */
	uint32_t	bits;			/* of a value; with the slot's, at most 64 */
	uint32_t	wide;			/* words of 8 bytes, not 4 */
	uint32_t	unused;
} SortPackArgs;

/* What list_range tells of the values, all by maxima from 0 on. */
enum
{
	LIST_ANY,					/* bits that are set in any */
	LIST_NOT_ALL,				/* bits that are not set in all */
	LIST_NOT_LEAST,				/* the least one, inverted */
	LIST_MOST,					/* the greatest one */
	LIST_RANGE_WORDS
};

/* Words by slots, in the group table or in what has been read from lists of values. */
typedef struct WordPlace
{
	uint64_t	first;			/* the first slot's: words behind the beginning */
	uint32_t	stride;			/* words from one slot's to the next one's */
	uint32_t	is_statistic;	/* in what has been read, not in slots */
} WordPlace;

/* Parameters of the kernels of statistics.cuh and distinct.cuh. */
typedef struct StatisticArgs
{
	DeviceList	list;
	DeviceList	to;				/* list_copy */
	POINTER(const uint64_t) top;	/* list_copy, list_move: how many pairs there are */
	POINTER(uint64_t) bits;		/* list_range: LIST_RANGE_WORDS words */
	POINTER(const uint32_t) moved;	/* list_move: TableArgs.moved */
	POINTER(uint32_t) starts;	/* by slots */
	POINTER(uint32_t) ends;
	POINTER(uint64_t) modes;	/* by slots: the longest run, 0: none */
	POINTER(uint64_t) results;	/* by slots: words of what is read, so many: */
	POINTER(uint32_t) errors;	/* ERROR_INEXACT: a result is ambiguous */
	uint64_t	n;				/* pairs */
	POINTER(const uint64_t) slots;	/* of the group table, if fractions differ by groups; else 0 */
	WordPlace	fractions;		/* likewise: the words of MAX_FLOAT that have them */
	double		fraction;		/* of a percentile, if it is the same for all groups */
	uint32_t	nwords;
	uint32_t	word;			/* of these: the result's first */
	uint32_t	capacity;		/* slots */
	uint8_t		is_float;
	uint8_t		continuous;		/* percentile_cont */
	uint8_t		descending;
	uint8_t		kind;			/* AccKind: read_distinct */
} StatisticArgs;

/* Columns of texts whose codes can be keys, at most. */
#define ARGS_MAX_CODED 8

/* Texts by their codes: entries, and the bytes that these are places in. */
typedef struct DeviceTexts
{
	POINTER(const TextRef) entries;
	POINTER(const uint8_t) bytes;
} DeviceTexts;

/* The bits of a word that one pass tells apart at most, and the threads that do. */
#define TOP_BITS 11
#define TOP_BINS (1 << TOP_BITS)
#define TOP_THREADS 256

/* Where a column of an order is found. */
#define TOP_STATE 0				/* in words of the state */
#define TOP_KEY_INT 1			/* in bits of a word of the key, */
#define TOP_KEY_FLOAT 2
#define TOP_KEY_WORDS 3			/* in words of its own, */
#define TOP_KEY_BYTES 4			/* the first of which has a value's first bytes, */
#define TOP_KEY_TEXT 5			/* in the arena, at a place and length */
#define TOP_KEY_SLOT 6			/* in the slot's number */

/* When it is NULL. */
#define TOP_NEVER_NULL 0
#define TOP_NULL_COUNT 1		/* if a word is 0 */
#define TOP_NULL_BIT 2			/* if a bit of it is set */
#define TOP_NULL_SLOT 3			/* in slot 0 */

/* A column of the order of groups, or one that a condition is about. */
typedef struct TopValue
{
	WordPlace	words[3];		/* what top_word is made of */
	WordPlace	nulls;
	DeviceTexts texts;			/* that the key is a code of, if there are any */
	uint64_t	slack;			/* of top_last_word */
	uint32_t	order;			/* TOP_* of top_order.h */
	uint32_t	nwords;
	int32_t		unit;			/* of a float sum */
	uint8_t		source;
	uint8_t		null_source;
	uint8_t		null_shift;		/* the bit of a NULL */
	uint8_t		shift;			/* a key's lowest bit */
	uint8_t		bits;			/* how many it has */
	uint8_t		unused[7];
	uint64_t	least;			/* of a condition: where its word is */
	uint64_t	most;
} TopValue;

/* The last words of groups that leave, as far as passes have found them. */
typedef struct TopSelection
{
	uint64_t	last[4];		/* the upper bits of the column's that passes look at */
	uint32_t	before;			/* groups whose upper bits are less */
	uint32_t	leaving;		/* groups whose upper bits are not greater */
	uint32_t	groups;			/* all */
	uint32_t	passing;		/* that fulfil the conditions */
	uint32_t	listed;			/* slots in the list */
	uint32_t	complete;		/* no more bits are needed */
	uint32_t	ties;			/* groups with the last words that top_list has met */
	uint32_t	unused;
} TopSelection;

/*
 * Parameters of `top_pass`, `top_count`, `top_choose` and `top_list`.  A slot has a group unless its
 * word at `key` is `empty`.
 */
typedef struct TopArgs
{
	POINTER(const uint64_t) slots;
	POINTER(const uint64_t) statistics; /* by slots: StatisticArgs.results; 0: there are none */
	POINTER(const uint8_t) arena;	/* of texts */
	POINTER(TopSelection) selection;
	POINTER(uint32_t) bins;		/* groups with the same upper bits, by the next ones */
	POINTER(uint32_t) list;		/* of slots */
	uint64_t	empty;
	WordPlace	key;
	TopValue	columns[4];
	TopValue	conditions[4];
	int64_t		direct_min;		/* of keys that are slots' numbers */
	uint32_t	nconditions;
	uint32_t	ncolumns;		/* 0: all that fulfil the conditions are listed */
	uint32_t	column;			/* of this pass */
	uint32_t	capacity;		/* slots of the table */
	uint32_t	wanted;			/* groups, at least */
	uint32_t	room;			/* slots in the list */
	uint32_t	ties;			/* so many groups with the last words are listed */
	uint32_t	shift;			/* of the bits of this pass, */
	uint32_t	bits;			/* and how many there are */
	uint32_t	unused;
} TopArgs;

/*
 * Parameters of `emit`: the groups of slots [from, to) to the output, which
 * has room for `capacity` groups; its vectors stand behind one another.
 */
typedef struct EmitArgs
{
	DeviceTable	table;
	POINTER(const uint32_t) list;	/* from and to are places in it; 0: of all slots */
	POINTER(uint8_t) output;
	POINTER(uint8_t) text;		/* bytes of text keys and of extremes' texts */
	POINTER(Counters) counters;
	uint64_t	text_size;
	uint64_t	capacity;
	uint32_t	from;
	uint32_t	to;
	uint32_t	negative_zero;	/* the float key 0 is -0 */
	uint32_t	unused;
	uint64_t	unread_keys;	/* EngineHints.unread_keys */
	POINTER(const uint64_t) statistics; /* by slots: StatisticArgs.results; 0: there are none */
	DeviceFirstRows first;		/* refs is 0: there are none */
	DeviceTexts coded[ARGS_MAX_CODED];	/* what keys that are codes stand for */
} EmitArgs;

/* One attribute as `deform` sees it. */
typedef struct DeformAttr
{
	int16_t		len;			/* as in Attribute */
	int16_t		column;			/* the first one made of it, or -1 */
	uint32_t	align;
} DeformAttr;

/* One column that `deform` makes. */
typedef struct DeviceColumn
{
	uint32_t	values;			/* its place: bytes a row before it */
	uint32_t	nulls;			/* likewise; 0: never NULL */
	uint32_t	width;			/* bytes a value */
	int16_t		missing;		/* parameter for tuples that are too short, or -1: NULL */
	int16_t		next;			/* another column of the same attribute, or -1 */
	uint8_t		is_text;
	uint8_t		presence;		/* as in Column */
	uint8_t		numeric;		/* as in Column, of this scale */
	uint8_t		scale;
} DeviceColumn;

/* A page whose rows are not kept. */
#define KEPT_NONE UINT32_MAX

/* One page of a batch: its first row, and its visible line pointers. */
typedef struct DevicePage
{
	uint32_t	row;
	uint32_t	block;			/* for messages */
	uint16_t	nlines;			/* visible ones: rows */
	uint8_t		all;			/* they are 1 .. nlines */
	uint8_t		filtered;		/* it has come by `gather_tuples` */
	uint32_t	lines;			/* else: their place in the batch's list */
	uint32_t	table;			/* PageRef.table */
	uint32_t	kept;			/* its first row among those kept, or KEPT_NONE */
} DevicePage;

/*
 * Parameters of `gather`.  sources: for each page where kernels read it, aligned to
 * 16 bytes, or 0: not now.
 */
typedef struct GatherArgs
{
	POINTER(uint8_t) to;		/* the first page's place in the batch's bytes */
	POINTER(const uint64_t) sources;
	uint32_t	npages;
	uint32_t	unused;
} GatherArgs;

#define GATHER_THREADS 256		/* a block */

/* Values of an attribute that refuse a row: FilterCondition. */
typedef struct GatherCondition
{
	int64_t		least;
	int64_t		most;
	uint16_t	place;			/* in the data of tuples that have all attributes before it */
	uint8_t		att;			/* from 0 */
	uint8_t		width;			/* bytes */
	uint8_t		inside;
	uint8_t		refuses_nulls;
	uint8_t		unused[2];
} GatherCondition;

#define GATHER_CONDITIONS 4

/* Attributes whose bits of a tuple's bitmap `gather_tuples` knows. */
#define GATHER_ATTRIBUTES 64

/* Parameters of `gather_tuples`.  info: of the same pages. */
typedef struct GatherTuplesArgs
{
	GatherArgs	pages;
	POINTER(const DevicePage) info;
	POINTER(const uint16_t) lines;	/* of the whole batch */
	uint32_t	nconditions;	/* one at least */
	uint32_t	unused;
	GatherCondition conditions[GATHER_CONDITIONS];
} GatherTuplesArgs;

/*
 * In the copy of a page that `gather_tuples` makes, the line pointer of a tuple that it has
 * not copied.
 */
#define LINE_REFUSED UINT32_MAX

/*
 * What a column's numbers are, of rows that are not NULL; zeros at first.  Numbers have the
 * sign bit turned, so that unsigned ones have the order of signed ones.
 */
typedef struct ColumnRange
{
	uint64_t	least;			/* all bits turned */
	uint64_t	most;
	uint64_t	nulls;
	uint64_t	toasted;		/* is a value compressed or out of line? */
} ColumnRange;

/*
 * Parameters of `deform`.  ranges: of each column, if only pages' rows are made that are kept, to
 * their places there; of these `toasted` is told.
 */
typedef struct DeformArgs
{
	RowBatch	batch;
	POINTER(const uint8_t) pages;	/* in the batch's bytes */
	POINTER(const DevicePage) info;
	POINTER(const uint16_t) lines;
	POINTER(const DeformAttr) attrs;
	POINTER(const DeviceColumn) columns;
	POINTER(const DeviceConstant) constants;
	POINTER(Counters) counters;
	POINTER(ColumnRange) ranges;
	uint32_t	npages;
	uint32_t	nattrs;			/* up to the last one needed */

	uint32_t	ncolumns;
	int32_t		place_column;	/* that of rows' places, or -1 */

	/* A row whose tuple was not gathered: zeros, but for this column. */
	uint32_t	refused_column;
	uint32_t	unused;
	int64_t		refused;
} DeformArgs;

/* Rows of a segment that are masked: marks from `first` on. */
typedef struct MaskRange
{
	uint64_t	first;
	uint32_t	nrows;
	uint32_t	unused;
} MaskRange;

/* Parameters of `mask_rows`. */
typedef struct MaskArgs
{
	POINTER(uint8_t) masks;		/* a byte a row */
	POINTER(const MaskRange) ranges;
	uint64_t	nranges;
} MaskArgs;

/* Where a column stands in a chunk, and how: KeptPlace. */
typedef struct PackedColumn
{
	uint64_t	values;
	uint64_t	nulls;
	uint64_t	base;
	uint8_t		width;
	uint8_t		null_width;
	uint8_t		plain;			/* values stand there as they are */
	uint8_t		unused[5];
} PackedColumn;

/* Rows that a warp takes at a time. */
#define PACK_ROWS 256

/* Parameters of `column_ranges` and `pack`. */
typedef struct PackArgs
{
	POINTER(const uint8_t) plain;	/* as RowBatch.columns, of so many rows: */
	uint64_t	capacity;		/* a multiple of PACK_ROWS */
	uint64_t	nrows;			/* that are there */
	POINTER(const DeviceColumn) columns;
	POINTER(ColumnRange) ranges;
	POINTER(const PackedColumn) packed;
	POINTER(uint8_t) to;		/* the chunk */
	uint32_t	ncolumns;
	uint32_t	unused;
} PackArgs;

/* A column's place in columns that stand behind one another, as DeviceColumn has it. */
typedef struct UnpackColumn
{
	uint32_t	values;
	uint32_t	nulls;
	uint16_t	width;
	uint16_t	plain;			/* values stand in segments as they are, too */
} UnpackColumn;

#define UNPACK_MAX_COLUMNS 32
#define UNPACK_THREADS 256
#define UNPACK_ROWS 2048		/* of a segment, that a block takes at a time */

/* Parameters of `unpack`. */
typedef struct UnpackArgs
{
	RowBatch	batch;			/* in segments */
	POINTER(uint8_t) to;		/* columns of so many rows: */
	uint64_t	capacity;
	POINTER(Counters) counters;
	uint32_t	ncolumns;
	UnpackColumn columns[UNPACK_MAX_COLUMNS];
	uint32_t	unused;
} UnpackArgs;

/* What belongs to a dictionary and changes while it fills. */
typedef struct DictionaryCounters
{
	uint64_t	bytes;			/* of texts */
	uint32_t	entries;
	uint32_t	lost;			/* texts that found no room: none of them may be used */
} DictionaryCounters;

/* A dictionary: see dictionary.cuh. */
typedef struct DeviceDictionary
{
	POINTER(DictionaryCounters) counters;
	POINTER(uint64_t) slots;
	POINTER(TextRef) entries;	/* places in its bytes */
	POINTER(uint8_t) bytes;
	uint64_t	bytes_room;
	uint32_t	nslots;			/* a power of 2 */
	uint32_t	entries_room;
} DeviceDictionary;

/*
 * Parameters of `dictionary_find`, `dictionary_add`, `dictionary_codes` and
 * `dictionary_row_codes`.
 */
typedef struct DictionaryArgs
{
	DeviceDictionary dictionary;
	POINTER(TextRef) texts;		/* of rows; the codes come in their places */
	POINTER(const uint8_t) from;	/* what these are places in */
	POINTER(const uint8_t) nulls;	/* a byte a row, or 0 */
	POINTER(uint32_t) found;	/* rows' slots, from one launch to the next */
	POINTER(Counters) counters; /* dictionary_row_codes: of the rows' buffer */
	uint64_t	nrows;			/* less than 2^31 */
} DictionaryArgs;

/* Parameters of `dictionary_move`. */
typedef struct DictionaryMoveArgs
{
	DeviceDictionary from;
	DeviceDictionary to;
} DictionaryMoveArgs;

/* Parameters of `dictionary_copy`. */
typedef struct DictionaryCopyArgs
{
	POINTER(const TextRef) entries;
	POINTER(const uint8_t) bytes;
	POINTER(TextRef) to_entries;
	POINTER(uint8_t) to_bytes;
	uint64_t	nentries;
	uint64_t	nbytes;
	uint32_t	start;			/* the bytes' new place */
	uint32_t	unused;
} DictionaryCopyArgs;

#endif							/* GPUAGG_ARGS_CUH */
