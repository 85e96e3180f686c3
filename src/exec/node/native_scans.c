/*
 * native_scans.c
 *	  Does the native plan scan the tables that a node reads?
 *
 * When the plan was made, all paths of the tables were PostgreSQL's own scans of them
 * (plan/path/others.c).  An extension can still change the finished plan, and does so to the
 * native plan, which is part of it.  Then that plan's rows are the query's.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "compat.h"
#include "exec/node/native_scans.h"

/* Collect the Oids of the tables that a plan scans; false: it has another kind of node. */
static bool
collect_scanned(const Plan *plan, EState *estate, List **relids)
{
	List	   *children = NIL;
	ListCell   *lc;

	if (plan == NULL)
		return false;
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
			*relids = lappend_oid(*relids, exec_rt_fetch(((const Scan *) plan)->scanrelid,
														 estate)->relid);
			return true;
		case T_Append:
			children = ((const Append *) plan)->appendplans;
			break;
		case T_MergeAppend:
			children = ((const MergeAppend *) plan)->mergeplans;
			break;
		case T_Agg:
		case T_Group:
		case T_Unique:
		case T_Sort:
		case T_IncrementalSort:
		case T_Material:
		case T_Result:
		case T_Gather:
		case T_GatherMerge:
			return collect_scanned(outerPlan(plan), estate, relids);
		default:
			return false;
	}
	foreach(lc, children)
		if (!collect_scanned(lfirst(lc), estate, relids))
			return false;
	return true;
}

bool
native_scans_tables(const Plan *native, const PlanInfo *plan, EState *estate)
{
	List	   *scanned = NIL;
	List	   *read = list_concat_copy(plan->page_tables, plan->row_tables);
	bool		same;

	if (!collect_scanned(native, estate, &scanned))
		return false;
	list_sort(scanned, list_oid_cmp);
	list_sort(read, list_oid_cmp);
	same = equal(scanned, read);
	list_free(scanned);
	list_free(read);
	return same;
}
