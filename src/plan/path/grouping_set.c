/*
 * grouping_set.c
 *	  A grouping set as a step of its own.
 *
 * Lists of values, and of rows, are merged by their owner only, and regrouping cannot make those
 * of coarser groups.  So where a query has grouping sets and aggregates of ordered lists, or lists
 * of distinct values cost less than regrouping, each set is a grouping step: its keys are those of
 * the set, and the step's output has NULL in the place of the other keys, and a constant in that of
 * GROUPING().  All of them read the input, so the rows must be the same each time, and its paths
 * fit to become plans several times.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"

#include "plan/path/grouping.h"

/* Each set is a node with a native plan: more take longer to plan than they save. */
#define MOST_SETS 64

typedef struct OutputOfSet
{
	const Grouping *grouping;
	const List *set;			/* ints */
} OutputOfSet;

/* Why a base relation of the input cannot be read once for each set, or NULL. */
static const char *
examine_relation(const PlannerInfo *root, Index rti)
{
	const RangeTblEntry *rte = planner_rt_fetch(rti, root);

	switch (rte->rtekind)
	{
		case RTE_RELATION:
			if (rte->tablesample != NULL)
				return "TABLESAMPLE below grouping sets with ordered aggregates is not supported";
			if (rte->relkind == RELKIND_FOREIGN_TABLE)
				return "a foreign table below grouping sets with ordered aggregates is not supported";
			return NULL;
		case RTE_FUNCTION:
		case RTE_VALUES:
		case RTE_RESULT:
			return NULL;
		case RTE_CTE:
			return rte->self_reference ? "a recursive query reads its own rows" : NULL;
		default:
			return "a subquery below grouping sets with ordered aggregates is not supported";
	}
}

const char *
grouping_examine_by_sets(const Grouping *grouping)
{
	const PlannerInfo *root = grouping->root;
	int			relid = -1;

	if (list_length(grouping->sets) > MOST_SETS)
		return psprintf("there are more than %d grouping sets with ordered aggregates", MOST_SETS);
	if (grouping_is_volatile(root))
		return "the input has a volatile function";
	while ((relid = bms_next_member(grouping->input_rel->relids, relid)) >= 0)
	{
		const char *reason = root->simple_rel_array[relid] == NULL ? NULL :
			examine_relation(root, relid);

		if (reason != NULL)
			return reason;
	}
	return NULL;
}

/* One bit an argument of GROUPING(), the last one's the lowest: is it no key of the set? */
static Node *
grouping_const(const OutputOfSet *output, const GroupingFunc *func)
{
	int32		value = 0;
	ListCell   *lc;

	foreach(lc, grouping_key_numbers(output->grouping, func->refs))
		value = value << 1 | !list_member_int(output->set, lfirst_int(lc));
	return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(value), false,
							  true);
}

/* An expression of the step's output, as it is in the set's groups. */
static Node *
output_of_set(Node *node, OutputOfSet *output)
{
	ListCell   *lc;

	if (node == NULL)
		return NULL;
	foreach(lc, output->grouping->keys)
	{
		int			key = foreach_current_index(lc);

		if (!equal(lfirst(lc), node))
			continue;
		if (list_member_int(output->set, key))
			return copyObject(list_nth(output->grouping->input_keys, key));
		return (Node *) makeNullConst(exprType(node), exprTypmod(node), exprCollation(node));
	}
	if (IsA(node, GroupingFunc))
		return grouping_const(output, (GroupingFunc *) node);
	if (IsA(node, Aggref))
	{
		Aggref	   *aggref = copyObject((Aggref *) node);

		/* its other arguments are of the input's rows, where keys are no NULLs */
		aggref->aggdirectargs = (List *) output_of_set((Node *) aggref->aggdirectargs, output);
		return (Node *) aggref;
	}
	return expression_tree_mutator(node, output_of_set, output);
}

/* The target, which may become the plan's several times. */
static PathTarget *
target_of_set(OutputOfSet *output)
{
	PathTarget *target = copy_pathtarget(output->grouping->target);

	target->exprs = (List *) output_of_set((Node *) target->exprs, output);
	return target;
}

Grouping
grouping_of_set(const Grouping *grouping, int n)
{
	OutputOfSet output = {grouping, list_nth(grouping->sets, n)};
	Grouping	result = {
		.root = grouping->root,
		.input_rel = grouping->input_rel,
		.target = target_of_set(&output),
		.having = (List *) output_of_set((Node *) grouping->having, &output),
		.of_set = true,
		.reads_again = n > 0,
		.lists_distinct = true,
	};
	ListCell   *lc;

	foreach(lc, grouping->clause)
	{
		int			key = foreach_current_index(lc);

		if (!list_member_int(output.set, key))
			continue;
		result.clause = lappend(result.clause, lfirst(lc));
		result.keys = lappend(result.keys, list_nth(grouping->input_keys, key));
	}
	grouping_collect(&result);
	return result;
}
