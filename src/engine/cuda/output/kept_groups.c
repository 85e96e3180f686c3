/*
 * kept_groups.c
 *	  Groups in the host's memory: all of them, before the first one is given.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/kernels/kernel_args.h"
#include "engine/cuda/output/kept_groups.h"

/* Texts of one key behind one another, with offsets. */
static void
gather_texts(const TextRef *refs, const uint8_t *validity, const char *bytes,
			 uint32_t ngroups, uint32_t *offsets, char *to)
{
	uint32_t	at = 0;

	for (uint32_t i = 0; i < ngroups; i++)
	{
		offsets[i] = at;
		if (!((validity[i / 8] >> (i % 8)) & 1))
			continue;
		memcpy(to + at, bytes + refs[i].start, refs[i].length);
		at += refs[i].length;
	}
	offsets[ngroups] = at;
}

/* Copy the texts of extremes, whose states then have addresses: see state.h. */
static void
gather_extremes(const Program *program, const char *bytes, uint32_t ngroups,
				uint64_t *states, char *to)
{
	const Accumulator *accs = program_accs(program);

	for (uint32_t i = 0; i < ngroups; i++, states += program->nwords)
		for (int j = 0; j < program->naccs; j++)
		{
			uint64_t   *words = states + accs[j].word;

			if (!acc_is_text((AccKind) accs[j].kind))
				continue;
			if (words[0] == UINT64_MAX)
			{
				words[0] = 0;
				continue;
			}
			memcpy(to, bytes + words[0], words[1]);
			words[0] = (uint64_t) (uintptr_t) to;
			to += words[1];
		}
}

/* A vector of the window that stands behind so many bits a group. */
static const char *
window_vector(const Window *window, uint32_t bits)
{
	return window->vectors + (size_t) window->capacity / 8 * bits;
}

static size_t
aligned(size_t size)
{
	return (size + 15) / 16 * 16;
}

/* A group batch in one piece of memory: its head, vectors, states, keys. */
static size_t
kept_size(const Program *program, const KernelLayout *layout, const Counters *counters)
{
	size_t		n = counters->emitted;
	size_t		size = aligned(sizeof(KeptGroups)) +
		aligned(program->nkeys * sizeof(ColumnVector)) +
		aligned(n * program->nwords * sizeof(uint64_t));

	if (layout->has_text_value)
		size += aligned(counters->emitted_bytes) + 1;

	for (int i = 0; i < program->nkeys; i++)
	{
		ValueType	type = program_key_type(program, i);

		size += aligned(n / 8 + 1);
		if (type == VT_TEXT)
			size += aligned((n + 1) * sizeof(uint32_t)) + aligned(counters->emitted_bytes);
		else
			size += aligned(n * (size_t) value_type_size(type));
	}
	return size;
}

/* Copy one key of the downloaded window; returns what comes behind the copy. */
static char *
keep_key(const Program *program, const KernelLayout *layout, const Window *window,
		 int key, ColumnVector *vector, char *to)
{
	size_t		n = window->counters->emitted;
	const char *values = window_vector(window, layout->out_values[key]);
	const char *validity = window_vector(window, layout->out_valid[key]);
	ValueType	type = program_key_type(program, key);

	vector->validity = memcpy(to, validity, n / 8 + 1);
	to += aligned(n / 8 + 1);
	if (type != VT_TEXT)
	{
		size_t		size = n * (size_t) value_type_size(type);

		vector->values = memcpy(to, values, size);
		vector->offsets = NULL;
		return to + aligned(size);
	}
	vector->offsets = (const uint32_t *) to;
	vector->values = to + aligned((n + 1) * sizeof(uint32_t));
	gather_texts((const TextRef *) values, (const uint8_t *) validity, window->texts,
				 window->counters->emitted, (uint32_t *) to, (char *) vector->values);
	return (char *) vector->values + aligned(window->counters->emitted_bytes);
}

KeptGroups *
kept_groups_make(const Program *program, const KernelLayout *layout, const Window *window)
{
	uint32_t	n = window->counters->emitted;
	size_t		states = (size_t) n * program->nwords * sizeof(uint64_t);
	KeptGroups *kept = malloc(kept_size(program, layout, window->counters));
	ColumnVector *vectors;
	uint64_t   *copy;
	char	   *at;

	if (kept == NULL)
		return NULL;
	at = (char *) kept + aligned(sizeof(*kept));
	vectors = (ColumnVector *) at;
	at += aligned(program->nkeys * sizeof(ColumnVector));
	copy = (uint64_t *) at;
	if (states > 0)
		memcpy(copy, window_states(layout, window), states);
	at += aligned(states);
	for (int i = 0; i < program->nkeys; i++)
		at = keep_key(program, layout, window, i, &vectors[i], at);
	if (layout->has_text_value)
		gather_extremes(program, window->texts, n, copy, at);
	kept->batch = (GroupBatch) {.ngroups = n,.keys = vectors,.states = copy};
	return kept;
}

const uint64_t *
window_states(const KernelLayout *layout, const Window *window)
{
	return (const uint64_t *) window_vector(window, layout->out_states);
}

bool
window_can_be_given(const KernelLayout *layout)
{
	return !layout->emits_texts;
}

GroupBatch
window_batch(const Program *program, const KernelLayout *layout, const Window *window,
			 ColumnVector *keys)
{
	for (int i = 0; i < program->nkeys; i++)
		keys[i] = (ColumnVector)
	{
		.values = window_vector(window, layout->out_values[i]),
			.validity = (const uint8_t *) window_vector(window, layout->out_valid[i])
	};
	return (GroupBatch)
	{
		.ngroups = window->counters->emitted,.keys = keys,
			.states = window_states(layout, window)
	};
}

void
kept_groups_free(KeptGroups *kept)
{
	while (kept != NULL)
	{
		KeptGroups *next = kept->next;

		free(kept);
		kept = next;
	}
}
