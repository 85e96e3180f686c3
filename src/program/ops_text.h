/*
 * ops_text.h
 *	  Equality of "char", uuid, text (varchar too) and char(n); equality and order of
 *	  macaddr; order, LIKE, lengths and parts of texts.
 *
 * Equality of text is that of its bytes, which is what a deterministic
 * collation means; lowering admits no other.  Order is that of the bytes,
 * which is the collation C's, and lowering admits no other.  Unlike other
 * operands, Bytes must always point at readable memory.
 *
 * Characters are those of UTF-8: a character begins where a byte is not a
 * continuation byte.  Lowering admits what counts characters only in databases
 * of that encoding.  A text that is part of another points into its bytes.
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_TEXT_H
#define GPUAGG_OPS_TEXT_H

#include "fn.h"
#include "text_order.h"

#if defined(__SSE2__) && !defined(__CUDACC_RTC__)
#include <emmintrin.h>
#endif

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

/* Its first eight bytes, and the others, as they stand in memory. */
GA_FN int64_t
uuid_first(Uuid a)
{
	return (int64_t) a.w[0];
}

GA_FN int64_t
uuid_second(Uuid a)
{
	return (int64_t) a.w[1];
}

/* The number of which a macaddr's first byte is the highest. */
GA_FN uint64_t
mac_number(Mac a)
{
	uint64_t	number = 0;

	for (int i = 0; i < 6; i++)
		number = number << 8 | (a.w[0] >> (8 * i) & 0xff);
	return number;
}

GA_FN uint8_t
macaddr_eq(Mac a, Mac b)
{
	return a.w[0] == b.w[0];
}

GA_FN uint8_t
macaddr_ne(Mac a, Mac b)
{
	return a.w[0] != b.w[0];
}

GA_FN uint8_t
macaddr_lt(Mac a, Mac b)
{
	return mac_number(a) < mac_number(b);
}

GA_FN uint8_t
macaddr_le(Mac a, Mac b)
{
	return mac_number(a) <= mac_number(b);
}

GA_FN uint8_t
macaddr_gt(Mac a, Mac b)
{
	return mac_number(a) > mac_number(b);
}

GA_FN uint8_t
macaddr_ge(Mac a, Mac b)
{
	return mac_number(a) >= mac_number(b);
}

GA_FN bool
bytes_equal(const char *a, const char *b, uint32_t len)
{
#ifdef __CUDACC_RTC__
	for (uint32_t i = 0; i < len; i++)
		if (a[i] != b[i])
			return false;
	return true;
#else
	return memcmp(a, b, len) == 0;
#endif
}

GA_FN uint8_t
text_eq(Bytes a, Bytes b)
{
	return a.len == b.len && bytes_equal(a.data, b.data, a.len);
}

GA_FN uint8_t
text_ne(Bytes a, Bytes b)
{
	return !text_eq(a, b);
}

GA_FN uint8_t
text_lt(Bytes a, Bytes b)
{
	return text_order(a, b) < 0;
}

GA_FN uint8_t
text_le(Bytes a, Bytes b)
{
	return text_order(a, b) <= 0;
}

GA_FN uint8_t
text_gt(Bytes a, Bytes b)
{
	return text_order(a, b) > 0;
}

GA_FN uint8_t
text_ge(Bytes a, Bytes b)
{
	return text_order(a, b) >= 0;
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

GA_FN uint8_t
bpchar_lt(Bytes a, Bytes b)
{
	return text_lt(bpchar_trimmed(a), bpchar_trimmed(b));
}

GA_FN uint8_t
bpchar_le(Bytes a, Bytes b)
{
	return text_le(bpchar_trimmed(a), bpchar_trimmed(b));
}

GA_FN uint8_t
bpchar_gt(Bytes a, Bytes b)
{
	return text_lt(bpchar_trimmed(b), bpchar_trimmed(a));
}

GA_FN uint8_t
bpchar_ge(Bytes a, Bytes b)
{
	return text_le(bpchar_trimmed(b), bpchar_trimmed(a));
}

/* A text without the blanks it begins with; ltrim(text) */
GA_FN Bytes
text_ltrimmed(Bytes a)
{
	while (a.len > 0 && a.data[0] == ' ')
	{
		a.data++;
		a.len--;
	}
	return a;
}

/* btrim(text) */
GA_FN Bytes
text_trimmed(Bytes a)
{
	return text_ltrimmed(bpchar_trimmed(a));
}

GA_FN uint8_t
text_starts_with(Bytes a, Bytes prefix)
{
	return a.len >= prefix.len && bytes_equal(a.data, prefix.data, prefix.len);
}

GA_FN uint8_t
text_ends_with(Bytes a, Bytes suffix)
{
	return a.len >= suffix.len &&
		bytes_equal(a.data + (a.len - suffix.len), suffix.data, suffix.len);
}

/* Where the first bytes are, from a place on, that equal `part`, which is not empty; TEXT_NOWHERE. */
#define TEXT_NOWHERE UINT32_MAX

#if defined(__SSE2__) && !defined(__CUDACC_RTC__)

/* At which of 16 places, from `at` on, are the part's first and last byte? */
GA_FN uint32_t
text_candidates(Bytes a, Bytes part, uint32_t at)
{
	__m128i		first = _mm_loadu_si128((const __m128i *) (a.data + at));
	__m128i		last = _mm_loadu_si128((const __m128i *) (a.data + at + part.len - 1));

	return (uint32_t) _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(first, _mm_set1_epi8(part.data[0])),
													  _mm_cmpeq_epi8(last, _mm_set1_epi8(part.data[part.len - 1]))));
}

GA_FN uint32_t
text_find(Bytes a, Bytes part, uint32_t at)
{
	uint32_t	end;			/* behind the last place where it can be */

	if (a.len < part.len || at > a.len - part.len)
		return TEXT_NOWHERE;
	end = a.len - part.len + 1;
	if (end - at < 16)
	{
		for (; at < end; at++)
			if (a.data[at] == part.data[0] && bytes_equal(a.data + at, part.data, part.len))
				return at;
		return TEXT_NOWHERE;
	}
	for (;;)
	{
		for (uint32_t found = text_candidates(a, part, at); found != 0; found &= found - 1)
		{
			uint32_t	place = at + (uint32_t) __builtin_ctz(found);

			if (bytes_equal(a.data + place, part.data, part.len))
				return place;
		}
		if (end - at <= 16)
			return TEXT_NOWHERE;
		/* the last 16 places may have been looked at in part */
		at = end - at < 32 ? end - 16 : at + 16;
	}
}

#else

GA_FN uint32_t
text_find(Bytes a, Bytes part, uint32_t at)
{
	for (; at + part.len <= a.len; at++)
	{
#ifndef __CUDACC_RTC__
		const char *found = memchr(a.data + at, part.data[0], a.len - part.len - at + 1);

		if (found == NULL)
			return TEXT_NOWHERE;
		at = (uint32_t) (found - a.data);
#endif
		if (bytes_equal(a.data + at, part.data, part.len))
			return at;
	}
	return TEXT_NOWHERE;
}

#endif

GA_FN uint8_t
text_contains(Bytes a, Bytes part)
{
	return part.len == 0 || text_find(a, part, 0) != TEXT_NOWHERE;
}

/* How many bytes of a LIKE pattern, from a place on, are matched as they are. */
GA_FN uint32_t
pattern_literal(Bytes pattern, uint32_t at)
{
	uint32_t	end = at;

	while (end < pattern.len && pattern.data[end] != '%' && pattern.data[end] != '_' &&
		   pattern.data[end] != '\\')
		end++;
	return end - at;
}

/* Where the character after the one at a place begins. */
GA_FN uint32_t
next_char(Bytes a, uint32_t at)
{
	at++;
	while (at < a.len && ((uint8_t) a.data[at] & 0xc0) == 0x80)
		at++;
	return at;
}

/*
 * LIKE with any pattern that does not end with an escape character.  What
 * follows the latest % is matched as far as it goes; where it does not match,
 * that % takes one character more.  An earlier % never needs to take more than
 * it did: whatever that leaves, the latest % can leave too.  So of bytes between two %
 * their first place is found at once.
 */
GA_FN uint8_t
text_like(Bytes a, Bytes pattern)
{
	uint32_t	at = 0;
	uint32_t	p = 0;
	uint32_t	retry_at = 0;	/* where the part after the latest % began */
	uint32_t	retry_p = 0;	/* 0: there was no % */

	while (at < a.len || p < pattern.len)
	{
		char		c = p < pattern.len ? pattern.data[p] : '\0';

		if (p < pattern.len && c == '%')
		{
			uint32_t	literal = pattern_literal(pattern, ++p);

			if (literal > 0 && p + literal < pattern.len && pattern.data[p + literal] == '%')
			{
				Bytes		part = {pattern.data + p, literal};

				at = text_find(a, part, at);
				if (at == TEXT_NOWHERE)
					return 0;
				at += literal;
				p += literal;
			}
			else
			{
				retry_p = p;
				retry_at = at;
			}
			continue;
		}
		if (p < pattern.len && at < a.len)
		{
			if (c == '_')
			{
				at = next_char(a, at);
				p++;
				continue;
			}
			if (c == '\\' && p + 1 < pattern.len)
				c = pattern.data[++p];
			if (c == a.data[at])
			{
				at++;
				p++;
				continue;
			}
		}
		if (retry_p == 0 || retry_at >= a.len)
			return 0;
		retry_at = next_char(a, retry_at);
		at = retry_at;
		p = retry_p;
	}
	return 1;
}

GA_FN int32_t
text_octets(Bytes a)
{
	return (int32_t) a.len;
}

GA_FN int32_t
text_chars(Bytes a)
{
	int32_t		chars = 0;

	for (uint32_t i = 0; i < a.len; i++)
		chars += ((uint8_t) a.data[i] & 0xc0) != 0x80;
	return chars;
}

/* strpos(text, part): the character, from 1, at which it begins; 0: nowhere. */
GA_FN int32_t
text_position(Bytes a, Bytes part)
{
	int32_t		position = 1;

	for (uint32_t i = 0; i + part.len <= a.len; i++)
	{
		bool		begins = ((uint8_t) a.data[i] & 0xc0) != 0x80;

		if (part.len == 0 || (begins && bytes_equal(a.data + i, part.data, part.len)))
			return position;
		/* the last byte of a character */
		if (i + 1 < a.len && ((uint8_t) a.data[i + 1] & 0xc0) != 0x80)
			position++;
	}
	return part.len == 0;
}

/* Where a part that is not empty begins; the length if it is not there. */
GA_FN uint32_t
part_place(Bytes a, Bytes part)
{
	for (uint32_t i = 0; part.len > 0 && i + part.len <= a.len; i++)
		if (bytes_equal(a.data + i, part.data, part.len))
			return i;
	return a.len;
}

/* What comes before a separator; all where there is none. */
GA_FN Bytes
text_before(Bytes a, Bytes separator)
{
	a.len = part_place(a, separator);
	return a;
}

/* What comes after it; nothing where there is none. */
GA_FN Bytes
text_behind(Bytes a, Bytes separator)
{
	uint32_t	at = part_place(a, separator);

	if (at < a.len)
		at += separator.len;
	a.data += at;
	a.len -= at;
	return a;
}

/* What comes after the last one, counted from the first; all where there is none. */
GA_FN Bytes
text_behind_last(Bytes a, Bytes separator)
{
	while (part_place(a, separator) < a.len)
		a = text_behind(a, separator);
	return a;
}

/* ascii(text): the code point of the first character; 0: there is none. */
GA_FN int32_t
text_code(Bytes a)
{
	uint32_t	lead = a.len > 0 ? (uint8_t) a.data[0] : 0;
	uint32_t	more = lead < 0x80 ? 0 : lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
	uint32_t	code = more == 0 ? lead : lead & (0x3f >> more);

	for (uint32_t i = 1; i <= more && i < a.len; i++)
		code = code << 6 | ((uint8_t) a.data[i] & 0x3f);
	return (int32_t) code;
}

/* The same text, which must be of ASCII's characters. */
GA_FN Bytes
text_ascii(Bytes a, bool *error)
{
	uint8_t		bits = 0;

	for (uint32_t i = 0; i < a.len; i++)
		bits |= (uint8_t) a.data[i];
	*error |= bits >= 0x80;
	return a;
}

/* length(char(n)) */
GA_FN int32_t
bpchar_chars(Bytes a)
{
	return text_chars(bpchar_trimmed(a));
}

/* The byte that character n, from 0, begins at; the length if there is none. */
GA_FN uint32_t
char_place(Bytes a, int32_t n)
{
	uint32_t	at = 0;

	while (n-- > 0 && at < a.len)
		at = next_char(a, at);
	return at;
}

/* The first n characters, or all but the last -n. */
GA_FN Bytes
text_first(Bytes a, int32_t n)
{
	a.len = char_place(a, n < 0 ? text_chars(a) + n : n);
	return a;
}

/* All but the first n characters, or the last -n. */
GA_FN Bytes
text_after(Bytes a, int32_t n)
{
	uint32_t	at = char_place(a, n < 0 ? text_chars(a) + n : n);

	a.data += at;
	a.len -= at;
	return a;
}

/* substr(text, start): characters count from 1, and there are none before. */
GA_FN Bytes
text_from(Bytes a, int32_t start)
{
	return text_after(a, start > 1 ? start - 1 : 0);
}

/* right(text, n): the last n characters, or all but the first -n. */
GA_FN Bytes
text_last(Bytes a, int32_t n)
{
	if (n == 0)
		a.len = 0;
	/* PostgreSQL's negation of the least integer gives this again */
	return n == 0 || n == INT32_MIN ? a : text_after(a, -n);
}

/* substr(text, 1, n); a negative n is an error. */
GA_FN Bytes
text_limited(Bytes a, int32_t n, bool *error)
{
	if (n < 0)
		*error = true;
	return text_first(a, n);
}

#endif							/* GPUAGG_OPS_TEXT_H */
