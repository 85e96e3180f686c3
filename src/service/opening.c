/*
 * opening.c
 *	  What a run begins with, from the session's input file: the Program and the
 *	  values of its slots.
 *
 * The file begins with the Program; WireSlots from the next multiple of 8 on; the
 * slots' bytes, each at a multiple of 8, as sets of values need it.  The session can
 * write to the file at any time, so all of it is copied before it is looked at.
 */
#include "service/opening.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/check.h"
#include "service/channel.h"

static WireSlot
wire_slot(const SlotValue *slot, uint64_t place)
{
	WireSlot	wire = {.type = slot->type,.isnull = slot->isnull,.word = slot->word};

	wire.len = slot->isnull ? 0 : slot->bytes.len;
	wire.place = wire.len > 0 ? place : 0;
	return wire;
}

bool
opening_write(int file, const Program *program, const SlotValue *slots, uint64_t *size)
{
	uint64_t	wires = file_aligned(program->size);
	uint64_t	place = wires + program->nslots * sizeof(WireSlot);

	if (!file_write(file, 0, program, program->size))
		return false;
	for (int i = 0; i < program->nslots; i++)
	{
		WireSlot	wire = wire_slot(&slots[i], place);

		if (!file_write(file, wires + i * sizeof(WireSlot), &wire, sizeof(wire)) ||
			!file_write(file, place, slots[i].bytes.data, wire.len))
			return false;
		place = file_aligned(place + wire.len);
	}
	*size = place;
	/* let it have all of its bytes, whatever it ends with */
	return file_write(file, place, "", 1);
}

/* A slot, if its bytes are there. */
static bool
take_slot(const Opening *opening, uint64_t size, const WireSlot *wire, SlotValue *slot)
{
	if (wire->isnull > 1 || wire->place % 8 != 0 || wire->place > size ||
		wire->len > size - wire->place)
		return false;
	slot->type = wire->type;
	slot->isnull = wire->isnull != 0;
	slot->word = wire->word;
	slot->bytes.data = wire->len > 0 ? opening->bytes + wire->place : NULL;
	slot->bytes.len = wire->len;
	return true;
}

static bool
take_slots(Opening *opening, uint64_t size)
{
	uint64_t	wires = file_aligned(opening->program->size);
	uint64_t	n = opening->program->nslots;

	if (wires > size || n > (size - wires) / sizeof(WireSlot))
		return false;
	opening->slots = calloc(n + 1, sizeof(SlotValue));
	for (uint64_t i = 0; opening->slots != NULL && i < n; i++)
		if (!take_slot(opening, size,
					   (const WireSlot *) (opening->bytes + wires) + i, &opening->slots[i]))
			return false;
	return opening->slots != NULL;
}

/* Copy the bytes, and find the Program and the slots in them. */
static bool
read_bytes(int file, uint64_t size, uint32_t program_size, Opening *opening)
{
	if (program_size < sizeof(Program) || program_size > size || size > file_size(file))
		return false;
	opening->bytes = malloc(size);
	if (opening->bytes == NULL || !file_read(file, 0, opening->bytes, size))
		return false;
	opening->program = (const Program *) opening->bytes;
	return opening->program->size == program_size && take_slots(opening, size);
}

bool
opening_read(int file, uint64_t size, uint32_t program_size, Opening *opening,
			 char *why, size_t len)
{
	memset(opening, 0, sizeof(*opening));
	if (!read_bytes(file, size, program_size, opening))
	{
		snprintf(why, len, "the run's program is not there");
		return false;
	}
	return program_check(opening->program, program_size, opening->slots,
						 opening->program->nslots, why, len);
}

void
opening_free(Opening *opening)
{
	free(opening->bytes);
	free(opening->slots);
	memset(opening, 0, sizeof(*opening));
}
