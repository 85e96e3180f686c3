/*
 * cuda_columns.c
 *	  What a process that serves runs asks about the columns and look-ups that are kept.
 *
 * The GPU's and, in builds for tests, the simulated device's, as if they were one.
 */
#include <string.h>
#include <time.h>

#include "engine/cuda/context/context.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/cuda/kept/device_lookups.h"
#include "engine/cuda/kept/room.h"

static const DeviceOps *const devices[] = {
	&cuda_device,
#ifdef GPUAGG_TESTING
	&simt_device,
#endif
};

#define NDEVICES (sizeof(devices) / sizeof(devices[0]))

static KeptCache *
cache_of(size_t device)
{
	return &context_of(devices[device])->kept;
}

void
cuda_engine_keep_columns(uint64_t limit)
{
	for (size_t i = 0; i < NDEVICES; i++)
		kept_set_limit(cache_of(i), limit, time(NULL));
}

uint64_t
cuda_engine_columns_size(void)
{
	uint64_t	bytes = 0;

	for (size_t i = 0; i < NDEVICES; i++)
		bytes += cache_of(i)->bytes - cache_of(i)->lookup_bytes;
	return bytes;
}

void
cuda_engine_evict_lookups(void)
{
	for (size_t i = 0; i < NDEVICES; i++)
		device_lookups_forget(cache_of(i));
}

static void
show(const KeptFile *file, const KeptColumn *column, KeptInfo *info)
{
	*info = (KeptInfo)
	{
		.relation = file->relation,
			.attno = column->key.attno,
			.presence = column->key.presence,
			.rows = column->rows,
			.bytes = column->bytes +
			(column->dictionary != NULL ? dictionary_size(column->dictionary) : 0),
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

	for (size_t i = 0; i < NDEVICES; i++)
		for (const KeptFile *file = cache_of(i)->files; file != NULL; file = file->next)
			for (const KeptColumn *column = file->columns; column != NULL;
				 column = column->next)
			{
				if (column->blocks == 0 && !column->outlived)
					continue;
				if (n < max)
					show(file, column, &infos[n]);
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
	for (size_t i = 0; i < NDEVICES; i++)
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
	for (size_t i = 0; i < NDEVICES; i++)
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

	for (size_t i = 0; i < NDEVICES; i++)
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
