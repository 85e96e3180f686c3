/*
 * test_large_memory.c
 *	  Memory that is small at first, and grows.
 */
#include <stdint.h>
#include <stdlib.h>

#include "engine/cpu/large_memory.h"

#include "tap.h"

#define KB ((size_t) 1 << 10)
#define MB ((size_t) 1 << 20)

/* The word that belongs at place i of memory that has grown n times. */
static uint64_t
word_at(size_t i, int n)
{
	return (uint64_t) i * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t) n;
}

/* Are the words of all times still there? */
static bool
words_are_right(const uint64_t *memory, const size_t *sizes, int n)
{
	size_t		i = 0;

	for (int t = 0; t < n; t++)
		for (; i < sizes[t] / sizeof(uint64_t); i++)
			if (memory[i] != word_at(i, t))
				return false;
	return true;
}

/* What memory takes is never less than its size, and not much more. */
static void
test_sizes(void)
{
	bool		right = true;

	for (size_t size = 1; size < 40 * MB; size += 70001)
	{
		size_t		takes = large_size(size);

		right = right && takes >= size && takes < size + 2 * MB && takes <= 2 * size &&
			(size >= 1 * MB || takes == size);
	}
	ok(right && large_size(0) == 0, "what memory takes");
}

/* Are the bytes from `from` on zero? */
static bool
is_zero(const char *memory, size_t from, size_t size)
{
	for (size_t i = from; i < size; i++)
		if (memory[i] != 0)
			return false;
	return true;
}

/* Grow through sizes, and write all that is new each time, which is zero before. */
static void
test_growing(const char *name, const size_t *sizes, int n)
{
	uint64_t   *memory = NULL;
	size_t		size = 0;
	bool		right = true;

	for (int t = 0; t < n && right; t++)
	{
		memory = large_grow(memory, size, sizes[t]);
		right = memory != NULL && words_are_right(memory, sizes, t) &&
			is_zero((char *) memory, size, sizes[t]);
		for (size_t i = size / sizeof(uint64_t); right && i < sizes[t] / sizeof(uint64_t); i++)
			memory[i] = word_at(i, t);
		size = sizes[t];
	}
	ok(right && words_are_right(memory, sizes, n), "%s", name);
	large_free(memory, size);
}

static void
test_zeros(size_t size)
{
	char	   *memory = large_alloc(size);

	ok(memory != NULL && is_zero(memory, 0, size), "%zu bytes are zero", size);
	if (memory != NULL)
		memory[size - 1] = 1;
	large_free(memory, size);
}

int
main(void)
{
	static const size_t doubled[] = {
		8, 64 * KB, 1 * MB, 2 * MB, 4 * MB, 8 * MB, 16 * MB, 32 * MB
	};
	static const size_t odd[] = {
		2 * MB - 8, 4 * MB - 8, 4 * MB, 4 * MB + 8, 6 * MB - 16, 6 * MB + 24, 19 * MB + 8
	};
	static const size_t at_once[] = {24 * MB + 40};
	void	   *memory;

	test_growing("sizes that double", doubled, sizeof(doubled) / sizeof(doubled[0]));
	test_growing("sizes about those of huge pages", odd, sizeof(odd) / sizeof(odd[0]));
	test_growing("much at once", at_once, 1);
	test_sizes();
	test_zeros(100);
	test_zeros(4 * MB - 1);
	test_zeros(4 * MB);
	test_zeros(9 * MB + 1);
	memory = large_alloc(10 * MB);
	ok(large_grow(memory, 10 * MB, SIZE_MAX - 4096) == NULL, "more than there is");
	large_free(memory, 10 * MB);
	ok(large_alloc(SIZE_MAX - 4096) == NULL, "more than there is, at once");
	large_free(NULL, 0);
	large_free(NULL, 10 * MB);
	return done_testing();
}
