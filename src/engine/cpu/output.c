/*
 * output.c
 *	  Groups' records as a GroupBatch.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/output.h"

/* One key's buffers, each for OUTPUT_GROUPS groups. */
typedef struct KeyBuffer
{
	char	   *values;
	size_t		size;			/* of values, in bytes; it grows for texts */
	uint32_t   *offsets;
	uint8_t    *validity;
} KeyBuffer;

struct GroupOutput
{
	const KeyLayout *layout;
	uint32_t	nwords;			/* of a state */
	KeyBuffer  *buffers;
	ColumnVector *keys;
	uint64_t   *states;
};

GroupOutput *
output_create(const Program *program, const KeyLayout *layout)
{
	GroupOutput *output = calloc(1, sizeof(GroupOutput));
	bool		ok = output != NULL;

	if (!ok)
		return NULL;
	output->layout = layout;
	output->nwords = program->nwords;
	output->buffers = calloc(layout->nfields + 1, sizeof(KeyBuffer));
	output->keys = calloc(layout->nfields + 1, sizeof(ColumnVector));
	output->states = malloc(OUTPUT_GROUPS * (program->nwords + 1) * sizeof(uint64_t));
	ok = output->buffers && output->keys && output->states;
	for (int i = 0; ok && i < layout->nfields; i++)
	{
		KeyBuffer  *buffer = &output->buffers[i];

		buffer->size = OUTPUT_GROUPS * 16;
		buffer->values = malloc(buffer->size);
		buffer->offsets = malloc((OUTPUT_GROUPS + 1) * sizeof(uint32_t));
		buffer->validity = malloc(OUTPUT_GROUPS / 8);
		ok = buffer->values && buffer->offsets && buffer->validity;
	}
	if (!ok)
	{
		output_free(output);
		return NULL;
	}
	return output;
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
	free(output->buffers);
	free(output->keys);
	free(output->states);
	free(output);
}

/* Texts behind each other. */
static bool
output_text(const KeyField *field, KeyBuffer *buffer, const uint64_t *records,
			size_t stride, uint32_t n)
{
	size_t		end = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		Bytes		text = keys_text(records + i * stride + field->offset / 8);

		buffer->offsets[i] = (uint32_t) end;
		if (end + text.len > UINT32_MAX)
			return false;
		if (end + text.len > buffer->size)
		{
			size_t		size = 2 * (end + text.len);
			char	   *values = realloc(buffer->values, size);

			if (values == NULL)
				return false;
			buffer->values = values;
			buffer->size = size;
		}
		memcpy(buffer->values + end, text.data, text.len);
		end += text.len;
	}
	buffer->offsets[n] = (uint32_t) end;
	return true;
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

bool
output_batch(GroupOutput *output, const uint64_t *records, size_t stride,
			 uint32_t n, GroupBatch *batch)
{
	const KeyLayout *layout = output->layout;

	for (int i = 0; i < layout->nfields; i++)
	{
		const KeyField *field = &layout->fields[i];
		KeyBuffer  *buffer = &output->buffers[i];

		if (field->type != VT_TEXT)
			output_fixed(field, buffer, records, stride, n);
		else if (!output_text(field, buffer, records, stride, n))
			return false;
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
	batch->ngroups = n;
	batch->keys = output->keys;
	batch->states = output->states;
	return true;
}
