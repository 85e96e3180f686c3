/*
 * made_texts.c
 *	  Operations that make texts (ops_made.h), of a batch's rows.
 *
 * First the most bytes that all rows may need are added up, so that memory is there before a byte
 * is written.
 */
#include <stdlib.h>

#include "engine/cpu/made_texts.h"
#include "program/ops.h"

/* Bytes of a batch's texts at most: what makes more is left to PostgreSQL. */
#define MOST_BYTES (UINT64_C(64) << 20)

/* The most that a row may need. */
static uint64_t
most_of_row(OpCode op, Bytes left, const Bytes *right)
{
	switch (op)
	{
		case OP_text_replaced:
			return most_replaced(left, read_replacement(*right));
		case OP_text_left_padded:
		case OP_text_right_padded:
			return most_padded(left, read_numbered_text(*right));
		case OP_text_repeated:
			return (uint64_t) left.len * read_numbered_text(*right).number;
		default:
			return left.len + (right != NULL ? (uint64_t) right->len : 0);
	}
}

static uint64_t
most_bytes(OpCode op, uint32_t n, const Bytes *left, const Bytes *right)
{
	uint64_t	sum = 0;

	if (op == OP_int8_text)
		return (uint64_t) n * INT8_TEXT_LENGTH;
	for (uint32_t i = 0; i < n; i++)
		sum += most_of_row(op, left[i], right != NULL ? &right[i] : NULL);
	return sum;
}

static bool
make_room(MadeTexts *made, uint64_t bytes)
{
	if (bytes <= made->size)
		return true;
	if (bytes > MOST_BYTES)
		return false;
	/* the texts of the batch before are of no use any more */
	free(made->data);
	made->size = bytes + bytes / 2;
	made->data = malloc(made->size);
	if (made->data == NULL)
		made->size = 0;
	return made->data != NULL;
}

static uint64_t
write_text(OpCode op, char *to, const Bytes *left, const Bytes *right)
{
	switch (op)
	{
		case OP_text_concat:
			return write_concat(to, *left, *right);
		case OP_text_lower:
			return write_lower(to, *left);
		case OP_text_upper:
			return write_upper(to, *left);
		case OP_text_reversed:
			return write_reversed(to, *left);
		case OP_text_replaced:
			return write_replaced(to, *left, read_replacement(*right));
		case OP_text_left_padded:
		case OP_text_right_padded:
			return write_padded(to, *left, read_numbered_text(*right), op == OP_text_left_padded);
		case OP_text_repeated:
			return write_repeated(to, *left, read_numbered_text(*right).number);
		default:
			return 0;
	}
}

bool
made_texts_run(OpCode op, uint32_t n, const void *left, const Bytes *right, MadeTexts *made,
			   Bytes *out)
{
	const Bytes *texts = left;
	char	   *to;

	if (!make_room(made, most_bytes(op, n, texts, right)))
	{
		for (uint32_t i = 0; i < n; i++)
			out[i] = (Bytes) {"", 0};
		return false;
	}
	/* no pointer is NULL, even to no bytes */
	to = made->data;
	for (uint32_t i = 0; i < n; i++)
	{
		uint64_t	len = op == OP_int8_text ? write_int8(to, ((const int64_t *) left)[i]) :
			write_text(op, to, &texts[i], right != NULL ? &right[i] : NULL);

		out[i].data = to != NULL ? to : "";
		out[i].len = (uint32_t) len;
		to += len;
	}
	return true;
}

void
made_texts_free(MadeTexts *made)
{
	free(made->data);
}
