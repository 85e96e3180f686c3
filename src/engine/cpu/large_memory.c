/*
 * large_memory.c
 *	  Memory for tables that may be large.
 *
 * Tables of many groups are read and written all over: with pages of 4 kB nearly each
 * row would miss the processor's table of pages (TLB), too.  So Linux is asked for huge pages,
 * which it gives unless its administrator has forbidden them.  That wants an address that
 * is a multiple of a huge page's size, which malloc does not choose.
 *
 * Memory that grows is moved to another such address with its pages, and not copied.
 *
 * What is small, and all of it where there are no huge pages, is malloc's.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* mremap */
#endif
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/cpu/large_memory.h"

#if defined(MADV_HUGEPAGE) && defined(MREMAP_FIXED)

#define HUGE_PAGE ((size_t) 1 << 21)
#define LARGE (2 * HUGE_PAGE)	/* from here on it is worth it */

static bool
is_large(size_t size)
{
	return size >= LARGE;
}

static size_t
rounded(size_t size)
{
	return (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

/* Addresses for so many bytes, from a multiple of HUGE_PAGE on; NULL: there are none. */
static char *
map_aligned(size_t size, int protection)
{
	size_t		spare = HUGE_PAGE;
	char	   *all = mmap(NULL, size + spare, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t		before;

	if (all == MAP_FAILED)
		return NULL;
	before = (HUGE_PAGE - (uintptr_t) all % HUGE_PAGE) % HUGE_PAGE;
	if (before > 0)
		munmap(all, before);
	if (spare > before)
		munmap(all + before + size, spare - before);
	return all + before;
}

static void *
map_huge(size_t size)
{
	void	   *memory = size > SIZE_MAX / 2 ? NULL :
		map_aligned(rounded(size), PROT_READ | PROT_WRITE);

	if (memory != NULL)
		(void) madvise(memory, rounded(size), MADV_HUGEPAGE);
	return memory;
}

static void *
move_huge(void *old, size_t old_size, size_t size)
{
	void	   *place = size > SIZE_MAX / 2 ? NULL : map_aligned(rounded(size), PROT_NONE);
	void	   *memory;

	if (place == NULL)
		return NULL;
	memory = mremap(old, rounded(old_size), rounded(size),
					MREMAP_MAYMOVE | MREMAP_FIXED, place);
	if (memory != MAP_FAILED)
		return memory;
	munmap(place, rounded(size));
	return NULL;
}

static void
unmap_huge(void *memory, size_t size)
{
	munmap(memory, rounded(size));
}

#else

static bool
is_large(size_t size)
{
	return false;
}

static size_t
rounded(size_t size)
{
	return size;
}

static void *
map_huge(size_t size)
{
	return NULL;
}

static void *
move_huge(void *old, size_t old_size, size_t size)
{
	return NULL;
}

static void
unmap_huge(void *memory, size_t size)
{
}

#endif

size_t
large_size(size_t size)
{
	return is_large(size) ? rounded(size) : size;
}

void *
large_alloc(size_t size)
{
	return is_large(size) ? map_huge(size) : calloc(1, size);
}

void *
large_grow(void *old, size_t old_size, size_t size)
{
	void	   *memory;

	if (!is_large(size))
	{
		memory = realloc(old, size);
		if (memory != NULL)
			memset((char *) memory + old_size, 0, size - old_size);
		return memory;
	}
	if (is_large(old_size))
		return move_huge(old, old_size, size);
	memory = map_huge(size);
	if (memory == NULL)
		return NULL;
	if (old_size > 0)
		memcpy(memory, old, old_size);
	free(old);
	return memory;
}

void
large_free(void *memory, size_t size)
{
	if (memory != NULL && is_large(size))
		unmap_huge(memory, size);
	else
		free(memory);
}
