/*
 * own_relation.c
 *	  Copies of a base relation that have some of its conditions and columns.
 *
 * A plan's scans have the conditions of their path's relation.
 */
#include "postgres.h"

#include "optimizer/appendinfo.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "plan/path/own_relation.h"
#include "plan/path/source_tables.h"

RelOptInfo *
own_relation(PlannerInfo *root, const RelOptInfo *rel, List *clauses, List *columns)
{
	RelOptInfo *own = makeNode(RelOptInfo);
	ListCell   *lc;

	memcpy(own, rel, sizeof(RelOptInfo));
	own->baserestrictinfo = clauses;
	own->rows = clamp_row_est(rel->tuples *
							  clauselist_selectivity(root, clauses, 0, JOIN_INNER, NULL));
	cost_qual_eval(&own->baserestrictcost, clauses, root);
	own->reltarget = create_empty_pathtarget();
	foreach(lc, columns)
		add_column_to_pathtarget(own->reltarget, lfirst(lc), 0);
	set_pathtarget_cost_width(root, own->reltarget);
	own->partial_pathlist = NIL;
	own->pathlist = NIL;
	own->cheapest_total_path = NULL;
	return own;
}

/* What is of a table's columns, of those of a partition or child of it, at any level. */
static List *
in_leaf(PlannerInfo *root, const RelOptInfo *rel, const RelOptInfo *leaf, List *list)
{
	AppendRelInfo *info = root->append_rel_array[leaf->relid];

	if (info->parent_relid != rel->relid)
		list = in_leaf(root, rel, root->simple_rel_array[info->parent_relid], list);
	return (List *) adjust_appendrel_attrs(root, (Node *) list, 1, &info);
}

Path *
own_relation_scan(PlannerInfo *root, RelOptInfo *own, const RelOptInfo *rel)
{
	List	   *paths = NIL;
	double		rows = 0;
	ListCell   *lc;

	if (!planner_rt_fetch(rel->relid, root)->inh)
		return create_seqscan_path(root, own, NULL, 0);
	foreach(lc, input_leaves(root, rel))
	{
		const RelOptInfo *leaf = lfirst(lc);
		RelOptInfo *copy = own_relation(root, leaf,
										 in_leaf(root, rel, leaf, own->baserestrictinfo),
										 in_leaf(root, rel, leaf, own->reltarget->exprs));

		paths = lappend(paths, create_seqscan_path(root, copy, NULL, 0));
		rows += copy->rows;
	}
	own->rows = clamp_row_est(rows);
	return compat_append_path(root, own, paths);
}
