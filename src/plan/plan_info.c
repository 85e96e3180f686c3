/*
 * plan_info.c
 *	  What a GpuAgg node's plan carries through PostgreSQL's plan tree.
 *
 * Plans are copied, and parallel workers get theirs as text, so all of it must be
 * Nodes.  A Program travels as a bytea constant.  The filter's clauses are not
 * adjusted by setrefs; they are only ever deparsed, together with rti.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"

#include "compat.h"
#include "plan/plan_info.h"

/* The members of the list, by place. */
typedef enum PlanMember
{
	PLAN_PROGRAM,				/* Const of bytes */
	PLAN_REGROUPING,			/* the same, or NULL */
	PLAN_SETS,					/* List of Lists of ints */
	PLAN_GROUPINGS,				/* List of Lists of ints */
	PLAN_KEYS,					/* Integer */
	PLAN_AGGS,					/* Integer */
	PLAN_ARRAYS,				/* List of Lists, of ArrayMember */
	PLAN_ORDERED,				/* List of Lists, of OrderedMember */
	PLAN_LOOKUPS,				/* List of Lists, of LookupMember */
	PLAN_CODES,				/* Const of bytes, or NULL */
	PLAN_RELID,					/* List of one Oid */
	PLAN_PAGE_TABLES,			/* List of Oids */
	PLAN_ROW_TABLES,			/* List of Oids */
	PLAN_RTI,					/* Integer */
	PLAN_FILTER,				/* List of clauses */
	PLAN_KEEP,					/* Const of bytes, or NULL */
	PLAN_ENGINE,				/* String */
	PLAN_FIRST_ROWS,			/* List, of FirstRowsMember; or NIL */
	PLAN_TOP,					/* List, of TopMember; or NIL */
	PLAN_HAVING,				/* List, of HavingMember; or NIL */
	PLAN_LIMIT,					/* Integer */
	PLAN_ROWS_DIFFER,			/* Integer, 0 or 1 */
	PLAN_DIVIDES_KEYS,			/* likewise */
	PLAN_VERIFIABLE,			/* likewise */
	PLAN_ROWS,					/* Float */
	PLAN_GROUPS,				/* Float */
	PLAN_NMEMBERS
} PlanMember;

typedef enum TopMember
{
	TOP_COUNT,					/* Integer */
	TOP_TIES,					/* Integer, 0 or 1 */
	TOP_COLUMNS,				/* List of ints */
	TOP_OPERATORS,				/* List of Oids */
	TOP_COLLATIONS,				/* List of Oids */
	TOP_NULLS_FIRST,			/* List of ints */
	TOP_NMEMBERS
} TopMember;

typedef enum FirstRowsMember
{
	FIRST_COUNT,				/* Integer */
	FIRST_NUMBERING,			/* Integer */
	FIRST_ENTRIES,				/* Integer */
	FIRST_COLUMNS,				/* List of ints */
	FIRST_SOURCES,				/* List of ints */
	FIRST_PARTITION,			/* List of Exprs */
	FIRST_KEYS,					/* List of Exprs */
	FIRST_OPERATORS,			/* List of Oids */
	FIRST_NULLS_FIRST,			/* List of ints */
	FIRST_NMEMBERS
} FirstRowsMember;

typedef enum ArrayMember
{
	ARRAY_AGG,					/* Integer */
	ARRAY_FRACTIONS,			/* Const */
	ARRAY_ELEMENTS,				/* List of ints */
	ARRAY_DESCENDING,			/* Boolean, as an Integer */
	ARRAY_NULLS_FIRST,			/* likewise */
	ARRAY_DISTINCT,				/* likewise */
	ARRAY_NMEMBERS
} ArrayMember;

typedef enum OrderedMember
{
	ORDERED_AGG,				/* Integer */
	ORDERED_AGGREF,				/* Aggref */
	ORDERED_COLUMNS,			/* List of ints */
	ORDERED_KEYS,				/* List of ints */
	ORDERED_OPERATORS,			/* List of Oids */
	ORDERED_COLLATIONS,			/* List of Oids */
	ORDERED_NULLS_FIRST,		/* List of ints */
	ORDERED_BY_NUMBER,			/* List of ints */
	ORDERED_NMEMBERS
} OrderedMember;

typedef enum LookupMember
{
	LOOKUP_NAME,				/* String */
	LOOKUP_EQUALITIES,			/* List of Expr, as three more */
	LOOKUP_CONDITIONS,
	LOOKUP_FILTERS,
	LOOKUP_COMPUTED,
	LOOKUP_CONTENT,				/* String: its key; and */
	LOOKUP_TABLES,				/* List of Oids; NIL: it is not kept */
	LOOKUP_CAN_FAIL,			/* Integer, 0 or 1 */
	LOOKUP_CONDITION,			/* Integer */
	LOOKUP_GUARDED,				/* List of Expr */
	LOOKUP_JOINTYPE,			/* Integer */
	LOOKUP_PROGRAM,				/* Const of bytes */
	LOOKUP_KEYS,				/* Const of bytes */
	LOOKUP_PARAM,				/* Integer */
	LOOKUP_COLUMNS,				/* Const of bytes */
	LOOKUP_NMEMBERS
} LookupMember;

typedef enum HavingMember
{
	HAVING_COLUMNS,				/* List of ints */
	HAVING_STRATEGIES,			/* List of ints */
	HAVING_NMEMBERS
} HavingMember;

static Const *
bytes_to_const(const void *data, Size len)
{
	bytea	   *bytes = palloc(VARHDRSZ + len);

	SET_VARSIZE(bytes, VARHDRSZ + len);
	memcpy(VARDATA(bytes), data, len);
	return makeConst(BYTEAOID, -1, InvalidOid, -1, PointerGetDatum(bytes), false, false);
}

static void *
bytes_from_const(const Const *constant, Size *len)
{
	bytea	   *bytes = DatumGetByteaPP(constant->constvalue);

	*len = VARSIZE_ANY_EXHDR(bytes);
	return memcpy(palloc(*len), VARDATA_ANY(bytes), *len);
}

static Const *
program_to_const(const Program *program)
{
	return bytes_to_const(program, program->size);
}

static Program *
program_from_const(const Const *program)
{
	Size		size;

	return bytes_from_const(program, &size);
}

/* A list with room for so many members; those that are not set are NULL. */
static List *
members(int n)
{
	List	   *list = NIL;

	for (int i = 0; i < n; i++)
		list = lappend(list, NULL);
	return list;
}

static void
set_member(List *list, int member, void *node)
{
	lfirst(list_nth_cell(list, member)) = node;
}

static void
set_integer(List *list, int member, int value)
{
	set_member(list, member, makeInteger(value));
}

static void
set_double(List *list, int member, double value)
{
	set_member(list, member, makeFloat(psprintf("%.17g", value)));
}

static int
integer_member(const List *list, int member)
{
	return intVal(list_nth(list, member));
}

/* One without digits behind the point comes back from text as an Integer. */
static double
double_member(const List *list, int member)
{
	Node	   *node = list_nth(list, member);

	return IsA(node, Integer) ? intVal(node) : floatVal(node);
}

static List *
top_to_list(const TopInfo *top)
{
	List	   *list;

	if (top == NULL)
		return NIL;
	list = members(TOP_NMEMBERS);
	set_integer(list, TOP_COUNT, top->count);
	set_integer(list, TOP_TIES, top->ties);
	set_member(list, TOP_COLUMNS, top->columns);
	set_member(list, TOP_OPERATORS, top->operators);
	set_member(list, TOP_COLLATIONS, top->collations);
	set_member(list, TOP_NULLS_FIRST, top->nulls_first);
	return list;
}

static TopInfo *
top_from_list(const List *list)
{
	TopInfo    *top;

	if (list == NIL)
		return NULL;
	top = palloc(sizeof(TopInfo));
	top->count = integer_member(list, TOP_COUNT);
	top->ties = integer_member(list, TOP_TIES) != 0;
	top->columns = list_nth(list, TOP_COLUMNS);
	top->operators = list_nth(list, TOP_OPERATORS);
	top->collations = list_nth(list, TOP_COLLATIONS);
	top->nulls_first = list_nth(list, TOP_NULLS_FIRST);
	return top;
}

bool
first_rows_are_places(const FirstRowsInfo *first)
{
	ListCell   *lc;

	foreach(lc, first->sources)
		if (lfirst_int(lc) != ROW_SOURCE_PLACE)
			return false;
	return true;
}

/* Places of all groups are collected before a row leaves where rows have other numbers than their own. */
bool
first_rows_are_fetched(const FirstRowsInfo *first)
{
	return !first_rows_are_places(first) &&
		(first->numbering != NUMBER_OF_ROW || list_member_int(first->sources, ROW_SOURCE_ROW));
}

static List *
first_rows_to_list(const FirstRowsInfo *first)
{
	List	   *list;

	if (first == NULL)
		return NIL;
	list = members(FIRST_NMEMBERS);
	set_integer(list, FIRST_COUNT, first->count);
	set_integer(list, FIRST_NUMBERING, first->numbering);
	set_integer(list, FIRST_ENTRIES, first->entries);
	set_member(list, FIRST_COLUMNS, first->columns);
	set_member(list, FIRST_SOURCES, first->sources);
	set_member(list, FIRST_PARTITION, first->partition);
	set_member(list, FIRST_KEYS, first->keys);
	set_member(list, FIRST_OPERATORS, first->operators);
	set_member(list, FIRST_NULLS_FIRST, first->nulls_first);
	return list;
}

static FirstRowsInfo *
first_rows_from_list(const List *list)
{
	FirstRowsInfo *first;

	if (list == NIL)
		return NULL;
	first = palloc0(sizeof(FirstRowsInfo));
	first->count = integer_member(list, FIRST_COUNT);
	first->numbering = (RowNumbering) integer_member(list, FIRST_NUMBERING);
	first->entries = integer_member(list, FIRST_ENTRIES);
	first->columns = list_nth(list, FIRST_COLUMNS);
	first->sources = list_nth(list, FIRST_SOURCES);
	first->partition = list_nth(list, FIRST_PARTITION);
	first->keys = list_nth(list, FIRST_KEYS);
	first->operators = list_nth(list, FIRST_OPERATORS);
	first->nulls_first = list_nth(list, FIRST_NULLS_FIRST);
	return first;
}

static List *
having_to_list(const HavingInfo *having)
{
	List	   *list;

	if (having == NULL)
		return NIL;
	list = members(HAVING_NMEMBERS);
	set_member(list, HAVING_COLUMNS, having->columns);
	set_member(list, HAVING_STRATEGIES, having->strategies);
	return list;
}

static HavingInfo *
having_from_list(const List *list)
{
	HavingInfo *having;

	if (list == NIL)
		return NULL;
	having = palloc(sizeof(HavingInfo));
	having->columns = list_nth(list, HAVING_COLUMNS);
	having->strategies = list_nth(list, HAVING_STRATEGIES);
	return having;
}

static List *
arrays_to_list(const List *arrays)
{
	List	   *lists = NIL;
	ListCell   *lc;

	foreach(lc, arrays)
	{
		const ArrayInfo *array = lfirst(lc);
		List	   *list = members(ARRAY_NMEMBERS);

		set_integer(list, ARRAY_AGG, array->agg);
		set_member(list, ARRAY_FRACTIONS, array->fractions);
		set_member(list, ARRAY_ELEMENTS, array->elements);
		set_integer(list, ARRAY_DESCENDING, array->descending);
		set_integer(list, ARRAY_NULLS_FIRST, array->nulls_first);
		set_integer(list, ARRAY_DISTINCT, array->distinct);
		lists = lappend(lists, list);
	}
	return lists;
}

static List *
arrays_from_list(const List *lists)
{
	List	   *arrays = NIL;
	ListCell   *lc;

	foreach(lc, lists)
	{
		const List *list = lfirst(lc);
		ArrayInfo  *array = palloc(sizeof(ArrayInfo));

		array->agg = integer_member(list, ARRAY_AGG);
		array->fractions = list_nth(list, ARRAY_FRACTIONS);
		array->elements = list_nth(list, ARRAY_ELEMENTS);
		array->descending = integer_member(list, ARRAY_DESCENDING) != 0;
		array->nulls_first = integer_member(list, ARRAY_NULLS_FIRST) != 0;
		array->distinct = integer_member(list, ARRAY_DISTINCT) != 0;
		arrays = lappend(arrays, array);
	}
	return arrays;
}

static List *
ordered_to_list(const List *ordered)
{
	List	   *lists = NIL;
	ListCell   *lc;

	foreach(lc, ordered)
	{
		const OrderedInfo *info = lfirst(lc);
		List	   *list = members(ORDERED_NMEMBERS);

		set_integer(list, ORDERED_AGG, info->agg);
		set_member(list, ORDERED_AGGREF, info->aggref);
		set_member(list, ORDERED_COLUMNS, info->columns);
		set_member(list, ORDERED_KEYS, info->keys);
		set_member(list, ORDERED_OPERATORS, info->operators);
		set_member(list, ORDERED_COLLATIONS, info->collations);
		set_member(list, ORDERED_NULLS_FIRST, info->nulls_first);
		set_member(list, ORDERED_BY_NUMBER, info->by_number);
		lists = lappend(lists, list);
	}
	return lists;
}

static List *
ordered_from_list(const List *lists)
{
	List	   *ordered = NIL;
	ListCell   *lc;

	foreach(lc, lists)
	{
		const List *list = lfirst(lc);
		OrderedInfo *info = palloc(sizeof(OrderedInfo));

		info->agg = integer_member(list, ORDERED_AGG);
		info->aggref = list_nth_node(Aggref, list, ORDERED_AGGREF);
		info->columns = list_nth(list, ORDERED_COLUMNS);
		info->keys = list_nth(list, ORDERED_KEYS);
		info->operators = list_nth(list, ORDERED_OPERATORS);
		info->collations = list_nth(list, ORDERED_COLLATIONS);
		info->nulls_first = list_nth(list, ORDERED_NULLS_FIRST);
		info->by_number = list_nth(list, ORDERED_BY_NUMBER);
		ordered = lappend(ordered, info);
	}
	return ordered;
}

static List *
lookup_to_list(const LookupInfo *lookup)
{
	List	   *list = members(LOOKUP_NMEMBERS);

	set_member(list, LOOKUP_NAME, makeString(lookup->name));
	set_member(list, LOOKUP_EQUALITIES, lookup->equalities);
	set_member(list, LOOKUP_CONDITIONS, lookup->conditions);
	set_member(list, LOOKUP_FILTERS, lookup->filters);
	set_member(list, LOOKUP_COMPUTED, lookup->computed);
	if (lookup->tables != NIL)
	{
		set_member(list, LOOKUP_CONTENT, makeString(lookup->key));
		set_member(list, LOOKUP_TABLES, lookup->tables);
	}
	set_integer(list, LOOKUP_CAN_FAIL, lookup->can_fail);
	set_integer(list, LOOKUP_CONDITION, lookup->condition);
	set_member(list, LOOKUP_GUARDED, lookup->guarded);
	set_integer(list, LOOKUP_JOINTYPE, lookup->jointype);
	set_member(list, LOOKUP_PROGRAM, program_to_const(lookup->program));
	set_member(list, LOOKUP_KEYS, bytes_to_const(lookup->keys,
												 lookup->nkeys * sizeof(LookupKey)));
	set_integer(list, LOOKUP_PARAM, lookup->param);
	set_member(list, LOOKUP_COLUMNS, bytes_to_const(lookup->columns,
													lookup->ncolumns * sizeof(LookupColumn)));
	return list;
}

static LookupInfo *
lookup_from_list(const List *list)
{
	LookupInfo *lookup = palloc0(sizeof(LookupInfo));
	Size		size;

	lookup->name = strVal(list_nth(list, LOOKUP_NAME));
	lookup->equalities = list_nth(list, LOOKUP_EQUALITIES);
	lookup->conditions = list_nth(list, LOOKUP_CONDITIONS);
	lookup->filters = list_nth(list, LOOKUP_FILTERS);
	lookup->computed = list_nth(list, LOOKUP_COMPUTED);
	lookup->tables = list_nth(list, LOOKUP_TABLES);
	if (lookup->tables != NIL)
		lookup->key = strVal(list_nth(list, LOOKUP_CONTENT));
	lookup->can_fail = integer_member(list, LOOKUP_CAN_FAIL) != 0;
	lookup->condition = integer_member(list, LOOKUP_CONDITION);
	lookup->guarded = list_nth(list, LOOKUP_GUARDED);
	lookup->jointype = (JoinType) integer_member(list, LOOKUP_JOINTYPE);
	lookup->program = program_from_const(list_nth(list, LOOKUP_PROGRAM));
	lookup->keys = bytes_from_const(list_nth(list, LOOKUP_KEYS), &size);
	lookup->nkeys = size / sizeof(LookupKey);
	lookup->param = integer_member(list, LOOKUP_PARAM);
	lookup->columns = bytes_from_const(list_nth(list, LOOKUP_COLUMNS), &size);
	lookup->ncolumns = size / sizeof(LookupColumn);
	return lookup;
}

static List *
lookups_to_list(const List *lookups)
{
	List	   *list = NIL;
	ListCell   *lc;

	foreach(lc, lookups)
		list = lappend(list, lookup_to_list(lfirst(lc)));
	return list;
}

static List *
lookups_from_list(const List *list)
{
	List	   *lookups = NIL;
	ListCell   *lc;

	foreach(lc, list)
		lookups = lappend(lookups, lookup_from_list(lfirst(lc)));
	return lookups;
}

List *
plan_info_to_list(const PlanInfo *info)
{
	List	   *list = members(PLAN_NMEMBERS);

	set_member(list, PLAN_PROGRAM, program_to_const(info->program));
	if (info->regrouping)
		set_member(list, PLAN_REGROUPING, program_to_const(info->regrouping));
	set_member(list, PLAN_SETS, info->sets);
	set_member(list, PLAN_GROUPINGS, info->groupings);
	set_integer(list, PLAN_KEYS, info->nkeys);
	set_integer(list, PLAN_AGGS, info->naggs);
	set_member(list, PLAN_ARRAYS, arrays_to_list(info->arrays));
	set_member(list, PLAN_ORDERED, ordered_to_list(info->ordered));
	set_member(list, PLAN_LOOKUPS, lookups_to_list(info->lookups));
	if (info->codes)
		set_member(list, PLAN_CODES,
				   bytes_to_const(info->codes, (info->nkeys + info->naggs) * sizeof(ColumnCode)));
	set_member(list, PLAN_RELID, list_make1_oid(info->relid));
	set_member(list, PLAN_PAGE_TABLES, info->page_tables);
	set_member(list, PLAN_ROW_TABLES, info->row_tables);
	set_integer(list, PLAN_RTI, info->rti);
	set_member(list, PLAN_FILTER, info->filter);
	if (info->nkeep > 0)
		set_member(list, PLAN_KEEP, bytes_to_const(info->keep, info->nkeep * sizeof(Column)));
	set_integer(list, PLAN_ENGINE, info->engine);
	set_member(list, PLAN_FIRST_ROWS, first_rows_to_list(info->first_rows));
	set_member(list, PLAN_TOP, top_to_list(info->top));
	set_member(list, PLAN_HAVING, having_to_list(info->having));
	set_integer(list, PLAN_LIMIT, info->limit);
	set_integer(list, PLAN_ROWS_DIFFER, info->rows_differ);
	set_integer(list, PLAN_DIVIDES_KEYS, info->divides_keys);
	set_integer(list, PLAN_VERIFIABLE, info->verifiable);
	set_double(list, PLAN_ROWS, info->rows);
	set_double(list, PLAN_GROUPS, info->groups);
	return list;
}

/* The Program of that member, or NULL. */
static Program *
program_member(const List *list, PlanMember member)
{
	const Const *program = list_nth(list, member);

	return program ? program_from_const(program) : NULL;
}

PlanInfo *
plan_info_from_list(List *list)
{
	PlanInfo   *info = palloc0(sizeof(PlanInfo));
	const Const *keep = list_nth(list, PLAN_KEEP);
	const Const *codes = list_nth(list, PLAN_CODES);
	Size		codes_size;
	Size		size = 0;

	info->program = program_member(list, PLAN_PROGRAM);
	info->regrouping = program_member(list, PLAN_REGROUPING);
	info->sets = list_nth(list, PLAN_SETS);
	info->groupings = list_nth(list, PLAN_GROUPINGS);
	info->nkeys = integer_member(list, PLAN_KEYS);
	info->naggs = integer_member(list, PLAN_AGGS);
	info->arrays = arrays_from_list(list_nth(list, PLAN_ARRAYS));
	info->ordered = ordered_from_list(list_nth(list, PLAN_ORDERED));
	info->lookups = lookups_from_list(list_nth(list, PLAN_LOOKUPS));
	info->codes = codes ? bytes_from_const(codes, &codes_size) : NULL;
	info->relid = linitial_oid(list_nth(list, PLAN_RELID));
	info->page_tables = list_nth(list, PLAN_PAGE_TABLES);
	info->row_tables = list_nth(list, PLAN_ROW_TABLES);
	info->rti = integer_member(list, PLAN_RTI);
	info->filter = list_nth(list, PLAN_FILTER);
	info->keep = keep ? bytes_from_const(keep, &size) : NULL;
	info->nkeep = size / sizeof(Column);
	info->engine = integer_member(list, PLAN_ENGINE);
	info->first_rows = first_rows_from_list(list_nth(list, PLAN_FIRST_ROWS));
	info->top = top_from_list(list_nth(list, PLAN_TOP));
	info->having = having_from_list(list_nth(list, PLAN_HAVING));
	info->limit = integer_member(list, PLAN_LIMIT);
	info->rows_differ = integer_member(list, PLAN_ROWS_DIFFER) != 0;
	info->divides_keys = integer_member(list, PLAN_DIVIDES_KEYS) != 0;
	info->verifiable = integer_member(list, PLAN_VERIFIABLE) != 0;
	info->rows = double_member(list, PLAN_ROWS);
	info->groups = double_member(list, PLAN_GROUPS);
	return info;
}
