/*
 * top_groups.c
 *	  The groups that can be among the first ones of an order.
 *
 * A heap holds the order's columns of the best groups that have left so far, the worst of
 * them on top.  Once it has as many as are wanted, a group that comes behind the top
 * one cannot be wanted; one that is equal to it only if ties are, or if there is more to
 * order them by than the node knows.  The values are compared as
 * PostgreSQL's sort compares them, one column after the other, so that nearly always one
 * is all that is made of a group.
 *
 * The heap's values are copies in a context of its own.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/binaryheap.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

#include "compat.h"
#include "exec/node/top_groups.h"

/* A column of the order. */
typedef struct TopColumn
{
	int			number;			/* among the node's */
	int16		len;
	bool		byval;
	SortSupportData sort;
} TopColumn;

/* A group's values of these columns. */
typedef struct TopEntry
{
	Datum	   *values;
	bool	   *isnull;
} TopEntry;

struct TopGroups
{
	TopGroupsValue value;
	void	   *node;
	int			count;			/* how many are wanted */
	bool		ties;			/* as in TopInfo */
	int			ncolumns;
	TopColumn  *columns;
	MemoryContext context;		/* of the heap's entries */
	binaryheap *heap;			/* of TopEntry, the one that comes last on top */
	TopEntry	current;		/* the group that was asked for last */
	uint64		left_out;
};

/* Where a stands to b in the order of this column: < 0, before it. */
static inline int
compare_column(TopColumn *column, int i, const TopEntry *a, const TopEntry *b)
{
	return ApplySortComparator(a->values[i], a->isnull[i], b->values[i], b->isnull[i],
							   &column->sort);
}

/* The heap's top is what is largest by this. */
static int
compare_entries(Datum a, Datum b, void *arg)
{
	TopGroups  *top = arg;
	int			result = 0;

	for (int i = 0; i < top->ncolumns && result == 0; i++)
		result = compare_column(&top->columns[i], i, (TopEntry *) DatumGetPointer(a),
								(TopEntry *) DatumGetPointer(b));
	return result;
}

static TopEntry
make_entry(int ncolumns)
{
	return (TopEntry)
	{
		palloc(sizeof(Datum) * ncolumns), palloc(sizeof(bool) * ncolumns)
	};
}

static void
init_column(TopColumn *column, const TopInfo *info, int i, List *tlist)
{
	TargetEntry *entry;

	column->number = list_nth_int(info->columns, i);
	entry = list_nth_node(TargetEntry, tlist, column->number);
	get_typlenbyval(exprType((Node *) entry->expr), &column->len, &column->byval);
	column->sort.ssup_cxt = CurrentMemoryContext;
	column->sort.ssup_collation = list_nth_oid(info->collations, i);
	column->sort.ssup_nulls_first = list_nth_int(info->nulls_first, i) != 0;
	PrepareSortSupportFromOrderingOp(list_nth_oid(info->operators, i), &column->sort);
}

TopGroups *
top_groups_create(const TopInfo *info, List *tlist, TopGroupsValue value, void *node)
{
	TopGroups  *top = palloc0(sizeof(TopGroups));

	top->value = value;
	top->node = node;
	top->count = info->count;
	top->ties = info->ties;
	top->ncolumns = list_length(info->columns);
	top->columns = palloc0(sizeof(TopColumn) * top->ncolumns);
	for (int i = 0; i < top->ncolumns; i++)
		init_column(&top->columns[i], info, i, tlist);
	top->context = AllocSetContextCreate(CurrentMemoryContext, "GpuAgg top groups",
										 ALLOCSET_DEFAULT_SIZES);
	top->heap = binaryheap_allocate(top->count, compare_entries, top);
	top->current = make_entry(top->ncolumns);
	return top;
}

void
top_groups_reset(TopGroups *top)
{
	binaryheap_reset(top->heap);
	MemoryContextReset(top->context);
	top->left_out = 0;
}

bool
top_groups_are_better(TopGroups *top, uint32_t group)
{
	bool		full = top->heap->bh_size == top->count;
	const TopEntry *worst = full ? (TopEntry *) DatumGetPointer(binaryheap_first(top->heap)) : NULL;
	int			order = 0;

	for (int i = 0; i < top->ncolumns && order <= 0; i++)
	{
		top->current.values[i] = top->value(top->node, group, top->columns[i].number,
											&top->current.isnull[i]);
		/* once it is known to come first, what is left is only made for the heap */
		if (full && order == 0)
			order = compare_column(&top->columns[i], i, &top->current, worst);
	}
	if (!full || order < 0 || (order == 0 && top->ties))
		return false;
	top->left_out++;
	return true;
}

/* Copy the current group's values to an entry. */
static void
copy_current(TopGroups *top, TopEntry *entry)
{
	for (int i = 0; i < top->ncolumns; i++)
	{
		const TopColumn *column = &top->columns[i];

		entry->isnull[i] = top->current.isnull[i];
		entry->values[i] = entry->isnull[i] ? (Datum) 0 :
			datumCopy(top->current.values[i], column->byval, column->len);
	}
}

/* Free what an entry's values point to. */
static void
forget_values(TopGroups *top, TopEntry *entry)
{
	for (int i = 0; i < top->ncolumns; i++)
		if (!top->columns[i].byval && !entry->isnull[i])
			pfree(DatumGetPointer(entry->values[i]));
}

void
top_groups_add(TopGroups *top)
{
	MemoryContext old = MemoryContextSwitchTo(top->context);
	TopEntry   *entry;

	if (top->heap->bh_size < top->count)
	{
		entry = palloc(sizeof(TopEntry));
		*entry = make_entry(top->ncolumns);
		copy_current(top, entry);
		binaryheap_add(top->heap, PointerGetDatum(entry));
	}
	else
	{
		entry = (TopEntry *) DatumGetPointer(binaryheap_first(top->heap));
		if (compare_entries(PointerGetDatum(&top->current), PointerGetDatum(entry), top) < 0)
		{
			forget_values(top, entry);
			copy_current(top, entry);
			binaryheap_replace_first(top->heap, PointerGetDatum(entry));
		}
	}
	MemoryContextSwitchTo(old);
}

/* Is a key's order that of the number, or of the bytes, that an engine has of it? */
static bool
engine_orders_key(Oid type, Oid collation)
{
	switch (type)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case MONEYOID:
		case UUIDOID:
		case BYTEAOID:
			return true;
		case TEXTOID:
		case VARCHAROID:
			return compat_collates_as_c(collation);
		default:
			return false;
	}
}

/* A column of the order as an engine may know it: in that of a type's default operators. */
static bool
hint_column(const TopInfo *info, int i, List *tlist, const PlanInfo *plan, TopHintColumn *hint)
{
	int			number = list_nth_int(info->columns, i);
	Oid			operator = list_nth_oid(info->operators, i);
	TargetEntry *entry = list_nth_node(TargetEntry, tlist, number);
	Oid			type = getBaseType(exprType((Node *) entry->expr));
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);

	if (operator != cache->lt_opr && operator != cache->gt_opr)
		return false;
	/* codes of keys have no order, and ranks may be those of another collation */
	if (plan->codes != NULL && number < plan->nkeys + plan->naggs && plan->codes[number].lookup >= 0)
		return false;
	if (number < plan->nkeys && !engine_orders_key(type, list_nth_oid(info->collations, i)))
		return false;
	hint->number = (uint16_t) number;
	hint->descending = operator == cache->gt_opr;
	hint->nulls_first = list_nth_int(info->nulls_first, i) != 0;
	return true;
}

TopHint
top_groups_hint(const PlanInfo *plan, List *tlist)
{
	const TopInfo *info = plan->top;
	TopHint		hint = {.groups = (uint32_t) info->count};
	int			ncolumns = Min(list_length(info->columns), TOP_COLUMNS);

	while ((int) hint.ncolumns < ncolumns &&
		   hint_column(info, (int) hint.ncolumns, tlist, plan, &hint.columns[hint.ncolumns]))
		hint.ncolumns++;
	hint.ties = info->ties || (int) hint.ncolumns < list_length(info->columns);
	return hint;
}

uint64
top_groups_left_out(const TopGroups *top)
{
	return top->left_out;
}
