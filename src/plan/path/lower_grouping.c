/*
 * lower_grouping.c
 *	  A grouping step over heap pages, or over a child plan's rows, as Programs.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"

#include "compat.h"
#include "exec/lookup/lookup_rows.h"
#include "handle/handle.h"
#include "plan/lower/lower.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/time_format.h"
#include "plan/path/build_side.h"
#include "plan/path/clauses.h"
#include "plan/path/computed.h"
#include "plan/path/grouping.h"
#include "plan/path/guarded.h"
#include "plan/path/parallel.h"
#include "plan/path/prewarm_columns.h"
#include "plan/path/source_tables.h"
#include "plan/path/star.h"
#include "plan/plan_info.h"
#include "program/first_rows.h"

/* How many tables of a join are tried as its fact, the largest first. */
#define MAX_FACTS 2

/* Make the programs admit NaN and infinities among numerics if they should, or must. */
static bool
admit_specials(Lowering *l, LoweredGrouping *lowered)
{
	Program    *program;
	Program    *regrouping = NULL;

	if (!l->expects_specials && !l->needs_specials)
		return true;
	program = make_special_program(lowered->program, NULL);
	if (program != NULL && lowered->regrouping != NULL)
		regrouping = make_special_program(lowered->regrouping, program);
	if (program != NULL && (lowered->regrouping == NULL || regrouping != NULL))
	{
		lowered->program = program;
		lowered->regrouping = regrouping;
		return true;
	}
	if (l->needs_specials)
		lower_reject(l, REJECTED_NUMERIC, _("a numeric can be NaN or infinite"));
	return !l->needs_specials;
}

/* All that is computed from the input's rows. */
static List *
input_exprs(const Grouping *grouping, List *filter)
{
	List	   *exprs = list_concat(list_concat_copy(filter, grouping->input_keys),
									grouping->aggrefs);

	if (grouping->first_rows)
		exprs = list_concat(list_concat(exprs, grouping->first_rows->keys), grouping->checked);
	return exprs;
}

/*
 * Can PostgreSQL only sort, so that it computes the arguments of one group after the
 * other, and need not come to the last, because of a LIMIT or the like?
 */
static bool
may_end_early(const Grouping *grouping)
{
	const PlannerInfo *root = grouping->root;

	return root->tuple_fraction > 0 && grouping->clause != NIL &&
		(grouping->first_rows || root->numOrderedAggs > 0 ||
		 !grouping_is_hashable(grouping->clause));
}

static bool
register_can_fail(const Program *program, int reg)
{
	return reg >= 0 && program_insns(program)[reg].fallible;
}

/* Can an aggregate's argument raise an error, or its FILTER? */
static bool
arguments_can_fail(const Grouping *grouping, const Program *program)
{
	const Accumulator *accs = program_accs(program);

	/* those of aggregates with DISTINCT */
	for (int i = list_length(grouping->keys); i < program->nkeys; i++)
		if (register_can_fail(program, program_keys(program)[i]))
			return true;
	for (int i = 0; i < program->naccs; i++)
		if (register_can_fail(program, accs[i].arg) || register_can_fail(program, accs[i].arg2) ||
			register_can_fail(program, accs[i].filter))
			return true;
	return false;
}

/* Is the expression what an aggregate takes the distinct values of? */
static bool
is_distinct_argument(const Grouping *grouping, const Expr *expr)
{
	ListCell   *lc;

	foreach(lc, grouping->aggrefs)
		if (lower_needs_distinct(lfirst_node(Aggref, lc)) &&
			equal(lower_distinct_argument(lfirst_node(Aggref, lc)), expr))
			return true;
	return false;
}

/*
 * The nth key, as the number of a value that is looked up or as a value.  Aggregates of
 * distinct values need these.
 */
static bool
lower_any_key(const Grouping *grouping, Lowering *l, int n, Expr *key, LoweredGrouping *lowered)
{
	if (n < list_length(grouping->input_keys) && lowered->codes != NULL &&
		!is_distinct_argument(grouping, key))
	{
		if (lower_code_key(l, key, &lowered->codes[n]))
			return true;
		if (!lower_succeeded(l))
			return false;
	}
	return lower_key(l, key);
}

/* The first rows of groups, and what PostgreSQL computes of all rows. */
static bool
lower_rows(const Grouping *grouping, Lowering *l)
{
	ListCell   *lc;

	foreach(lc, grouping->checked)
		if (!lower_checked(l, lfirst(lc)))
			return false;
	return lower_first_rows(l, grouping->first_rows);
}

/* Can anything that is computed of a row raise an error? */
static bool
rows_can_fail(const Program *program)
{
	for (int i = 0; i < program->ninsns; i++)
		if (register_can_fail(program, i))
			return true;
	return false;
}

/* All has been lowered; the Program is NULL if something was rejected. */
static void
finish_program(Lowering *l, LoweredGrouping *lowered)
{
	lowered->arrays = lower_arrays(l);
	lowered->ordered = l->ordered;
	lowered->program = lower_finish(l);
	lowered->params = l->params;
	lowered->regrouping = NULL;
}

/* Lower keys and aggregates; the filter has been. */
static bool
lower_keys_and_aggregates(const Grouping *grouping, Lowering *l,
						  LoweredGrouping *lowered, Rejection *rejection)
{
	List	   *keys = grouping_engine_keys(grouping);
	ListCell   *lc;

	if (has_guarded_subquery(grouping->root, input_exprs(grouping, lowered->filter)))
		return reject_grouping(rejection, REJECTED_EXPRESSION,
							   "a subquery is needed in some rows only");
	foreach(lc, keys)
	{
		if (!lower_any_key(grouping, l, foreach_current_index(lc), lfirst(lc), lowered))
			goto rejected;
	}
	lower_find_sums_added(l, grouping->aggrefs);
	foreach(lc, grouping->aggrefs)
	{
		Aggref	   *aggref = lfirst_node(Aggref, lc);

		l->aggregate_code = lowered->codes == NULL ? NULL :
			&lowered->codes[list_length(grouping->input_keys) + foreach_current_index(lc)];
		if (lower_needs_distinct(aggref) && !grouping->lists_distinct)
			continue;
		if (lower_needs_distinct(aggref) ? !lower_distinct_list(l, aggref) :
			!lower_aggref(l, aggref))
			goto rejected;
	}
	if (grouping->first_rows && !lower_rows(grouping, l))
		goto rejected;
	finish_program(l, lowered);
	if (lowered->program == NULL)
		goto rejected;
	if (grouping->ends_early && rows_can_fail(lowered->program))
		return reject_grouping(rejection, REJECTED_QUERY,
							   "rows that need not be read can raise errors");
	/* a sort above the node would need all groups of the native plan, too */
	if (may_end_early(grouping) && grouping->root->sort_pathkeys != NIL &&
		arguments_can_fail(grouping, lowered->program))
		return reject_grouping(rejection, REJECTED_AGGREGATE,
							   "aggregates of groups that need not be computed can raise errors");
	if (grouping->regroups)
	{
		const char *reason;

		lowered->regrouping = lower_regrouping(lowered->program, keys, grouping->aggrefs,
											   &reason);
		if (lowered->regrouping == NULL)
			return reject_grouping(rejection, REJECTED_AGGREGATE, reason);
	}
	if (admit_specials(l, lowered))
		return true;
rejected:
	*rejection = (Rejection)
	{
		l->reason, l->hint, l->reason_class
	};
	return false;
}

/*
 * Of equal float keys, 0 and -0, the first row's is shown, and rows that are sent
 * come behind those of pages.
 */
static bool
order_is_seen(const InputTables *tables, const Program *program)
{
	return tables->row_tables != NIL && program_has_float_key(program);
}

/*
 * What a subquery computes is computed for each row that passes the filter where
 * there are grouping sets, though an aggregate's FILTER, or CASE, may need it of
 * some rows only.
 */
static bool
lower_placeholders(const Grouping *grouping, Lowering *l)
{
	ListCell   *lc;

	foreach(lc, grouping->input_rel->reltarget->exprs)
	{
		if (IsA(lfirst(lc), PlaceHolderVar) && !list_member(grouping->input_keys, lfirst(lc)) &&
			!lower_checked(l, lfirst(lc)))
			return false;
	}
	return true;
}

/* All that is computed from a star's rows but what its grouping is of. */
static List *
star_exprs(const Star *star)
{
	List	   *exprs = NIL;
	ListCell   *lc;
	ListCell   *key;

	foreach(lc, star ? star->lookups : NIL)
	{
		const StarLookup *lookup = lfirst(lc);

		foreach(key, lookup->keys)
			exprs = lappend(exprs, ((const JoinKey *) lfirst(key))->outer);
		exprs = list_concat(exprs, lookup->conditions);
		exprs = list_concat(exprs, lookup->filters);
	}
	return exprs;
}

/* The look-ups of a star, behind the filter of its fact. */
static bool
lower_star(const Grouping *grouping, Lowering *l, const Star *star, LoweredGrouping *lowered)
{
	int			ncolumns = list_length(grouping->input_keys) + list_length(grouping->aggrefs);
	ListCell   *lc;

	foreach(lc, star->lookups)
	{
		const StarLookup *lookup = lfirst(lc);

		if (!lower_lookup(l, lookup->computed != NIL ? NULL : lookup->rel->relids,
						  lookup->computed != NIL ? computed_name(grouping->root, lookup) :
						  build_side_name(grouping->root, lookup->rel), lookup->jointype,
						  list_concat_copy(lookup->rel->reltarget->exprs, lookup->computed),
						  lookup->keys, lookup->conditions, lookup->filters))
			return false;
	}
	if (!lower_lookup_filters(l))
		return false;
	lowered->codes = palloc(sizeof(ColumnCode) * (ncolumns + 1));
	for (int i = 0; i < ncolumns; i++)
		lowered->codes[i] = (ColumnCode)
	{
		.lookup = -1
	};
	return true;
}

/* Have the rows of each look-up room in memory, one after the other, while it is made? */
static bool
lookups_fit(const Grouping *grouping, const LoweredGrouping *lowered)
{
	ListCell   *info;
	ListCell   *build;

	forboth(info, lowered->lookups, build, lowered->builds)
		if (build_side_memory(grouping->root, lfirst(build), lfirst(info)) > groups_memory_limit(false) &&
			!build_side_is_kept(grouping->root, lfirst(build), lfirst(info)))
			return false;
	return true;
}

/* Is what a look-up is joined by an integer that is one of the step's keys? */
static bool
groups_by_outer(const Grouping *grouping, const JoinKey *key)
{
	Oid			type = exprType((const Node *) key->outer);

	return (type == INT2OID || type == INT4OID || type == INT8OID) &&
		list_member(grouping->input_keys, key->outer);
}

/*
 * Are rows that a look-up finds in one of the step's groups the same row?  Its unique key, or all
 * that it is joined by, is among the step's keys.
 */
static bool
groups_by_row(const Grouping *grouping, const LoweredGrouping *lowered, const StarLookup *lookup,
			  int number)
{
	const LookupInfo *info = list_nth(lowered->lookups, number);
	ListCell   *lc;

	if (grouping->regroups || grouping->is_input || grouping->of_set || grouping->first_rows ||
		grouping->root->parse->groupingSets != NIL ||
		(info->jointype != JOIN_INNER && info->jointype != JOIN_LEFT))
		return false;
	for (int i = 0; i < list_length(grouping->input_keys); i++)
		if (lowered->codes[i].lookup == number &&
			lookup_column_is_unique(info, &info->columns[lowered->codes[i].column]))
			return true;
	foreach(lc, lookup->keys)
		if (!groups_by_outer(grouping, lfirst(lc)))
			return false;
	return lookup->computed == NIL;
}

/* What the look-ups have become, and the paths of their rows. */
static bool
finish_star(const Grouping *grouping, Lowering *l, const Star *star,
			LoweredGrouping *lowered, Rejection *rejection)
{
	ListCell   *lc;

	lowered->lookups = lower_lookup_infos(l);
	foreach(lc, star->lookups)
	{
		const StarLookup *lookup = lfirst(lc);
		LookupInfo *info = list_nth(lowered->lookups, foreach_current_index(lc));
		List	   *target = lower_lookup_target(l, foreach_current_index(lc));
		Path	   *build;

		info->equalities = lookup->equalities;
		info->conditions = copyObject(lookup->conditions);
		info->filters = copyObject(lookup->filters);
		info->computed = copyObject(lookup->computed);
		info->can_fail = !subplans_cannot_fail(grouping->root, (Node *) lookup->computed);
		if (lookup->computed != NIL)
			lowered->calls += computed_calls_cost(lookup->computed, lookup->rel->rows);
		if (lookup->unique)
			lowered->unique = bms_add_member(lowered->unique, foreach_current_index(lc));
		build = build_side_path(grouping->root, lookup->rel, target, info);
		if (build == NULL)
			return reject_grouping(rejection, REJECTED_INPUT,
								   "what can raise errors is computed with a subquery's value");
		lowered->builds = lappend(lowered->builds, build);
		lowered->guarded |= info->can_fail && info->computed == NIL;
		if (groups_by_row(grouping, lowered, lookup, foreach_current_index(lc)))
			build_side_number_by_row(grouping->root, llast(lowered->builds), info);
	}
	if (lowered->guarded && guarded_has_workers(grouping, lowered->builds))
		return reject_grouping(rejection, REJECTED_INPUT,
							   "a joined relation can raise errors, beside parallel workers");
	return lookups_fit(grouping, lowered) ||
		reject_grouping(rejection, REJECTED_INPUT,
						"the rows of a joined relation are not expected to fit into memory");
}

/* Over a table, and what is looked up for its rows; star: NULL, or whose fact it is. */
static bool
lower_table(const Grouping *grouping, RelOptInfo *rel, const Star *star,
			LoweredGrouping *lowered, Rejection *rejection)
{
	List	   *keep;
	const char *reason;
	Lowering   *l;

	/* the plan of the input evaluates it even if there are no rows */
	if (clauses_have_pseudoconstant(rel->baserestrictinfo))
		return reject_grouping(rejection, REJECTED_INPUT, "a condition is the same for all rows");

	*lowered = (LoweredGrouping)
	{
		.reads_tables = true,.table = rel
	};
	lowered->filter = get_actual_clauses(
		clauses_in_order(grouping->root,
						 list_difference_ptr(rel->baserestrictinfo,
											 star == NULL ? grouping->rechecked : star->conditions)));
	keep = keep_vars(grouping->root, rel);
	reason = input_tables(grouping->root, rel,
						  list_concat(list_concat(input_exprs(grouping, lowered->filter),
												  star_exprs(star)), keep),
						  &lowered->tables);
	if (reason != NULL)
	{
		keep_refuse(keep, reason);
		return reject_grouping(rejection, REJECTED_INPUT, reason);
	}
	l = lower_begin_pages(grouping->root, rel->relid, lowered->tables.desc, lowered->tables.map);
	l->may_need_cpu = grouping->may_need_cpu;
	l->guards = grouping->guards;
	lowered->keep = keep_lower(l, keep, &lowered->nkeep);
	if (!lower_filter(l, lowered->filter) ||
		(star && !lower_star(grouping, l, star, lowered)) || !lower_placeholders(grouping, l))
	{
		*rejection = (Rejection)
		{
			l->reason, l->hint, l->reason_class
		};
		return false;
	}
	if (!lower_keys_and_aggregates(grouping, l, lowered, rejection))
		return false;
	if (grouping->first_rows && (lowered->tables.row_tables != NIL ||
								 list_length(lowered->tables.page_tables) > PLACE_MAX_TABLES))
		return reject_grouping(rejection, REJECTED_INPUT,
							   "rows of partitions whose columns lie differently cannot be fetched");
	if (order_is_seen(&lowered->tables, lowered->program))
		return reject_grouping(rejection, REJECTED_INPUT,
							   "a key is a float, and the partitions' columns lie differently");
	lowered->rows = lowered->tables.rows;
	lowered->kept = kept_share(&lowered->tables, lowered->program);
	lowered->kept_in_memory = kept_in_memory_share(&lowered->tables, lowered->program);
	return star == NULL || finish_star(grouping, l, star, lowered, rejection);
}

/* Why a join, with this relation as its fact, is no star that can be taken, or NULL. */
static const char *
examine_star(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *fact, Star *star)
{
	const char *reason = star_find(root, joinrel, fact, star);
	ListCell   *lc;

	foreach(lc, star->lookups)
		if (reason == NULL)
			reason = build_side_examine(root, ((const StarLookup *) lfirst(lc))->rel);
	return reason;
}

/* Over one of the tables of a join, the others of which are looked up. */
static bool
lower_join(const Grouping *grouping, LoweredGrouping *lowered, Rejection *rejection)
{
	List	   *facts = star_facts(grouping->root, grouping->input_rel);
	Rejection	first = {0};
	ListCell   *lc;

	if (grouping_is_volatile(grouping->root))
		return reject_grouping(rejection, REJECTED_VOLATILE, "the input has a volatile function");
	foreach(lc, list_truncate(facts, MAX_FACTS))
	{
		RelOptInfo *fact = lfirst(lc);
		Star		star = {0};
		const char *reason = grouping_puts_out_other(grouping, fact->relid) ?
			"the output is not of the largest table" :
			examine_star(grouping->root, grouping->input_rel, fact, &star);

		if (reason != NULL)
			reject_grouping(rejection, REJECTED_INPUT, reason);
		else if (lower_table(grouping, fact, &star, lowered, rejection))
			return true;
		if (first.reason == NULL)
			first = *rejection;
	}
	if (first.reason == NULL)
		return reject_grouping(rejection, REJECTED_INPUT, "no table is joined");
	*rejection = first;
	return false;
}

bool
grouping_lower_pages(const Grouping *grouping, LoweredGrouping *lowered,
					 Rejection *rejection)
{
	RelOptInfo *rel = grouping->input_rel;

	if (rel->reloptkind == RELOPT_JOINREL)
		return lower_join(grouping, lowered, rejection);
	if (rel->reloptkind != RELOPT_BASEREL)
		return reject_grouping(rejection, REJECTED_INPUT, "the input is not one table");
	return lower_table(grouping, rel, NULL, lowered, rejection);
}

/* What is computed of this table's columns, beside what is joined to it. */
static bool
find_computed(const Grouping *grouping, RelOptInfo *rel, bool truncates, Star *star)
{
	List	   *exprs = input_exprs(grouping, get_actual_clauses(rel->baserestrictinfo));
	bool		certain = star->lookups == NIL && !may_end_early(grouping);
	InputTables tables;

	exprs = list_concat(exprs, star_exprs(star));
	return !clauses_have_pseudoconstant(rel->baserestrictinfo) &&
		(!truncates || time_formats_can_truncate((Node *) exprs)) &&
		input_tables(grouping->root, rel, exprs, &tables) == NULL &&
		computed_find(grouping, rel, &tables, certain, truncates, star);
}

Star *
grouping_find_computed(const Grouping *grouping, bool truncates)
{
	RelOptInfo *rel = grouping->input_rel;
	Star	   *star = palloc0(sizeof(Star));
	ListCell   *lc;

	if (grouping->first_rows || grouping->is_input || grouping_is_volatile(grouping->root))
		return NULL;
	if (rel->reloptkind == RELOPT_BASEREL)
		return find_computed(grouping, rel, truncates, star) ? star : NULL;
	if (rel->reloptkind != RELOPT_JOINREL)
		return NULL;
	foreach(lc, list_truncate(star_facts(grouping->root, rel), MAX_FACTS))
	{
		*star = (Star) {0};
		if (examine_star(grouping->root, rel, lfirst(lc), star) == NULL &&
			find_computed(grouping, lfirst(lc), truncates, star))
			return star;
	}
	return NULL;
}

bool
grouping_lower_star(const Grouping *grouping, const Star *star, LoweredGrouping *lowered,
					Rejection *rejection)
{
	return lower_table(grouping, star->fact, star, lowered, rejection);
}

/* Can the engine compute an argument of an aggregate, of what the child plan has? */
static bool
engine_computes(PlannerInfo *root, List *inputs, Aggref *aggref, Expr *arg)
{
	Lowering   *l = lower_begin_columns(root, inputs);

	if (is_ordered_aggregate(aggref))
		return lower_row_value(l, arg);
	return lower_needs_distinct(aggref) ? lower_key(l, lower_distinct_argument(aggref)) :
		lower_aggref(l, aggref);
}

/*
 * The arguments of an aggregate that the child plan should compute.  None that the engine
 * can, nor one that PostgreSQL would compute for some rows only, since it may raise
 * an error.  A subplan would become part of two plans.
 */
static List *
child_arguments(PlannerInfo *root, List *inputs, Aggref *aggref)
{
	List	   *args = NIL;
	ListCell   *lc;

	if ((list_length(aggref->args) != 1 && !is_ordered_aggregate(aggref)) ||
		aggref->aggfilter != NULL)
		return NIL;
	foreach(lc, aggref->args)
	{
		Expr	   *arg = lfirst_node(TargetEntry, lc)->expr;

		if (engine_computes(root, inputs, aggref, arg))
			continue;
		if (!lower_can_input(root, aggref, arg) || contain_subplans((Node *) arg))
			return NIL;
		args = list_append_unique(args, arg);
	}
	return args;
}

/* The child's path, with what it computes for aggregates beside its own output. */
static Path *
child_path(const Grouping *grouping)
{
	Path	   *path = grouping->input_rel->cheapest_total_path;
	PathTarget *target = copy_pathtarget(path->pathtarget);
	int			noutputs = list_length(target->exprs);
	ListCell   *lc;

	foreach(lc, may_end_early(grouping) ? NIL : grouping->aggrefs)
	{
		Aggref	   *aggref = lfirst_node(Aggref, lc);
		ListCell   *arg;

		foreach(arg, child_arguments(grouping->root, target->exprs, aggref))
			add_column_to_pathtarget(target, lfirst(arg), 0);
	}
	if (list_length(target->exprs) == noutputs)
		return path;
	set_pathtarget_cost_width(grouping->root, target);
	return (Path *) create_projection_path(grouping->root, grouping->input_rel,
										   path, target);
}

bool
grouping_lower_child(const Grouping *grouping, LoweredGrouping *lowered,
					 Rejection *rejection)
{
	Lowering   *l;

	/* should the engine give up, the child's rows are computed once more */
	if (grouping_is_volatile(grouping->root))
	{
		reject_grouping(rejection, REJECTED_VOLATILE, "the input has a volatile function");
		rejection->hint = "Declare functions STABLE or IMMUTABLE that are.";
		return false;
	}
	*lowered = (LoweredGrouping)
	{
		.input = child_path(grouping),.rows = grouping->input_rel->cheapest_total_path->rows
	};
	lowered->partial_input = parallel_input(grouping, lowered->input);
	if (!compat_explains(lowered->input->pathtarget->exprs))
		return reject_grouping(rejection, REJECTED_INPUT,
							   "EXPLAIN could not show a window function of the input");
	l = lower_begin_columns(grouping->root, lowered->input->pathtarget->exprs);
	return lower_keys_and_aggregates(grouping, l, lowered, rejection);
}
