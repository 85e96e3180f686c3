/*
 * text_order.h
 *	  The order of texts, for operations and for states.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_TEXT_ORDER_H
#define GPUAGG_TEXT_ORDER_H

#include "accs.h"
#include "fn.h"

/* Less, equal or greater than zero, by the bytes: the order of collation C. */
GA_FN int
text_order(Bytes a, Bytes b)
{
	uint32_t	len = a.len < b.len ? a.len : b.len;
#ifdef __CUDACC_RTC__
	for (uint32_t i = 0; i < len; i++)
		if (a.data[i] != b.data[i])
			return (uint8_t) a.data[i] < (uint8_t) b.data[i] ? -1 : 1;
#else
	int			order = memcmp(a.data, b.data, len);

	if (order != 0)
		return order;
#endif
	return (a.len > b.len) - (a.len < b.len);
}

/* A char(n) without the blanks it ends in, which do not count; rtrim(text). */
GA_FN Bytes
bpchar_trimmed(Bytes a)
{
	while (a.len > 0 && a.data[a.len - 1] == ' ')
		a.len--;
	return a;
}

/* The order of the texts of an extreme. */
GA_FN int
form_text_order(AccForm form, Bytes a, Bytes b)
{
	if (form == FORM_BPCHAR)
		return text_order(bpchar_trimmed(a), bpchar_trimmed(b));
	return text_order(a, b);
}

#endif							/* GPUAGG_TEXT_ORDER_H */
