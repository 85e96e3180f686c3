/*
 * served_blocks.c
 *	  Which blocks an engine serves itself, from the device process to the session.
 *
 * Mostly it is all blocks or none, which need no file.  The same kind of file tells which blocks'
 * LSNs the engine asks for.
 *
 * The session believes nothing of the file but which blocks it need not give: it is
 * sealed and of the size that its tables' blocks make, and bits behind a table's last
 * block are cleared.
 */
#include "service/wire/served_blocks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/wire/channel.h"

static uint64_t
bits_size(uint32_t nblocks)
{
	return ((uint64_t) nblocks + 7) / 8;
}

/* The bits of the last byte. */
static uint8_t
last_bits(uint32_t nblocks)
{
	return nblocks % 8 == 0 ? 0xff : (uint8_t) ((1 << nblocks % 8) - 1);
}

static bool
is_all(const uint8_t *bits, uint32_t nblocks)
{
	uint64_t	last = bits_size(nblocks) - 1;

	/* each byte is the one before, and the first is full */
	if (last > 0 && (bits[0] != 0xff || memcmp(bits, bits + 1, last - 1) != 0))
		return false;
	return bits[last] == last_bits(nblocks);
}

static ServedKind
kind_of(const uint8_t *bits, uint32_t nblocks)
{
	if (bits == NULL)
		return SERVED_NONE;
	return is_all(bits, nblocks) ? SERVED_ALL : SERVED_SOME;
}

/* The kinds of all tables; what they are together. */
static ServedKind
find_kinds(const uint8_t *const *blocks, const EngineHints *hints, uint8_t *kinds)
{
	bool		all = true;
	bool		none = true;

	for (int i = 0; i < hints->ntables; i++)
	{
		kinds[i] = (uint8_t) kind_of(blocks[i], hints->tables[i].nblocks);
		all &= kinds[i] == SERVED_ALL;
		none &= kinds[i] == SERVED_NONE;
	}
	return none ? SERVED_NONE : all ? SERVED_ALL : SERVED_SOME;
}

static bool
write_file(const uint8_t *const *blocks, const EngineHints *hints, const uint8_t *kinds, int file,
		   uint64_t *size)
{
	uint64_t	place = file_aligned((uint64_t) hints->ntables);

	if (file < 0 || !file_write(file, 0, kinds, (size_t) hints->ntables))
		return false;
	for (int i = 0; i < hints->ntables; i++)
	{
		uint64_t	bytes = bits_size(hints->tables[i].nblocks);

		if (kinds[i] != SERVED_SOME)
			continue;
		if (!file_write(file, place, blocks[i], bytes))
			return false;
		place = file_aligned(place + bytes);
	}
	*size = place + 1;
	return file_write(file, place, "", 1) && file_seal(file);
}

/* A sealed file of them, and its size; or -1: there is no memory for it. */
static int
make_file(const uint8_t *const *blocks, const EngineHints *hints, const uint8_t *kinds,
		  uint64_t *size)
{
	int			file = file_create("gpuagg blocks");

	if (write_file(blocks, hints, kinds, file, size) || file < 0)
		return file;
	close(file);
	return -1;
}

ServedKind
served_write(EngineRun *run, const EngineHints *hints, int *file, uint64_t *size)
{
	const uint8_t **blocks;
	uint8_t    *kinds;
	ServedKind	kind = SERVED_SOME;

	*file = -1;
	*size = 0;
	if (hints->ntables == 0 || run->ops->kept == NULL)
		return SERVED_NONE;
	blocks = malloc((size_t) hints->ntables * sizeof(*blocks));
	kinds = malloc((size_t) hints->ntables);
	if (blocks != NULL && kinds != NULL)
	{
		for (int i = 0; i < hints->ntables; i++)
		{
			call_is_due(run, CALL_SERVED);
			blocks[i] = run->ops->kept->served(run, i);
		}
		kind = find_kinds(blocks, hints, kinds);
		if (kind == SERVED_SOME)
			*file = make_file(blocks, hints, kinds, size);
	}
	free(blocks);
	free(kinds);
	return kind;
}

int
served_write_asked(const uint8_t *const *blocks, const EngineHints *hints, uint64_t *size)
{
	uint8_t    *kinds = malloc((size_t) hints->ntables + 1);
	int			file = -1;

	if (kinds != NULL)
	{
		(void) find_kinds(blocks, hints, kinds);
		file = make_file(blocks, hints, kinds, size);
	}
	free(kinds);
	return file;
}

static bool
begin_served(const EngineHints *hints, Served *served)
{
	served->tables = calloc((size_t) hints->ntables + 1, sizeof(uint8_t *));
	served->ntables = served->tables != NULL ? hints->ntables : 0;
	return served->tables != NULL;
}

/* All blocks of a table. */
static bool
set_all(const EngineHints *hints, int i, Served *served)
{
	uint32_t	nblocks = hints->tables[i].nblocks;
	uint64_t	bytes = bits_size(nblocks);

	served->tables[i] = malloc(bytes);
	if (served->tables[i] == NULL)
		return false;
	memset(served->tables[i], 0xff, bytes);
	served->tables[i][bytes - 1] = last_bits(nblocks);
	return true;
}

/* Some blocks of a table, whose bits lie at *place, which is moved behind them. */
static bool
read_some(const EngineHints *hints, int i, int file, uint64_t *place, Served *served)
{
	uint32_t	nblocks = hints->tables[i].nblocks;
	uint64_t	bytes = bits_size(nblocks);

	served->tables[i] = malloc(bytes);
	if (served->tables[i] == NULL || !file_read(file, *place, served->tables[i], bytes))
		return false;
	served->tables[i][bytes - 1] &= last_bits(nblocks);
	*place = file_aligned(*place + bytes);
	return true;
}

static bool
read_tables(const EngineHints *hints, int file, uint64_t size, const uint8_t *kinds,
			Served *served)
{
	uint64_t	place = file_aligned((uint64_t) hints->ntables);

	for (int i = 0; i < hints->ntables; i++)
	{
		if (kinds[i] >= SERVED_KINDS)
			return false;
		if (kinds[i] == SERVED_ALL && !set_all(hints, i, served))
			return false;
		if (kinds[i] == SERVED_SOME && !read_some(hints, i, file, &place, served))
			return false;
	}
	return size == place + 1;
}

bool
served_read(const EngineHints *hints, int file, uint64_t size, Served *served)
{
	uint8_t    *kinds = malloc((size_t) hints->ntables + 1);
	bool		good;

	good = kinds != NULL && file_is_sealed(file, size) &&
		file_read(file, 0, kinds, (size_t) hints->ntables) && begin_served(hints, served) &&
		read_tables(hints, file, size, kinds, served);
	free(kinds);
	return good;
}

bool
served_all(const EngineHints *hints, Served *served)
{
	if (!begin_served(hints, served))
		return false;
	for (int i = 0; i < hints->ntables; i++)
		if (!set_all(hints, i, served))
			return false;
	return true;
}

uint64_t
served_count(const EngineHints *hints, const Served *served)
{
	uint64_t	n = 0;

	for (int i = 0; i < served->ntables; i++)
		for (uint64_t byte = 0;
			 served->tables[i] != NULL && byte < bits_size(hints->tables[i].nblocks); byte++)
			n += (uint64_t) __builtin_popcount(served->tables[i][byte]);
	return n;
}

void
served_free(Served *served)
{
	for (int i = 0; i < served->ntables; i++)
		free(served->tables[i]);
	free(served->tables);
	memset(served, 0, sizeof(*served));
}
