/*
 * fetch_rows.c
 *	  From a run's groups to the rows that come first in them.
 *
 * A group has the places of its rows, or is a row, whose place is its key.  The places of as many
 * groups as work_mem holds are sorted, so that each page is visited once for them, as a bitmap scan
 * does, and the rows are fetched by the table's access method, which looks at their visibility
 * again.  What the query's snapshot sees is not removed, and keeps its line pointer.
 *
 * A place has the row's number in its group behind it in the same word, if the query asks for that.
 * There is room for it, since a page has fewer lines than a place can tell apart.
 *
 * Of rows that are equal in the order, all have the same rank.  A group that has room for no more
 * rows, the last of which is wanted by its rank, may have had others.  Then PostgreSQL's own plan
 * answers; so the places of all groups are there before a row leaves.
 *
 * Where places or groups have all that is asked of the rows (row_values.c), these are not fetched.
 *
 * Memory: the places are in a context of their own, slots belong to the query.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "exec/node/fetch_rows.h"
#include "exec/node/row_values.h"
#include "handle/handle.h"
#include "program/first_rows.h"

/* Places that are sorted at once, at least. */
#define MIN_PLACES 1024

struct FirstRows
{
	const NodeInput *input;
	int			ncolumns;		/* of the scan tuple: attributes of the table that the query names, */
	AttrNumber *columns;		/* or FIRST_ROWS_NUMBER */
	bool		numbered;		/* one of them is that */
	bool		fetched;		/* rows are, mostly; else places or groups tell all of them */
	TupleTableSlot **slots;		/* one a table; NULL: not needed yet */
	AttrMap   **maps;			/* one a table, from the named one's attributes; NULL: the same */
	MemoryContext context;		/* of the places */
	uint64	   *places;			/* of rows that have not left, and their numbers from 0 */
	Size		room;
	Size		nplaces;
	Size		next;			/* of the places, that has not been fetched */
	RowValues  *values;			/* of rows that are told by their groups; NULL: by places */
	uint32		group;			/* of the run's batch, whose rows are next, */
	int			entry;			/* from this one on; -1: the batch is new */
	uint64		nfetched;		/* rows, of all executions */
};

/* In a word of places: those of a row's number, and of its line pointer. */
#define NUMBER_BITS 7
#define LINE_BITS 13

StaticAssertDecl(FIRST_ROWS_MAX <= 1 << NUMBER_BITS, "a row's number must fit beside its place");
StaticAssertDecl(BLCKSZ / sizeof(ItemIdData) <= 1 << LINE_BITS, "a page's lines must fit into a place");
StaticAssertDecl(PLACE_MAX_TABLES <= 1 << (64 - 32 - LINE_BITS - NUMBER_BITS),
				 "a table's number must fit into a place");

#define ST_SORT sort_places
#define ST_ELEMENT_TYPE uint64
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

FirstRows *
first_rows_create(const NodeInput *input)
{
	FirstRows  *rows = palloc0(sizeof(FirstRows));
	const List *columns = input->plan->first_rows->columns;
	ListCell   *lc;

	rows->input = input;
	rows->columns = palloc(sizeof(AttrNumber) * (list_length(columns) + 1));
	foreach(lc, columns)
	{
		rows->columns[rows->ncolumns++] = lfirst_int(lc);
		rows->numbered |= lfirst_int(lc) == FIRST_ROWS_NUMBER;
	}
	rows->slots = palloc0(sizeof(TupleTableSlot *) * input->ntables);
	rows->maps = palloc0(sizeof(AttrMap *) * input->ntables);
	rows->context = AllocSetContextCreate(CurrentMemoryContext, "GpuAgg first rows",
										  ALLOCSET_DEFAULT_SIZES);
	rows->entry = -1;
	rows->fetched = first_rows_are_fetched(input->plan->first_rows);
	if (!rows->fetched && !first_rows_are_places(input->plan->first_rows))
		rows->values = row_values_create(input);
	return rows;
}

void
first_rows_reset(FirstRows *rows)
{
	for (int i = 0; i < rows->input->ntables; i++)
		if (rows->slots[i] != NULL)
			ExecClearTuple(rows->slots[i]);
	MemoryContextReset(rows->context);
	rows->places = NULL;
	rows->room = rows->nplaces = rows->next = 0;
	rows->group = 0;
	rows->entry = -1;
}

uint64
first_rows_fetched(const FirstRows *rows)
{
	return rows->nfetched;
}

/* How many places are sorted at once, unless one batch of groups has more. */
static Size
most_places(void)
{
	return Max(MIN_PLACES, (Size) work_mem * 1024 / sizeof(uint64));
}

static void
make_room(FirstRows *rows, Size needed)
{
	Size		room = Max(rows->room, MIN_PLACES);

	if (needed <= rows->room)
		return;
	while (room < needed)
		room *= 2;
	rows->places = rows->places == NULL ?
		MemoryContextAllocHuge(rows->context, room * sizeof(uint64)) :
		repalloc_huge(rows->places, room * sizeof(uint64));
	rows->room = room;
}

/* A word of places: of a row at this place, or of this mark, and its number from 0. */
static uint64
pack_place(uint64 place, int number)
{
	uint64		block = (uint64) place_table(place) << 32 | place_block(place);

	return (block << LINE_BITS | place_line(place)) << NUMBER_BITS | (uint64) number;
}

static uint64
place_of_packed(uint64 word)
{
	uint64		block = word >> (LINE_BITS + NUMBER_BITS);

	return place_make((uint32) (block >> 32), (uint32) block,
					  (word >> NUMBER_BITS) % (1 << LINE_BITS));
}

static int
number_of_packed(uint64 word)
{
	return (int) (word % (1 << NUMBER_BITS));
}

/* Add the places of a group; false: it may have more rows. */
static bool
add_group(FirstRows *rows, const Accumulator *acc, const uint64 *state)
{
	const FirstRowsInfo *info = rows->input->plan->first_rows;
	int			nkeys = acc_order_keys(acc);
	int			number = 0;

	for (int n = 0; n < info->entries; n++, state += nkeys + 1)
	{
		if (state[0] == NO_FIRST_ROW)
			return true;
		if (info->numbering == NUMBER_OF_ROW || n == 0 ||
			!first_rows_are_equal(state - nkeys - 1, state, nkeys))
			number = info->numbering == NUMBER_OF_DENSE_RANK ? number + 1 : n + 1;
		if (number > info->count)
			return true;
		rows->places[rows->nplaces++] = pack_place(state[0], rows->numbered ? number - 1 : 0);
	}
	return info->numbering == NUMBER_OF_ROW;
}

/* Add the places of a batch of groups that are a row each. */
static void
add_every_row(FirstRows *rows, const NodeRun *run)
{
	const int64_t *places = run->groups.keys[0].values;

	make_room(rows, rows->nplaces + run->groups.ngroups);
	for (uint32 i = 0; i < run->groups.ngroups; i++)
		rows->places[rows->nplaces++] = pack_place((uint64) places[i], 0);
}

/* Add the places of a batch of groups; false: one may have more rows. */
static bool
add_batch(FirstRows *rows, const NodeRun *run)
{
	const Accumulator *acc = program_first_rows(run->program);
	const uint64 *state;

	if (acc == NULL)
	{
		add_every_row(rows, run);
		return true;
	}
	state = run->groups.states + acc->word;
	for (uint32 i = 0; i < run->groups.ngroups; i++, state += run->program->nwords)
	{
		make_room(rows, rows->nplaces + acc_first_rows(acc));
		if (!add_group(rows, acc, state))
			return false;
	}
	return true;
}

/*
 * Must the places of all groups be there before a row leaves?  Rows that are groups then leave in
 * the order in which a sequential scan has them.
 */
static bool
takes_all_groups(const FirstRows *rows)
{
	return rows->input->plan->first_rows->numbering != NUMBER_OF_ROW;
}

/* The places of the next groups, in order; none: there are no more. */
static EngineStatus
collect_places(FirstRows *rows, NodeRun *run, const char **message)
{
	EngineStatus status = ENGINE_OK;

	rows->nplaces = rows->next = 0;
	while (status == ENGINE_OK && run->groups.ngroups > 0 &&
		   (takes_all_groups(rows) || rows->nplaces < most_places()))
	{
		CHECK_FOR_INTERRUPTS();
		if (!add_batch(rows, run))
		{
			*message = "more rows are equal in the order than a group has room for";
			return ENGINE_INEXACT;
		}
		if (takes_all_groups(rows) && rows->nplaces * sizeof(uint64) > groups_memory_limit(false))
		{
			*message = "the places of all groups' rows do not fit into memory";
			return ENGINE_NO_MEMORY;
		}
		status = node_run_next_groups(run, message);
	}
	if (status == ENGINE_OK)
		sort_places(rows->places, rows->nplaces);
	return status;
}

/* The slot of a table's rows, and which attributes the named table's are there. */
static TupleTableSlot *
slot_of_table(FirstRows *rows, uint32 table)
{
	const NodeInput *input = rows->input;
	Relation	relation = input->tables[table].relation;
	MemoryContext old;

	if (rows->slots[table] != NULL)
		return rows->slots[table];
	old = MemoryContextSwitchTo(input->estate->es_query_cxt);
	rows->slots[table] = table_slot_create(relation, &input->estate->es_tupleTable);
	if (RelationGetRelid(relation) != input->plan->relid)
	{
		Relation	named = table_open(input->plan->relid, NoLock);

		rows->maps[table] = compat_attribute_map(RelationGetDescr(relation),
												 RelationGetDescr(named));
		table_close(named, NoLock);
	}
	MemoryContextSwitchTo(old);
	return rows->slots[table];
}

/* The scan tuple of a row that has been fetched. */
static void
store_row(const FirstRows *rows, const AttrMap *map, TupleTableSlot *row, int number,
		  TupleTableSlot *slot)
{
	for (int i = 0; i < rows->ncolumns; i++)
	{
		AttrNumber	attno = rows->columns[i];

		if (attno == FIRST_ROWS_NUMBER)
		{
			slot->tts_values[i] = Int64GetDatum(number);
			slot->tts_isnull[i] = false;
		}
		else if (attno < 0)
			slot->tts_values[i] = slot_getsysattr(row, attno, &slot->tts_isnull[i]);
		else
			slot->tts_values[i] = slot_getattr(row, map ? map->attnums[attno - 1] : attno,
											   &slot->tts_isnull[i]);
	}
	ExecStoreVirtualTuple(slot);
}

/* Fetch the row at a place, which has this number in its group. */
static EngineStatus
fetch_row(FirstRows *rows, NodeRun *run, uint64 place, int number, TupleTableSlot *slot,
		  const char **message)
{
	static char injected[256];
	uint32		table = place_table(place);
	TupleTableSlot *row = slot_of_table(rows, table);
	ItemPointerData tid;
	EngineStatus status;

	strlcpy(injected, "a row that was visible is gone", sizeof(injected));
	*message = injected;
	status = engine_injected(run->engine, "fetch", injected);
	ItemPointerSet(&tid, place_block(place), place_line(place));
	if (status != ENGINE_OK)
		return status;
	if (!table_tuple_fetch_row_version(rows->input->tables[table].relation, &tid,
									   rows->input->estate->es_snapshot, row))
		return ENGINE_INEXACT;
	rows->nfetched++;
	store_row(rows, rows->maps[table], row, number, slot);
	return ENGINE_OK;
}

/* The row that a place tells all of. */
static void
store_place(const FirstRows *rows, uint64 place, int number, TupleTableSlot *slot)
{
	for (int i = 0; i < rows->ncolumns; i++)
	{
		slot->tts_values[i] = row_value_of_place(rows->input, rows->columns[i], place, number,
												 &slot->tts_tid);
		slot->tts_isnull[i] = false;
	}
	ExecStoreVirtualTuple(slot);
}

/* The entry of the next row of the run's groups, of group rows->group; NULL: there are no more. */
static const uint64 *
next_entry(FirstRows *rows, NodeRun *run, EngineStatus *status, const char **message)
{
	const Accumulator *acc = program_first_rows(run->program);
	int			entries = rows->input->plan->first_rows->entries;
	int			size = acc_order_keys(acc) + 1;

	*status = ENGINE_OK;
	while (run->groups.ngroups > 0)
	{
		if (rows->entry < 0)
		{
			row_values_begin(rows->values, run);
			rows->group = 0;
			rows->entry = 0;
		}
		for (; rows->group < run->groups.ngroups; rows->group++, rows->entry = 0)
		{
			const uint64 *entry = run->groups.states + (Size) rows->group * run->program->nwords +
				acc->word + rows->entry * size;

			if (rows->entry < entries && entry[0] != NO_FIRST_ROW)
			{
				rows->entry++;
				return entry;
			}
		}
		rows->entry = -1;
		*status = node_run_next_groups(run, message);
		if (*status != ENGINE_OK)
			return NULL;
	}
	return NULL;
}

/* The next row, whose group tells all of it mostly. */
static EngineStatus
next_of_groups(FirstRows *rows, NodeRun *run, TupleTableSlot *slot, const char **message)
{
	EngineStatus status;
	const uint64 *entry = next_entry(rows, run, &status, message);

	if (entry == NULL || row_values_store(rows->values, rows->group, rows->entry, entry, slot))
		return status;
	return fetch_row(rows, run, entry[0], rows->entry, slot, message);
}

EngineStatus
first_rows_next(FirstRows *rows, NodeRun *run, TupleTableSlot *slot, const char **message)
{
	EngineStatus status;
	uint64		place;
	int			number;

	ExecClearTuple(slot);
	if (rows->values != NULL)
		return next_of_groups(rows, run, slot, message);
	if (rows->next == rows->nplaces)
	{
		status = collect_places(rows, run, message);
		if (status != ENGINE_OK || rows->nplaces == 0)
			return status;
	}
	place = place_of_packed(rows->places[rows->next]);
	number = number_of_packed(rows->places[rows->next++]) + 1;
	if (!rows->fetched)
	{
		store_place(rows, place, number, slot);
		return ENGINE_OK;
	}
	return fetch_row(rows, run, place, number, slot, message);
}
