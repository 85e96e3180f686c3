/*
 * plan_info.c
 *	  What a GpuAgg node's plan carries through PostgreSQL's plan tree.
 *
 * Plans are copied, and may be stored, so all of it must be Nodes.  A Program
 * travels as a bytea constant.  The filter's clauses are not adjusted by
 * setrefs; they are only ever deparsed, together with rti.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"

#include "plan/plan_info.h"

List *
plan_info_to_list(const PlanInfo *info)
{
	Size		size = VARHDRSZ + info->program->size;
	bytea	   *bytes = palloc(size);
	Const	   *program;

	SET_VARSIZE(bytes, size);
	memcpy(VARDATA(bytes), info->program, info->program->size);
	program = makeConst(BYTEAOID, -1, InvalidOid, -1,
						PointerGetDatum(bytes), false, false);
	return list_make5(program,
					  list_make3(list_make1_oid(info->relid), info->page_tables,
								 info->row_tables),
					  list_make1_int(info->rti),
					  info->filter,
					  list_make3(makeFloat(psprintf("%.17g", info->rows)),
								 makeFloat(psprintf("%.17g", info->groups)),
								 makeString(pstrdup(info->engine))));
}

PlanInfo *
plan_info_from_list(List *list)
{
	PlanInfo   *info = palloc(sizeof(PlanInfo));
	Const	   *program = linitial_node(Const, list);
	bytea	   *bytes = DatumGetByteaPP(program->constvalue);
	List	   *estimates = list_nth(list, 4);

	info->program = palloc(VARSIZE_ANY_EXHDR(bytes));
	memcpy(info->program, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	info->relid = linitial_oid(linitial(lsecond(list)));
	info->page_tables = lsecond(lsecond(list));
	info->row_tables = lthird(lsecond(list));
	info->rti = linitial_int(lthird(list));
	info->filter = lfourth(list);
	info->rows = floatVal(linitial(estimates));
	info->groups = floatVal(lsecond(estimates));
	info->engine = strVal(lthird(estimates));
	return info;
}
