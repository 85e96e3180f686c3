/*
 * constants.c
 *	  The values of a Program's parameters on the device.
 *
 * Each is a DeviceConstant.  Texts stand behind one another in bytes that come
 * before those of every batch, so that kernels find constants' texts and rows'
 * alike.  A table (ops_lookup.h), which can be large, is in memory of its own, uploaded once.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/compiled/fnv.h"
#include "engine/cuda/core/run_resources.h"

/* What comes behind the texts stays aligned for any type. */
#define BYTES_ALIGN 256

/* What is uploaded of a table at once, before others go on. */
#define UPLOAD_PIECE (UINT64_C(8) << 20)

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
 * A hash of a table's length and of pieces of it, evenly spread, the first and the last among
 * them.  Two tables with the same hash cost time only (known_facts.c).
 */
static uint64_t
table_key(Bytes table)
{
	uint64_t	last = table.len < HASHED_PIECE ? 0 : (table.len - HASHED_PIECE) / 8;
	uint64_t	key = fnv_add(FNV_START, &table.len, sizeof(table.len));

	if (table.len < HASHED_PIECE)
		return fnv_add(key, table.data, table.len);
	for (uint64_t i = 0; i < HASHED_PIECES; i++)
		key = fnv_add_words(key, table.data + last * i / (HASHED_PIECES - 1) * 8, HASHED_PIECE);
	return key;
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
		value->word = (int64_t) table_key(param->bytes);
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

/* Memory for the values and texts on the host, as zeros. */
static EngineStatus
make_host(RunCore *run, const bool *is_table)
{
	Constants  *constants = &run->constants;
	uint32_t	nparams = run->program->nparams;
	uint64_t	size = 0;

	for (uint32_t i = 0; i < nparams; i++)
		if (constants->params[i].type == VT_TEXT && !constants->params[i].isnull && !is_table[i])
			size += text_size(constants->params[i].bytes.len);
	if (size > UINT32_MAX / 4)
		return run_fail(run, ENGINE_NO_MEMORY, "constants are too large");
	constants->bytes_size = (uint32_t) ((size + BYTES_ALIGN - 1) / BYTES_ALIGN * BYTES_ALIGN);
	constants->bytes = calloc(1, constants->bytes_size + 1);
	constants->host = calloc(nparams + 1, sizeof(DeviceConstant));
	constants->tables = calloc(nparams + 1, sizeof(DeviceBuffer));
	if (constants->bytes == NULL || constants->host == NULL || constants->tables == NULL)
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
upload_table(RunCore *run, uint32_t param)
{
	Constants  *constants = &run->constants;
	Bytes		table = constants->params[param].bytes;
	DeviceBuffer *buffer = &constants->tables[param];
	EngineStatus status = run_alloc(run, table.len, buffer);

	constants->host[param].word = (int64_t) buffer->ptr;
	for (uint64_t at = 0; at < table.len && status == ENGINE_OK; at += UPLOAD_PIECE)
	{
		uint64_t	size = table.len - at < UPLOAD_PIECE ? table.len - at : UPLOAD_PIECE;

		if (engine_interrupted(&run->hints))
			return run_fail(run, ENGINE_FAILED, INTERRUPTED_MESSAGE);
		status = upload(run, buffer->ptr + at, table.data + at, size);
	}
	return status;
}

EngineStatus
constants_open(RunCore *run)
{
	Constants  *constants = &run->constants;
	uint32_t	nparams = run->program->nparams;
	bool		is_table[PROGRAM_MAX_PARAMS] = {false};
	EngineStatus status;

	find_tables(run, is_table);
	status = make_host(run, is_table);
	if (status != ENGINE_OK)
		return status;
	set_host(run, is_table);
	for (uint32_t i = 0; i < nparams && status == ENGINE_OK; i++)
		if (is_table[i])
			status = upload_table(run, i);
	if (status == ENGINE_OK)
		status = run_alloc(run, (nparams + 1) * sizeof(DeviceConstant), &constants->values);
	if (status == ENGINE_OK)
		status = upload(run, constants->values.ptr, constants->host,
						(nparams + 1) * sizeof(DeviceConstant));
	return status;
}

void
constants_close(RunCore *run)
{
	Constants  *constants = &run->constants;

	for (uint32_t i = 0; i < run->program->nparams && constants->tables != NULL; i++)
		run_free(run, &constants->tables[i]);
	run_free(run, &constants->values);
	free(constants->tables);
	free(constants->host);
	free(constants->bytes);
}
