/*
 * protect.c
 *	  Keep this process from writing to memory that it shares with others.
 *
 * /proc/self/maps tells what is mapped.  What is shared and writable is made
 * read-only, whoever has mapped it and for whatever purpose: shared buffers, with huge
 * pages or without, dynamic shared memory, rings of asynchronous I/O.  System V
 * segments are detached, since a starting postmaster waits until nobody is attached to
 * those of its predecessor.  A second look makes sure of it.
 *
 * Such memory is left out of core files, too, which would hold all of shared buffers.
 */
#include "service/device/protect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>

/* A line of /proc/self/maps about memory that is shared. */
typedef struct SharedMapping
{
	char	   *start;
	size_t		size;
	bool		writable;
	bool		segment;		/* of System V */
} SharedMapping;

typedef bool (*MappingFunction) (const SharedMapping *mapping, char *why, size_t len);

/* Is the line about shared memory? */
static bool
parse_line(const char *line, SharedMapping *mapping)
{
	uintptr_t	start,
				end;
	char		access[5] = "";
	int			path = 0;

	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %*s %n",
			   &start, &end, access, &path) != 3 || access[3] != 's')
		return false;
	mapping->start = (char *) start;
	mapping->size = end - start;
	mapping->writable = access[1] == 'w';
	mapping->segment = path > 0 && strncmp(line + path, "/SYSV", 5) == 0;
	return true;
}

static bool
for_shared_mappings(MappingFunction function, char *why, size_t len)
{
	FILE	   *maps = fopen("/proc/self/maps", "re");
	char	   *line = NULL;
	size_t		room = 0;
	SharedMapping mapping;
	bool		good = maps != NULL;

	if (!good)
		snprintf(why, len, "could not read /proc/self/maps: %s", strerror(errno));
	while (good && getline(&line, &room, maps) > 0)
		if (parse_line(line, &mapping))
			good = function(&mapping, why, len);
	free(line);
	if (maps != NULL)
		fclose(maps);
	return good;
}

static bool
protect(const SharedMapping *mapping, char *why, size_t len)
{
	/* it may have been detached already: a segment can be several mappings */
	if (mapping->segment)
	{
		shmdt(mapping->start);
		return true;
	}
	madvise(mapping->start, mapping->size, MADV_DONTDUMP);
	if (!mapping->writable || mprotect(mapping->start, mapping->size, PROT_READ) == 0)
		return true;
	snprintf(why, len, "could not make shared memory read-only: %s", strerror(errno));
	return false;
}

static bool
verify(const SharedMapping *mapping, char *why, size_t len)
{
	if (!mapping->writable && !mapping->segment)
		return true;
	snprintf(why, len, "shared memory at %p is still %s", (void *) mapping->start,
			 mapping->segment ? "attached" : "writable");
	return false;
}

bool
protect_shared_memory(char *why, size_t len)
{
	return for_shared_mappings(protect, why, len) && for_shared_mappings(verify, why, len);
}
