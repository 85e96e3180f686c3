/*
 * test_lookup.c
 *	  Look-ups in engines: the groups of a join's rows, which are joined plainly here.
 *
 * A Program with look-ups over facts has the groups that one without has over columns of joined
 * rows.
 */
#include <stdio.h>

#include "engine/cpu/lookup.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/cuda/strategy/prefilter.h"
#include "engine_data.h"
#include "lookup_tables.h"
#include "oracle.h"
#include "program/check.h"
#include "random.h"
#include "strategies.h"
#include "tap.h"

#define NFACTS 2003
#define MAX_KEYS 400000
#define MAX_TEXT 40

extern const EngineOps cpu_engine;

static const EngineOps *device_engine;

/* What facts have as the key. */
typedef enum KeyKind
{
	KEY_INT8,
	KEY_INT4,
	KEY_PAIR,
	KEY_TEXT
} KeyKind;

/* Which rows pass. */
typedef enum JoinKind
{
	JOIN_INNER,
	JOIN_ANTI,
	JOIN_OUTER
} JoinKind;

/* Values of the other relation's rows, which the Program groups or aggregates. */
typedef enum ValueSet
{
	VALUES_NUMBERS,
	VALUES_OTHERS
} ValueSet;

#define MAX_VALUES 8

typedef struct RowValue
{
	ValueType	type;
	OpCode		op;
	AccKind		acc;			/* ACC_KINDS: it is a key */
} RowValue;

static const RowValue numbers[] = {
	{VT_BOOL, OP_row_bool, ACC_BIT_OR}, {VT_CHAR, OP_row_char, ACC_KINDS},
	{VT_INT2, OP_row_int2, ACC_SUM_INT}, {VT_INT4, OP_row_int4, ACC_MIN_INT},
	{VT_INT8, OP_row_int8, ACC_SUM_INT128}, {VT_FLOAT4, OP_row_float4, ACC_MAX_FLOAT},
	{VT_FLOAT8, OP_row_float8, ACC_SUM_FLOAT}
};

static const RowValue others[] = {
	{VT_UUID, OP_row_uuid, ACC_KINDS}, {VT_MACADDR, OP_row_macaddr, ACC_KINDS},
	{VT_WIDE, OP_row_wide, ACC_MAX_WIDE}, {VT_INTERVAL, OP_row_interval, ACC_MIN_INTERVAL},
	{VT_TEXT, OP_row_text, ACC_MIN_TEXT}, {VT_TEXT, OP_row_text, ACC_KINDS}
};

typedef struct Shape
{
	KeyKind		key;
	JoinKind	join;
	ValueSet	values;
} Shape;

static const RowValue *
values_of(const Shape *shape, int *n)
{
	*n = shape->values == VALUES_NUMBERS ? (int) (sizeof(numbers) / sizeof(numbers[0])) :
		(int) (sizeof(others) / sizeof(others[0]));
	return shape->values == VALUES_NUMBERS ? numbers : others;
}

/* The other relation: keys, each of a row, and the rows' values. */
typedef struct Dimension
{
	const char *name;
	LookupForm	form;
	uint32_t	nkeys;
	uint32_t	nrows;
	int64_t		least;			/* keys are this and more, so far apart at most */
	uint32_t	apart;			/* 0: the last one is the greatest number */
	uint32_t	code_width;
	bool		all_present;	/* all rows have all values */
} Dimension;

static struct
{
	int64_t		keys[MAX_KEYS];
	char		key_text[MAX_KEYS][MAX_TEXT];
	Bytes		key_texts[MAX_KEYS];
	uint32_t	row_of[MAX_KEYS];
	uint32_t	codes[MAX_KEYS];	/* of rows */
	uint8_t		present[MAX_VALUES][MAX_KEYS];
	Wide		values[MAX_VALUES][MAX_KEYS];	/* each in the lowest bytes */
	char		row_text[MAX_KEYS][MAX_TEXT];
	Bytes		row_texts[MAX_KEYS];
} made;

/* What a float that is summed is where there is none: sums of nothing differ in their sign. */
#define NO_FLOAT 2.5

/* A row's value in the lowest bytes; some repeat. */
static Wide
make_value(ValueType type, uint32_t row)
{
	Wide		value = {{0, 0}};
	float		single = (float) (row % 91) / 4 + 1;
	double		number = (double) (row % 1009) / 8 - 20;
	TimeSpan	span = {(int64_t) row * 999983, (int32_t) row % 5000, (int32_t) row % 300};

	switch (type)
	{
		case VT_BOOL:
			value.w[0] = row % 3 == 0;
			break;
		case VT_CHAR:
			value.w[0] = row % 5;
			break;
		case VT_FLOAT4:
			memcpy(&value, &single, sizeof(single));
			break;
		case VT_FLOAT8:
			memcpy(&value, &number, sizeof(number));
			break;
		case VT_INTERVAL:
			memcpy(&value, &span, sizeof(span));
			break;
		case VT_MACADDR:
			value.w[0] = row % 177;
			break;
		case VT_UUID:
		case VT_WIDE:
			value.w[1] = row % 77;
			value.w[0] = row % 177 * UINT64_C(0x9e3779b97f4a7c15);
			break;
		default:
			value.w[0] = row * UINT64_C(0x9e3779b97f4a7c15) >> 7;
			break;
	}
	return value;
}

static Bytes
make_text(char *to, const char *format, uint32_t number)
{
	return (Bytes) {to, (uint32_t) snprintf(to, MAX_TEXT, format, (int) (number % 30), number)};
}

static void
make_dimension(const Dimension *dimension, const Shape *shape)
{
	int			nvalues;
	const RowValue *values = values_of(shape, &nvalues);
	uint64_t	key = (uint64_t) dimension->least;

	for (uint32_t i = 0; i < dimension->nkeys; i++)
	{
		made.keys[i] = (int64_t) key;
		/* one of them is empty, another one is long */
		made.key_texts[i] = make_text(made.key_text[i], "%*u", i * 7);
		if (i == 1)
			made.key_texts[i].len = 0;
		made.row_of[i] = i * UINT32_C(7919) % dimension->nrows;
		key += 1 + (i % 3 == 0 && dimension->apart > 0 ? random_u64() % dimension->apart : 0);
		if (dimension->apart == 0)
			key = INT64_MAX;
	}
	for (uint32_t row = 0; row < dimension->nrows; row++)
	{
		made.codes[row] = dimension->all_present ? row % 40 + 1 : row % 41;
		made.row_texts[row] = make_text(made.row_text[row], "%*u", row % 113);
		for (int i = 0; i < nvalues; i++)
		{
			made.values[i][row] = make_value(values[i].type, row);
			made.present[i][row] = dimension->all_present || (row + (uint32_t) i) % 5 != 0;
		}
	}
}

/*----------
 * Programs
 *----------
 */

/* Parameters in their order: the look-up, 0, codes; then for each value its table, and NULL. */
enum
{
	PARAM_LOOKUP, PARAM_ZERO, PARAM_CODES, PARAM_VALUES
};

/* Columns of facts. */
enum
{
	FACT_KEY, FACT_KEY2, FACT_MEASURE, FACT_COLUMNS
};

/* Columns of joined rows. */
enum
{
	JOINED_FOUND, JOINED_CODE, JOINED_MEASURE, JOINED_VALUES
};

static ValueType
key_type(KeyKind kind)
{
	return kind == KEY_TEXT ? VT_TEXT : kind == KEY_INT8 ? VT_INT8 : VT_INT4;
}

/* Registers of a Program over joined rows, or over facts. */
typedef struct JoinRegisters
{
	int			pass;			/* -1: all rows do */
	int			code;
	int			measure;
	int			values[MAX_VALUES];
} JoinRegisters;

static JoinRegisters
joined_registers(ProgramBuilder *b, const Shape *shape)
{
	JoinRegisters regs = {.pass = -1};
	int			nvalues;
	const RowValue *values = values_of(shape, &nvalues);
	int			found = program_add_column(b, JOINED_FOUND + 1, VT_BOOL, true, -1);

	if (shape->join == JOIN_INNER)
		regs.pass = found;
	else if (shape->join == JOIN_ANTI)
		regs.pass = program_add_op(b, OP_bool_not, found, -1);
	regs.code = program_add_column(b, JOINED_CODE + 1, VT_INT4, true, -1);
	regs.measure = program_add_column(b, JOINED_MEASURE + 1, VT_INT4, false, -1);
	for (int i = 0; i < nvalues; i++)
		regs.values[i] = program_add_column(b, JOINED_VALUES + i + 1, values[i].type, true, -1);
	return regs;
}

/* The number of the row that a fact finds. */
static int
lookup_register(ProgramBuilder *b, const Shape *shape)
{
	int			key = program_add_column(b, FACT_KEY + 1, key_type(shape->key), true, -1);
	int			key2 = program_add_column(b, FACT_KEY2 + 1, VT_INT4, true, -1);
	int			table = program_add_table_ref(b, program_add_param(b, VT_TEXT));

	if (shape->key == KEY_TEXT)
		return program_add_op(b, OP_text_lookup, key, table);
	if (shape->key == KEY_INT4)
		key = program_add_op(b, OP_int4_to_int8, key, -1);
	else if (shape->key == KEY_PAIR)
		key = program_add_op(b, OP_key_pair, key, key2);
	return program_add_op(b, OP_int8_lookup, key, table);
}

/* No parameter is of 128 bits. */
static ValueType
null_type(ValueType type)
{
	return type == VT_WIDE ? VT_INT8 : type;
}

/* A row's value, or NULL if it has none. */
static int
value_register(ProgramBuilder *b, const RowValue *value, int row)
{
	int			param = program_add_param(b, VT_TEXT);
	int			null = program_add_param_ref(b, program_add_param(b, null_type(value->type)));
	int			table = value->type == VT_TEXT ? program_add_param_ref(b, param) :
		program_add_table_ref(b, param);

	if (value->type == VT_WIDE)
		null = program_add_op(b, OP_wide_of_int8, null, -1);
	return program_add_select(b, program_add_op(b, OP_row_has, row, table),
							  program_add_op(b, value->op, row, table), null);
}

static JoinRegisters
lookup_registers(ProgramBuilder *b, const Shape *shape)
{
	JoinRegisters regs = {.pass = -1};
	int			nvalues;
	const RowValue *values = values_of(shape, &nvalues);
	int			row = lookup_register(b, shape);
	int			zero = program_add_param_ref(b, program_add_param(b, VT_INT4));

	regs.measure = program_add_column(b, FACT_MEASURE + 1, VT_INT4, false, -1);
	if (shape->join != JOIN_OUTER)
		regs.pass = program_add_op(b, shape->join == JOIN_INNER ? OP_int4_ge : OP_int4_lt, row,
								   zero);
	regs.code = program_add_op(b, OP_row_code, row,
							   program_add_table_ref(b, program_add_param(b, VT_TEXT)));
	for (int i = 0; i < nvalues; i++)
		regs.values[i] = value_register(b, &values[i], row);
	return regs;
}

/* Groups by codes, and by values that are keys. */
static Program *
join_program(const Shape *shape, bool lookups)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	int			nvalues;
	const RowValue *values = values_of(shape, &nvalues);
	JoinRegisters regs;
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	regs = lookups ? lookup_registers(b, shape) : joined_registers(b, shape);
	if (regs.pass >= 0)
		program_set_filter(b, regs.pass);
	program_add_key(b, regs.code);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_INT, regs.measure, -1);
	for (int i = 0; i < nvalues; i++)
		if (values[i].acc == ACC_KINDS)
			program_add_key(b, regs.values[i]);
		else
			program_add_acc(b, values[i].acc, regs.values[i], -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* The lowest bytes of all rows' values, behind one another. */
static void *
packed_values(int value, uint32_t size, uint32_t nrows)
{
	char	   *packed = table_memory((size_t) nrows * size + 1);

	for (uint32_t row = 0; row < nrows; row++)
		memcpy(packed + (size_t) row * size, &made.values[value][row], size);
	return packed;
}

static Bytes
codes_table(const Dimension *dimension)
{
	char	   *packed = table_memory((size_t) dimension->nrows * dimension->code_width + 1);
	Bytes		table;

	for (uint32_t row = 0; row < dimension->nrows; row++)
		memcpy(packed + (size_t) row * dimension->code_width, &made.codes[row],
			   dimension->code_width);
	table = table_of_values(dimension->code_width, packed, NULL, dimension->nrows);
	free(packed);
	return table;
}

static Bytes
values_table(const Dimension *dimension, const RowValue *value, int number)
{
	const uint8_t *present = dimension->all_present ? NULL : made.present[number];
	uint32_t	size = (uint32_t) value_type_size(value->type);
	void	   *packed;
	Bytes		table;

	if (value->type == VT_TEXT)
		return table_of_row_texts(made.row_texts, present, dimension->nrows);
	packed = packed_values(number, size, dimension->nrows);
	table = table_of_values(size, packed, present, dimension->nrows);
	free(packed);
	return table;
}

static int64_t
no_float_bits(void)
{
	double		value = NO_FLOAT;
	int64_t		bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static void
make_params(const Dimension *dimension, const Shape *shape, ParamValue *params)
{
	int			nvalues;
	const RowValue *values = values_of(shape, &nvalues);

	params[PARAM_LOOKUP] = (ParamValue) {.type = VT_TEXT};
	params[PARAM_LOOKUP].bytes = shape->key == KEY_TEXT ?
		table_of_texts(made.key_texts, made.row_of, dimension->nkeys, dimension->nrows) :
		table_of_integers(dimension->form, made.keys, made.row_of, dimension->nkeys,
						  dimension->nrows);
	params[PARAM_ZERO] = (ParamValue) {.type = VT_INT4};
	params[PARAM_CODES] = (ParamValue) {.type = VT_TEXT,.bytes = codes_table(dimension)};
	for (int i = 0; i < nvalues; i++)
	{
		params[PARAM_VALUES + 2 * i] = (ParamValue) {
			.type = VT_TEXT,.bytes = values_table(dimension, &values[i], i)
		};
		params[PARAM_VALUES + 2 * i + 1] = (ParamValue) {
			.type = null_type(values[i].type),.isnull = values[i].type != VT_FLOAT8,
			.word = values[i].type == VT_FLOAT8 ? no_float_bits() : 0
		};
	}
}

static void
free_params(const Program *program, ParamValue *params)
{
	for (int i = 0; i < program->nparams; i++)
		if (params[i].type == VT_TEXT && !params[i].isnull)
			free((void *) params[i].bytes.data);
}

/*----------
 * Rows
 *----------
 */
typedef struct Rows
{
	int64_t		keys[NFACTS];
	int32_t		keys4[NFACTS];
	int32_t		pairs[2][NFACTS];
	char		key_text[NFACTS * MAX_TEXT];
	uint32_t	key_offsets[NFACTS + 1];
	int32_t		measures[NFACTS];
	uint8_t		known[NFACTS / 8 + 1];	/* validity of keys */
	int32_t		found[NFACTS];	/* row, or -1 */

	/* joined */
	uint8_t		passes[NFACTS];
	int32_t		codes[NFACTS];
	char		values[MAX_VALUES][NFACTS * MAX_TEXT];
	uint8_t		validity[MAX_VALUES][NFACTS / 8 + 1];
	uint32_t	row_offsets[MAX_VALUES][NFACTS + 1];
} Rows;

static Rows rows;

static void
set_bit(uint8_t *bits, uint32_t i, bool value)
{
	bits[i / 8] &= (uint8_t) ~(1 << i % 8);
	bits[i / 8] |= (uint8_t) (value << i % 8);
}

/* A key that the relation may lack: near one of its own, or at an end of all numbers. */
static int64_t
strange_key(const Dimension *dimension, bool small)
{
	static const int64_t ends[] = {INT64_MIN, INT64_MAX, 0, -1, INT32_MIN, INT32_MAX,
	INT64_C(1) << 32, INT64_MIN + 1};
	int64_t		end = ends[random_u64() % 8];
	uint32_t	i = dimension->nkeys == 0 ? 0 : (uint32_t) random_u64() % dimension->nkeys;

	if (random_u64() % 3 == 0)
		return small && (end < INT32_MIN || end > INT32_MAX) ? 5 : end;
	if (random_u64() % 3 == 0)
		i = random_u64() % 2 == 0 || dimension->nkeys == 0 ? 0 : dimension->nkeys - 1;
	/* wraps */
	return (int64_t) ((uint64_t) made.keys[i] + random_u64() % 5 - 2);
}

/* The key's row, by a search of all keys in their order; -1: there is none. */
static int32_t
plain_lookup(const Dimension *dimension, int64_t key)
{
	uint32_t	from = 0;
	uint32_t	to = dimension->nkeys;

	while (from < to)
	{
		uint32_t	middle = (from + to) / 2;

		if (made.keys[middle] < key)
			from = middle + 1;
		else
			to = middle;
	}
	return from < dimension->nkeys && made.keys[from] == key ? (int32_t) made.row_of[from] : -1;
}

/* A fact's text, which is the relation's key number `key`, or another text. */
static void
make_key_text(uint32_t i, int32_t key)
{
	char	   *to = rows.key_text + rows.key_offsets[i];
	Bytes		text = {"no such key", 11};

	if (key >= 0)
		text = made.key_texts[key];
	else
		text.len -= random_u64() % 10;
	memcpy(to, text.data, text.len);
	rows.key_offsets[i + 1] = rows.key_offsets[i] + text.len;
}

static void
make_fact(const Dimension *dimension, const Shape *shape, uint32_t i)
{
	bool		has_key = dimension->nkeys > 0 && random_u64() % 2 == 0;
	uint32_t	key = has_key ? (uint32_t) random_u64() % dimension->nkeys : 0;
	bool		known = random_u64() % 11 != 0;

	rows.keys[i] = has_key ? made.keys[key] :
		strange_key(dimension, shape->key == KEY_INT4);
	rows.keys4[i] = (int32_t) rows.keys[i];
	rows.pairs[0][i] = (int32_t) (rows.keys[i] >> 32);
	rows.pairs[1][i] = (int32_t) rows.keys[i];
	rows.measures[i] = (int32_t) (random_u64() % 1000);
	make_key_text(i, has_key ? (int32_t) key : -1);
	set_bit(rows.known, i, known);
	if (!known)
		rows.found[i] = -1;
	else if (shape->key == KEY_TEXT)
		rows.found[i] = has_key ? (int32_t) made.row_of[key] : -1;
	else
		rows.found[i] = plain_lookup(dimension, rows.keys[i]);
}

/* A joined row's text, behind those of the rows before it. */
static void
append_text(int value, uint32_t i, Bytes text)
{
	memcpy(rows.values[value] + rows.row_offsets[value][i], text.data, text.len);
	rows.row_offsets[value][i + 1] = rows.row_offsets[value][i] + text.len;
}

/* What joining the fact makes of it. */
static void
join_fact(const Shape *shape, uint32_t i)
{
	int			nvalues;
	const RowValue *values = values_of(shape, &nvalues);
	int32_t		row = rows.found[i];

	rows.passes[i] = row >= 0;
	rows.codes[i] = row >= 0 ? (int32_t) made.codes[row] - 1 : -1;
	for (int j = 0; j < nvalues; j++)
	{
		size_t		size = (size_t) value_type_size(values[j].type);
		bool		present = row >= 0 && made.present[j][row];

		set_bit(rows.validity[j], i, present || values[j].type == VT_FLOAT8);
		if (values[j].type == VT_TEXT)
			append_text(j, i, present ? made.row_texts[row] : (Bytes) {"", 0});
		else if (present)
			memcpy(rows.values[j] + i * size, &made.values[j][row], size);
		else if (values[j].type == VT_FLOAT8)
			memcpy(rows.values[j] + i * size, &(double) {NO_FLOAT}, size);
	}
}

static void
make_rows(const Dimension *dimension, const Shape *shape)
{
	memset(&rows, 0, sizeof(rows));
	for (uint32_t i = 0; i < NFACTS; i++)
	{
		make_fact(dimension, shape, i);
		join_fact(shape, i);
	}
}

static Groups *
joined_groups(const Shape *shape)
{
	ColumnVector columns[JOINED_VALUES + MAX_VALUES] = {
		{.values = rows.passes,.validity = rows.known},
		{.values = rows.codes,.validity = rows.known}, {.values = rows.measures}
	};
	ColumnBatch batch = {.nrows = NFACTS,.columns = columns};
	Program    *program = join_program(shape, false);
	ParamValue	none;
	Groups	   *groups;

	for (int i = 0; i < MAX_VALUES; i++)
		columns[JOINED_VALUES + i] = (ColumnVector) {
			.values = rows.values[i],.validity = rows.validity[i],.offsets = rows.row_offsets[i]
		};
	groups = oracle_groups(program, &none, &batch);
	free(program);
	return groups;
}

static ColumnBatch
fact_batch(const Shape *shape)
{
	static ColumnVector columns[FACT_COLUMNS];

	columns[FACT_KEY] = (ColumnVector) {.validity = rows.known,.offsets = rows.key_offsets};
	columns[FACT_KEY].values = shape->key == KEY_TEXT ? (const void *) rows.key_text :
		shape->key == KEY_INT8 ? (const void *) rows.keys :
		shape->key == KEY_INT4 ? rows.keys4 : rows.pairs[0];
	columns[FACT_KEY2] = (ColumnVector) {.values = rows.pairs[1]};
	columns[FACT_MEASURE] = (ColumnVector) {.values = rows.measures};
	return (ColumnBatch) {.nrows = NFACTS,.columns = columns};
}

/*----------
 * Runs
 *----------
 */
static const char *const key_names[] = {"int8", "int4", "two int4", "text"};
static const char *const join_names[] = {"inner", "anti", "outer"};

/* The groups of an engine, or with NULL those of the plain functions, by rows. */
static void
check_engine(const EngineOps *engine, const char *strategy, const Program *program,
			 const ParamValue *params, const Shape *shape, const Dimension *dimension,
			 const Groups *expected)
{
	EngineHints hints = {.strategy = strategy};
	ColumnBatch batch = fact_batch(shape);
	Groups	   *got = engine == NULL ? oracle_groups(program, params, &batch) :
		engine_groups_of_batch(engine, program, params, &hints, &batch, 700);

	ok(got->status == ENGINE_OK && groups_same(program, expected, got),
	   "%s: %s key, %s join, %s (ran %s), %zu groups", dimension->name, key_names[shape->key],
	   join_names[shape->join], strategy, got->stats.strategy, got->ngroups);
	groups_free(got);
}

/* A join by several strategies of the device's engine, and by the other engines. */
static void
check_join(const Shape *shape, const Dimension *dimension, const char *const *strategies,
		   size_t nstrategies)
{
	ParamValue	params[PARAM_VALUES + 2 * MAX_VALUES];
	Program    *program = join_program(shape, true);
	Groups	   *expected;
	char		why[256] = "";

	make_dimension(dimension, shape);
	make_rows(dimension, shape);
	make_params(dimension, shape, params);
	expected = joined_groups(shape);
	if (!program_check(program, program->size, params, program->nparams, why, sizeof(why)))
		ok(false, "%s: %s", dimension->name, why);
	check_engine(NULL, "plain functions", program, params, shape, dimension, expected);
	check_engine(&cpu_engine, "cpu", program, params, shape, dimension, expected);
	for (int i = 0; i < 2; i++)
	{
		prefilter_takes_all = i > 0;
		for (size_t j = 0; j < nstrategies; j++)
			check_engine(device_engine, strategies[j], program, params, shape, dimension, expected);
	}
	groups_free(expected);
	free_params(program, params);
	free(program);
}

static const char *const some_strategies[] = {"auto", "interpret"};

#define ALL_STRATEGIES all_strategies, NSTRATEGIES
#define SOME_STRATEGIES some_strategies, sizeof(some_strategies) / sizeof(some_strategies[0])

static const Dimension dimensions[] = {
	{"bits", LOOKUP_BITS, 900, 1, -70, 3, 1, false},
	{"array of bytes", LOOKUP_ARRAY1, 600, 255, 1000000007, 9, 1, false},
	{"array of two bytes", LOOKUP_ARRAY2, 600, 300, INT32_MIN + 1, 4, 2, true},
	{"array of four bytes", LOOKUP_ARRAY4, 600, 600, 0, 50, 4, false},
	{"hash of 4", LOOKUP_HASH4, 600, 300, -100000, 1000, 2, false},
	{"hash of 8", LOOKUP_HASH8, 600, 300, -2000000000, 3000000, 1, true},
	{"one bit", LOOKUP_BITS, 1, 1, 3, 1, 1, false},
	{"array of one", LOOKUP_ARRAY1, 1, 1, 0, 1, 1, true},
	{"hash of 4 of one", LOOKUP_HASH4, 1, 1, -1, 1, 4, false},
	{"hash of 8 of one", LOOKUP_HASH8, 1, 1, 7, 1, 2, false},
	{"no bits", LOOKUP_BITS, 0, 0, 0, 1, 1, true},
	{"empty array", LOOKUP_ARRAY4, 0, 0, 0, 1, 1, false},
	{"empty hash of 4", LOOKUP_HASH4, 0, 0, 0, 1, 1, false},
	{"empty hash of 8", LOOKUP_HASH8, 0, 0, 0, 1, 4, true},
	{"large array", LOOKUP_ARRAY4, 400000, 400000, 1, 8, 4, false},
	{"large hash of 4", LOOKUP_HASH4, 400000, 350000, 1, 100, 4, false},
	{"large hash of 8", LOOKUP_HASH8, 400000, 400000, -5, 1000, 4, true}
};

#define NDIMENSIONS (sizeof(dimensions) / sizeof(dimensions[0]))

/* Keys that only 64 bits hold. */
static const Dimension far_dimensions[] = {
	{"least of all keys", LOOKUP_ARRAY2, 300, 200, INT64_MIN, 5, 1, false},
	{"keys around 2^40, hash of 4", LOOKUP_HASH4, 300, 200, INT64_C(1) << 40, 20000000, 2, true},
	{"keys around 2^40, hash of 8", LOOKUP_HASH8, 300, 200, INT64_C(1) << 40, 200000000, 2, false},
	{"nearly all numbers apart", LOOKUP_HASH8, 2, 2, INT64_MIN, 0, 2, false}
};

static const Dimension text_dimensions[] = {
	{"texts", LOOKUP_TEXTS, 600, 300, 0, 1, 1, false},
	{"one text", LOOKUP_TEXTS, 1, 1, 0, 1, 2, true},
	{"no text", LOOKUP_TEXTS, 0, 0, 0, 1, 4, false},
	{"many texts", LOOKUP_TEXTS, 100000, 90000, 0, 1, 4, false}
};

static int	waits;
static int	wait_ends;			/* the number of the wait that ends the run */

static bool
count_waits(int milliseconds)
{
	return ++waits == wait_ends;
}

/* How a run ends that may have so much memory; *stats: of it. */
static EngineStatus
run_with(uint64_t memory_limit, EngineStats *stats)
{
	ParamValue	params[1];
	Program    *program = data_lookups(params);
	EngineHints hints = {.memory_limit = memory_limit,.strategy = "atomic",.wait = count_waits};
	ColumnBatch batch = {.nrows = 100,.columns = data_vectors};
	Groups	   *groups;
	EngineStatus status;

	data_make(100, 70, false);
	groups = engine_groups_of_batch(device_engine, program, params, &hints, &batch, 100);
	status = groups->status;
	*stats = groups->stats;
	groups_free(groups);
	free((void *) params[0].bytes.data);
	free(program);
	return status;
}

/* How a run opens. */
static EngineStatus
open_only(void)
{
	ParamValue	params[1];
	Program    *program = data_lookups(params);
	EngineHints hints = {.strategy = "atomic",.wait = count_waits};
	char		message[256];
	EngineRun  *run;
	EngineStatus status;

	waits = 0;
	status = device_engine->open(program, params, &hints, &run, message);
	if (run != NULL)
		device_engine->close(run);
	free((void *) params[0].bytes.data);
	free(program);
	return status;
}

/* A table is memory of the run's; others go on between its pieces, and it may be interrupted. */
static void
check_memory(void)
{
	EngineStats stats;
	EngineStatus status = run_with(0, &stats);

	ok(status == ENGINE_OK && stats.memory > (16 << 20),
	   "a run with a table of 16 MB takes %llu bytes", (unsigned long long) stats.memory);
	ok(run_with(12 << 20, &stats) == ENGINE_NO_MEMORY, "a table larger than the limit");
	status = open_only();
	ok(status == ENGINE_OK && waits >= 3, "%d waits while a run begins", waits);
	wait_ends = 2;
	ok(open_only() == ENGINE_FAILED && waits == 2, "an interrupt between pieces of a table");
	wait_ends = 0;
}

/* Look-ups in tables that are not cached cost more, and hash tables more than arrays. */
static void
check_costs(void)
{
	char	   *memory = table_memory(sizeof(LookupHeader));
	LookupHeader *header = (LookupHeader *) memory;
	int			costs[2][3];

	for (int hashed = 0; hashed < 2; hashed++)
		for (int size = 0; size < 3; size++)
		{
			header->form = hashed ? LOOKUP_HASH4 : LOOKUP_ARRAY4;
			costs[hashed][size] = lookup_cost(OP_int8_lookup,
											  (Bytes) {memory, UINT32_C(10000) << (size * 8)});
		}
	for (int hashed = 0; hashed < 2; hashed++)
		ok(costs[hashed][0] < costs[hashed][1] && costs[hashed][1] < costs[hashed][2] &&
		   costs[0][hashed] < costs[1][hashed], "costs of %s: %d, %d, %d",
		   hashed ? "hash tables" : "arrays", costs[hashed][0], costs[hashed][1], costs[hashed][2]);
	free(memory);
}

/* n keys, so far apart. */
static void
check_share(LookupForm form, uint32_t n, uint32_t apart)
{
	static int64_t keys[50000];
	static uint32_t zeros[50000];
	Bytes		table;
	double		share;
	double		expected = n == 0 ? 0 : n == 1 ? 1 : 1.0 / apart;

	for (uint32_t i = 0; i < n; i++)
		keys[i] = 100 + (int64_t) i * apart;
	table = table_of_integers(form, keys, zeros, n, 1);
	share = lookup_share(table);
	ok(share > expected * 0.8 - 1e-9 && share < expected * 1.2 + 1e-9,
	   "form %d, %u keys %u apart: share %g", form, n, apart, share);
	free((void *) table.data);
}

static void
check_shares(void)
{
	for (int form = LOOKUP_BITS; form < LOOKUP_TEXTS; form++)
	{
		check_share((LookupForm) form, 0, 1);
		check_share((LookupForm) form, 1, 1);
		check_share((LookupForm) form, 50000, 1);
		check_share((LookupForm) form, 50000, 3);
		check_share((LookupForm) form, 300, 7);
	}
}

static int
compare_numbers(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

/* Two texts whose hashes agree in their upper halves, as some pair of so many does. */
static bool
find_same_hash(char texts[2][MAX_TEXT])
{
	static uint64_t sorted[MAX_KEYS];	/* upper half, number */

	for (uint32_t i = 0; i < MAX_KEYS; i++)
		sorted[i] = (lookup_text_hash(make_text(texts[0], "%*u", i)) & ~(uint64_t) UINT32_MAX) | i;
	qsort(sorted, MAX_KEYS, sizeof(sorted[0]), compare_numbers);
	for (uint32_t i = 1; i < MAX_KEYS; i++)
		if (sorted[i - 1] >> 32 == sorted[i] >> 32)
		{
			(void) make_text(texts[0], "%*u", (uint32_t) sorted[i - 1]);
			(void) make_text(texts[1], "%*u", (uint32_t) sorted[i]);
			return true;
		}
	return false;
}

/* Of two texts with the same hash a table has the first one, or both. */
static void
check_same_hash(void)
{
	static const uint32_t numbers[2] = {4, 7};
	char		memory[2][MAX_TEXT];
	bool		found = find_same_hash(memory);
	Bytes		texts[2] = {{memory[0], (uint32_t) strlen(memory[0])},
	{memory[1], (uint32_t) strlen(memory[1])}};

	ok(found, "texts with the same hash");
	for (uint32_t n = 1; n <= 2; n++)
	{
		Bytes		table = table_of_texts(texts, numbers, n, 10);
		int32_t		second = n == 2 ? 7 : -1;
		int32_t		rows_found[2];

		lookup_run(OP_text_lookup, 2, texts, table, rows_found);
		ok(text_lookup(texts[0], table) == 4 && text_lookup(texts[1], table) == second &&
		   rows_found[0] == 4 && rows_found[1] == second,
		   "a table with %u of two texts with the same hash", n);
		free((void *) table.data);
	}
}

int
main(void)
{
	static const Shape shapes[] = {
		{KEY_INT4, JOIN_INNER, VALUES_NUMBERS}, {KEY_INT4, JOIN_OUTER, VALUES_OTHERS},
		{KEY_INT4, JOIN_ANTI, VALUES_NUMBERS}
	};
	static const Shape inner8 = {KEY_INT8, JOIN_INNER, VALUES_NUMBERS};
	static const Shape pair = {KEY_PAIR, JOIN_OUTER, VALUES_NUMBERS};
	static const Shape text = {KEY_TEXT, JOIN_OUTER, VALUES_OTHERS};

	device_engine = getenv("GPUAGG_TEST_ENGINE") &&
		strcmp(getenv("GPUAGG_TEST_ENGINE"), "cuda") == 0 ? &cuda_engine : &simt_engine;
	for (size_t i = 0; i < NDIMENSIONS; i++)
		for (int j = 0; j < 3; j++)
			if (in_part())
			{
				if (i < 6 && j == 0)
					check_join(&shapes[j], &dimensions[i], ALL_STRATEGIES);
				else
					check_join(&shapes[j], &dimensions[i], SOME_STRATEGIES);
			}
	for (size_t i = 0; i < sizeof(far_dimensions) / sizeof(far_dimensions[0]); i++)
		if (in_part())
		{
			check_join(&inner8, &far_dimensions[i], SOME_STRATEGIES);
			check_join(&pair, &far_dimensions[i], SOME_STRATEGIES);
		}
	for (size_t i = 0; i < sizeof(text_dimensions) / sizeof(text_dimensions[0]); i++)
		if (in_part())
			check_join(&text, &text_dimensions[i], ALL_STRATEGIES);
	if (in_part())
	{
		check_memory();
		check_costs();
		check_shares();
		check_same_hash();
	}
	return done_testing();
}
