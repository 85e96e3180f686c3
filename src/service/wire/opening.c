/*
 * opening.c
 *	  What a run begins with, from the session's input file: the Program, the values
 *	  of its parameters, and what is known of tables whose columns may be kept.
 *
 * The parts lie one behind the other (OpeningParts), each of the parameters' bytes at a
 * multiple of 8, as sets of values need it.  The session can write to the file at any time,
 * so all of it is copied before it is looked at.
 *
 * Tables come in the order of their numbers, and their frames (wire_frames.c) in the same order.
 */
#include "service/wire/opening.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/check.h"
#include "service/wire/channel.h"
#include "service/wire/wire_frames.h"

bool
opening_names(const Program *program, const ParamValue *params, int param)
{
	return params[param].digest != NULL && !params[param].isnull && params[param].bytes.len > 0 &&
		program_table_readers(program, param) != 0;
}

/* The parameter's digest, which is made now if nobody has needed it before. */
static const Digest *
digest_of_param(const ParamValue *param)
{
	TableDigest *digest = param->digest;

	if (!digest->is_made)
		digest_of(param->bytes.data, param->bytes.len, &digest->digest);
	digest->is_made = true;
	return &digest->digest;
}

static WireParam
wire_param(const ParamValue *param, bool named, uint64_t place)
{
	WireParam	wire = {.type = param->type,.isnull = param->isnull,.named = named,.word = param->word};

	wire.len = param->isnull ? 0 : param->bytes.len;
	wire.place = wire.len > 0 && !named ? place : 0;
	if (named)
		wire.digest = *digest_of_param(param);
	return wire;
}

/* Tables, columns and frames from *place on, which is moved behind them. */
static bool
write_tables(int file, const EngineHints *hints, uint64_t *place)
{
	uint64_t	tables = *place;
	uint64_t	keep = tables + (uint64_t) hints->ntables * sizeof(WireTable);
	uint64_t	at = file_aligned(keep + (uint64_t) hints->nkeep * sizeof(Column));

	for (int i = 0; i < hints->ntables; i++)
	{
		const TableState *table = &hints->tables[i];
		WireTable	wire = {.relation = table->relation,.table = table->table,
		.nblocks = table->nblocks,.wal_end = table->wal_end};

		memcpy(wire.file, table->file, sizeof(wire.file));
		if (!file_write(file, tables + (uint64_t) i * sizeof(wire), &wire, sizeof(wire)) ||
			!wire_frames_write(file, table->frames, table_state_frames(table->nblocks), &at))
			return false;
	}
	*place = at;
	return file_write(file, keep, hints->keep, (size_t) hints->nkeep * sizeof(Column));
}

bool
opening_write(int file, const Program *program, const ParamValue *params, bool names,
			  const EngineHints *hints, OpeningParts *parts)
{
	uint64_t	wires = file_aligned(program->size);
	uint64_t	place = wires + program->nparams * sizeof(WireParam);

	if (!file_write(file, 0, program, program->size))
		return false;
	for (int i = 0; i < program->nparams; i++)
	{
		bool		named = names && opening_names(program, params, i);
		WireParam	wire = wire_param(&params[i], named, place);
		uint32_t	len = named ? 0 : wire.len;

		if (!file_write(file, wires + i * sizeof(WireParam), &wire, sizeof(wire)) ||
			!file_write(file, place, params[i].bytes.data, len))
			return false;
		place = file_aligned(place + len);
	}
	*parts = (OpeningParts)
	{
		.tables = place,.program_size = program->size,.ntables = (uint32_t) hints->ntables,
			.nkeep = (uint32_t) hints->nkeep
	};
	if (!write_tables(file, hints, &place))
		return false;
	parts->size = place;
	/* let it have all of its bytes, whatever it ends with */
	return file_write(file, place, "", 1);
}

/* A parameter, if its bytes are there, before `end`, or are named. */
static bool
take_param(const Opening *opening, uint64_t end, const WireParam *wire, ParamValue *param,
		   TableDigest *digest)
{
	if (wire->isnull > 1 || wire->named > 1 || wire->place % 8 != 0 || wire->place > end ||
		(wire->named ? wire->len == 0 || wire->isnull : wire->len > end - wire->place))
		return false;
	param->type = wire->type;
	param->isnull = wire->isnull != 0;
	param->word = wire->word;
	param->bytes.data = wire->len > 0 && !wire->named ? opening->bytes + wire->place : NULL;
	param->bytes.len = wire->len;
	if (wire->named)
	{
		*digest = (TableDigest) {true, wire->digest};
		param->digest = digest;
	}
	return true;
}

/* All parameters.  They, the Program and their bytes end before the tables begin. */
static bool
take_params(Opening *opening, uint64_t end)
{
	uint64_t	wires = file_aligned(opening->program->size);
	uint64_t	n = opening->program->nparams;

	if (wires > end || n > (end - wires) / sizeof(WireParam))
		return false;
	opening->params = calloc(n + 1, sizeof(ParamValue));
	opening->digests = calloc(n + 1, sizeof(TableDigest));
	if (opening->params == NULL || opening->digests == NULL)
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (!take_param(opening, end, (const WireParam *) (opening->bytes + wires) + i,
						&opening->params[i], &opening->digests[i]))
			return false;
	return true;
}

/* Has the last frame no bits behind the table's last block? */
static bool
frames_end(const TableState *table)
{
	const FrameMap *last = &table->frames[(table->nblocks - 1) / FRAME_BLOCKS];

	for (uint32_t block = (table->nblocks - 1) % FRAME_BLOCKS + 1; block < FRAME_BLOCKS; block++)
		if (last->bits[block / 4] >> (block % 4 * 2) & 3)
			return false;
	return true;
}

/* A table with its frames, whose wire form is at *place. */
static bool
take_table(const Opening *opening, uint64_t size, const WireTable *wire, FrameMap *frames,
		   uint64_t *place, TableState *table)
{
	*table = (TableState)
	{
		.relation = wire->relation,.table = wire->table,.nblocks = wire->nblocks,
			.wal_end = wire->wal_end,.frames = frames
	};
	memcpy(table->file, wire->file, sizeof(table->file));
	return wire_frames_read(opening->bytes, size, place, frames,
							table_state_frames(wire->nblocks)) && frames_end(table);
}

/* Have memory for all tables, and for all of their frames, whose wire form has that size. */
static bool
make_tables(Opening *opening, const WireTable *wires, uint32_t n, uint64_t size)
{
	uint64_t	nframes = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		if (wires[i].nblocks == 0 || wires[i].nblocks == UINT32_MAX ||
			(i > 0 && wires[i].table <= wires[i - 1].table))
			return false;
		nframes += table_state_frames(wires[i].nblocks);
	}
	/* no more than the largest table has */
	if (nframes > size / WIRE_FRAME_SIZE || nframes > table_state_frames(UINT32_MAX))
		return false;
	opening->tables = calloc((size_t) n + 1, sizeof(TableState));
	opening->frames = malloc((nframes + 1) * sizeof(FrameMap));
	return opening->tables != NULL && opening->frames != NULL;
}

static bool
take_tables(Opening *opening, const OpeningParts *parts)
{
	const WireTable *wires = (const WireTable *) (opening->bytes + parts->tables);
	uint64_t	keep = parts->tables + (uint64_t) parts->ntables * sizeof(WireTable);
	uint64_t	place = file_aligned(keep + (uint64_t) parts->nkeep * sizeof(Column));
	FrameMap   *frames;

	if (place > parts->size ||
		!make_tables(opening, wires, parts->ntables, parts->size - place))
		return false;
	frames = opening->frames;
	opening->keep = (const Column *) (opening->bytes + keep);
	opening->nkeep = (int) parts->nkeep;
	for (uint32_t i = 0; i < parts->ntables; i++)
	{
		if (!take_table(opening, parts->size, &wires[i], frames, &place, &opening->tables[i]))
			return false;
		frames += table_state_frames(wires[i].nblocks);
	}
	opening->ntables = (int) parts->ntables;
	return true;
}

/* Copy the bytes, and find the parts in them. */
static bool
read_bytes(int file, const OpeningParts *parts, Opening *opening)
{
	if (parts->program_size < sizeof(Program) || parts->tables > parts->size ||
		parts->size > file_size(file))
		return false;
	opening->bytes = malloc(parts->size);
	if (opening->bytes == NULL || !file_read(file, 0, opening->bytes, parts->size))
		return false;
	opening->program = (const Program *) opening->bytes;
	return opening->program->size == parts->program_size && take_params(opening, parts->tables);
}

bool
opening_read(int file, const OpeningParts *parts, Opening *opening, char *why, size_t len)
{
	memset(opening, 0, sizeof(*opening));
	if (!read_bytes(file, parts, opening))
		snprintf(why, len, "the run's program is not there");
	else if (!take_tables(opening, parts))
		snprintf(why, len, "the run's tables are not there");
	else
		return program_check(opening->program, parts->program_size, opening->params,
							 opening->program->nparams, why, len) &&
			program_check_columns(opening->program, opening->params, opening->keep,
								  parts->nkeep, why, len);
	return false;
}

void
opening_free(Opening *opening)
{
	free(opening->bytes);
	free(opening->params);
	free(opening->digests);
	free(opening->tables);
	free(opening->frames);
	memset(opening, 0, sizeof(*opening));
}
