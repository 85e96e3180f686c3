/*
 * group_output.c
 *	  Groups' records as GroupBatches.
 *
 * Once groups have left, it is too late to fail: all memory is allocated before
 * the first batch, for texts and values as much as the batch needs that has the most.
 *
 * Values of lists that are given are copied into the batch and sorted there, but for rows, which
 * the caller orders; so no more of them are in memory twice than a batch has.  Those that are in the
 * store stay there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/group_output.h"
#include "engine/cpu/statistics.h"
#include "program/state.h"

#define OUTPUT_GROUPS 4096		/* the most in one batch */

/* A batch ends when its texts reach this; offsets have 32 bits. */
#define OUTPUT_TEXT (UINT64_C(1) << 26)

/* The same of values of lists. */
#define OUTPUT_VALUES (UINT64_C(1) << 17)

/* Batches that are chosen from between two looks for an interrupt. */
#define CHOSEN_AT_ONCE 64

/* Groups whose states are checked between two looks for an interrupt. */
#define CHECKED_AT_ONCE (UINT32_C(1) << 18)

/* One key's buffers, each for as many groups as a batch can have. */
typedef struct KeyBuffer
{
	char	   *values;
	size_t		size;			/* of values, in bytes */
	uint32_t   *offsets;
	uint8_t    *validity;
} KeyBuffer;

struct GroupOutput
{
	const KeyLayout *layout;
	const EngineHints *hints;
	GroupChoice *choice;		/* NULL: all groups leave */
	uint16_t   *leaving;		/* of a batch's groups, if they are chosen, the numbers */
	uint64_t   *chosen;			/* and copies of their records */
	uint32_t	nwords;			/* of a state */
	const uint64_t *first;		/* all records */
	uint32_t	ngroups;
	const uint64_t *records;	/* from the next group on */
	const uint64_t *given;		/* the last batch's */
	size_t		stride;
	uint32_t	left;			/* groups */
	uint32_t	most;			/* groups in one batch */
	size_t		memory;
	KeyBuffer  *buffers;
	ColumnVector *keys;
	uint64_t   *states;
	const Accumulator *lists[PROGRAM_MAX_ACCS]; /* that are given */
	int			nlists;
	uint64_t	nvalues;		/* of all lists in the batch that has most */
	uint64_t	longest;		/* values of one list that is sorted */
	uint64_t   *values;			/* a batch's, and room to sort a list's */
	uint64_t   *scratch;
};

/* How many values of a list come with its group; the store has those of a list without an address. */
static inline uint64_t
list_values(const uint64_t *words)
{
	return words[0] == 0 ? 0 : words[1];
}

/* The values of a group's lists that come with it. */
static uint64_t
group_values(const GroupOutput *output, const uint64_t *record)
{
	uint64_t	n = 0;

	for (int i = 0; i < output->nlists; i++)
		n += list_values(record + output->layout->words + output->lists[i]->word);
	return n;
}

/* How many of `left` groups make the next batch. */
static uint32_t
batch_groups(const GroupOutput *output, const uint64_t *records, uint32_t left)
{
	const KeyLayout *layout = output->layout;
	uint32_t	most = left < OUTPUT_GROUPS ? left : OUTPUT_GROUPS;
	uint64_t	bytes = 0;
	uint64_t	nvalues = 0;
	uint32_t	n = 0;

	if (layout->ntexts == 0 && output->nlists == 0)
		return most;
	while (n < most && bytes < OUTPUT_TEXT && nvalues < OUTPUT_VALUES)
	{
		const uint64_t *record = records + n * output->stride;

		for (int i = 0; i < layout->ntexts; i++)
			bytes += keys_text(record + layout->texts[i] - 1).len;
		nvalues += group_values(output, record);
		n++;
	}
	return n;
}

/* Let each text's buffer hold a batch's texts. */
static void
measure_texts(GroupOutput *output, const uint64_t *records, uint32_t n)
{
	const KeyLayout *layout = output->layout;

	for (int i = 0; i < layout->nfields && layout->ntexts > 0; i++)
	{
		const KeyField *field = &layout->fields[i];
		size_t		bytes = 0;

		if (field->type != VT_TEXT)
			continue;
		for (uint32_t g = 0; g < n; g++)
			bytes += keys_text(records + g * output->stride + field->offset / 8).len;
		if (bytes > output->buffers[i].size)
			output->buffers[i].size = bytes;
	}
}

/* The same of the values of lists. */
static void
measure_values(GroupOutput *output, const uint64_t *records, uint32_t n)
{
	uint64_t	nvalues = 0;

	for (uint32_t g = 0; g < n && output->nlists > 0; g++, records += output->stride)
	{
		nvalues += group_values(output, records);
		for (int i = 0; i < output->nlists; i++)
		{
			uint64_t	length = list_values(records + output->layout->words +
											 output->lists[i]->word);

			if (output->lists[i]->kind != ACC_ROWS && length > output->longest)
				output->longest = length;
		}
	}
	if (nvalues > output->nvalues)
		output->nvalues = nvalues;
}

/* Let buffers hold what any of the batches needs; false: interrupted. */
static bool
measure_batches(GroupOutput *output, const EngineHints *hints)
{
	const uint64_t *records = output->records;
	uint32_t	n;

	if (output->layout->ntexts == 0 && output->nlists == 0)
		return true;
	for (uint32_t left = output->left; left > 0; left -= n, records += n * output->stride)
	{
		if (engine_interrupted(hints))
			return false;
		n = batch_groups(output, records, left);
		measure_texts(output, records, n);
		measure_values(output, records, n);
	}
	return true;
}

static void *
output_alloc(GroupOutput *output, size_t size)
{
	output->memory += size;
	return calloc(1, size);
}

static bool
make_buffers(GroupOutput *output)
{
	for (int i = 0; i < output->layout->nfields; i++)
	{
		KeyBuffer  *buffer = &output->buffers[i];
		ValueType	type = output->layout->fields[i].type;

		if (type != VT_TEXT)
			buffer->size = output->most * (size_t) value_type_size(type);
		else if ((buffer->offsets = output_alloc(output, (output->most + 1) * sizeof(uint32_t))) == NULL)
			return false;
		buffer->values = output_alloc(output, buffer->size + 1);	/* never 0 */
		buffer->validity = output_alloc(output, output->most / 8 + 1);
		if (buffer->values == NULL || buffer->validity == NULL)
			return false;
	}
	if (output->nlists == 0)
		return true;
	output->values = output_alloc(output, (output->nvalues + 1) * sizeof(uint64_t));
	output->scratch = output_alloc(output, (output->longest + 1) * sizeof(uint64_t));
	return output->values != NULL && output->scratch != NULL;
}

static bool
make_choice_buffers(GroupOutput *output)
{
	if (output->choice == NULL)
		return true;
	output->leaving = output_alloc(output, (output->most + UINT64_C(1)) * sizeof(uint16_t));
	output->chosen = output_alloc(output, (output->most + UINT64_C(1)) * output->stride *
								  sizeof(uint64_t));
	return output->leaving != NULL && output->chosen != NULL;
}

/* Do the states tell the results? */
static EngineStatus
check_states(const Program *program, const GroupRecords *groups, const EngineHints *hints,
			 char *message)
{
	for (uint32_t first = 0; first < groups->ngroups; first += CHECKED_AT_ONCE)
	{
		uint32_t	left = groups->ngroups - first;
		const char *inexact;

		if (engine_interrupted(hints))
		{
			snprintf(message, 256, INTERRUPTED_MESSAGE);
			return ENGINE_FAILED;
		}
		inexact = states_are_inexact(program,
									 groups->records + first * groups->stride + groups->layout->words,
									 groups->stride, left < CHECKED_AT_ONCE ? left : CHECKED_AT_ONCE);
		if (inexact != NULL)
		{
			snprintf(message, 256, "%s", inexact);
			return ENGINE_INEXACT;
		}
	}
	return ENGINE_OK;
}

static void
find_lists(GroupOutput *output, const Program *program)
{
	const Accumulator *accs = program_accs(program);

	for (int i = 0; i < program->naccs; i++)
		if (acc_is_given((AccKind) accs[i].kind))
			output->lists[output->nlists++] = &accs[i];
}

/* An output without buffers for its keys; output_free takes it back. */
static GroupOutput *
make_output(const Program *program, const GroupRecords *groups, const EngineHints *hints,
			GroupChoice *choice)
{
	GroupOutput *output = calloc(1, sizeof(GroupOutput));

	if (output == NULL)
		return NULL;
	output->layout = groups->layout;
	output->hints = hints;
	output->choice = choice;
	output->nwords = program->nwords;
	find_lists(output, program);
	output->first = groups->records;
	output->ngroups = groups->ngroups;
	output->stride = groups->stride;
	output->most = groups->ngroups < OUTPUT_GROUPS ? groups->ngroups : OUTPUT_GROUPS;
	output_rewind(output);
	output->buffers = output_alloc(output, (groups->layout->nfields + 1) * sizeof(KeyBuffer));
	output->keys = output_alloc(output, (groups->layout->nfields + 1) * sizeof(ColumnVector));
	output->states = output_alloc(output, (output->most + UINT64_C(1)) *
								  (program->nwords + 1) * sizeof(uint64_t));
	if (output->buffers && output->keys && output->states && make_choice_buffers(output))
		return output;
	output_free(output);
	return NULL;
}

EngineStatus
output_create(const Program *program, const GroupRecords *groups, const EngineHints *hints,
			  GroupChoice *choice, GroupOutput **output, char *message)
{
	EngineStatus status = check_states(program, groups, hints, message);

	*output = NULL;
	if (status != ENGINE_OK)
		return status;
	*output = make_output(program, groups, hints, choice);
	if (*output != NULL && (!measure_batches(*output, hints) ||
							(choice != NULL && !choice_look(choice, groups, hints))))
	{
		snprintf(message, 256, INTERRUPTED_MESSAGE);
		status = ENGINE_FAILED;
	}
	else if (*output == NULL || !make_buffers(*output))
	{
		snprintf(message, 256, "out of memory");
		status = ENGINE_NO_MEMORY;
	}
	if (status != ENGINE_OK)
	{
		output_free(*output);
		*output = NULL;
	}
	return status;
}

void
output_rewind(GroupOutput *output)
{
	output->records = output->first;
	output->left = output->ngroups;
}

size_t
output_memory(const GroupOutput *output)
{
	return output->memory;
}

void
output_free(GroupOutput *output)
{
	if (output == NULL)
		return;
	for (int i = 0; output->buffers && i < output->layout->nfields; i++)
	{
		free(output->buffers[i].values);
		free(output->buffers[i].offsets);
		free(output->buffers[i].validity);
	}
	free(output->leaving);
	free(output->chosen);
	free(output->buffers);
	free(output->keys);
	free(output->states);
	free(output->values);
	free(output->scratch);
	free(output);
}

/* Texts behind each other. */
static void
output_text(const KeyField *field, KeyBuffer *buffer, const uint64_t *records,
			size_t stride, uint32_t n)
{
	uint32_t	end = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		Bytes		text = keys_text(records + i * stride + field->offset / 8);

		memcpy(buffer->values + end, text.data, text.len);
		end += text.len;
		buffer->offsets[i + 1] = end;
	}
}

static void
output_fixed(const KeyField *field, KeyBuffer *buffer, const uint64_t *records,
			 size_t stride, uint32_t n)
{
	size_t		size = value_type_size(field->type);
	const char *from = (const char *) records +
		(field->original ? (uint32_t) field->original : field->offset);

	for (uint32_t i = 0; i < n; i++)
		memcpy(buffer->values + i * size, from + i * stride * sizeof(uint64_t), size);
}

static void
output_validity(const KeyField *field, KeyBuffer *buffer, const uint64_t *records,
				size_t stride, uint32_t n)
{
	memset(buffer->validity, 0, (n + 7) / 8);
	for (uint32_t i = 0; i < n; i++)
		if (!keys_is_null(field, records + i * stride))
			buffer->validity[i / 8] |= (uint8_t) (1 << (i % 8));
}

/* Of n groups those that leave into output->chosen; returns how many. */
static uint32_t
choose(GroupOutput *output, const uint64_t *records, uint32_t n)
{
	size_t		stride = output->stride;
	uint32_t	nchosen = choice_take(output->choice, output->layout, records, stride, n,
									  output->leaving);

	for (uint32_t i = 0; i < nchosen; i++)
		memcpy(output->chosen + i * stride, records + output->leaving[i] * stride,
			   stride * sizeof(uint64_t));
	return nchosen;
}

/* The next batch's groups; *n: how many.  False: interrupted. */
static bool
next_groups(GroupOutput *output, const uint64_t **records, uint32_t *n)
{
	for (uint32_t i = 1;; i++)
	{
		*records = output->records;
		*n = batch_groups(output, *records, output->left);
		output->records += *n * output->stride;
		output->left -= *n;
		if (output->choice == NULL)
			return true;
		*n = choose(output, *records, *n);
		*records = output->chosen;
		if (*n > 0 || output->left == 0)
			return true;
		if (i % CHOSEN_AT_ONCE == 0 && engine_interrupted(output->hints))
			return false;
	}
}

/* Let n values be in their order; false: interrupted. */
static bool
order_values(const GroupOutput *output, uint64_t *values, uint64_t n)
{
	const uint64_t *sorted = sort_values(values, output->scratch, n, output->hints);

	if (sorted == NULL)
		return false;
	if (sorted != values)
		memcpy(values, sorted, n * sizeof(*values));
	return true;
}

/* The values of n groups' lists, each list's in their order but for rows; false: interrupted. */
static bool
output_lists(GroupOutput *output, uint32_t n)
{
	uint64_t   *values = output->values;

	for (uint32_t i = 0; i < n && output->nlists > 0; i++)
		for (int j = 0; j < output->nlists; j++)
		{
			uint64_t   *words = output->states + (size_t) i * output->nwords + output->lists[j]->word;
			uint64_t   *end;

			if (words[0] == 0)
				continue;
			end = list_gather(words, values);
			if (output->lists[j]->kind != ACC_ROWS && !order_values(output, values, words[1]))
				return false;
			words[0] = (uint64_t) (uintptr_t) values;
			values = end;
		}
	return true;
}

bool
output_batch(GroupOutput *output, GroupBatch *batch)
{
	const KeyLayout *layout = output->layout;
	const uint64_t *records;
	size_t		stride = output->stride;
	uint32_t	n;

	if (!next_groups(output, &records, &n))
		return false;
	for (int i = 0; i < layout->nfields; i++)
	{
		const KeyField *field = &layout->fields[i];
		KeyBuffer  *buffer = &output->buffers[i];

		if (field->type == VT_TEXT)
			output_text(field, buffer, records, stride, n);
		else
			output_fixed(field, buffer, records, stride, n);
		if (field->null_bit >= 0)
			output_validity(field, buffer, records, stride, n);
		output->keys[i].values = buffer->values;
		output->keys[i].offsets = buffer->offsets;
		output->keys[i].validity = field->null_bit >= 0 ? buffer->validity : NULL;
	}
	for (uint32_t i = 0; i < n; i++)
		memcpy(output->states + (size_t) i * output->nwords,
			   records + i * stride + layout->words,
			   output->nwords * sizeof(uint64_t));
	output->given = records;
	batch->ngroups = n;
	batch->keys = output->keys;
	batch->states = output->states;
	return output_lists(output, n);
}

const uint64_t *
output_group(const GroupOutput *output, uint32_t group)
{
	return output->given + group * output->stride;
}
