/*
 * build_side.c
 *	  The plans whose rows are looked up.
 *
 * A relation's own paths, as PostgreSQL has planned them, read its rows for look-ups.  The
 * native plan beside has paths of the same relation, so that plans are made of them twice,
 * which paths of plain tables and their joins allow.
 *
 * PostgreSQL may come to no row of a relation where another one has none, or not to all.
 * So nothing that is evaluated for a look-up's rows may raise an error.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"

#include "plan/lower/safety.h"
#include "plan/path/build_side.h"

/* Why clauses of a relation cannot be evaluated for rows that may not be needed, or NULL. */
static const char *
examine_clauses(List *rinfos)
{
	ListCell   *lc;

	foreach(lc, rinfos)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (rinfo->pseudoconstant)
			return "a condition is the same for all rows";
		if (contain_subplans((Node *) rinfo->clause))
			return "a condition of a joined relation has a subquery";
		if (!cannot_fail((Node *) rinfo->clause))
			return "a condition of a joined relation can raise errors";
	}
	return NULL;
}

static const char *
examine_base(PlannerInfo *root, const RelOptInfo *rel, Relids within)
{
	const RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);
	const char *reason = examine_clauses(rel->baserestrictinfo);
	ListCell   *lc;

	if (rel->reloptkind != RELOPT_BASEREL || rte->rtekind != RTE_RELATION ||
		rte->relkind == RELKIND_FOREIGN_TABLE)
		return "a joined relation is no table";
	if (rte->tablesample != NULL)
		return "TABLESAMPLE is not supported";
	foreach(lc, rel->joininfo)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (reason == NULL && bms_is_subset(rinfo->clause_relids, within))
			reason = examine_clauses(list_make1(rinfo));
	}
	return reason;
}

const char *
build_side_examine(PlannerInfo *root, const RelOptInfo *rel)
{
	int			relid = -1;

	while ((relid = bms_next_member(rel->relids, relid)) >= 0)
	{
		const char *reason = root->simple_rel_array[relid] == NULL ? NULL :
			examine_base(root, root->simple_rel_array[relid], rel->relids);

		if (reason != NULL)
			return reason;
	}
	return NULL;
}

Path *
build_side_path(PlannerInfo *root, RelOptInfo *rel, List *target)
{
	Path	   *path = rel->cheapest_total_path;
	PathTarget *own = create_empty_pathtarget();
	ListCell   *lc;

	if (equal(path->pathtarget->exprs, target))
		return path;
	foreach(lc, target)
		add_column_to_pathtarget(own, lfirst(lc), 0);
	set_pathtarget_cost_width(root, own);
	return (Path *) create_projection_path(root, rel, path, own);
}

const char *
build_side_name(PlannerInfo *root, const RelOptInfo *rel)
{
	StringInfoData name;
	const char *separator = "";
	int			relid = -1;

	initStringInfo(&name);
	while ((relid = bms_next_member(rel->relids, relid)) >= 0)
	{
		if (root->simple_rel_array[relid] == NULL)
			continue;
		appendStringInfo(&name, "%s%s", separator,
						 planner_rt_fetch(relid, root)->eref->aliasname);
		separator = ", ";
	}
	return name.data;
}
