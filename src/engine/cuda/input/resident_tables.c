/*
 * resident_tables.c
 *	  The tables and columns of a run that can be taken from those that are kept, or be
 *	  kept.
 *
 * Not those of every Program (program_can_be_served).
 */
#include <stdlib.h>
#include <time.h>

#include "engine/cuda/input/resident_tables.h"
#include "engine/cuda/kept/room.h"

/* Has each of the Program's columns a key? */
static bool
have_keys(const RunCore *run)
{
	ResidentKey key;

	for (int i = 0; i < run->program->ncolumns; i++)
		if (!resident_key(&program_columns(run->program)[i], run->constants.slots, &key))
			return false;
	return true;
}

/* Can columns of the Program be kept at all, and is anybody to? */
static bool
is_possible(const RunCore *run)
{
	return run->hints.ntables > 0 && program_can_be_served(run->program) && have_keys(run) &&
		resident_limit(&run->context->resident) > 0;
}

static bool
list_columns(RunCore *run, ResidentTables *tables)
{
	const EngineHints *hints = &run->hints;
	ResidentKey key;
	int			own = run->program->ncolumns;

	tables->columns = calloc((size_t) own + (size_t) hints->nkeep + 1, sizeof(*tables->columns));
	if (tables->columns == NULL)
		return false;
	for (int i = 0; i < own; i++)
		tables->columns[i] = &program_columns(run->program)[i];
	tables->ncolumns = own;
	for (int i = 0; i < hints->nkeep; i++)
		if (hints->keep[i].attno <= run->program->nattrs &&
			resident_key(&hints->keep[i], run->constants.slots, &key))
			tables->columns[tables->ncolumns++] = &hints->keep[i];
	return true;
}

/* A table's file and columns, which become hotter by the run. */
static bool
open_table(RunCore *run, const ResidentTables *tables, const TableState *state,
		   ResidentTable *table)
{
	uint32_t	nstripes = stripes_of_table(state->nblocks);

	table->state = state;
	table->file = resident_file(&run->context->resident, state->file, state->relation);
	table->columns = calloc((size_t) tables->ncolumns + 1, sizeof(*table->columns));
	table->taken = calloc(1, nstripes + 1);
	table->wanted = calloc(1, nstripes + 1);
	if (table->file == NULL || table->columns == NULL || table->taken == NULL ||
		table->wanted == NULL)
		return false;
	for (int i = 0; i < tables->ncolumns; i++)
	{
		ResidentKey key;

		(void) resident_key(tables->columns[i], run->constants.slots, &key);
		table->columns[i] = resident_column(table->file, &key);
		if (table->columns[i] == NULL)
			return false;
		resident_heat(table->columns[i],
					  i < run->program->ncolumns ? HEAT_READ : HEAT_WANTED, tables->now);
	}
	return true;
}

EngineStatus
resident_tables_open(RunCore *run, ResidentTables *tables)
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

void
resident_tables_close(ResidentTables *tables)
{
	for (int i = 0; i < tables->ntables; i++)
	{
		if (tables->tables[i].file != NULL)
			resident_file_leave(tables->tables[i].file);
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
