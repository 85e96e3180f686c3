/*
 * memory.c
 *	  The simulated device's memory: host memory with guards.
 *
 * Every buffer has a guard of a known pattern before and behind it, looked at
 * after each launch and when it is freed.  A buffer's content starts as
 * garbage, so that nobody relies on zeros.  Buffers are numbered in the order
 * of their allocation, for messages.
 *
 * Where the process has the address sanitizer, guards are hidden from kernels that were compiled
 * with it, which then report also what they read there.
 */
#include "engine/simt/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#define ALIGNMENT 256			/* as cuMemAlloc aligns, at least */
#define GUARD 256				/* bytes before and behind; the alignment's
								 * multiple */
#define GUARD_BYTE 0xdb
#define GARBAGE 0xa5
#define HUGE_PAGE ((size_t) 2 << 20)

struct SimtBuffer
{
	SimtBuffer *next;
	unsigned char *block;		/* guard, content, guard */
	size_t		size;			/* of the content */
	uint64_t	number;
};

void
simt_memory_hide(const void *address, size_t size)
{
#ifdef __SANITIZE_ADDRESS__
	__asan_poison_memory_region(address, size);
#else
	(void) address;
	(void) size;
#endif
}

void
simt_memory_show(const void *address, size_t size)
{
#ifdef __SANITIZE_ADDRESS__
	__asan_unpoison_memory_region(address, size);
#else
	(void) address;
	(void) size;
#endif
}

static void
hide_guards(const SimtBuffer *buffer)
{
	simt_memory_hide(buffer->block, GUARD);
	simt_memory_hide(buffer->block + GUARD + buffer->size, GUARD);
}

static void
show_guards(const SimtBuffer *buffer)
{
	simt_memory_show(buffer->block, GUARD);
	simt_memory_show(buffer->block + GUARD + buffer->size, GUARD);
}

static DevicePtr
buffer_ptr(const SimtBuffer *buffer)
{
	return (DevicePtr) (uintptr_t) (buffer->block + GUARD);
}

/*
 * Memory for a block; NULL: there is none.  Large ones are of huge pages where the system has
 * them: to fill a run's buffers took longer for page faults than for the bytes.
 */
static void *
alloc_block(size_t size)
{
	bool		large = size >= 2 * HUGE_PAGE;
	void	   *block;

	if (posix_memalign(&block, large ? HUGE_PAGE : ALIGNMENT, size) != 0)
		return NULL;
	if (large)
		(void) madvise(block, size & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
	return block;
}

DevicePtr
simt_memory_alloc(SimtMemory *memory, size_t size)
{
	SimtBuffer *buffer;

	if (size > memory->limit - memory->used)
		return 0;
	buffer = malloc(sizeof(SimtBuffer));
	if (buffer == NULL)
		return 0;
	buffer->block = alloc_block(size + 2 * GUARD);
	if (buffer->block == NULL)
	{
		free(buffer);
		return 0;
	}
	memset(buffer->block, GUARD_BYTE, GUARD);
	memset(buffer->block + GUARD, GARBAGE, size);
	memset(buffer->block + GUARD + size, GUARD_BYTE, GUARD);
	buffer->size = size;
	buffer->number = ++memory->allocations;
	buffer->next = memory->first;
	memory->first = buffer;
	memory->used += size;
	hide_guards(buffer);
	return buffer_ptr(buffer);
}

/* The guards' pattern once, to compare with. */
static const unsigned char *
guard_pattern(void)
{
	static unsigned char pattern[GUARD];

	if (pattern[0] != GUARD_BYTE)
		memset(pattern, GUARD_BYTE, GUARD);
	return pattern;
}

/* Are a buffer's guards as they were?  They are not hidden. */
static bool
guards_hold(const SimtBuffer *buffer, char *message, size_t len)
{
	const unsigned char *behind = buffer->block + GUARD + buffer->size;
	const unsigned char *pattern = guard_pattern();
	bool		before_ok = memcmp(buffer->block, pattern, GUARD) == 0;
	size_t		at = 0;

	if (before_ok && memcmp(behind, pattern, GUARD) == 0)
		return true;
	if (before_ok)
	{
		while (behind[at] == GUARD_BYTE)
			at++;
	}
	else
	{
		while (buffer->block[GUARD - 1 - at] == GUARD_BYTE)
			at++;
		at++;
	}
	snprintf(message, len,
			 "out of bounds: something wrote to offset %lld of buffer %llu of %zu bytes",
			 before_ok ? (long long) (buffer->size + at) : -(long long) at,
			 (unsigned long long) buffer->number, buffer->size);
	return false;
}

static bool
buffer_check(const SimtBuffer *buffer, char *message, size_t len)
{
	bool		hold;

	show_guards(buffer);
	hold = guards_hold(buffer, message, len);
	hide_guards(buffer);
	return hold;
}

static void
free_buffer(SimtBuffer *buffer)
{
	show_guards(buffer);
	free(buffer->block);
	free(buffer);
}

bool
simt_memory_release(SimtMemory *memory, DevicePtr ptr, char *message, size_t len)
{
	for (SimtBuffer **link = &memory->first; *link; link = &(*link)->next)
	{
		SimtBuffer *buffer = *link;
		bool		ok;

		if (buffer_ptr(buffer) != ptr)
			continue;
		ok = buffer_check(buffer, message, len);
		*link = buffer->next;
		memory->used -= buffer->size;
		free_buffer(buffer);
		return ok;
	}
	snprintf(message, len, "free of 0x%llx, which is no buffer",
			 (unsigned long long) ptr);
	return false;
}

bool
simt_memory_range(const SimtMemory *memory, DevicePtr ptr, size_t size,
				  char *message, size_t len)
{
	for (const SimtBuffer *buffer = memory->first; buffer; buffer = buffer->next)
	{
		DevicePtr	start = buffer_ptr(buffer);

		if (ptr < start || ptr > start + buffer->size)
			continue;
		if (size <= buffer->size - (ptr - start))
			return true;
		snprintf(message, len,
				 "out of bounds: %zu bytes from offset %llu of buffer %llu of %zu bytes",
				 size, (unsigned long long) (ptr - start),
				 (unsigned long long) buffer->number, buffer->size);
		return false;
	}
	snprintf(message, len, "0x%llx lies in no buffer", (unsigned long long) ptr);
	return false;
}

bool
simt_memory_check(const SimtMemory *memory, char *message, size_t len)
{
	for (const SimtBuffer *buffer = memory->first; buffer; buffer = buffer->next)
		if (!buffer_check(buffer, message, len))
			return false;
	return true;
}

void
simt_memory_free_all(SimtMemory *memory)
{
	while (memory->first)
	{
		SimtBuffer *buffer = memory->first;

		memory->first = buffer->next;
		free_buffer(buffer);
	}
	memory->used = 0;
}
