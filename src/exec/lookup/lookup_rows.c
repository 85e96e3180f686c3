/*
 * lookup_rows.c
 *	  The rows of a look-up: its keys, and numbers for its distinct rows of values.
 *
 * A row of values is some words, as few as hold them: of each column the bits of its value, or
 * the number that a text has among those of the column, the largest first, and behind these a
 * bit for each column that has a value.  Equal rows have one number, unless most rows are
 * different.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "exec/lookup/lookup_rows.h"
#include "program/ops_lookup.h"

/*
 * After so many rows, they are not compared any more if three quarters of them were different: it
 * takes longer, and more memory, than it spares.
 */
#define COMPARED_ROWS 65536

/* Rows of a batch are added so many at a time, column by column. */
#define ADDED_AT_ONCE 256

static ValueType
column_type(const LookupInfo *info, const LookupColumn *column)
{
	return lookup_use_is_code(column->use) ? VT_INT4 :
		(ValueType) program_columns(info->program)[column->place].type;
}

/* Bytes of a column's value in a row. */
static int
column_size(const LookupInfo *info, const LookupColumn *column)
{
	ValueType	type = column_type(info, column);

	if (column->use == LOOKUP_PRESENCE)
		return 0;
	return type == VT_TEXT ? (int) sizeof(uint32) : value_type_size(type);
}

/* Words of a row whose columns' values take so many bytes. */
static int
words_of_row(int ncolumns, int bytes)
{
	return (bytes + (ncolumns + 7) / 8 + 7) / 8;
}

static RowColumn
make_column(const LookupInfo *info, const LookupColumn *from, TupleDesc desc)
{
	RowColumn	column = {
		.info = from,.type = column_type(info, from),.size = column_size(info, from)
	};

	if (lookup_use_is_code(from->use))
	{
		Form_pg_attribute attr = TupleDescAttr(desc, from->place - 1);

		column.values = numbering_of_datums(attr->atttypid, attr->attcollation);
	}
	else if (column.type == VT_TEXT && from->use == LOOKUP_VALUE)
		column.values = numbering_of_texts();
	return column;
}

/* Where in a row the columns' values stand: each at a multiple of its size. */
static void
place_columns(LookupRows *rows)
{
	int			ncolumns = rows->info->ncolumns;

	for (int size = 16; size > 0; size /= 2)
		for (int i = 0; i < ncolumns; i++)
			if (rows->columns[i].size == size)
			{
				rows->columns[i].offset = rows->masks;
				rows->masks += size;
			}
	rows->nwords = words_of_row(ncolumns, rows->masks);
}

/* The key's value itself, where it is an integer and the only key. */
static bool
is_the_key(const LookupInfo *info, const LookupColumn *column)
{
	const Column *key = &program_columns(info->program)[info->keys[0].column];

	if (info->nkeys > 1 || key->type == VT_TEXT)
		return false;
	return lookup_use_is_code(column->use) ? column->place == key->attno :
		column->use == LOOKUP_VALUE && column->place == info->keys[0].column;
}

bool
lookup_column_is_unique(const LookupInfo *info, const LookupColumn *column)
{
	return (info->jointype == JOIN_INNER || info->jointype == JOIN_LEFT) &&
		is_the_key(info, column);
}

/* Are no two rows the same, since their only key is one of their values? */
static bool
are_distinct(const LookupInfo *info)
{
	for (int i = 0; i < info->ncolumns; i++)
		if (lookup_column_is_unique(info, &info->columns[i]))
			return true;
	return false;
}

/* Does each of its values get a number of its own? */
static bool
numbers_all(const LookupInfo *info, const LookupColumn *column)
{
	return column->by_row || lookup_column_is_unique(info, column);
}

/* Values that no other row has need no look at those before. */
static void
expect_distinct(LookupRows *rows)
{
	if (are_distinct(rows->info))
		numbering_expect_distinct(rows->rows);
	for (int i = 0; i < rows->info->ncolumns; i++)
		if (rows->columns[i].values != NULL && numbers_all(rows->info, &rows->info->columns[i]))
			numbering_expect_distinct(rows->columns[i].values);
}

static RowKey
make_key(const LookupInfo *info, const LookupKey *key)
{
	RowKey		result = {.info = key};

	result.type = (ValueType) program_columns(info->program)[key->column].type;
	if (key->param >= 0)
		result.numbers = result.type == VT_TEXT ? numbering_of_texts() : numbering_of_words(1);
	if (key->pair_param >= 0)
		result.pairs = numbering_of_words(1);
	return result;
}

LookupRows *
lookup_rows_create(const LookupInfo *info, TupleDesc desc)
{
	LookupRows *rows = palloc0(sizeof(LookupRows));

	rows->info = info;
	rows->columns = palloc(sizeof(RowColumn) * (info->ncolumns + 1));
	for (int i = 0; i < info->ncolumns; i++)
		rows->columns[i] = make_column(info, &info->columns[i], desc);
	place_columns(rows);
	rows->keys = palloc(sizeof(RowKey) * info->nkeys);
	for (int i = 0; i < info->nkeys; i++)
		rows->keys[i] = make_key(info, &info->keys[i]);
	/* without a column there is one row, which has no word */
	rows->rows = numbering_of_words(Max(rows->nwords, 1));
	rows->words = palloc(sizeof(uint64) * ADDED_AT_ONCE * Max(rows->nwords, 1));
	rows->key_texts = numbering_of_texts();
	expect_distinct(rows);
	return rows;
}

static bool
is_present(const ColumnVector *vector, uint32 row)
{
	return vector->validity == NULL || (vector->validity[row / 8] >> (row % 8) & 1);
}

static Bytes
text_at(const ColumnVector *vector, uint32 row)
{
	return (Bytes) {
		(const char *) vector->values + vector->offsets[row],
		vector->offsets[row + 1] - vector->offsets[row]
	};
}

/* An integer, sign-extended, or a word of a value of two. */
static int64
integer_at(const RowKey *key, const ColumnVector *vector, uint32 row)
{
	switch (value_type_size(key->type))
	{
		case 1:
			return ((const int8 *) vector->values)[row];
		case 2:
			return ((const int16 *) vector->values)[row];
		case 4:
			return ((const int32 *) vector->values)[row];
		case 16:
			return ((const int64 *) vector->values)[2 * (Size) row + key->info->word];
		default:
			return ((const int64 *) vector->values)[row];
	}
}

static Bytes
key_text(const RowKey *key, const ColumnVector *vector, uint32 row)
{
	Bytes		text = text_at(vector, row);

	return key->info->trims ? bpchar_trimmed(text) : text;
}

/* The part of a key that a row has, as the word that pairs are made of. */
static int32
key_part(const RowKey *key, const ColumnVector *vector, uint32 row)
{
	uint64		word;

	if (key->numbers == NULL)
		return (int32) integer_at(key, vector, row);
	if (key->type == VT_TEXT)
		return (int32) numbering_add_text(key->numbers, key_text(key, vector, row));
	word = (uint64) integer_at(key, vector, row);
	return (int32) numbering_add_words(key->numbers, &word);
}

/* The key of a row that has several. */
static int64
combined_key(const LookupRows *rows, const ColumnBatch *batch, uint32 row)
{
	int64		key = 0;

	for (int i = 0; i < rows->info->nkeys; i++)
	{
		RowKey	   *part = &rows->keys[i];
		int32		number = key_part(part, &batch->columns[part->info->column], row);

		if (i == 0)
			key = number;
		else if (part->pairs == NULL)
			key = key_pair((int32) key, number);
		else
			key = key_pair((int32) numbering_add_words(part->pairs, (const uint64 *) &key), number);
	}
	return key;
}

/* No key equals NULL. */
static bool
has_keys(const LookupRows *rows, const ColumnBatch *batch, uint32 row)
{
	for (int i = 0; i < rows->info->nkeys; i++)
		if (!is_present(&batch->columns[rows->keys[i].info->column], row))
			return false;
	return true;
}

/* Integers that are the only key, sign-extended. */
#define ADD_INTEGERS(ctype) \
	for (uint32 i = 0; i < n; i++) \
		keys[i] = ((const ctype *) vector->values)[which[i]]

static void
add_integers(LookupRows *rows, const ColumnVector *vector, const uint32 *which, uint32 n)
{
	int64	   *keys = array_extend(&rows->integers, n * sizeof(int64));

	switch (value_type_size(rows->keys[0].type))
	{
		case 1:
			ADD_INTEGERS(int8);
			break;
		case 2:
			ADD_INTEGERS(int16);
			break;
		case 4:
			ADD_INTEGERS(int32);
			break;
		default:
			ADD_INTEGERS(int64);
			break;
	}
}

/* The keys of n rows of a batch. */
static void
add_keys(LookupRows *rows, const ColumnBatch *batch, const uint32 *which, uint32 n)
{
	const ColumnVector *vector = &batch->columns[rows->keys[0].info->column];

	if (rows->info->nkeys > 1)
		for (uint32 i = 0; i < n; i++)
			*(int64 *) array_extend(&rows->integers, sizeof(int64)) = combined_key(rows, batch, which[i]);
	else if (rows->keys[0].type != VT_TEXT)
		add_integers(rows, vector, which, n);
	else
		for (uint32 i = 0; i < n; i++)
			*(uint32 *) array_extend(&rows->texts, sizeof(uint32)) =
				numbering_add_text(rows->key_texts, key_text(&rows->keys[0], vector, which[i]));
}

/* Where row i of those that are being added stands. */
static inline char *
added_row(const LookupRows *rows, uint32 i)
{
	return (char *) (rows->words + i * rows->nwords);
}

/* Row i has a value of the column. */
static inline void
set_present(const LookupRows *rows, int column, uint32 i)
{
	added_row(rows, i)[rows->masks + column / 8] |= (char) (1 << column % 8);
}

/* Row i has this number of a value. */
static inline void
set_number(const LookupRows *rows, int column, uint32 i, uint32 number)
{
	*(uint32 *) (added_row(rows, i) + rows->columns[column].offset) = number;
	set_present(rows, column, i);
}

/* Copies of constant size are made in place. */
#define SET_VALUES(size) \
	for (uint32 i = 0; i < n; i++) \
		if (is_present(vector, which[i])) \
		{ \
			memcpy(added_row(rows, i) + column->offset, \
				   (const char *) vector->values + (Size) which[i] * (size), size); \
			set_present(rows, number, i); \
		}

/* The words of a column's values. */
static void
set_values(LookupRows *rows, int number, const ColumnVector *vector, const uint32 *which, uint32 n)
{
	const RowColumn *column = &rows->columns[number];

	switch (column->values == NULL ? column->size : 0)
	{
		case 1:
			SET_VALUES(1);
			break;
		case 2:
			SET_VALUES(2);
			break;
		case 4:
			SET_VALUES(4);
			break;
		case 8:
			SET_VALUES(8);
			break;
		case 16:
			SET_VALUES(16);
			break;
		default:
			for (uint32 i = 0; i < n; i++)
				if (is_present(vector, which[i]))
				{
					if (column->values != NULL)
						set_number(rows, number, i, numbering_add_text(column->values,
																	   text_at(vector, which[i])));
					else
						set_present(rows, number, i);
				}
			break;
	}
}

/* Its codes: the first row's is *codes, and from one to the next it is `stride`. */
static void
set_codes(LookupRows *rows, int number, const uint32 *codes, int stride, const uint32 *which,
		  uint32 n)
{
	for (uint32 i = 0; i < n; i++)
	{
		uint32		code = codes[(Size) which[i] * stride];

		if (code != NO_CODE)
			set_number(rows, number, i, code);
	}
}

int
lookup_rows_ncodes(const LookupRows *rows)
{
	int			n = 0;

	for (int i = 0; i < rows->info->ncolumns; i++)
		n += lookup_use_is_code(rows->columns[i].info->use);
	return n;
}

/* The numbers of the rows of values that n rows of a batch have. */
static void
add_numbers(LookupRows *rows, const ColumnBatch *batch, const Array *codes, const uint32 *which,
			uint32 n)
{
	uint32	   *numbers = array_extend(&rows->numbers, n * sizeof(uint32));
	const uint32 *code = (const uint32 *) codes->data;
	int			ncodes = lookup_rows_ncodes(rows);

	/* without a column all rows are the same */
	if (rows->nwords == 0)
	{
		memset(numbers, 0, n * sizeof(uint32));
		if (numbering_count(rows->rows) == 0)
			(void) numbering_add_words(rows->rows, &(uint64) {0});
		return;
	}
	memset(rows->words, 0, n * rows->nwords * sizeof(uint64));
	for (int i = 0; i < rows->info->ncolumns; i++)
	{
		const LookupColumn *column = rows->columns[i].info;

		if (lookup_use_is_code(column->use))
			set_codes(rows, i, code++, ncodes, which, n);
		else
			set_values(rows, i, &batch->columns[column->place], which, n);
	}
	numbering_add_all_words(rows->rows, rows->words, n, numbers);
}

void
lookup_rows_add(LookupRows *rows, const ColumnBatch *batch, const Array *codes)
{
	uint32		which[ADDED_AT_ONCE];

	for (uint32 row = 0; row < batch->nrows;)
	{
		uint32		n = 0;

		for (; row < batch->nrows && n < ADDED_AT_ONCE; row++)
			if (has_keys(rows, batch, row))
				which[n++] = row;
		if (n == 0)
			break;
		add_keys(rows, batch, which, n);
		add_numbers(rows, batch, codes, which, n);
		rows->n += n;
		if (rows->n >= COMPARED_ROWS && numbering_count(rows->rows) > rows->n / 4 * 3)
			numbering_expect_distinct(rows->rows);
	}
}

void
lookup_rows_add_codes(LookupRows *rows, const Datum *values, const bool *isnull, Array *codes)
{
	for (int i = 0; i < rows->info->ncolumns; i++)
	{
		const RowColumn *column = &rows->columns[i];
		int			value = column->info->place - 1;

		if (!lookup_use_is_code(column->info->use))
			continue;
		*(uint32 *) array_extend(codes, sizeof(uint32)) = isnull[value] ? NO_CODE :
			numbering_add_datum(column->values, values[value], &rows->is_ambiguous);
	}
}

Size
lookup_rows_memory(const LookupRows *rows)
{
	Size		memory = numbering_memory(rows->rows) + numbering_memory(rows->key_texts) +
		rows->integers.capacity + rows->texts.capacity + rows->numbers.capacity;

	for (int i = 0; i < rows->info->ncolumns; i++)
		if (rows->columns[i].values != NULL)
			memory += numbering_memory(rows->columns[i].values);
	for (int i = 0; i < rows->info->nkeys; i++)
	{
		if (rows->keys[i].numbers != NULL)
			memory += numbering_memory(rows->keys[i].numbers);
		if (rows->keys[i].pairs != NULL)
			memory += numbering_memory(rows->keys[i].pairs);
	}
	return memory;
}

void
lookup_rows_sort(LookupRows *rows)
{
	for (int i = 0; i < rows->info->ncolumns; i++)
		if (rows->columns[i].info->use == LOOKUP_RANK)
			rows->columns[i].ranks = numbering_sort(rows->columns[i].values);
}

/* How many of its keys are words of UUIDs? */
static int
uuid_words(const LookupInfo *info)
{
	int			n = 0;

	for (int i = 0; i < info->nkeys; i++)
		n += program_columns(info->program)[info->keys[i].column].type == VT_UUID;
	return n;
}

/*
 * Bytes that the keys of so many rows take, with numbers of their values; width: of a text's.  The
 * words of UUIDs are taken to differ in all rows, others of several keys not to count.
 */
static double
expected_key_memory(const LookupInfo *info, double n, double width)
{
	double		memory = array_expected_capacity(n * sizeof(uint32));

	if (info->nkeys == 1 &&
		program_columns(info->program)[info->keys[0].column].type == VT_TEXT)
		return memory + array_expected_capacity(n * sizeof(uint32)) +
			numbering_expected_memory(n, sizeof(Bytes), width, false);
	return memory + array_expected_capacity(n * sizeof(int64)) +
		uuid_words(info) * numbering_expected_memory(n, sizeof(uint64), 0, false);
}

/*
 * Bytes of the hash tables that are made of UUIDs: one of each word, and one of the pairs of
 * their numbers.  Other keys can be dense.
 */
static double
expected_table_memory(const LookupInfo *info, double n)
{
	double		entries = 2;

	if (uuid_words(info) == 0)
		return 0;
	while (entries < 2 * n)
		entries *= 2;
	return (uuid_words(info) + 1) * entries * sizeof(LookupEntry);
}

double
lookup_rows_expected_memory(const LookupInfo *info, double n, double key_width,
							const ExpectedValues *columns, double nrows)
{
	double		memory = expected_key_memory(info, n, key_width);
	bool		distinct = are_distinct(info);
	int			bytes = 0;

	for (int i = 0; i < info->ncolumns; i++)
	{
		const LookupColumn *column = &info->columns[i];
		ValueType	type = column_type(info, column);
		bool		all = numbers_all(info, column);

		bytes += column_size(info, column);
		if (lookup_use_is_code(column->use) && !all)
			memory += numbering_expected_images(columns[i].n, columns[i].copied);
		if (lookup_use_is_code(column->use) || (column->use == LOOKUP_VALUE && type == VT_TEXT))
			memory += numbering_expected_memory(all ? n : columns[i].n,
												type == VT_TEXT ? sizeof(Bytes) : sizeof(Datum),
												columns[i].copied, all);
	}
	memory += numbering_expected_memory(distinct ? n : nrows,
										Max(words_of_row(info->ncolumns, bytes), 1) * sizeof(uint64),
										0, distinct);
	return Max(memory, expected_table_memory(info, n));
}
