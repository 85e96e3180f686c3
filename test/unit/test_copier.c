/*
 * test_copier.c
 *	  Threads that copy pages: every byte arrives, whatever the number of threads.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/context/copier.h"
#include "tap.h"

#define PAGE 8192
#define PAGES 3000

/* Copy pages by batches, each waited for while the next one is under way. */
static bool
copies_all(int threads, int batch)
{
	Copier	   *copier = copier_create(threads);
	unsigned char *from = malloc((size_t) PAGES * PAGE);
	unsigned char *to = calloc(PAGES, PAGE);
	uint64_t	before = 0;
	bool		same = true;

	for (size_t i = 0; i < (size_t) PAGES * PAGE; i++)
		from[i] = (unsigned char) (i * 31 + i / PAGE);
	for (int page = 0; page < PAGES;)
	{
		uint64_t	ticket = before;
		int			begin = page;

		for (; page < PAGES && page < begin + batch; page++)
			ticket = copier_submit(copier, to + (size_t) page * PAGE,
								   from + (size_t) page * PAGE, PAGE);
		copier_start(copier);
		copier_wait(copier, before);

		/* what has been waited for may be overwritten at once */
		if (begin >= batch)
			memset(from + (size_t) (begin - batch) * PAGE, 0, PAGE);
		before = ticket;
	}
	copier_wait(copier, before);
	copier_destroy(copier);
	for (size_t i = 0; i < (size_t) PAGES * PAGE && same; i++)
		same = to[i] == (unsigned char) (i * 31 + i / PAGE);
	free(from);
	free(to);
	return same;
}

int
main(void)
{
	static const int threads[] = {0, 1, 3, 8};
	static const int batches[] = {1, 7, 16, 64, 1000};

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 5; j++)
			ok(copies_all(threads[i], batches[j]), "%d threads, batches of %d pages",
			   threads[i], batches[j]);
	copier_destroy(NULL);
	ok(copier_threads() >= 0, "a number of threads for this machine");
	return done_testing();
}
