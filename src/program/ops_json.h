/*
 * ops_json.h
 *	  Values of a jsonb's keys, as PostgreSQL stores them, and numbers written as texts.
 *
 * A container is a header of 32 bits, of its kind and the number of its elements, an entry of
 * 32 bits for each child, and the children's bytes.  An object of n pairs has 2 n children: the
 * keys, in the order of their lengths and then of their bytes, and the values in the keys'
 * order.  An entry has the child's type, and its length or where it ends.  Numbers and
 * containers begin at multiples of 4 from the children's first byte, with what comes before
 * as a part of their lengths.
 *
 * All places are checked against the container's length, so that any bytes can be read.
 * Nothing here need be aligned.  Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_JSON_H
#define GPUAGG_OPS_JSON_H

#include "fn.h"
#include "numeric_page.h"
#include "ops_text.h"

#ifndef __CUDACC_RTC__
#include <errno.h>
#include <stdlib.h>
#endif

#define JSON_COUNT 0x0fffffff	/* of a container's header */
#define JSON_OBJECT 0x20000000
#define JSON_ARRAY 0x40000000	/* also of a single value */

#define JSON_LENGTH 0x0fffffff	/* of an entry: a length, or, with JSON_IS_END, an end */
#define JSON_IS_END 0x80000000
#define JSON_TYPE 0x70000000
#define JSON_STRING 0x00000000
#define JSON_NUMBER 0x10000000
#define JSON_FALSE 0x20000000
#define JSON_TRUE 0x30000000
#define JSON_NULL 0x40000000
#define JSON_CONTAINER 0x50000000

/* Where jsonb_place has found no value: no key, or null. */
#define JSON_NO_KEY (-1)
#define JSON_NULL_VALUE (-2)

/* Bytes of the longest number that is written; longer ones are errors. */
#define JSON_NUMBER_LENGTH 64

#define NUMBER_MAX_SCALE 16383	/* NUMERIC_DSCALE_MAX */

/* A child of a container. */
typedef struct JsonChild
{
	uint32_t	type;			/* JSON_STRING ... JSON_CONTAINER; JSON_TYPE: there is none */
	Bytes		bytes;
} JsonChild;

GA_FN uint32_t
json_word(Bytes a, uint32_t at)
{
	const uint8_t *b = (const uint8_t *) a.data + at;

	return (uint32_t) b[0] | (uint32_t) b[1] << 8 | (uint32_t) b[2] << 16 | (uint32_t) b[3] << 24;
}

/* The pairs of an object, or an array's elements; 0: it is none, or has none. */
GA_FN uint32_t
json_count(Bytes a, uint32_t kind)
{
	uint32_t	header = a.len >= 4 ? json_word(a, 0) : 0;
	uint32_t	count = header & JSON_COUNT;

	return (header & kind) != 0 && count <= (a.len - 4) / (kind == JSON_OBJECT ? 8 : 4) ? count : 0;
}

/* Child number n of a container with so many children. */
GA_FN JsonChild
json_child(Bytes a, uint32_t children, uint32_t n)
{
	uint32_t	first = 4 + 4 * children;
	uint32_t	entry = json_word(a, 4 + 4 * n);
	uint64_t	begin = 0;
	uint64_t	end;
	JsonChild	child = {JSON_TYPE, {a.data, 0}};

	for (uint32_t i = n; i-- > 0;)
	{
		uint32_t	before = json_word(a, 4 + 4 * i);

		begin += before & JSON_LENGTH;
		if (before & JSON_IS_END)
			break;
	}
	end = (entry & JSON_IS_END ? 0 : begin) + (entry & JSON_LENGTH);
	child.type = entry & JSON_TYPE;
	if (child.type == JSON_NUMBER || child.type == JSON_CONTAINER)
		begin = (begin + 3) & ~(uint64_t) 3;
	if (begin > end || end > a.len - first)
	{
		child.type = JSON_TYPE;
		return child;
	}
	child.bytes.data = a.data + first + begin;
	child.bytes.len = (uint32_t) (end - begin);
	return child;
}

/* The order of an object's keys. */
GA_FN int
json_key_order(Bytes a, Bytes b)
{
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return text_order(a, b);
}

/* The child that is the key's value, JSON_NO_KEY or JSON_NULL_VALUE. */
GA_FN int32_t
jsonb_place(Bytes a, Bytes key)
{
	uint32_t	pairs = json_count(a, JSON_OBJECT);
	uint32_t	low = 0;
	uint32_t	high = pairs;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;
		int			order = json_key_order(json_child(a, 2 * pairs, middle).bytes, key);

		if (order == 0)
		{
			middle += pairs;
			return (json_word(a, 4 + 4 * middle) & JSON_TYPE) == JSON_NULL ? JSON_NULL_VALUE :
				(int32_t) middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return JSON_NO_KEY;
}

/* The child at a place that jsonb_place has found; of type JSON_TYPE: there is none. */
GA_FN JsonChild
json_value(Bytes a, int32_t place)
{
	uint32_t	pairs = json_count(a, JSON_OBJECT);
	JsonChild	none = {JSON_TYPE, {a.data, 0}};

	return place < 0 || (uint32_t) place >= 2 * pairs ? none :
		json_child(a, 2 * pairs, (uint32_t) place);
}

/* The container that is there; empty if there is none. */
GA_FN Bytes
jsonb_inside(Bytes a, int32_t place)
{
	JsonChild	child = json_value(a, place);

	if (child.type != JSON_CONTAINER)
		child.bytes.len = 0;
	return child.bytes;
}

/* Has an object the key, or an array the text? */
GA_FN uint8_t
jsonb_has(Bytes a, Bytes key)
{
	uint32_t	count = json_count(a, JSON_ARRAY);

	for (uint32_t i = 0; i < count; i++)
	{
		JsonChild	child = json_child(a, count, i);

		if (child.type == JSON_STRING && text_eq(child.bytes, key))
			return 1;
	}
	return jsonb_place(a, key) != JSON_NO_KEY;
}

/* The digits of a stored number from 10000^weight on; 0 beyond its ends. */
GA_FN uint32_t
json_digits(const NumericHeader *h, int weight)
{
	int			i = h->weight - weight;

	return i < 0 || i >= h->ndigits ? 0 : numeric_u16(h->digits + 2 * i);
}

/*
 * A stored numeric, with its varlena header, as numeric_out writes it into JSON_NUMBER_LENGTH
 * bytes; the length, or 0 if it is too long or none.
 */
GA_FN uint32_t
json_number(Bytes a, char *text)
{
	const uint8_t *data = (const uint8_t *) a.data;
	uint32_t	header = a.len > 0 && (data[0] & 1) ? 1 : 4;
	uint32_t	size = a.len < 4 ? 0 : header == 1 ? data[0] >> 1 : json_word(a, 0) >> 2;
	NumericHeader h;
	uint32_t	len = 0;
	bool		begun = false;

	/* neither compressed nor stored elsewhere */
	if (size < header || size > a.len || (header == 4 && (data[0] & 3) != 0))
		return 0;
	h = numeric_header(data + header, size - header);
	if (h.special || h.scale > JSON_NUMBER_LENGTH || h.weight > JSON_NUMBER_LENGTH ||
		(h.weight < 0 ? 1 : 4 * (h.weight + 1)) + h.scale + 2 > JSON_NUMBER_LENGTH)
		return 0;
	if (h.negative)
		text[len++] = '-';
	for (int weight = h.weight; weight >= 0; weight--)
	{
		uint32_t	digits = json_digits(&h, weight);

		for (uint32_t unit = 1000; unit > 0; unit /= 10)
		{
			begun |= digits >= unit;
			if (begun)
				text[len++] = (char) ('0' + digits / unit % 10);
		}
	}
	if (!begun)
		text[len++] = '0';
	if (h.scale > 0)
		text[len++] = '.';
	for (int i = 0; i < h.scale; i++)
	{
		uint32_t	unit = i % 4 == 0 ? 1000 : i % 4 == 1 ? 100 : i % 4 == 2 ? 10 : 1;

		text[len++] = (char) ('0' + json_digits(&h, -1 - i / 4) / unit % 10);
	}
	return len;
}

/*
 * The text of the value at a place, empty if there is none.  A number is written to `number`,
 * if that is not NULL.  Containers are errors, and so are numbers that are not written.
 */
GA_FN Bytes
json_text(Bytes a, int32_t place, char *number, bool *error)
{
	JsonChild	child = json_value(a, place);
	Bytes		text = {a.data, 0};

	switch (child.type)
	{
		case JSON_STRING:
			return child.bytes;
		case JSON_FALSE:
			text.data = "false";
			text.len = 5;
			return text;
		case JSON_TRUE:
			text.data = "true";
			text.len = 4;
			return text;
		case JSON_NUMBER:
			text.data = number;
			text.len = number != NULL ? json_number(child.bytes, number) : 0;
			if (text.len > 0)
				return text;
			break;
		default:
			break;
	}
	*error |= place >= 0;
	text.data = a.data;
	text.len = 0;
	return text;
}

/* The same where numbers have no memory. */
GA_FN Bytes
jsonb_text(Bytes a, int32_t place, bool *error)
{
	return json_text(a, place, NULL, error);
}

/* A text without the white space around it, as input functions of numbers leave it out. */
GA_FN Bytes
number_trimmed(Bytes a)
{
	while (a.len > 0 && (a.data[0] == ' ' || (a.data[0] >= '\t' && a.data[0] <= '\r')))
	{
		a.data++;
		a.len--;
	}
	while (a.len > 0 && (a.data[a.len - 1] == ' ' ||
						 (a.data[a.len - 1] >= '\t' && a.data[a.len - 1] <= '\r')))
		a.len--;
	return a;
}

/*
 * The decimal integer that a text is, within these bounds.  What else input functions take, such
 * as hexadecimal numbers from PostgreSQL 16 on, is an error here.
 */
GA_FN int64_t
text_integer(Bytes a, int64_t least, int64_t most, bool *error)
{
	uint64_t	limit;
	uint64_t	value = 0;
	bool		negative;
	uint32_t	i;

	a = number_trimmed(a);
	negative = a.len > 0 && a.data[0] == '-';
	limit = negative ? (uint64_t) 0 - (uint64_t) least : (uint64_t) most;
	i = a.len > 0 && (negative || a.data[0] == '+');
	*error |= i == a.len;
	for (; i < a.len; i++)
	{
		uint32_t	digit = (uint32_t) ((uint8_t) a.data[i] - '0');

		if (digit > 9 || value > (limit - digit) / 10)
		{
			*error = true;
			return 0;
		}
		value = value * 10 + digit;
	}
	return (int64_t) (negative ? (uint64_t) 0 - value : value);
}

GA_FN int16_t
text_int2(Bytes a, bool *error)
{
	return (int16_t) text_integer(a, INT16_MIN, INT16_MAX, error);
}

GA_FN int32_t
text_int4(Bytes a, bool *error)
{
	return (int32_t) text_integer(a, INT32_MIN, INT32_MAX, error);
}

GA_FN int64_t
text_int8(Bytes a, bool *error)
{
	return text_integer(a, INT64_MIN, INT64_MAX, error);
}

/* What a number's text is made of. */
typedef struct NumberText
{
	bool		valid;			/* a sign, digits with a point, and an exponent */
	bool		negative;
	bool		exact;			/* all digits are in `digits` */
	bool		cut;			/* else: those that are not are behind the point */
	uint64_t	digits;			/* times 10^exponent: the number, or what it begins with */
	int32_t		exponent;
	int32_t		scale;			/* digits behind the point as it is written without an exponent */
} NumberText;

/* The exponent at place i of a text, and all that is behind it; false: it is none. */
GA_FN bool
number_exponent(Bytes a, uint32_t i, int32_t *exponent)
{
	int32_t		value = 0;
	bool		negative;

	if (i == a.len)
		return true;
	if (a.data[i] != 'e' && a.data[i] != 'E')
		return false;
	i++;
	negative = i < a.len && a.data[i] == '-';
	i += i < a.len && (negative || a.data[i] == '+');
	if (i == a.len || a.len - i > 6)
		return false;
	for (; i < a.len; i++)
	{
		if (a.data[i] < '0' || a.data[i] > '9')
			return false;
		value = value * 10 + (a.data[i] - '0');
	}
	*exponent += negative ? -value : value;
	return true;
}

GA_FN NumberText
number_of_text(Bytes a)
{
	NumberText	n = {false, false, true, false, 0, 0, 0};
	bool		point = false;
	uint32_t	ndigits = 0;
	int32_t		exponent = 0;
	uint32_t	i;

	n.negative = a.len > 0 && a.data[0] == '-';
	for (i = a.len > 0 && (n.negative || a.data[0] == '+'); i < a.len; i++)
	{
		uint32_t	digit = (uint32_t) ((uint8_t) a.data[i] - '0');

		if (a.data[i] == '.' && !point)
		{
			point = true;
			continue;
		}
		if (digit > 9)
			break;
		ndigits++;
		if (n.exact && n.digits >= UINT64_C(100000000000000000))
		{
			n.exact = false;
			n.cut = point;
		}
		if (n.exact)
			n.digits = n.digits * 10 + digit;
		n.exponent -= n.exact && point;
		n.scale += point;
	}
	n.valid = ndigits > 0 && number_exponent(a, i, &exponent);
	n.exponent += exponent;
	n.scale -= exponent;
	return n;
}

/*
 * The nearest float8.  A number below 2^53 times or over a power of ten that a float8 is, too,
 * is rounded once.  Others are the C library's, where there is one.  NaN and the infinities are
 * errors.
 */
GA_FN double
text_float8(Bytes a, bool *error)
{
	NumberText	n;
	double		value = 0;
	double		power = 1;

	a = number_trimmed(a);
	n = number_of_text(a);
	if (n.valid && n.exact && n.digits <= UINT64_C(9007199254740992) && n.exponent >= -22 &&
		n.exponent <= 22)
	{
		for (int32_t i = n.exponent < 0 ? -n.exponent : n.exponent; i > 0; i--)
			power *= 10;
		value = n.exponent < 0 ? (double) n.digits / power : (double) n.digits * power;
		return n.negative ? -value : value;
	}
#ifndef __CUDACC_RTC__
	if (n.valid && a.len < JSON_NUMBER_LENGTH)
	{
		char		text[JSON_NUMBER_LENGTH];

		memcpy(text, a.data, a.len);
		text[a.len] = '\0';
		errno = 0;
		value = strtod(text, NULL);
		if (errno == 0)
			return value;
	}
#endif
	*error = true;
	return value;
}

/*
 * In units of 10^-scale, rounded half away from zero; what 64 bits do not hold is an error, and so
 * is what PostgreSQL does not read, since a numeric cannot have so many digits behind the point.
 */
GA_FN int64_t
text_numeric(Bytes a, int32_t scale, bool *error)
{
	NumberText	n = number_of_text(number_trimmed(a));
	int32_t		exponent = n.exponent + scale;
	uint64_t	dropped = 0;

	/* where digits are cut off, the one by which it is rounded must be there */
	*error |= !n.valid || n.scale > NUMBER_MAX_SCALE || (!n.exact && !(n.cut && exponent < 0));
	for (; exponent > 0 && n.digits > 0; exponent--)
	{
		if (n.digits > NUMERIC64_MAX / 10)
		{
			*error = true;
			return 0;
		}
		n.digits *= 10;
	}
	for (; exponent < 0 && (n.digits > 0 || dropped > 0); exponent++)
	{
		dropped = n.digits % 10;
		n.digits /= 10;
	}
	n.digits += dropped >= 5;
	return n.negative ? -(int64_t) n.digits : (int64_t) n.digits;
}

/* Is it a word, in any case, or what that begins with? */
GA_FN bool
begins_word(Bytes a, const char *word, uint32_t len)
{
	if (a.len == 0 || a.len > len)
		return false;
	for (uint32_t i = 0; i < a.len; i++)
		if ((a.data[i] | 0x20) != word[i])
			return false;
	return true;
}

GA_FN uint8_t
text_bool(Bytes a, bool *error)
{
	bool		alone;

	a = number_trimmed(a);
	alone = a.len == 1;
	if ((alone && a.data[0] == '1') || begins_word(a, "true", 4) || begins_word(a, "yes", 3) ||
		(!alone && begins_word(a, "on", 2)))
		return 1;
	*error |= !(alone && a.data[0] == '0') && !begins_word(a, "false", 5) &&
		!begins_word(a, "no", 2) && (alone || !begins_word(a, "off", 3));
	return 0;
}

#endif							/* GPUAGG_OPS_JSON_H */
