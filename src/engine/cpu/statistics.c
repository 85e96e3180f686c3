/*
 * statistics.c
 *	  Order statistics of groups: percentiles, modes, and counts and sums of distinct values,
 *	  read from lists of values.
 *
 * A statistic is a reader of a group's values in their order: of a percentile it takes the
 * value at one or two places, of a mode it counts how often each comes, and of distinct values
 * it takes each that differs from the one before.  Few values are sorted for all readers of a
 * list.  Of many, those in each of some thousand ranges between the least and the greatest are
 * counted, and only a range in which a reader wants a value is looked at, in the same way, until
 * its values are few or all the same.  So percentiles are selected, in time that is linear, and
 * no more memory is needed than for a range, wherever the values are: in a list, or in a store,
 * from which they are read again for each range.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/statistics.h"
#include "program/order_statistic.h"

/* Ranges that are counted at once, and how often they are divided at most. */
#define RANGE_BITS 11
#define NRANGES (1 << RANGE_BITS)
#define MOST_LEVELS (64 / RANGE_BITS + 1)

/* So many values are sorted even if not all of them are wanted. */
#define FEW_VALUES 512

/* Values that are sorted at once: one for so many bytes of the limit, the least, the most. */
#define LIMIT_BYTES 64
#define LEAST_ROOM 4096
#define MOST_ROOM (UINT64_C(1) << 20)

/* Values that are looked at between two looks for an interrupt. */
#define READ_AT_ONCE (UINT64_C(1) << 18)

#define OTHER_VALUES_MESSAGE "a group has other values than it had before"

/* A statistic that is read from a list. */
typedef struct Reader
{
	const Accumulator *acc;
	uint64_t	low;			/* percentiles: places in the order, from the least on, */
	uint64_t	high;
	uint64_t	low_value;		/* and the values there */
	uint64_t	high_value;
	double		share;
	uint64_t	last;			/* others: the value that came last, */
	uint64_t	last_count;		/* and how often; distinct values: 0, or not; */
	uint64_t	most;			/* modes: that came most often, */
	uint64_t	most_count;		/* and how often */
	uint64_t	words[2];		/* distinct values: what they have added */
} Reader;

/* A list of the Program's. */
typedef struct List
{
	const Accumulator *acc;
	Reader	   *readers;
	int			nreaders;
	bool		reads_all;		/* one of them does */
	bool		is_float;		/* so are the values */
} List;

struct Statistics
{
	const Program *program;
	const ParamValue *params;
	const EngineHints *hints;
	List	   *lists;
	int			nlists;
	Reader	   *readers;		/* of all lists */
	int			nreaders;
	uint64_t	room;			/* values that are sorted at once */
	uint64_t   *values;
	uint64_t   *scratch;
	uint64_t	(*counts)[NRANGES]; /* by level */
	const List *list;			/* that is being read, of one group */
	ValueSource *source;
	bool		has_zero;		/* among its values are 0 and -0 */
	bool		has_negative_zero;
	uint64_t	nvalues;		/* read, and not told yet */
	uint64_t	unchecked;		/* looked at since interrupts were looked for */
	char	   *message;
};

/* The values of a list in memory. */
typedef struct ListSource
{
	ValueSource source;
	const uint64_t *words;
	ListWalk	walk;
} ListSource;

static EngineStatus
rewind_list(ValueSource *source, char *message)
{
	ListSource *list = (ListSource *) source;

	list_walk(&list->walk, list->words);
	return ENGINE_OK;
}

static EngineStatus
next_of_list(ValueSource *source, ListPiece *piece, char *message)
{
	*piece = list_next(&((ListSource *) source)->walk);
	return ENGINE_OK;
}

/* The readers of each list, and those lists that have any. */
static void
find_readers(Statistics *s)
{
	const Accumulator *accs = program_accs(s->program);
	Reader	   *next = s->readers;

	for (int i = 0; i < s->program->naccs; i++)
	{
		List	   *list = &s->lists[s->nlists];

		if (!acc_is_list((AccKind) accs[i].kind))
			continue;
		*list = (List)
		{
			.acc = &accs[i],.readers = next
		};
		list->is_float = accs[i].arg >= 0 &&
			value_is_float((ValueType) program_insns(s->program)[accs[i].arg].type);
		for (int j = 0; j < s->program->naccs; j++)
			if (accs[j].arg == ACC_READ && accs[j].values == i)
			{
				list->readers[list->nreaders++].acc = &accs[j];
				list->reads_all |= !acc_has_fraction((AccKind) accs[j].kind);
			}
		next += list->nreaders;
		s->nreaders += list->nreaders;
		s->nlists++;
	}
}

Statistics *
statistics_create(const Program *program, const ParamValue *params, const EngineHints *hints,
				  uint64_t limit)
{
	Statistics *s = calloc(1, sizeof(Statistics));

	if (s == NULL)
		return NULL;
	s->program = program;
	s->params = params;
	s->hints = hints;
	s->room = limit / LIMIT_BYTES;
	if (s->room < LEAST_ROOM)
		s->room = LEAST_ROOM;
	if (s->room > MOST_ROOM)
		s->room = MOST_ROOM;
	s->lists = calloc(program->naccs, sizeof(List));
	s->readers = calloc(program->naccs, sizeof(Reader));
	if (s->lists && s->readers)
	{
		find_readers(s);
		return s;
	}
	statistics_free(s);
	return NULL;
}

/* A run that only gives what others have read needs no room. */
static bool
make_room(Statistics *s)
{
	if (s->counts != NULL || s->nreaders == 0)
		return true;
	s->values = malloc((s->room + 1) * sizeof(uint64_t));
	s->scratch = malloc((s->room + 1) * sizeof(uint64_t));
	s->counts = malloc(MOST_LEVELS * sizeof(*s->counts));
	return s->values != NULL && s->scratch != NULL && s->counts != NULL;
}

void
statistics_free(Statistics *s)
{
	if (s == NULL)
		return;
	free(s->lists);
	free(s->readers);
	free(s->values);
	free(s->scratch);
	free(s->counts);
	free(s);
}

uint64_t
statistics_memory(const Statistics *s)
{
	return s->values == NULL ? 0 : 2 * (s->room + 1) * sizeof(uint64_t) + MOST_LEVELS * sizeof(*s->counts);
}

uint64_t
statistics_values(Statistics *s)
{
	uint64_t	nvalues = s->nvalues;

	s->nvalues = 0;
	return nvalues;
}

EngineStatus
statistics_check(const Statistics *s, char *message)
{
	if (fractions_are_good(s->program, s->params))
		return ENGINE_OK;
	snprintf(message, 256, FRACTION_MESSAGE);
	return ENGINE_INEXACT;
}

/* Which of n values the readers want. */
static void
begin_readers(const Statistics *s, uint64_t n, const uint64_t *state)
{
	for (int i = 0; i < s->list->nreaders; i++)
	{
		Reader	   *reader = &s->list->readers[i];
		const Accumulator *acc = reader->acc;

		reader->last_count = reader->most_count = reader->words[0] = reader->words[1] = 0;
		reader->share = 0;
		if (acc->kind == ACC_PERCENTILE_CONT)
			percentile_cont_ranks(fraction_of_state(s->program, s->params, acc, state), n,
								  &reader->low, &reader->high, &reader->share);
		else if (acc->kind == ACC_PERCENTILE_DISC)
			reader->low = reader->high =
				percentile_disc_rank(fraction_of_state(s->program, s->params, acc, state), n);
		else
			continue;
		if (acc->descending)
		{
			reader->low = n - 1 - reader->low;
			reader->high = n - 1 - reader->high;
		}
	}
}

static inline bool
is_between(uint64_t place, uint64_t first, uint64_t n)
{
	return place - first < n;
}

/* Does a reader want one of the n values from this place on? */
static bool
is_wanted(const List *list, uint64_t first, uint64_t n)
{
	if (list->reads_all)
		return true;
	for (int i = 0; i < list->nreaders; i++)
		if (is_between(list->readers[i].low, first, n) || is_between(list->readers[i].high, first, n))
			return true;
	return false;
}

/* The value that came last does not come any more: is it the mode?  Of several, the first. */
static void
end_run(Reader *reader)
{
	if (reader->last_count > reader->most_count ||
		(reader->acc->descending && reader->last_count == reader->most_count))
	{
		reader->most = reader->last;
		reader->most_count = reader->last_count;
	}
	reader->last_count = 0;
}

/* A value comes n times; -0 counts as 0. */
static inline void
count_value(const List *list, Reader *reader, uint64_t value, uint64_t n)
{
	value = order_of_equal(value, list->is_float);
	if (reader->last_count > 0 && value != reader->last)
		end_run(reader);
	reader->last = value;
	reader->last_count += n;
}

/* Values come of which each is taken once. */
static void
take_distinct(const List *list, Reader *reader, const uint64_t *values, uint64_t n)
{
	AccKind		kind = (AccKind) reader->acc->kind;

	for (uint64_t i = 0; i < n; i++)
	{
		uint64_t	value = order_of_equal(values[i], list->is_float);
		uint64_t	addends[2];

		if (reader->last_count > 0 && value == reader->last)
			continue;
		distinct_addends(kind, value, addends);
		reader->words[0] += addends[0];
		reader->words[1] += addends[1];
		reader->last = value;
		reader->last_count = 1;
	}
	/* the low half of a sum has room for 2^32 values */
	if (kind == ACC_SUM_DISTINCT128)
		sum128_normalize(reader->words);
}

/* The next n values are in their order; they are all the same if equal. */
static void
give_values(const List *list, const uint64_t *values, uint64_t first, uint64_t n, bool equal)
{
	for (int i = 0; i < list->nreaders; i++)
	{
		Reader	   *reader = &list->readers[i];

		if (reader->acc->kind == ACC_MODE)
		{
			if (equal)
				count_value(list, reader, values[0], n);
			else
				for (uint64_t j = 0; j < n; j++)
					count_value(list, reader, values[j], 1);
			continue;
		}
		if (acc_reads_distinct((AccKind) reader->acc->kind))
		{
			take_distinct(list, reader, values, equal ? 1 : n);
			continue;
		}
		if (is_between(reader->low, first, n))
			reader->low_value = values[equal ? 0 : reader->low - first];
		if (is_between(reader->high, first, n))
			reader->high_value = values[equal ? 0 : reader->high - first];
	}
}

/* The next piece of the values, none after the last. */
static EngineStatus
next_piece(Statistics *s, ListPiece *piece)
{
	EngineStatus status = s->source->next(s->source, piece, s->message);

	s->unchecked += piece->n;
	if (status == ENGINE_OK && s->unchecked >= READ_AT_ONCE)
	{
		s->unchecked = 0;
		if (engine_interrupted(s->hints))
		{
			snprintf(s->message, 256, INTERRUPTED_MESSAGE);
			return ENGINE_FAILED;
		}
	}
	return status;
}

/* Sort those values that are in a range, of which there are n, and give them. */
static EngineStatus
sort_range(Statistics *s, uint64_t least, uint64_t greatest, uint64_t first, uint64_t n)
{
	EngineStatus status = s->source->rewind(s->source, s->message);
	uint64_t	found = 0;
	ListPiece	piece;

	while (status == ENGINE_OK && (status = next_piece(s, &piece)) == ENGINE_OK && piece.n > 0)
		for (uint64_t i = 0; i < piece.n && found <= n; i++)
		{
			s->values[found] = piece.values[i];
			found += piece.values[i] >= least && piece.values[i] <= greatest;
		}
	if (status == ENGINE_OK && found != n)
	{
		snprintf(s->message, 256, OTHER_VALUES_MESSAGE);
		return ENGINE_FAILED;
	}
	if (status == ENGINE_OK)
		give_values(s->list, sort_values(s->values, s->scratch, n, NULL), first, n, false);
	return status;
}

/* Count the values of each of the ranges, which begin at the least and have 2^shift each. */
static EngineStatus
count_ranges(Statistics *s, uint64_t least, uint64_t greatest, int shift, uint64_t *counts)
{
	EngineStatus status = s->source->rewind(s->source, s->message);
	ListPiece	piece;

	memset(counts, 0, sizeof(*s->counts));
	while (status == ENGINE_OK && (status = next_piece(s, &piece)) == ENGINE_OK && piece.n > 0)
		for (uint64_t i = 0; i < piece.n; i++)
			if (piece.values[i] >= least && piece.values[i] <= greatest)
				counts[(piece.values[i] - least) >> shift]++;
	return status;
}

/* How far a difference is to be shifted to be the number of a range. */
static int
range_shift(uint64_t difference)
{
	int			bits = difference == 0 ? 0 : 64 - __builtin_clzll(difference);

	return bits > RANGE_BITS ? bits - RANGE_BITS : 0;
}

/*
 * Give the readers what they want of the n values in a range, the first of which is at this
 * place of all.  Where all are wanted, neighbouring ranges whose values can be sorted at once
 * are one.
 */
static EngineStatus
read_range(Statistics *s, uint64_t least, uint64_t greatest, uint64_t first, uint64_t n, int level)
{
	int			shift = range_shift(greatest - least);
	uint64_t	width = UINT64_C(1) << shift;
	uint64_t	last = (greatest - least) >> shift;
	uint64_t   *counts = s->counts[level];
	EngineStatus status;

	if (n == 0 || !is_wanted(s->list, first, n))
		return ENGINE_OK;
	if (least == greatest)
	{
		give_values(s->list, &least, first, n, true);
		return ENGINE_OK;
	}
	if (n <= FEW_VALUES || (shift > 0 && s->list->reads_all && n <= s->room))
		return sort_range(s, least, greatest, first, n);
	status = count_ranges(s, least, greatest, shift, counts);
	for (uint64_t i = 0; i <= last && status == ENGINE_OK; i++)
	{
		uint64_t	from = least + i * width;
		uint64_t	together = counts[i];

		while (shift > 0 && s->list->reads_all && i < last &&
			   together + counts[i + 1] <= s->room)
			together += counts[++i];
		status = read_range(s, from, i == last ? greatest : least + i * width + (width - 1), first,
							together, level + 1);
		first += together;
	}
	return status;
}

/* The least and the greatest value; are there 0 and -0? */
static EngineStatus
find_bounds(Statistics *s, uint64_t *least, uint64_t *greatest)
{
	EngineStatus status = s->source->rewind(s->source, s->message);
	ListPiece	piece;

	*least = UINT64_MAX;
	*greatest = 0;
	while (status == ENGINE_OK && (status = next_piece(s, &piece)) == ENGINE_OK && piece.n > 0)
		for (uint64_t i = 0; i < piece.n; i++)
		{
			uint64_t	value = piece.values[i];

			*least = value < *least ? value : *least;
			*greatest = value > *greatest ? value : *greatest;
			s->has_zero |= value == ORDER_ZERO;
			s->has_negative_zero |= value == ORDER_NEGATIVE_ZERO;
		}
	return status;
}

static inline bool
is_zero(uint64_t order)
{
	return order == ORDER_ZERO || order == ORDER_NEGATIVE_ZERO;
}

/* Could 0 and -0 both be the result? */
static bool
is_ambiguous(const Statistics *s, const Reader *reader)
{
	return s->list->is_float && s->has_zero && s->has_negative_zero &&
		(is_zero(reader->low_value) || is_zero(reader->high_value));
}

/* All values have come. */
static void
end_mode(const Statistics *s, Reader *reader)
{
	end_run(reader);
	if (s->list->is_float && reader->most == ORDER_ZERO && !s->has_zero)
		reader->most = ORDER_NEGATIVE_ZERO;
	reader->low_value = reader->high_value = reader->most;
}

/* What the readers have read, into a group's state. */
static EngineStatus
end_readers(Statistics *s, uint64_t *state)
{
	for (int i = 0; i < s->list->nreaders; i++)
	{
		Reader	   *reader = &s->list->readers[i];
		uint64_t   *words = state + reader->acc->word;

		if (acc_reads_distinct((AccKind) reader->acc->kind))
		{
			memcpy(words, reader->words, reader->acc->nwords * sizeof(uint64_t));
			continue;
		}
		if (reader->acc->kind == ACC_MODE)
			end_mode(s, reader);
		if (is_ambiguous(s, reader))
		{
			snprintf(s->message, 256, AMBIGUOUS_MESSAGE);
			return ENGINE_INEXACT;
		}
		if (reader->acc->kind == ACC_PERCENTILE_CONT)
		{
			words[0] = order_to_bits(reader->low_value, s->list->is_float);
			words[1] = order_to_bits(reader->high_value, s->list->is_float);
			memcpy(&words[2], &reader->share, sizeof(reader->share));
		}
		else
			words[0] = order_to_word(reader->low_value, s->list->is_float);
	}
	return ENGINE_OK;
}

/* Read the values of a group, of which there is one at least. */
static EngineStatus
read_group(Statistics *s, uint64_t *state)
{
	uint64_t   *words = state + s->list->acc->word;
	uint64_t	least;
	uint64_t	greatest;
	EngineStatus status;

	s->nvalues += words[1];
	s->has_zero = s->has_negative_zero = false;
	begin_readers(s, words[1], state);
	status = find_bounds(s, &least, &greatest);
	if (status == ENGINE_OK)
		status = read_range(s, least, greatest, 0, words[1], 0);
	if (status == ENGINE_OK)
		status = end_readers(s, state);
	words[0] = words[1] = 0;
	return status;
}

EngineStatus
statistics_read(Statistics *s, GroupTable *table, ValueSource *stored, char *message)
{
	ListSource	source = {.source = {.rewind = rewind_list,.next = next_of_list}};
	uint64_t	nlists = (uint64_t) table_groups(table) * s->nlists;
	size_t		stride;
	uint64_t   *records = table_records(table, &stride);
	EngineStatus status = ENGINE_OK;

	s->message = message;
	if (!make_room(s))
	{
		snprintf(message, 256, "out of memory");
		return ENGINE_NO_MEMORY;
	}
	for (uint64_t i = 0; i < nlists && status == ENGINE_OK; i++)
	{
		uint64_t   *group = records + i / s->nlists * stride;
		uint64_t   *state = group + table_layout(table)->words;

		s->list = &s->lists[i % s->nlists];
		source.words = state + s->list->acc->word;
		if (source.words[1] == 0)
			continue;
		s->source = source.words[0] == 0 ? stored : &source.source;
		s->source->group = group;
		s->source->word = s->list->acc->word;
		if (!acc_is_given((AccKind) s->list->acc->kind))
			status = read_group(s, state);
		else if (s->list->acc->kind != ACC_ROWS)
			s->nvalues += source.words[1];
	}
	return status;
}
