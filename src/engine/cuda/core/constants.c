/*
 * constants.c
 *	  The values of a Program's slots on the device.
 *
 * Each is a DeviceConstant.  Texts stand behind one another in bytes that come
 * before those of every batch, so that kernels find constants' texts and rows'
 * alike.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/core/constants.h"

/* What comes behind the texts stays aligned for any type. */
#define BYTES_ALIGN 256

/*
 * A text begins where numbers may: it can be a table (ops_zone.h, ops_set.h).
 */
static uint64_t
text_size(uint32_t len)
{
	return ((uint64_t) len + 7) / 8 * 8;
}

/* One slot's value; a text goes to *size, which moves on. */
static void
set_constant(Constants *constants, const SlotValue *slot, DeviceConstant *value,
			 uint64_t *size)
{
	value->isnull = slot->isnull;
	value->word = slot->word;
	if (slot->isnull)
		return;
	if (value_is_bytes((ValueType) slot->type))
	{
		memcpy(value->bytes, slot->bytes.data, slot->bytes.len);
		/* a column's value of 8 bytes is made of the word */
		value->word = (int64_t) value->bytes[0];
	}
	else if (slot->type == VT_TEXT)
	{
		value->text.start = (uint32_t) *size;
		value->text.length = slot->bytes.len;
		memcpy(constants->bytes + *size, slot->bytes.data, slot->bytes.len);
		*size += text_size(slot->bytes.len);
	}
}

/* Memory for the values and texts on the host, as zeros. */
static EngineStatus
make_host(RunCore *run)
{
	Constants  *constants = &run->constants;
	uint64_t	size = 0;

	for (uint32_t i = 0; i < run->program->nslots; i++)
		if (constants->slots[i].type == VT_TEXT && !constants->slots[i].isnull)
			size += text_size(constants->slots[i].bytes.len);
	if (size > UINT32_MAX / 4)
		return run_fail(run, ENGINE_NO_MEMORY, "constants are too large");
	constants->bytes_size = (uint32_t) ((size + BYTES_ALIGN - 1) / BYTES_ALIGN * BYTES_ALIGN);
	constants->bytes = calloc(1, constants->bytes_size + 1);
	constants->host = calloc(run->program->nslots + 1, sizeof(DeviceConstant));
	if (constants->bytes == NULL || constants->host == NULL)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
	return ENGINE_OK;
}

EngineStatus
constants_open(RunCore *run)
{
	Constants  *constants = &run->constants;
	size_t		values_size = (run->program->nslots + 1) * sizeof(DeviceConstant);
	uint64_t	size = 0;
	EngineStatus status = make_host(run);

	if (status != ENGINE_OK)
		return status;
	for (uint32_t i = 0; i < run->program->nslots; i++)
		set_constant(constants, &constants->slots[i], &constants->host[i], &size);
	status = run_alloc(run, values_size, &constants->values);
	if (status == ENGINE_OK)
		status = run_device(run,
							run->device_ops->upload(run->device, run->work,
													constants->values.ptr, constants->host,
													values_size),
							"could not copy constants");
	return status;
}

void
constants_close(RunCore *run)
{
	run_free(run, &run->constants.values);
	free(run->constants.host);
	free(run->constants.bytes);
}
