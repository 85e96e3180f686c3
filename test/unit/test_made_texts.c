/*
 * test_made_texts.c
 *	  Texts that operations make of a batch's rows, and their memory.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/made_texts.h"
#include "program/ops.h"
#include "tap.h"

#define NROWS 4

static Bytes
bytes(const char *text)
{
	return (Bytes) {text, (uint32_t) strlen(text)};
}

/* The bytes of OP_text_replaced's second operand; the caller frees them. */
static Bytes
replacement(const char *from, const char *to)
{
	uint32_t	len = (uint32_t) strlen(from);
	char	   *data = malloc(4 + len + strlen(to) + 1);

	for (int i = 0; i < 4; i++)
		data[i] = (char) (len >> (8 * i) & 0xff);
	strcpy(data + 4, from);
	strcpy(data + 4 + len, to);
	return (Bytes) {data, (uint32_t) (4 + len + strlen(to))};
}

/* One operation over all rows, with memory of the batch before. */
static void
check(const char *name, OpCode op, const void *left, const Bytes *right, MadeTexts *made,
	  const char *const *expected)
{
	Bytes		out[NROWS];
	bool		same = made_texts_run(op, NROWS, left, right, made, out);

	for (int i = 0; i < NROWS; i++)
		same = same && out[i].len == strlen(expected[i]) &&
			memcmp(out[i].data, expected[i], out[i].len) == 0;
	ok(same, "%s", name);
}

static void
check_replaced(const char *from, const char *to, const Bytes *texts, MadeTexts *made,
			   const char *const *expected)
{
	Bytes		pair = replacement(from, to);
	Bytes		right[NROWS] = {pair, pair, pair, pair};
	char		name[100];

	snprintf(name, sizeof(name), "\"%s\" replaced by \"%s\"", from, to);
	check(name, OP_text_replaced, texts, right, made, expected);
	free((char *) pair.data);
}

/* The second operand is the same for all rows. */
static void
check_numbered(const char *name, OpCode op, const char *data, uint32_t len, const Bytes *texts,
			   MadeTexts *made, const char *const *expected)
{
	Bytes		numbered = {data, len};
	Bytes		right[NROWS] = {numbered, numbered, numbered, numbered};

	check(name, op, texts, right, made, expected);
}

static void
check_limits(MadeTexts *made)
{
	static char large[1 << 20];
	Bytes		left[128];
	Bytes		out[128];
	bool		all_empty = true;
	bool		fit;

	memset(large, 'x', sizeof(large));
	for (int i = 0; i < 128; i++)
		left[i] = (Bytes) {large, sizeof(large)};
	fit = made_texts_run(OP_text_upper, 64, left, NULL, made, out);
	ok(fit && out[63].len == sizeof(large) && out[63].data[sizeof(large) - 1] == 'X',
	   "texts of 64 MB");
	fit = made_texts_run(OP_text_upper, 128, left, NULL, made, out);
	for (int i = 0; i < 128; i++)
		all_empty = all_empty && out[i].len == 0;
	ok(!fit && all_empty, "of 128 MB there are none");
}

int
main(void)
{
	const Bytes texts[NROWS] = {bytes("aAa Zz"), bytes(""), bytes("\xc3\x9c" "b\xe2\x82\xac"), bytes("aaaa")};
	const Bytes others[NROWS] = {bytes("-"), bytes(""), bytes("\xf0\x9d\x84\x9e"), bytes("")};
	const Bytes wrong[NROWS] = {bytes(""), bytes("\xff\xff\xff\xff" "a"), bytes("\x05"), bytes("\x01")};
	const int64_t numbers[NROWS] = {0, -1, INT64_MIN, INT64_MAX};
	MadeTexts	made = {0};

	check("||", OP_text_concat, texts, others, &made,
		  (const char *[]) {"aAa Zz-", "", "\xc3\x9c" "b\xe2\x82\xac\xf0\x9d\x84\x9e", "aaaa"});
	check("lower", OP_text_lower, texts, NULL, &made,
		  (const char *[]) {"aaa zz", "", "\xc3\x9c" "b\xe2\x82\xac", "aaaa"});
	check("upper", OP_text_upper, texts, NULL, &made,
		  (const char *[]) {"AAA ZZ", "", "\xc3\x9c" "B\xe2\x82\xac", "AAAA"});
	check("reversed", OP_text_reversed, texts, NULL, &made,
		  (const char *[]) {"zZ aAa", "", "\xe2\x82\xac" "b\xc3\x9c", "aaaa"});
	check("a continuation byte first", OP_text_reversed, (const Bytes[]) {bytes("\x82" "a"), bytes("\xac\xac"), texts[0], texts[1]}, NULL,
		  &made, (const char *[]) {"a\x82", "\xac\xac", "zZ aAa", ""});
	check_replaced("a", "bb", texts, &made, (const char *[]) {"bbAbb Zz", "", "\xc3\x9c" "b\xe2\x82\xac", "bbbbbbbb"});
	check_replaced("aaa", "", texts, &made, (const char *[]) {"aAa Zz", "", "\xc3\x9c" "b\xe2\x82\xac", "a"});
	check_replaced("\xe2\x82\xac", "EUR", texts, &made, (const char *[]) {"aAa Zz", "", "\xc3\x9c" "bEUR", "aaaa"});
	check_replaced("", "x", texts, &made, (const char *[]) {"aAa Zz", "", "\xc3\x9c" "b\xe2\x82\xac", "aaaa"});
	check("bytes that are no replacement", OP_text_replaced, texts, wrong, &made,
		  (const char *[]) {"aAa Zz", "", "\xc3\x9c" "b\xe2\x82\xac", "aaaa"});
	check_numbered("lpad", OP_text_left_padded, "\x05" "\0\0\0" "x\xe2\x82\xac", 8, texts, &made,
				   (const char *[]) {"aAa Z", "x\xe2\x82\xacx\xe2\x82\xacx", "x\xe2\x82\xac\xc3\x9c" "b\xe2\x82\xac", "xaaaa"});
	check_numbered("rpad", OP_text_right_padded, "\x05" "\0\0\0" "x\xe2\x82\xac", 8, texts, &made,
				   (const char *[]) {"aAa Z", "x\xe2\x82\xacx\xe2\x82\xacx", "\xc3\x9c" "b\xe2\x82\xacx\xe2\x82\xac", "aaaax"});
	check_numbered("padded with nothing", OP_text_left_padded, "\x05" "\0\0\0", 4, texts, &made,
				   (const char *[]) {"aAa Z", "", "\xc3\x9c" "b\xe2\x82\xac", "aaaa"});
	check_numbered("padded to nothing", OP_text_right_padded, "\0\0\0\0" "x", 5, texts, &made, (const char *[]) {"", "", "", ""});
	check_numbered("filled with half a character", OP_text_left_padded, "\x05" "\0\0\0" "\x82", 5, texts, &made,
				   (const char *[]) {"aAa Z", "\x82\x82\x82\x82\x82", "\x82\x82\xc3\x9c" "b\xe2\x82\xac", "\x82" "aaaa"});
	check_numbered("repeat", OP_text_repeated, "\x02" "\0\0\0", 4, texts, &made,
				   (const char *[]) {"aAa ZzaAa Zz", "", "\xc3\x9c" "b\xe2\x82\xac\xc3\x9c" "b\xe2\x82\xac", "aaaaaaaa"});
	check_numbered("bytes that are no number", OP_text_repeated, "\x02" "\0\0", 3, texts, &made, (const char *[]) {"", "", "", ""});
	check("numbers", OP_int8_text, numbers, NULL, &made,
		  (const char *[]) {"0", "-1", "-9223372036854775808", "9223372036854775807"});
	check_limits(&made);
	made_texts_free(&made);
	return done_testing();
}
