/*
 * grouping.c
 *	  A query's grouping step, taken apart.
 *
 * The step's output mixes keys, aggregates and expressions over both.  A
 * GpuAgg node computes keys and aggregates, and lets the executor's own
 * projection and HAVING do the rest; so all that is needed from the output
 * are its Aggrefs and the Vars outside of them that are no keys themselves.
 * Such Vars are legal where a primary key is grouped by, and depend on it:
 * taking them as further keys makes the same groups.  Others are there where the
 * planner has simplified an expression so that the key within it is gone (casts
 * from varchar to text); as keys, they would make more groups.
 *
 * SELECT DISTINCT is a grouping step without aggregates, whose keys are what the
 * query selects.  They are whole columns of its input even if that has computed
 * aggregates or window functions, and are not looked into.  What else the input
 * puts out is there for its own GROUP BY, PARTITION BY or ORDER BY.
 *
 * GROUPING SETS, and aggregates with DISTINCT, are made by regrouping: the engine
 * groups by all keys of all sets and by these aggregates' arguments, and coarser
 * groups are made of its groups.  Aggregates with DISTINCT can be read from lists of their values
 * instead, as ordered-set aggregates are, and then beside these.  With grouping sets and lists,
 * each set is a step of its own (grouping_set.c).
 */
#include "postgres.h"

#include "catalog/pg_constraint.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "engine/regroup.h"
#include "plan/lower/lower_parts.h"
#include "plan/path/clauses.h"
#include "plan/path/grouping.h"

/* Collect Aggrefs, and further keys, from an expression of the output. */
static bool
collect_walker(Node *node, Grouping *grouping)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
	{
		grouping->aggrefs = list_append_unique(grouping->aggrefs, node);
		return false;
	}
	if (list_member(grouping->keys, node))
		return false;
	if (IsA(node, Var) || IsA(node, PlaceHolderVar))
	{
		grouping->keys = lappend(grouping->keys, node);
		return false;
	}
	if (IsA(node, GroupingFunc))
	{
		grouping->groupings = list_append_unique(grouping->groupings, node);
		return false;
	}
	return expression_tree_walker(node, collect_walker, (void *) grouping);
}

void
grouping_collect(Grouping *grouping)
{
	ListCell   *lc;

	collect_walker((Node *) grouping->target->exprs, grouping);
	collect_walker((Node *) grouping->having, grouping);
	foreach(lc, grouping->keys)
		grouping->input_keys = lappend(grouping->input_keys,
									   compat_input_key(grouping->root, lfirst(lc)));
}

/* The number of the key that a part of GROUP BY is. */
static int
key_number(const Grouping *grouping, Index sortgroupref)
{
	ListCell   *lc;

	foreach(lc, grouping->clause)
	{
		if (lfirst_node(SortGroupClause, lc)->tleSortGroupRef == sortgroupref)
			return foreach_current_index(lc);
	}
	elog(ERROR, "grouping set with an unknown key");
}

List *
grouping_key_numbers(const Grouping *grouping, const List *sortgrouprefs)
{
	List	   *numbers = NIL;
	ListCell   *lc;

	foreach(lc, sortgrouprefs)
		numbers = lappend_int(numbers, key_number(grouping, lfirst_int(lc)));
	return numbers;
}

/* Is the nth expression equal to one before it? */
static bool
has_equal_before(const List *exprs, int n)
{
	for (int i = 0; i < n; i++)
		if (equal(list_nth(exprs, i), list_nth(exprs, n)))
			return true;
	return false;
}

/*
 * In a set's groups, the keys of other sets are NULL.  An expression of the
 * output stands for a key if it equals it, so keys must be different, and not
 * the same for all rows: setrefs.c leaves constants as they are.
 */
static const char *
examine_set_keys(const Grouping *grouping)
{
	ListCell   *lc;

	foreach(lc, grouping->input_keys)
	{
		if (same_for_all_rows(lfirst(lc)))
			return "a key of a grouping set is the same for all rows";
		if (has_equal_before(grouping->input_keys, foreach_current_index(lc)))
			return "a key stands twice in the grouping sets";
	}
	return NULL;
}

static List *
all_key_numbers(const Grouping *grouping)
{
	List	   *numbers = NIL;

	for (int i = 0; i < list_length(grouping->keys); i++)
		numbers = lappend_int(numbers, i);
	return numbers;
}

/*
 * The sets of GROUP BY, which the planner has expanded.  Keys that depend on
 * others come behind those of the clause, and are in all sets, as the ones are
 * that they depend on.
 */
static const char *
examine_sets(Grouping *grouping, List *sets)
{
	ListCell   *lc;

	grouping->regroups = true;
	if (list_length(sets) > REGROUP_MAX_SETS)
		return psprintf("there are more than %d grouping sets", REGROUP_MAX_SETS);
	foreach(lc, sets)
	{
		List	   *set = grouping_key_numbers(grouping, (List *) lfirst(lc));

		for (int i = list_length(grouping->clause); i < list_length(grouping->keys); i++)
			set = lappend_int(set, i);
		grouping->sets = lappend(grouping->sets, set);
	}
	return examine_set_keys(grouping);
}

/* Make the arguments of aggregates with DISTINCT keys, in no set. */
static const char *
examine_distinct_aggregates(Grouping *grouping)
{
	ListCell   *lc;

	foreach(lc, grouping->aggrefs)
	{
		Aggref	   *aggref = lfirst_node(Aggref, lc);
		Expr	   *argument;

		if (!lower_needs_distinct(aggref))
			continue;
		if (list_length(aggref->args) != 1)
			return "DISTINCT in an aggregate of several arguments is not supported";
		grouping->regroups = true;
		argument = lower_distinct_argument(aggref);
		if (!list_member(grouping->input_keys, argument))
			grouping->arguments = list_append_unique(grouping->arguments, argument);
	}
	return NULL;
}

/* The keys of the clause that are in all sets. */
static List *
common_keys(const Grouping *grouping)
{
	List	   *common = NIL;

	for (int i = 0; i < list_length(grouping->clause); i++)
	{
		bool		everywhere = true;
		ListCell   *lc;

		foreach(lc, grouping->sets)
			everywhere &= list_member_int(lfirst(lc), i);
		if (everywhere)
			common = lappend(common, list_nth(grouping->keys, i));
	}
	return common;
}

/* Does a column depend on those of keys, by its table's primary key? */
static bool
depends_on_keys(const PlannerInfo *root, List *keys, Var *var)
{
	RangeTblEntry *rte = planner_rt_fetch(var->varno, root);
	List	   *constraints = NIL;

	return list_member(keys, var) ||
		(rte->rtekind == RTE_RELATION &&
		 check_functional_grouping(rte->relid, var->varno, 0, keys, &constraints));
}

/* The keys behind those of the clause may not make more groups than these do. */
static const char *
examine_further_keys(const Grouping *grouping)
{
	int			n = list_length(grouping->clause);
	List	   *further = list_copy_tail(grouping->keys, n);
	List	   *keys = further == NIL ? NIL : common_keys(grouping);
	ListCell   *lc;

	foreach(lc, pull_var_clause((Node *) further, PVC_RECURSE_PLACEHOLDERS))
	{
		if (!depends_on_keys(grouping->root, keys, lfirst_node(Var, lc)))
			return "a column outside of aggregates does not depend on the keys";
	}
	return NULL;
}

const char *
grouping_examine_equality(const Grouping *grouping)
{
	ListCell   *lc;

	foreach(lc, grouping->clause)
	{
		Node	   *key = list_nth(grouping->keys, foreach_current_index(lc));
		Oid			equality;

		get_sort_group_operators(exprType(key), false, false, false,
								 NULL, &equality, NULL, NULL);
		if (lfirst_node(SortGroupClause, lc)->eqop != equality)
			return "the equality of a key is not that of its type";
	}
	return NULL;
}

/* How many of the expressions does the planner know to be equal, in this class? */
static int
count_members(const EquivalenceClass *ec, const List *exprs)
{
	int			count = 0;
	ListCell   *lc;

	foreach(lc, exprs)
	{
		Node	   *expr = strip_implicit_coercions(lfirst(lc));
		ListCell   *mc;

		foreach(mc, ec->ec_members)
		{
			EquivalenceMember *member = lfirst_node(EquivalenceMember, mc);

			if (equal(strip_implicit_coercions((Node *) member->em_expr), expr))
			{
				count++;
				break;
			}
		}
	}
	return count;
}

/*
 * The planner does not sort by what is the same in all rows, or equal to another
 * sort key.  A key of grouping sets is neither once a set leaves it out, so that
 * what DISTINCT and window functions make of the groups depends on the order in
 * which PostgreSQL's own plan has them.
 */
static const char *
examine_order_of_sets(const PlannerInfo *root)
{
	const Query *parse = root->parse;
	List	   *keys;
	ListCell   *lc;

	if (parse->groupingSets == NIL || (parse->distinctClause == NIL && !parse->hasWindowFuncs))
		return NULL;
	keys = get_sortgrouplist_exprs(parse->groupClause, root->processed_tlist);
	foreach(lc, root->eq_classes)
	{
		const EquivalenceClass *ec = lfirst_node(EquivalenceClass, lc);

		if (count_members(ec, keys) + (ec->ec_has_const ? 1 : 0) >= 2)
			return "DISTINCT or a window function over grouping sets with equal keys is not supported";
	}
	return NULL;
}

static void
read_lists(Grouping *grouping)
{
	grouping->lists_distinct = true;
	grouping->regroups = false;
	grouping->arguments = NIL;
	grouping->sets = NIL;
	grouping->is_estimated = false;
}

bool
grouping_has_distinct(const Grouping *grouping)
{
	ListCell   *lc;

	foreach(lc, grouping->aggrefs)
		if (lower_needs_distinct(lfirst_node(Aggref, lc)))
			return true;
	return false;
}

bool
grouping_has_ordered_lists(const Grouping *grouping)
{
	ListCell   *lc;

	foreach(lc, grouping->aggrefs)
		if (is_ordered_array(lfirst_node(Aggref, lc)) ||
			is_ordered_aggregate(lfirst_node(Aggref, lc)))
			return true;
	return false;
}

/* Are there ordered-set aggregates that are read from lists? */
static bool
has_statistic(const Grouping *grouping)
{
	ListCell   *lc;

	foreach(lc, grouping->aggrefs)
		if (is_statistic(lfirst_node(Aggref, lc)))
			return true;
	return false;
}

/* Has it aggregates that are made of lists only? */
static bool
needs_lists(const Grouping *grouping)
{
	return has_statistic(grouping) || grouping_has_ordered_lists(grouping);
}

bool
grouping_with_lists(const Grouping *grouping, Grouping *other)
{
	if (!grouping->regroups || grouping->root->parse->groupingSets != NIL)
		return false;
	*other = *grouping;
	read_lists(other);
	return true;
}

List *
grouping_engine_keys(const Grouping *grouping)
{
	return list_concat_copy(grouping->input_keys, grouping->arguments);
}

const char *
grouping_examine(Grouping *grouping, PlannerInfo *root, RelOptInfo *input_rel,
				 RelOptInfo *grouped_rel, List *having)
{
	Query	   *parse = root->parse;
	const char *reason = NULL;

	*grouping = (Grouping)
	{
		.root = root,
		.input_rel = input_rel,
		.target = grouped_rel->reltarget,
		.clause = parse->groupClause,
		.having = clauses_in_order(root, having),
		.keys = get_sortgrouplist_exprs(parse->groupClause, root->processed_tlist),
	};
	if (parse->hasTargetSRFs)
		return "the target list has a set-returning function";

	reason = grouping_examine_equality(grouping);
	grouping_collect(grouping);
	if (reason == NULL && parse->groupingSets != NIL)
		reason = examine_sets(grouping, parse->groupingSets);
	if (reason == NULL)
		reason = examine_order_of_sets(root);
	if (reason == NULL)
		reason = examine_further_keys(grouping);
	if (reason == NULL)
		reason = examine_distinct_aggregates(grouping);
	if (reason == NULL && grouping->regroups && parse->groupingSets == NIL)
	{
		grouping->sets = list_make1(all_key_numbers(grouping));
		if (needs_lists(grouping))
			read_lists(grouping);
	}
	grouping->by_sets = parse->groupingSets != NIL && needs_lists(grouping);
	return reason;
}

/*
 * What is not taken for a column of the input, but computed, would not be NULL in
 * the sets that leave it out; and of equal columns the first one stands for all,
 * though sets may leave out one of them.
 */
static const char *
examine_keys_over_sets(const Grouping *grouping)
{
	ListCell   *lc;

	foreach(lc, grouping->keys)
	{
		if (!IsA(lfirst(lc), Var) && !IsA(lfirst(lc), Aggref) && !IsA(lfirst(lc), GroupingFunc))
			return "DISTINCT expressions over grouping sets are not supported";
		if (has_equal_before(grouping->keys, foreach_current_index(lc)))
			return "DISTINCT columns over grouping sets that are equal are not supported";
	}
	return NULL;
}

const char *
grouping_examine_distinct(Grouping *grouping, PlannerInfo *root, RelOptInfo *input_rel)
{
	Query	   *parse = root->parse;
	const char *reason;
	ListCell   *lc;

	if (parse->hasTargetSRFs)
		return "the target list has a set-returning function";
	if (parse->hasAggs && parse->groupClause == NIL && parse->groupingSets == NIL)
		return "an aggregation without keys has but one row";
	/* PostgreSQL reads one row, and comes to no error of another */
	if (compat_distinct_clause(root) == NIL)
		return "DISTINCT of values that are the same in all rows has but one row";

	*grouping = (Grouping)
	{
		.root = root,
		.input_rel = input_rel,
		.target = input_rel->cheapest_total_path->pathtarget,
		.distinct = true,
		.clause = parse->distinctClause,
		.keys = get_sortgrouplist_exprs(parse->distinctClause, root->processed_tlist),
	};

	grouping->input_keys = grouping->keys;
	reason = grouping_examine_equality(grouping);
	if (reason == NULL && parse->groupingSets != NIL)
		reason = examine_keys_over_sets(grouping);
	if (reason == NULL)
		reason = examine_order_of_sets(root);
	if (reason != NULL)
		return reason;
	foreach(lc, grouping->target->exprs)
	{
		if (!list_member(grouping->keys, lfirst(lc)))
			grouping->junk = lappend(grouping->junk, lfirst(lc));
	}
	return NULL;
}

bool
grouping_is_volatile(const PlannerInfo *root)
{
	ListCell   *lc;

	if (contain_volatile_functions((Node *) root->parse))
		return true;
	foreach(lc, root->glob->subroots)
	{
		if (contain_volatile_functions((Node *) lfirst_node(PlannerInfo, lc)->parse))
			return true;
	}
	return false;
}
