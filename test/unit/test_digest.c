/*
 * test_digest.c
 *	  Digests: BLAKE2b's, whatever pieces the bytes come in.
 */
#include <stdio.h>

#include "program/digest.h"
#include "random.h"
#include "tap.h"

#define MOST 1000

static uint8_t bytes[MOST];

static const char *
text_of(const Digest *digest)
{
	static char text[2 * sizeof(Digest) + 1];

	for (size_t i = 0; i < sizeof(Digest); i++)
		sprintf(text + 2 * i, "%02x", ((const uint8_t *) digest)[i]);
	return text;
}

/* As another implementation has it. */
static void
check_known(const void *data, size_t size, const char *expected)
{
	Digest		digest;

	digest_of(data, size, &digest);
	ok(strcmp(text_of(&digest), expected) == 0, "%zu bytes: %s", size, text_of(&digest));
}

/* In pieces of random sizes, empty ones among them. */
static void
check_pieces(void)
{
	int			same = 0;

	for (int i = 0; i < 1000; i++)
	{
		size_t		size = random_u64() % (MOST + 1);
		size_t		at = 0;
		DigestState state;
		Digest		whole;
		Digest		pieces;

		digest_of(bytes, size, &whole);
		digest_begin(&state);
		while (at < size)
		{
			size_t		piece = random_u64() % 300;

			if (piece > size - at)
				piece = size - at;
			digest_add(&state, bytes + at, piece);
			at += piece;
		}
		digest_end(&state, &pieces);
		same += digest_equal(&whole, &pieces);
	}
	ok(same == 1000, "pieces make no difference");
}

/* Each bit counts, and so does the length. */
static void
check_changes(void)
{
	Digest		before;
	Digest		after;
	int			different = 0;

	digest_of(bytes, 300, &before);
	for (int bit = 0; bit < 300 * 8; bit++)
	{
		bytes[bit / 8] ^= (uint8_t) (1 << bit % 8);
		digest_of(bytes, 300, &after);
		bytes[bit / 8] ^= (uint8_t) (1 << bit % 8);
		different += !digest_equal(&before, &after);
	}
	ok(different == 300 * 8, "each bit counts");
	digest_of(bytes, 299, &after);
	ok(!digest_equal(&before, &after), "and the length");
}

int
main(void)
{
	for (int i = 0; i < MOST; i++)
		bytes[i] = (uint8_t) (i * 7 + i / 256);
	check_known("", 0, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
	check_known("abc", 3, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
	check_known(bytes, 127, "4ff62e7c4c43fe101a078479c48836be4907d9d498dcc577ca89d694b2c11f9b");
	check_known(bytes, 128, "14696d2a98d9f8a280da8b132b1045b345e1033759c6b02fcc4ee885c8ae7c37");
	check_known(bytes, 129, "3934215260b1039be9d9d2b073b059bcd50120c327a22af93eb4d98cf821c14c");
	check_known(bytes, 257, "00466ab5e91660e4fdbef955724cca27cee84370539f22d393d1f566bd177514");
	check_pieces();
	check_changes();
	return done_testing();
}
