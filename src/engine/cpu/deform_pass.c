/*
 * deform_pass.c
 *	  How tuples are read: which of their attributes, and on what way.
 *
 * In a tuple that has all attributes that are needed, the leading attributes of
 * fixed length stand at places known beforehand if none of them is NULL.  What stands
 * behind an attribute of variable length is found by steps: each skips the attributes
 * of fixed length up to the next one that is read or of variable length.  How many
 * bytes these take, with their padding, depends on nothing but the offset where
 * they begin, modulo the largest alignment, so it is computed here.  A step on which
 * an attribute is NULL is walked attribute by attribute.
 *
 * A pass over tuples that were read before begins where the last pass ended if all
 * that it reads stands behind that, and else at the tuples' begin.
 */
#include <stdlib.h>

#include "deform_internal.h"

/* Mark the attributes that are read; the first one from `from` on, or pass->end. */
static int
mark_attributes(DeformPass *pass, const DeformBuffer *buffer, const bool *wanted, int from)
{
	int			first = buffer->nsteps;

	for (int c = 0; c < buffer->ncolumns; c++)
	{
		int			att = buffer->columns[c].attno - 1;

		if (buffer->columns[c].values == NULL || (wanted != NULL && !wanted[c]))
			continue;
		if (buffer->columns[c].attno == COLUMN_PLACE)
		{
			pass->place = c;
			continue;
		}
		pass->reads[att] = 1;
		if (att >= pass->end)
			pass->end = att + 1;
		if (att >= from && att < first)
			first = att;
	}
	return first;
}

/* The columns at known places.  A pass reads all columns of an attribute. */
static void
list_fixed_columns(DeformPass *pass, const DeformBuffer *buffer)
{
	for (int c = 0; c < buffer->ncolumns; c++)
	{
		int			att = buffer->columns[c].attno - 1;

		if (buffer->columns[c].values != NULL && att >= 0 && att < buffer->nfixed &&
			pass->reads[att])
			pass->fixed_columns[pass->nfixed_columns++] = (int16_t) c;
	}
}

static uint32_t
align(uint32_t offset, const DeformStep *step)
{
	return (offset + step->align_mask) & ~(uint32_t) step->align_mask;
}

/* A step to attribute att over the fixed ones from `from` on. */
static void
add_op(DeformPass *pass, const DeformBuffer *buffer, int from, int att)
{
	DeformOp   *op = &pass->ops[pass->nops++];

	op->from = from;
	op->att = att;
	op->reads = pass->reads[att];
	for (uint32_t begin = 0; begin < 8; begin++)
	{
		uint32_t	offset = begin;

		for (int i = from; i < att; i++)
			offset = align(offset, &buffer->steps[i]) + (uint32_t) buffer->steps[i].len;
		if (buffer->steps[att].len > 0)
			offset = align(offset, &buffer->steps[att]);
		op->skip[begin] = offset - begin;
	}
}

static void
add_ops(DeformPass *pass, const DeformBuffer *buffer, int from)
{
	for (int att = from; att < pass->end; att++)
	{
		if (buffer->steps[att].len > 0 && !pass->reads[att])
			continue;
		add_op(pass, buffer, from, att);
		from = att + 1;
	}
}

DeformPass *
deform_pass_create(const DeformBuffer *buffer, const bool *wanted, const DeformPass *before)
{
	DeformPass *pass = calloc(1, sizeof(DeformPass));
	size_t		nsteps = (size_t) buffer->nsteps + 1;
	int			first;

	if (pass == NULL)
		return NULL;
	pass->place = -1;
	pass->reads = calloc(nsteps, sizeof(uint8_t));
	pass->fixed_columns = calloc((size_t) buffer->ncolumns + 1, sizeof(int16_t));
	pass->ops = calloc(nsteps, sizeof(DeformOp));
	if (pass->reads == NULL || pass->fixed_columns == NULL || pass->ops == NULL)
	{
		deform_pass_free(pass);
		return NULL;
	}

	first = mark_attributes(pass, buffer, wanted, 0);
	pass->to = before ? before->to : 0;
	pass->from = first >= pass->to ? pass->to : 0;
	if (pass->end > 0)
		pass->to = pass->end;

	list_fixed_columns(pass, buffer);
	first = mark_attributes(pass, buffer, wanted, buffer->nfixed);
	pass->simple_to = before ? before->simple_to : buffer->nfixed;
	pass->resumes = first >= pass->simple_to;
	add_ops(pass, buffer, pass->resumes ? pass->simple_to : buffer->nfixed);
	if (pass->nops > 0)
		pass->simple_to = pass->end;
	return pass;
}

void
deform_pass_free(DeformPass *pass)
{
	if (pass == NULL)
		return;
	free(pass->reads);
	free(pass->fixed_columns);
	free(pass->ops);
	free(pass);
}
