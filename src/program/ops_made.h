/*
 * ops_made.h
 *	  Texts that are made: of others, and of numbers.
 *
 * What is made needs memory, which only the CPU engine's evaluator has (engine/cpu/made_texts.c), so
 * that a Program with such an operation runs there alone (program_needs_cpu).  Each operation has
 * here the most bytes that it makes of a row, and a function that writes them and returns how many
 * they are.  The functions of the operations' names, which have no memory, give errors.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_MADE_H
#define GPUAGG_OPS_MADE_H

#include "fn.h"
#include "ops_text.h"

/* The longest decimal number of 64 bits, with its sign. */
#define INT8_TEXT_LENGTH 20

GA_FN Bytes
made_without_memory(bool *error)
{
	Bytes		none = {"", 0};

	*error = true;
	return none;
}

GA_FN Bytes
text_concat(Bytes a, Bytes b, bool *error)
{
	(void) a;
	(void) b;
	return made_without_memory(error);
}

GA_FN Bytes
text_lower(Bytes a, bool *error)
{
	(void) a;
	return made_without_memory(error);
}

GA_FN Bytes
text_upper(Bytes a, bool *error)
{
	(void) a;
	return made_without_memory(error);
}

GA_FN Bytes
text_reversed(Bytes a, bool *error)
{
	(void) a;
	return made_without_memory(error);
}

GA_FN Bytes
text_replaced(Bytes a, Bytes b, bool *error)
{
	(void) a;
	(void) b;
	return made_without_memory(error);
}

GA_FN Bytes
text_left_padded(Bytes a, Bytes b, bool *error)
{
	(void) a;
	(void) b;
	return made_without_memory(error);
}

GA_FN Bytes
text_right_padded(Bytes a, Bytes b, bool *error)
{
	(void) a;
	(void) b;
	return made_without_memory(error);
}

GA_FN Bytes
text_repeated(Bytes a, Bytes b, bool *error)
{
	(void) a;
	(void) b;
	return made_without_memory(error);
}

GA_FN Bytes
int8_text(int64_t a, bool *error)
{
	(void) a;
	return made_without_memory(error);
}

GA_FN uint64_t
write_concat(char *to, Bytes a, Bytes b)
{
	for (uint32_t i = 0; i < a.len; i++)
		to[i] = a.data[i];
	for (uint32_t i = 0; i < b.len; i++)
		to[a.len + i] = b.data[i];
	return (uint64_t) a.len + b.len;
}

/* ASCII's letters, as the collation C has it; other bytes stay. */
GA_FN uint64_t
write_lower(char *to, Bytes a)
{
	for (uint32_t i = 0; i < a.len; i++)
		to[i] = a.data[i] >= 'A' && a.data[i] <= 'Z' ? (char) (a.data[i] + ('a' - 'A')) : a.data[i];
	return a.len;
}

GA_FN uint64_t
write_upper(char *to, Bytes a)
{
	for (uint32_t i = 0; i < a.len; i++)
		to[i] = a.data[i] >= 'a' && a.data[i] <= 'z' ? (char) (a.data[i] - ('a' - 'A')) : a.data[i];
	return a.len;
}

/* The characters of UTF-8 from the last to the first: the bytes of one stay in their order. */
GA_FN uint64_t
write_reversed(char *to, Bytes a)
{
	uint32_t	end = a.len;
	uint64_t	n = 0;

	while (end > 0)
	{
		uint32_t	begin = end - 1;

		while (begin > 0 && (a.data[begin] & 0xC0) == 0x80)
			begin--;
		for (uint32_t i = begin; i < end; i++)
			to[n++] = a.data[i];
		end = begin;
	}
	return n;
}

/* A number and a text in one: the number in four bytes, and the text. */
typedef struct NumberedText
{
	uint32_t	number;
	Bytes		text;
} NumberedText;

/* Fewer bytes are zero, and no text. */
GA_FN NumberedText
read_numbered_text(Bytes b)
{
	NumberedText result = {0, {b.data, 0}};

	if (b.len < 4)
		return result;
	for (int i = 0; i < 4; i++)
		result.number |= (uint32_t) (uint8_t) b.data[i] << (8 * i);
	result.text.data += 4;
	result.text.len = b.len - 4;
	return result;
}

/* So many characters of a text, which begins again at its end. */
GA_FN uint64_t
write_fill(char *to, Bytes fill, int64_t chars)
{
	uint64_t	n = 0;
	uint32_t	at = 0;

	for (; chars > 0 && fill.len > 0; chars--)
	{
		for (uint32_t end = next_char(fill, at); at < end; at++)
			to[n++] = fill.data[at];
		if (at == fill.len)
			at = 0;
	}
	return n;
}

GA_FN uint64_t
write_bytes(char *to, Bytes a)
{
	for (uint32_t i = 0; i < a.len; i++)
		to[i] = a.data[i];
	return a.len;
}

/* Of lpad and rpad, to so many characters. */
GA_FN uint64_t
most_padded(Bytes a, NumberedText pad)
{
	return a.len + (uint64_t) pad.number * pad.text.len;
}

/* Where there are more characters already, the first ones are left. */
GA_FN uint64_t
write_padded(char *to, Bytes a, NumberedText pad, bool left)
{
	int64_t		missing = (int64_t) pad.number - text_chars(a);
	uint64_t	n = 0;

	if (missing <= 0)
		return write_bytes(to, text_first(a, (int32_t) pad.number));
	if (left)
		n = write_fill(to, pad.text, missing);
	n += write_bytes(to + n, a);
	if (!left)
		n += write_fill(to + n, pad.text, missing);
	return n;
}

GA_FN uint64_t
write_repeated(char *to, Bytes a, uint32_t times)
{
	uint64_t	n = 0;

	for (; times > 0; times--)
		n += write_bytes(to + n, a);
	return n;
}

/* What is replaced by what, in one text: the first's length, it, and the second. */
typedef struct Replacement
{
	Bytes		from;
	Bytes		to;
} Replacement;

/* Bytes that are no replacement replace nothing, as an empty text does. */
GA_FN Replacement
read_replacement(Bytes b)
{
	Replacement result = {{b.data, 0}, {b.data, 0}};
	NumberedText both = read_numbered_text(b);

	if (both.number > both.text.len)
		return result;
	result.from.data = both.text.data;
	result.from.len = both.number;
	result.to.data = both.text.data + both.number;
	result.to.len = both.text.len - both.number;
	return result;
}

GA_FN uint64_t
most_replaced(Bytes a, Replacement r)
{
	return r.from.len == 0 || r.to.len <= r.from.len ? a.len :
		a.len + (uint64_t) (a.len / r.from.len) * (r.to.len - r.from.len);
}

GA_FN bool
stands_at(Bytes a, uint32_t place, Bytes part)
{
	if (a.len - place < part.len)
		return false;
	for (uint32_t i = 0; i < part.len; i++)
		if (a.data[place + i] != part.data[i])
			return false;
	return true;
}

/* From the beginning on, each place where the first text stands. */
GA_FN uint64_t
write_replaced(char *to, Bytes a, Replacement r)
{
	uint64_t	n = 0;
	uint32_t	place = 0;

	while (place < a.len)
	{
		if (r.from.len == 0 || !stands_at(a, place, r.from))
		{
			to[n++] = a.data[place++];
			continue;
		}
		for (uint32_t i = 0; i < r.to.len; i++)
			to[n++] = r.to.data[i];
		place += r.from.len;
	}
	return n;
}

GA_FN uint64_t
write_int8(char *to, int64_t a)
{
	char		digits[INT8_TEXT_LENGTH];
	uint64_t	rest = a < 0 ? -(uint64_t) a : (uint64_t) a;
	int			ndigits = 0;
	uint64_t	n = 0;

	do
	{
		digits[ndigits++] = (char) ('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (a < 0)
		to[n++] = '-';
	while (ndigits > 0)
		to[n++] = digits[--ndigits];
	return n;
}

#endif							/* GPUAGG_OPS_MADE_H */
