/*
 * text_order.h
 *	  The order of texts and of addresses, for operations and for states.
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

/* Zeros stand behind the bytes. */
GA_FN uint32_t
inet_byte(Bytes a, uint32_t i)
{
	return i < a.len ? (uint8_t) a.data[i] : 0;
}

/* A byte of the network that an address is in, whose last bits are not those of the host. */
GA_FN uint32_t
inet_network_byte(Bytes a, uint32_t i, uint32_t bits)
{
	uint32_t	used = bits > 8 * i ? bits - 8 * i : 0;

	return used >= 8 ? inet_byte(a, 2 + i) : inet_byte(a, 2 + i) & (0xff00 >> used);
}

/*
 * Addresses as PostgreSQL stores and orders them: the family, the number of bits of the
 * network, the address.  Families are compared first, networks by the bits that both
 * have, then by the number of their bits, and hosts last.
 */
GA_FN int
inet_order(Bytes a, Bytes b)
{
	uint32_t	bits = inet_byte(a, 1) < inet_byte(b, 1) ? inet_byte(a, 1) : inet_byte(b, 1);
	int			order = (int) inet_byte(a, 0) - (int) inet_byte(b, 0);

	for (uint32_t i = 0; order == 0 && 8 * i < bits; i++)
		order = (int) inet_network_byte(a, i, bits) - (int) inet_network_byte(b, i, bits);
	if (order == 0)
		order = (int) inet_byte(a, 1) - (int) inet_byte(b, 1);
	return order == 0 ? text_order(a, b) : order;
}

/* The order of the texts of an extreme. */
GA_FN int
form_text_order(AccForm form, Bytes a, Bytes b)
{
	if (form == FORM_INET)
		return inet_order(a, b);
	if (form == FORM_BPCHAR)
		return text_order(bpchar_trimmed(a), bpchar_trimmed(b));
	return text_order(a, b);
}

#endif							/* GPUAGG_TEXT_ORDER_H */
