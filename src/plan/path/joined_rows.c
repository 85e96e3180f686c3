/*
 * joined_rows.c
 *	  How many more rows joins have than the planner estimates.
 *
 * It takes equalities of several columns to be independent of each other.  Where a row refers to
 * another one by a key of several columns, as a line of an order to what a supplier has of a part,
 * they are not: nearly each row finds its one.  A foreign key tells the planner so.  Without
 * one, it estimates too few rows by as much as the key's columns have more combinations
 * than there are rows, which may be a factor of a thousand.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"
#include "optimizer/paths.h"

#include "compat.h"
#include "plan/path/fetches.h"

/* The equality with a column of an index, or NULL. */
static RestrictInfo *
equality_of_column(List *equalities, IndexOptInfo *index, int column)
{
	ListCell   *lc;

	foreach(lc, equalities)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		List	   *sides = IsA(rinfo->clause, OpExpr) ? ((OpExpr *) rinfo->clause)->args : NIL;

		if (list_length(sides) == 2 &&
			list_member_oid(rinfo->mergeopfamilies, index->opfamily[column]) &&
			(match_index_to_operand(linitial(sides), column, index) ||
			 match_index_to_operand(lsecond(sides), column, index)))
			return rinfo;
	}
	return NULL;
}

/* Is the index unique by several columns? */
static bool
is_composite_key(const IndexOptInfo *index)
{
	return index->unique && index->immediate && index->indpred == NIL && index->nkeycolumns > 1;
}

/* Equalities with all columns of such an index; NIL: there is none. */
static List *
key_equalities(List *equalities, const RelOptInfo *rel)
{
	ListCell   *lc;

	foreach(lc, rel->indexlist)
	{
		IndexOptInfo *index = lfirst_node(IndexOptInfo, lc);
		List	   *found = NIL;

		for (int i = 0; i < index->nkeycolumns && is_composite_key(index); i++)
		{
			RestrictInfo *rinfo = equality_of_column(equalities, index, i);

			if (rinfo != NULL)
				found = list_append_unique_ptr(found, rinfo);
		}
		if (found != NIL && list_length(found) == index->nkeycolumns)
			return found;
	}
	return NIL;
}

/* Does a foreign key say that rows of the first table refer to the second one? */
static bool
has_foreign_key(const PlannerInfo *root, const RelOptInfo *from, const RelOptInfo *to)
{
	ListCell   *lc;

	foreach(lc, root->fkey_list)
	{
		const ForeignKeyOptInfo *key = lfirst_node(ForeignKeyOptInfo, lc);

		if (key->con_relid == from->relid && key->ref_relid == to->relid)
			return true;
	}
	return false;
}

/* Of a join of two tables, of which one may refer to the other. */
static double
factor_of_two(PlannerInfo *root, RelOptInfo *from, RelOptInfo *to)
{
	SpecialJoinInfo *join;
	List	   *equalities = compat_join_implied_equalities(root,
															bms_union(from->relids, to->relids),
															from->relids, to, NULL);
	double		estimated;

	equalities = key_equalities(equalities, to);
	if (equalities == NIL || has_foreign_key(root, from, to))
		return 1;
	join = makeNode(SpecialJoinInfo);
	join->min_lefthand = join->syn_lefthand = from->relids;
	join->min_righthand = join->syn_righthand = to->relids;
	join->jointype = JOIN_INNER;
	estimated = clauselist_selectivity(root, equalities, 0, JOIN_INNER, join) * to->tuples;
	return estimated > 0 && estimated < 1 ? 1 / estimated : 1;
}

/* The table of that number, if it has a key of several columns; or NULL. */
static RelOptInfo *
table_with_key(const PlannerInfo *root, int relid)
{
	RelOptInfo *rel = relid < root->simple_rel_array_size ? root->simple_rel_array[relid] : NULL;
	ListCell   *lc;

	foreach(lc, rel != NULL && rel->reloptkind == RELOPT_BASEREL ? rel->indexlist : NIL)
		if (is_composite_key(lfirst(lc)))
			return rel;
	return NULL;
}

double
joined_rows_factor(PlannerInfo *root, Relids relids)
{
	double		factor = 1;
	int			to = -1;

	while ((to = bms_next_member(relids, to)) >= 0)
	{
		RelOptInfo *rel = table_with_key(root, to);
		int			from = -1;

		while (rel != NULL && (from = bms_next_member(relids, from)) >= 0)
			if (from != to && from < root->simple_rel_array_size &&
				root->simple_rel_array[from] != NULL)
				factor *= factor_of_two(root, root->simple_rel_array[from], rel);
	}
	return factor;
}
