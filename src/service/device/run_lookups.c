/*
 * run_lookups.c
 *	  The tables of a run's look-ups of which the session has told the digests only.
 *
 * What the engine keeps has been checked, byte by byte, when it came; so the digest and the length
 * are all that it takes to use it again.  A session must have the bytes that it names, and they
 * are compared with the digest before they are kept: nobody can have others use what they did
 * not make.
 *
 * The engine knows a table by a digest of its bytes, the role and the database.  So no role
 * can find out whether another one has had a table of some content.
 */
#include "service/device/run_lookups.h"

#include <stdlib.h>
#include <string.h>

#include "program/check.h"
#include "service/device/task.h"
#include "service/wire/channel.h"

/* What is read and digested before other tasks have their turn. */
#define PIECE (UINT64_C(1) << 20)

/* Of a table and who may use it. */
static void
digest_with_owner(const Digest *table, uint32_t role, const char *database, Digest *digest)
{
	DigestState state;

	digest_begin(&state);
	digest_add(&state, table, sizeof(*table));
	digest_add(&state, &role, sizeof(role));
	digest_add(&state, database, strlen(database));
	digest_end(&state, digest);
}

static void
find_table(RunLookups *lookups, const Program *program, ParamValue *param, int number)
{
	const Digest *digest = &lookups->digests[number].digest;
	uint32_t	readers = program_table_readers(program, number);

	if (lookups->engine != NULL)
		param->kept = lookups->engine->take(lookups->device, digest, param->bytes.len, readers);
	if (param->kept != NULL)
		return;
	lookups->wanted[number / 8] |= (uint8_t) (1 << number % 8);
	lookups->nwanted++;
}

bool
run_lookups_find(RunLookups *lookups, const EngineOps *ops, int device, uint32_t role,
				 const char *database, Opening *opening)
{
	lookups->engine = device >= 0 ? ops->lookups : NULL;
	lookups->device = device;
	lookups->digests = calloc((size_t) opening->program->nparams + 1, sizeof(TableDigest));
	if (lookups->digests == NULL)
		return false;
	for (int i = 0; i < opening->program->nparams; i++)
	{
		ParamValue *param = &opening->params[i];

		if (param->digest == NULL)
			continue;
		lookups->digests[i].is_made = true;
		digest_with_owner(&opening->digests[i].digest, role, database,
						  &lookups->digests[i].digest);
		param->digest = &lookups->digests[i];
		find_table(lookups, opening->program, param, i);
	}
	return true;
}

static bool
is_wanted(const RunLookups *lookups, int number)
{
	return (lookups->wanted[number / 8] >> number % 8 & 1) != 0;
}

/* The bytes of all that are wanted. */
static uint64_t
wanted_size(const RunLookups *lookups, const Opening *opening)
{
	uint64_t	size = 0;

	for (int i = 0; i < opening->program->nparams; i++)
		if (is_wanted(lookups, i))
			size += file_aligned(opening->params[i].bytes.len);
	return size;
}

/* Read a table; false: it is not there, or has another digest. */
static bool
read_table(int file, uint64_t place, char *to, uint32_t len, const Digest *digest)
{
	DigestState state;
	Digest		found;

	digest_begin(&state);
	for (uint64_t at = 0; at < len; at += PIECE)
	{
		size_t		size = len - at < PIECE ? (size_t) (len - at) : (size_t) PIECE;

		if (at > 0)
			task_give_way(0, 0);
		if (!file_read(file, place + at, to + at, size))
			return false;
		digest_add(&state, to + at, size);
	}
	digest_end(&state, &found);
	return digest_equal(&found, digest);
}

EngineStatus
run_lookups_read(RunLookups *lookups, Opening *opening, int file, uint64_t place,
				 const char **why)
{
	uint64_t	size = wanted_size(lookups, opening);
	char	   *to;

	*why = "the bytes of a look-up are not those that were named";
	if (size > file_size(file))
		return ENGINE_FAILED;
	lookups->bytes = to = malloc(size);
	if (to == NULL)
	{
		*why = "out of memory";
		return ENGINE_NO_MEMORY;
	}
	for (int i = 0; i < opening->program->nparams; i++)
	{
		ParamValue *param = &opening->params[i];

		if (!is_wanted(lookups, i))
			continue;
		param->bytes.data = to;
		if (!read_table(file, place, to, param->bytes.len, &opening->digests[i].digest) ||
			!program_check_table(opening->program, opening->params, i))
			return ENGINE_FAILED;
		place += file_aligned(param->bytes.len);
		to += file_aligned(param->bytes.len);
	}
	return ENGINE_OK;
}

void
run_lookups_end(RunLookups *lookups, Opening *opening)
{
	for (int i = 0; opening->params != NULL && i < opening->program->nparams; i++)
		if (opening->params[i].kept != NULL)
			lookups->engine->leave(lookups->device, opening->params[i].kept);
	free(lookups->digests);
	free(lookups->bytes);
	memset(lookups, 0, sizeof(*lookups));
}
