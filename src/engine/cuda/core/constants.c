/*
 * constants.c
 *	  The values of a Program's parameters on the device.
 *
 * Each is a DeviceConstant.  Texts stand behind one another in bytes that come
 * before those of every batch, so that kernels find constants' texts and rows'
 * alike.  Small tables (ops_lookup.h) stand behind the values and are uploaded with them.  A large one
 * is in memory of its own: where it is kept for other runs, too, if it has a digest and there is
 * room; else where this run alone has it.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/cuda/compiled/fnv.h"
#include "engine/cuda/core/run_resources.h"
#include "engine/cuda/kept/device_lookups.h"
#include "engine/cuda/kept/room.h"

/* What comes behind the texts stays aligned for any type. */
#define BYTES_ALIGN 256

/* What is uploaded of a table at once, before others go on. */
#define UPLOAD_PIECE (UINT64_C(8) << 20)

/* Tables begin at multiples of the largest value. */
#define TABLE_ALIGN 16

/* Of a table, so many pieces of that size are hashed. */
#define HASHED_PIECES 1024
#define HASHED_PIECE 64

/*
 * A text begins where numbers may: it can have some (ops_zone.h, ops_set.h).
 */
static uint64_t
text_size(uint32_t len)
{
	return ((uint64_t) len + 7) / 8 * 8;
}

/* Which parameters are tables. */
static void
find_tables(const RunCore *run, bool *is_table)
{
	const Insn *insns = program_insns(run->program);

	for (int i = 0; i < run->program->ninsns; i++)
		if (insn_is_table(&insns[i]))
			is_table[insns[i].index] = true;
}

/*
 * A hash of a table's length and of its bytes; of a large one of pieces of it, evenly spread, the
 * first and the last among them.  Two tables with the same hash cost time only (known_facts.c).
 */
static uint64_t
table_key(Bytes table)
{
	uint64_t	words = table.len / sizeof(uint64_t) * sizeof(uint64_t);
	uint64_t	key = fnv_add(FNV_START, &table.len, sizeof(table.len));
	uint64_t	last;

	if (table.len <= HASHED_PIECES * HASHED_PIECE)
	{
		key = fnv_add_words(key, table.data, words);
		return fnv_add(key, table.data + words, table.len - words);
	}
	last = (table.len - HASHED_PIECE) / 8;
	for (uint64_t i = 0; i < HASHED_PIECES; i++)
		key = fnv_add_words(key, table.data + last * i / (HASHED_PIECES - 1) * 8, HASHED_PIECE);
	return key;
}

/* What tells tables apart. */
static int64_t
key_of_table(const ParamValue *param)
{
	return (int64_t) (param->digest != NULL ? param->digest->digest.words[0] :
					  table_key(param->bytes));
}

/* One parameter's value; a text goes to *size, which moves on. */
static void
set_constant(Constants *constants, const ParamValue *param, bool is_table,
			 DeviceConstant *value, uint64_t *size)
{
	value->isnull = param->isnull;
	value->word = param->word;
	if (param->isnull)
		return;
	if (is_table)
	{
		/* the address comes in its place */
		value->word = key_of_table(param);
		value->text.length = param->bytes.len;
	}
	else if (value_is_bytes((ValueType) param->type))
	{
		memcpy(value->bytes, param->bytes.data, param->bytes.len);
		/* a column's value of 8 bytes is made of the word */
		value->word = (int64_t) value->bytes[0];
	}
	else if (param->type == VT_TEXT)
	{
		value->text.start = (uint32_t) *size;
		value->text.length = param->bytes.len;
		memcpy(constants->bytes + *size, param->bytes.data, param->bytes.len);
		*size += text_size(param->bytes.len);
	}
}

static bool
is_small(const ParamValue *param)
{
	return param->kept == NULL && param->bytes.len <= TABLE_SMALL;
}

/* Bytes of the values on the device, without small tables. */
static uint64_t
values_size(const RunCore *run)
{
	uint64_t	size = (run->program->nparams + UINT64_C(1)) * sizeof(DeviceConstant);

	return (size + TABLE_ALIGN - 1) / TABLE_ALIGN * TABLE_ALIGN;
}

/* Memory for the values, small tables and texts on the host, as zeros. */
static EngineStatus
make_host(RunCore *run, const bool *is_table)
{
	Constants  *constants = &run->constants;
	uint32_t	nparams = run->program->nparams;
	uint64_t	size = 0;

	constants->host_size = values_size(run);
	for (uint32_t i = 0; i < nparams; i++)
		if (is_table[i])
			constants->host_size += is_small(&constants->params[i]) ? TABLE_SMALL : 0;
		else if (constants->params[i].type == VT_TEXT && !constants->params[i].isnull)
			size += text_size(constants->params[i].bytes.len);
	if (size > UINT32_MAX / 4)
		return run_fail(run, ENGINE_NO_MEMORY, "constants are too large");
	constants->bytes_size = (uint32_t) ((size + BYTES_ALIGN - 1) / BYTES_ALIGN * BYTES_ALIGN);
	constants->bytes = calloc(1, constants->bytes_size + 1);
	constants->host = calloc(1, constants->host_size);
	constants->tables = calloc(nparams + 1, sizeof(DeviceBuffer));
	constants->lookups = calloc(nparams + 1, sizeof(*constants->lookups));
	if (constants->bytes == NULL || constants->host == NULL || constants->tables == NULL ||
		constants->lookups == NULL)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
	return ENGINE_OK;
}

/* The values on the host, and their hash. */
static void
set_host(RunCore *run, const bool *is_table)
{
	Constants  *constants = &run->constants;
	uint32_t	nparams = run->program->nparams;
	uint64_t	size = 0;

	for (uint32_t i = 0; i < nparams; i++)
		set_constant(constants, &constants->params[i], is_table[i], &constants->host[i], &size);
	constants->key = fnv_add_words(FNV_START, constants->host, nparams * sizeof(DeviceConstant));
	constants->key = fnv_add_words(constants->key, constants->bytes, constants->bytes_size);
}

static EngineStatus
upload(RunCore *run, DevicePtr to, const void *from, uint64_t size)
{
	return run_device(run, run->device_ops->upload(run->device, run->work, to, from, size),
					  "could not copy constants");
}

/* The memory is not page-locked, so each piece is waited for. */
static EngineStatus
upload_table(RunCore *run, Bytes table, DevicePtr to)
{
	EngineStatus status = ENGINE_OK;

	for (uint64_t at = 0; at < table.len && status == ENGINE_OK; at += UPLOAD_PIECE)
	{
		uint64_t	size = table.len - at < UPLOAD_PIECE ? table.len - at : UPLOAD_PIECE;

		if (engine_interrupted(&run->hints))
			return run_fail(run, ENGINE_FAILED, INTERRUPTED_MESSAGE);
		status = upload(run, to + at, table.data + at, size);
	}
	return status;
}

/*
 * Have a table in memory that it stays in, for this run and later ones.  These use other streams,
 * so its copy is waited for.  There may be no room for it: then *lookup stays NULL.
 */
static EngineStatus
keep_table(RunCore *run, const ParamValue *param, uint32_t readers, DeviceLookup **lookup)
{
	KeptCache  *cache = &run->context->kept;
	const Digest *digest = &param->digest->digest;
	uint64_t	size = param->bytes.len;
	DevicePtr	memory;
	EngineStatus status;

	if (!kept_lookup_memory(cache, &size, time(NULL), &memory))
		return ENGINE_OK;
	status = upload_table(run, param->bytes, memory);
	if (status == ENGINE_OK)
		status = run_wait(run, DEVICE_OK, "could not copy a table");
	else
		(void) run->device_ops->stream_wait(run->device, run->work);
	/* another run can have kept it meanwhile */
	if (status == ENGINE_OK)
		*lookup = device_lookup_take(cache, digest, param->bytes.len, readers);
	if (status == ENGINE_OK && *lookup == NULL)
		*lookup = device_lookup_add(cache, digest, param->bytes, readers, memory, size);
	if (*lookup == NULL || (*lookup)->memory != memory)
		kept_memory_free(cache, memory, size);
	run->head.stats.lookup_bytes += *lookup != NULL ? param->bytes.len : 0;
	return status;
}

/* A table that others may use, too: kept by the caller, by another run meanwhile, or by this one. */
static EngineStatus
find_table(RunCore *run, uint32_t i, DeviceLookup **lookup)
{
	Constants  *constants = &run->constants;
	const ParamValue *param = &constants->params[i];
	uint32_t	readers = program_table_readers(run->program, (int) i);
	EngineStatus status = ENGINE_OK;

	*lookup = (DeviceLookup *) param->kept;
	if (param->kept == NULL && param->digest != NULL)
		*lookup = constants->lookups[i] =
			device_lookup_take(&run->context->kept, &param->digest->digest, param->bytes.len,
							   readers);
	run->head.stats.lookups_resident += *lookup != NULL;
	if (*lookup == NULL && param->digest != NULL)
	{
		status = keep_table(run, param, readers, lookup);
		constants->lookups[i] = *lookup;
	}
	return status;
}

/* Have a large table on the device. */
static EngineStatus
place_table(RunCore *run, uint32_t i)
{
	Constants  *constants = &run->constants;
	const ParamValue *param = &constants->params[i];
	DeviceBuffer *buffer = &constants->tables[i];
	DeviceLookup *lookup;
	EngineStatus status = find_table(run, i, &lookup);

	if (status == ENGINE_OK && lookup != NULL)
	{
		constants->host[i].word = (int64_t) lookup->memory;
		return ENGINE_OK;
	}
	if (status == ENGINE_OK)
		status = run_alloc(run, param->bytes.len, buffer);
	if (status == ENGINE_OK)
		status = upload_table(run, param->bytes, buffer->ptr);
	constants->host[i].word = (int64_t) buffer->ptr;
	run->head.stats.lookup_bytes += param->bytes.len;
	return status;
}

/* Small tables stand behind the values, each at the next place. */
static void
place_small_table(RunCore *run, uint32_t i, uint64_t *place)
{
	Constants  *constants = &run->constants;
	Bytes		table = constants->params[i].bytes;

	constants->host[i].word = (int64_t) (constants->values.ptr + *place);
	if (table.len > 0)
		memcpy((char *) constants->host + *place, table.data, table.len);
	*place += (table.len + TABLE_ALIGN - 1) / TABLE_ALIGN * TABLE_ALIGN;
	run->head.stats.lookup_bytes += table.len;
}

/* All tables. */
static EngineStatus
place_tables(RunCore *run, const bool *is_table)
{
	uint64_t	place = values_size(run);
	EngineStatus status = ENGINE_OK;

	for (uint32_t i = 0; i < run->program->nparams && status == ENGINE_OK; i++)
		if (is_table[i] && is_small(&run->constants.params[i]))
			place_small_table(run, i, &place);
		else if (is_table[i])
			status = place_table(run, i);
	run->constants.host_size = place;
	return status;
}

EngineStatus
constants_open(RunCore *run)
{
	Constants  *constants = &run->constants;
	bool		is_table[PROGRAM_MAX_PARAMS] = {false};
	EngineStatus status;

	find_tables(run, is_table);
	status = make_host(run, is_table);
	if (status != ENGINE_OK)
		return status;
	set_host(run, is_table);
	status = run_alloc(run, constants->host_size, &constants->values);
	if (status == ENGINE_OK)
		status = place_tables(run, is_table);
	if (status == ENGINE_OK)
		status = upload(run, constants->values.ptr, constants->host, constants->host_size);
	return status;
}

void
constants_close(RunCore *run)
{
	Constants  *constants = &run->constants;

	for (uint32_t i = 0; i < run->program->nparams && constants->tables != NULL; i++)
		run_free(run, &constants->tables[i]);
	for (uint32_t i = 0; i < run->program->nparams && constants->lookups != NULL; i++)
		if (constants->lookups[i] != NULL)
			device_lookup_leave(&run->context->kept, constants->lookups[i]);
	run_free(run, &constants->values);
	free(constants->lookups);
	free(constants->tables);
	free(constants->host);
	free(constants->bytes);
}
