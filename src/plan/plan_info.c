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

/* Nearly all plans have none. */
static List *
keep_to_list(const PlanInfo *info)
{
	if (info->nkeep == 0)
		return NIL;
	return list_make1(bytes_to_const(info->keep, info->nkeep * sizeof(Column)));
}

static void
keep_from_list(List *list, PlanInfo *info)
{
	Size		size;

	if (list == NIL)
		return;
	info->keep = bytes_from_const(linitial_node(Const, list), &size);
	info->nkeep = size / sizeof(Column);
}

static List *
top_to_list(const TopInfo *top)
{
	if (top == NULL)
		return NIL;
	return list_make5(list_make2_int(top->count, top->ties), top->columns, top->operators,
					  top->collations, top->nulls_first);
}

static TopInfo *
top_from_list(List *list)
{
	TopInfo    *top;

	if (list == NIL)
		return NULL;
	top = palloc(sizeof(TopInfo));
	top->count = linitial_int(linitial(list));
	top->ties = lsecond_int((List *) linitial(list)) != 0;
	top->columns = lsecond(list);
	top->operators = lthird(list);
	top->collations = lfourth(list);
	top->nulls_first = list_nth(list, 4);
	return top;
}

static List *
having_to_list(const HavingInfo *having)
{
	return having ? list_make2(having->columns, having->strategies) : NIL;
}

static HavingInfo *
having_from_list(List *list)
{
	HavingInfo *having;

	if (list == NIL)
		return NULL;
	having = palloc(sizeof(HavingInfo));
	having->columns = linitial(list);
	having->strategies = lsecond(list);
	return having;
}

/* A number; one without digits behind the point comes back from text as an Integer. */
static double
number_of(const Node *node)
{
	return IsA(node, Integer) ? intVal(node) : floatVal(node);
}

List *
plan_info_to_list(const PlanInfo *info)
{
	List	   *regrouping = NIL;

	if (info->regrouping)
		regrouping = list_make2(program_to_const(info->regrouping), info->sets);
	return list_make5(list_make3(program_to_const(info->program), regrouping,
								 keep_to_list(info)),
					  list_make3(list_make1_oid(info->relid), info->page_tables,
								 info->row_tables),
					  list_make4_int(info->rti, info->nkeys, info->verifiable, info->limit),
					  list_make4(info->filter, info->groupings, top_to_list(info->top),
								 having_to_list(info->having)),
					  list_make3(makeFloat(psprintf("%.17g", info->rows)),
								 makeFloat(psprintf("%.17g", info->groups)),
								 makeString(pstrdup(info->engine))));
}

PlanInfo *
plan_info_from_list(List *list)
{
	PlanInfo   *info = palloc0(sizeof(PlanInfo));
	List	   *programs = linitial(list);
	List	   *regrouping = lsecond(programs);
	List	   *estimates = list_nth(list, 4);

	info->program = program_from_const(linitial_node(Const, programs));
	if (regrouping != NIL)
	{
		info->regrouping = program_from_const(linitial_node(Const, regrouping));
		info->sets = lsecond(regrouping);
	}
	keep_from_list(lthird(programs), info);
	info->relid = linitial_oid(linitial(lsecond(list)));
	info->page_tables = lsecond(lsecond(list));
	info->row_tables = lthird(lsecond(list));
	info->rti = linitial_int(lthird(list));
	info->nkeys = lsecond_int(lthird(list));
	info->verifiable = lthird_int(lthird(list)) != 0;
	info->limit = lfourth_int(lthird(list));
	info->filter = linitial(lfourth(list));
	info->groupings = lsecond((List *) lfourth(list));
	info->top = top_from_list(lthird((List *) lfourth(list)));
	info->having = having_from_list(lfourth((List *) lfourth(list)));
	info->rows = number_of(linitial(estimates));
	info->groups = number_of(lsecond(estimates));
	info->engine = strVal(lthird(estimates));
	return info;
}
