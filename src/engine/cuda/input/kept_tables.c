/*
 * kept_tables.c
 *	  The tables and columns of a run that can be taken from those that are kept, or be
 *	  kept.
 *
 * Not those of every Program (program_can_be_served).
 */
#include <stdlib.h>
#include <time.h>

#include "engine/cuda/input/kept_tables.h"
#include "engine/cuda/kept/room.h"

/* Has each of the Program's columns a key? */
static bool
have_keys(const RunCore *run)
{
	KeptKey		key;

	for (int i = 0; i < run->program->ncolumns; i++)
		if (!kept_key(&program_columns(run->program)[i], run->constants.params, &key))
			return false;
	return true;
}

/* Can columns of the Program be kept at all, and is anybody to? */
static bool
is_possible(const RunCore *run)
{
	return run->hints.ntables > 0 && program_can_be_served(run->program) && have_keys(run) &&
		kept_limit(&run->context->kept) > 0;
}

static bool
list_columns(RunCore *run, KeptTables *tables)
{
	const EngineHints *hints = &run->hints;
	KeptKey		key;
	int			own = run->program->ncolumns;

	tables->columns = calloc((size_t) own + (size_t) hints->nkeep + 1, sizeof(*tables->columns));
	if (tables->columns == NULL)
		return false;
	for (int i = 0; i < own; i++)
		tables->columns[i] = &program_columns(run->program)[i];
	tables->ncolumns = own;
	for (int i = 0; i < hints->nkeep; i++)
		if (hints->keep[i].attno <= run->program->nattrs &&
			kept_key(&hints->keep[i], run->constants.params, &key))
			tables->columns[tables->ncolumns++] = &hints->keep[i];
	return true;
}

/* A table's file and columns, which become hotter by the run. */
static bool
open_table(RunCore *run, const KeptTables *tables, const TableState *state,
		   KeptTable *table)
{
	uint32_t	nstripes = stripes_of_table(state->nblocks);

	table->state = state;
	table->file = kept_file(&run->context->kept, state->file, state->relation);
	table->columns = calloc((size_t) tables->ncolumns + 1, sizeof(*table->columns));
	table->taken = calloc(1, nstripes + 1);
	table->wanted = calloc(1, nstripes + 1);
	if (table->file == NULL || table->columns == NULL || table->taken == NULL ||
		table->wanted == NULL)
		return false;
	for (int i = 0; i < tables->ncolumns; i++)
	{
		KeptKey		key;

		(void) kept_key(tables->columns[i], run->constants.params, &key);
		table->columns[i] = kept_column(table->file, &key);
		if (table->columns[i] == NULL)
			return false;
		kept_heat(table->columns[i],
					  i < run->program->ncolumns ? HEAT_READ : HEAT_WANTED, tables->now);
	}
	return true;
}

EngineStatus
kept_tables_open(RunCore *run, KeptTables *tables)
{
	bool		good;

	if (!is_possible(run))
		return ENGINE_OK;
	tables->now = time(NULL);
	tables->tables = calloc((size_t) run->hints.ntables, sizeof(*tables->tables));
	good = tables->tables != NULL && list_columns(run, tables);
	while (good && tables->ntables < run->hints.ntables)
	{
		int			i = tables->ntables++;

		good = open_table(run, tables, &run->hints.tables[i], &tables->tables[i]);
	}
	return good ? ENGINE_OK : run_fail(run, ENGINE_NO_MEMORY, "out of memory");
}

bool
kept_table_has(const RunCore *run, const KeptTable *table, uint32_t number)
{
	const EngineHints *hints = &run->hints;

	return hints->nparts == 0 ||
		stripe_part(table->state->file[2], number, hints->nparts) == hints->part;
}

void
kept_tables_close(KeptTables *tables)
{
	for (int i = 0; i < tables->ntables; i++)
	{
		if (tables->tables[i].file != NULL)
			kept_file_leave(tables->tables[i].file);
		free(tables->tables[i].columns);
		free(tables->tables[i].served);
		free(tables->tables[i].taken);
		free(tables->tables[i].wanted);
		free(tables->tables[i].asked);
		free(tables->tables[i].lsns);
	}
	free(tables->tables);
	free(tables->columns);
	free(tables->asked);
}
