/*
 * ops_text.h
 *	  Equality of "char", uuid, text (varchar too) and char(n).
 *
 * Equality of text is that of its bytes, which is what a deterministic
 * collation means; lowering admits no other.  Unlike other operands, Bytes must
 * always point at readable memory.  Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_TEXT_H
#define GPUAGG_OPS_TEXT_H

#include "fn.h"

GA_FN uint8_t
char_eq(int8_t a, int8_t b)
{
	return a == b;
}

GA_FN uint8_t
char_ne(int8_t a, int8_t b)
{
	return a != b;
}

GA_FN uint8_t
uuid_eq(Uuid a, Uuid b)
{
	return a.w[0] == b.w[0] && a.w[1] == b.w[1];
}

GA_FN uint8_t
uuid_ne(Uuid a, Uuid b)
{
	return !uuid_eq(a, b);
}

GA_FN uint8_t
text_eq(Bytes a, Bytes b)
{
	if (a.len != b.len)
		return 0;
#ifdef __CUDACC_RTC__
	for (uint32_t i = 0; i < a.len; i++)
		if (a.data[i] != b.data[i])
			return 0;
	return 1;
#else
	return memcmp(a.data, b.data, a.len) == 0;
#endif
}

GA_FN uint8_t
text_ne(Bytes a, Bytes b)
{
	return !text_eq(a, b);
}

/* A char(n) without the blanks it ends in, which do not count. */
GA_FN Bytes
bpchar_trimmed(Bytes a)
{
	while (a.len > 0 && a.data[a.len - 1] == ' ')
		a.len--;
	return a;
}

GA_FN uint8_t
bpchar_eq(Bytes a, Bytes b)
{
	return text_eq(bpchar_trimmed(a), bpchar_trimmed(b));
}

GA_FN uint8_t
bpchar_ne(Bytes a, Bytes b)
{
	return !bpchar_eq(a, b);
}

#endif							/* GPUAGG_OPS_TEXT_H */
