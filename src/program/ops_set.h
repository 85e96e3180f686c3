/*
 * ops_set.h
 *	  Membership in a set of values, for x = ANY (array) and IN.
 *
 * A set is a parameter's bytes, made of an array when execution begins: a SetHeader,
 * then the values, sorted and each once; of integers (dates, timestamps) as
 * int64, of texts as their places, one more than there are texts, counted from
 * the set's begin, and behind these their bytes.  NULLs are only counted.
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_SET_H
#define GPUAGG_OPS_SET_H

#include "fn.h"
#include "ops_text.h"

typedef struct SetHeader
{
	uint32_t	nvalues;
	uint32_t	nnulls;
} SetHeader;

/* The head of a set; of an empty one if there are no bytes, as in a NULL parameter. */
GA_FN SetHeader
set_header(Bytes set)
{
	SetHeader	none = {0, 0};

	return set.len >= sizeof(SetHeader) ? *(const SetHeader *) set.data : none;
}

GA_FN uint8_t
set_has_null(Bytes set)
{
	return set_header(set).nnulls > 0;
}

/* Has the array any element, NULLs among them? */
GA_FN uint8_t
set_has_element(Bytes set)
{
	return (set_header(set).nvalues | set_header(set).nnulls) != 0;
}

GA_FN uint8_t
int8_in(int64_t value, Bytes set)
{
	const int64_t *values = (const int64_t *) (set.data + sizeof(SetHeader));
	uint32_t	n = set_header(set).nvalues;

	if (n == 0)
		return 0;
	while (n > 1)
	{
		uint32_t	half = n / 2;

		if (values[half] <= value)
			values += half;
		n -= half;
	}
	return *values == value;
}

GA_FN uint8_t
text_in(Bytes value, Bytes set)
{
	const uint32_t *places = (const uint32_t *) (set.data + sizeof(SetHeader));
	uint32_t	n = set_header(set).nvalues;
	Bytes		member;

	if (n == 0)
		return 0;
	while (n > 1)
	{
		uint32_t	half = n / 2;

		member.data = set.data + places[half];
		member.len = places[half + 1] - places[half];
		if (text_order(member, value) <= 0)
			places += half;
		n -= half;
	}
	member.data = set.data + places[0];
	member.len = places[1] - places[0];
	return text_eq(member, value);
}

#endif							/* GPUAGG_OPS_SET_H */
