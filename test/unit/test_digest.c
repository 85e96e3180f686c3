/*
 * test_digest.c
 *	  Digests: BLAKE2bp's, whatever pieces the bytes come in.
 */
#include <stdio.h>

#include "program/digest.h"
#include "random.h"
#include "tap.h"

#define MOST 5000

static uint8_t bytes[MOST];

static const char *
text_of(const Digest *digest)
{
	static char text[2 * sizeof(Digest) + 1];

	for (size_t i = 0; i < sizeof(Digest); i++)
		sprintf(text + 2 * i, "%02x", ((const uint8_t *) digest)[i]);
	return text;
}

/* As another implementation has it: leaves and a root of Python's hashlib.blake2b. */
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
			size_t		piece = random_u64() % 1500;

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
	check_known("", 0, "b5ef811a8038f70b628fa8b294daae7492b1ebe343a80eaabbf1f6ae664dd67b");
	check_known("abc", 3, "b91a6b66ae87526c400b0a8b53774dc65284ad8f6575f8148ff93dff943a6ecd");
	check_known(bytes, 127, "da0754222d05822682c46112a9abcd1ff0ba3b774f04aa6c89921ef496d5f488");
	check_known(bytes, 128, "a92fd23dd7f0cb39d082fe107350eb526835d10b065b4e820dec477512de13a6");
	check_known(bytes, 129, "ce1f816c341fa30ab9cccd166c417202dbe2d4db4aa59d61c4bb6e9a637a7118");
	check_known(bytes, 385, "7623b2bdb27cb9a2c309cd12079798cc8a08f756efb7393614e752d77a25db6b");
	check_known(bytes, 512, "be2feec3d008eb73e16e1ae6fd89661d39a60c6ac772bc2cf3f0b863021fa019");
	check_known(bytes, 513, "61a284416ec391cfdd70df7e3a0cc3539b1f16376cf7ac1234ae868f2d8af9f9");
	check_known(bytes, 896, "7c079c1a43e0c5b5f91ae7172d35bab8efc042d4123a5b72a767d042535b39d9");
	check_known(bytes, 897, "4b6f69d76b9d4c367648b708a250a702d1a16e3a4eb1099e09486cd398523b0d");
	check_known(bytes, 1024, "41eb33fe6c6968b49c60d245d832c6db943a4e4295e826fef284b11ff063df38");
	check_known(bytes, 1025, "30fff6d8c36f2c803c5041a0fd98014254dd9187021e4c033aaa405e7bd5c297");
	check_known(bytes, 4096, "c7d687f3da83cf7e0efa19e2f4bef0149e0c181faf38a74ac58947be32510e63");
	check_known(bytes, 4997, "8907783330701da6116729c06ef134c25807fe8d4d9320dbe7e1704432371057");
	check_pieces();
	check_changes();
	return done_testing();
}
