/*
 * cuda_columns.c
 *	  What a process that serves runs asks about the columns and look-ups that are kept.
 *
 * All GPUs' and, in builds for tests, all simulated devices', as if they were one.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/cuda/context/context.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/cuda/kept/device_lookups.h"
#include "engine/cuda/kept/room.h"

static const DeviceOps *const kinds[] = {
	&cuda_device,
#ifdef GPUAGG_TESTING
	&simt_device,
#endif
};

#define CACHES (DEVICES_MAX * sizeof(kinds) / sizeof(kinds[0]))

static KeptCache *
cache_of(size_t i)
{
	return &context_of(kinds[i / DEVICES_MAX], (int) (i % DEVICES_MAX))->kept;
}

void
cuda_engine_keep_columns(uint64_t limit)
{
	for (size_t i = 0; i < CACHES; i++)
		kept_set_limit(cache_of(i), limit, time(NULL));
}

void
cuda_engine_keep_columns_on_host(uint64_t limit)
{
	for (size_t i = 0; i < CACHES; i++)
		kept_set_host_limit(cache_of(i), limit, time(NULL));
}

bool
cuda_engine_host_memory_refused(char *why, size_t len)
{
	for (size_t i = 0; i < CACHES; i++)
	{
		const HostMemory *host = &cache_of(i)->host;

		if (!host->refused)
			continue;
		snprintf(why, len, "%s", host->why);
		return true;
	}
	return false;
}

uint64_t
cuda_engine_columns_size(void)
{
	uint64_t	bytes = 0;

	for (size_t i = 0; i < CACHES; i++)
		bytes += cache_of(i)->bytes - cache_of(i)->lookup_bytes + cache_of(i)->host.used;
	return bytes;
}

void
cuda_engine_evict_lookups(void)
{
	for (size_t i = 0; i < CACHES; i++)
		device_lookups_forget(cache_of(i));
}

static void
show(int device, const KeptFile *file, const KeptColumn *column, KeptInfo *info)
{
	*info = (KeptInfo)
	{
		.relation = file->relation,
			.device = device,
			.attno = column->key.attno,
			.presence = column->key.presence,
			.rows = column->rows,
			.bytes = column->bytes +
			(column->dictionary != NULL ? dictionary_size(column->dictionary) : 0),
			.host_bytes = column->host_bytes,
			.plain_bytes = column->plain_bytes,
			.blocks = column->blocks,
			.hits = column->hits,
			.last_used = column->last_used
	};
	memcpy(info->file, file->file, sizeof(info->file));
}

uint32_t
cuda_engine_columns(KeptInfo *infos, uint32_t max)
{
	uint32_t	n = 0;

	for (size_t i = 0; i < CACHES; i++)
		for (const KeptFile *file = cache_of(i)->files; file != NULL; file = file->next)
			for (const KeptColumn *column = file->columns; column != NULL;
				 column = column->next)
			{
				if (column->blocks == 0 && !column->outlived)
					continue;
				if (n < max)
					show((int) (i % DEVICES_MAX), file, column, &infos[n]);
				n++;
			}
	return n;
}

/* Tell of these columns no more that they were kept; all attributes if NULL. */
static void
forget_outlived(KeptFile *file, const uint8_t *attributes)
{
	for (KeptColumn *column = file->columns; column != NULL; column = column->next)
		if (attributes == NULL || (attributes[column->key.attno / 8] >> column->key.attno % 8 & 1))
			column->outlived = false;
}

void
cuda_engine_evict_relation(uint32_t database, uint32_t relation)
{
	for (size_t i = 0; i < CACHES; i++)
		for (KeptFile *file = cache_of(i)->files; file != NULL; file = file->next)
			if (database == 0 ||
				(file->file[1] == database && (relation == 0 || file->relation == relation)))
			{
				kept_evict_file(cache_of(i), file);
				forget_outlived(file, NULL);
			}
}

void
cuda_engine_evict_attributes(uint32_t database, uint32_t relation, const uint8_t *attributes)
{
	for (size_t i = 0; i < CACHES; i++)
		for (KeptFile *file = cache_of(i)->files; file != NULL; file = file->next)
			if (file->file[1] == database && file->relation == relation)
			{
				kept_evict_attributes(cache_of(i), file, attributes);
				forget_outlived(file, attributes);
			}
}

bool
cuda_engine_evict_gone(bool (*is_gone) (const uint32_t *file))
{
	bool		any = false;

	for (size_t i = 0; i < CACHES; i++)
		for (KeptFile *file = cache_of(i)->files; file != NULL; file = file->next)
		{
			if (!kept_keeps_any(file) || !is_gone(file->file))
				continue;
			for (KeptColumn *column = file->columns; column != NULL; column = column->next)
				column->outlived = column->blocks > 0;
			kept_evict_file(cache_of(i), file);
			any = true;
		}
	return any;
}

/* Of which blocks of a file the columns are kept, at most; 0: no file. */
static uint64_t
blocks_of_file(const KeptFile *file, const Program *program)
{
	uint64_t	least = UINT64_MAX;
	uint64_t	any = 0;

	for (const KeptColumn *column = file->columns; column != NULL; column = column->next)
		any = column->blocks > any ? column->blocks : any;
	for (int i = 0; i < program->ncolumns; i++)
	{
		uint64_t	blocks = 0;

		for (const KeptColumn *column = file->columns; column != NULL; column = column->next)
			if (column->key.attno == program_columns(program)[i].attno && column->blocks > blocks)
				blocks = column->blocks;
		least = blocks < least ? blocks : least;
	}
	return least < any ? least : any;
}

uint64_t
cuda_engine_blocks_kept(const DeviceOps *ops, int device, const Program *program,
						const TableState *tables, int ntables)
{
	const KeptCache *cache = &context_of(ops, device)->kept;
	uint64_t	blocks = 0;

	for (int i = 0; i < ntables; i++)
		for (const KeptFile *file = cache->files; file != NULL; file = file->next)
			if (memcmp(file->file, tables[i].file, sizeof(file->file)) == 0)
				blocks += blocks_of_file(file, program);
	return blocks;
}
