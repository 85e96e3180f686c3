/*
 * computed.c
 *	  Expressions that only PostgreSQL can compute, once for each distinct value of their inputs.
 *
 * Of lower(s) there are as many values as s has, however many rows.  So the distinct values of
 * s are found first, by a grouping of its own; PostgreSQL computes the expressions of these;
 * and the run looks up, for each row, what has been computed of its s.  All that holds for
 * look-ups of joined relations does for these: keys of groups are the numbers of values, so
 * that they can be of any type that can be hashed, and what is found of a table that does not
 * change is kept.
 *
 * The least and the greatest text in an order that is not that of the bytes are those of the
 * texts' ranks, which their look-up has, too.
 *
 * What a format shows of a moment is computed of the moment truncated to the format's smallest unit
 * (time_format.c), if the moment has too many values.
 *
 * Computed is the largest part of an expression that is NULL where one of its inputs is, since
 * a NULL finds nothing, or whose inputs are never NULL.  Equal values of an input must be
 * identical, for the expression could distinguish others.
 *
 * PostgreSQL computes the expressions of the rows that pass all conditions.  The distinct
 * values are those of the rows that pass the conditions of engines; so what can raise an error
 * is computed only if there are no other conditions, and PostgreSQL would compute it for each
 * row that passes, or for each row, if it is the only condition.  If it does raise one,
 * PostgreSQL's own plan finds out which comes first.  That is done in a subtransaction, in which no
 * scan of a subquery may begin.
 * A condition that can itself raise an error sifts no values if there are other conditions or
 * joins: PostgreSQL's own plan may come to it for fewer rows, those that pass these.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/selfuncs.h"
#include "utils/typcache.h"

#include "compat.h"
#include "handle/handle.h"
#include "plan/lower/lower.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/time_format.h"
#include "plan/path/clauses.h"
#include "plan/path/computed.h"
#include "plan/path/own_relation.h"
#include "plan/path/source_tables.h"

/* An expression of so many columns has too many distinct inputs. */
#define MAX_INPUTS 3

/*
 * Bytes that a distinct value takes while its look-up is built, beside itself: numbers, and
 * entries of the hash tables of keys, rows and computed values.
 */
#define VALUE_MEMORY 100

/* Of rows: with more distinct values nothing is gained. */
#define MOST_DISTINCT 0.5

/* But so few are no matter. */
#define FEW_VALUES 1000

/*
 * What a function of texts or times takes longer than its cost says, in units of
 * cpu_tuple_cost.  PostgreSQL counts cpu_operator_cost, as for an addition; lower() of a short
 * text takes 0.2 us, to_char() 0.6.
 */
#define CALL 5

/* How many such calls one for parts of a regular expression takes: regexp_replace() of an address 4 us. */
#define REGEXP_CALLS 20

typedef struct ComputedSearch
{
	const Grouping *grouping;
	const RelOptInfo *rel;
	const InputTables *tables;
	List	   *lookups;		/* StarLookup: with keys and computed only */
	bool		truncates;		/* moments for formats */
	bool		certain;		/* PostgreSQL computes what is looked at of each row that passes */
} ComputedSearch;

static Lowering *
begin_lowering(const ComputedSearch *search)
{
	return lower_begin_pages(search->grouping->root, search->rel->relid, search->tables->desc,
							 search->tables->map);
}

/* Can engines compute the expression, wherever it stands? */
static bool
engines_compute(const ComputedSearch *search, Expr *expr)
{
	NumericInfo info;
	Lowering   *l = begin_lowering(search);

	return (exprType((Node *) expr) == NUMERICOID ? lower_numeric(l, expr, &info) :
			lower_expr(l, expr)) >= 0;
}

/* Does the function tell how a value is stored, which equal values need not be alike? */
static bool
tells_storage(Oid function, void *context)
{
	switch (function)
	{
		case F_PG_COLUMN_SIZE:
		case F_PG_COLUMN_COMPRESSION:
#ifdef F_PG_COLUMN_TOAST_CHUNK_ID
		case F_PG_COLUMN_TOAST_CHUNK_ID:
#endif
			return true;
		default:
			return false;
	}
}

/* Does the expression depend on more than its columns' values? */
static bool
depends_on_more(Node *node, void *context)
{
	const Param *param = (const Param *) node;

	if (node == NULL)
		return false;
	/* parameters of its own have the rows of the subquery */
	if (IsA(node, SubPlan))
		return depends_on_more(((SubPlan *) node)->testexpr, ((SubPlan *) node)->paramIds);
	if ((IsA(node, Param) && param->paramkind != PARAM_EXTERN &&
		 !list_member_int((List *) context, param->paramid)) ||
		check_functions_in_node(node, tells_storage, NULL))
		return true;
	return expression_tree_walker(node, depends_on_more, context);
}

/* Can rows be found by the column's value, which no other value equals? */
static bool
is_input(const ComputedSearch *search, const Node *node)
{
	const Var  *var = (const Var *) node;

	return IsA(node, Var) && var->varno == (int) search->rel->relid && var->varlevelsup == 0 &&
		var->varattno > 0 && column_is_identical(var);
}

/* The expression as PostgreSQL is to compute it. */
static Expr *
as_computed(const ComputedSearch *search, Expr *expr)
{
	return search->truncates ? (Expr *) time_formats_truncate((Node *) expr) : expr;
}

/* What is found in an expression. */
typedef struct InputWalk
{
	const ComputedSearch *search;
	List	   *inputs;
} InputWalk;

/* True ends the walk: rows cannot be found by a column. */
static bool
find_inputs(Node *node, void *context)
{
	InputWalk  *walk = context;
	Node	   *moment;

	if (node == NULL)
		return false;
	moment = time_format_input(node);
	if (moment != NULL && engines_compute(walk->search, (Expr *) moment))
	{
		walk->inputs = list_append_unique(walk->inputs, moment);
		return false;
	}
	if (IsA(node, Var) || IsA(node, PlaceHolderVar))
	{
		walk->inputs = list_append_unique(walk->inputs, node);
		return !is_input(walk->search, node);
	}
	return expression_tree_walker(node, find_inputs, context);
}

/* Are all inputs columns that are never NULL? */
static bool
are_never_null(const ComputedSearch *search, const List *inputs)
{
	ListCell   *lc;

	foreach(lc, inputs)
	{
		const Var  *var = lfirst(lc);

		if (!IsA(var, Var) ||
			!compat_is_not_null(search->tables->desc,
								search->tables->map->attnums[var->varattno - 1] - 1))
			return false;
	}
	return true;
}

/*
 * The columns, or what engines truncate for formats, that PostgreSQL can compute the expression of,
 * one by one; NIL: it cannot.
 */
static List *
inputs_of(const ComputedSearch *search, Expr *expr)
{
	PlannerInfo *root = search->grouping->root;
	Node	   *node = (Node *) expr;
	InputWalk	walk = {.search = search};

	if (contain_volatile_functions(node) || !subplans_are_hashed(root, node) ||
		expression_returns_set(node) || depends_on_more(node, NIL) ||
		((!search->certain || contain_subplans(node)) && !subplans_cannot_fail(root, node)) ||
		find_inputs((Node *) as_computed(search, expr), &walk) ||
		list_length(walk.inputs) > MAX_INPUTS ||
		(contain_nonstrict_functions(node) && !are_never_null(search, walk.inputs)))
		return NIL;
	return walk.inputs;
}

/* The columns that a look-up finds rows by. */
static List *
columns_of(const StarLookup *lookup)
{
	List	   *columns = NIL;
	ListCell   *lc;

	foreach(lc, lookup->keys)
		columns = lappend(columns, ((const JoinKey *) lfirst(lc))->outer);
	return columns;
}

static StarLookup *
make_lookup(List *inputs)
{
	StarLookup *lookup = palloc0(sizeof(StarLookup));
	ListCell   *lc;

	lookup->jointype = JOIN_LEFT;
	foreach(lc, inputs)
	{
		Expr	   *input = lfirst(lc);
		JoinKey    *key = palloc(sizeof(JoinKey));
		TypeCacheEntry *type = lookup_type_cache(exprType((Node *) input), TYPECACHE_EQ_OPR);

		*key = (JoinKey)
		{
			.outer = input,.inner = input,.function = get_opcode(type->eq_opr),
				.collation = exprCollation((Node *) input)
		};
		lookup->keys = lappend(lookup->keys, key);
	}
	return lookup;
}

/* Let PostgreSQL compute the expression of the values of these columns. */
static void
add_computed(ComputedSearch *search, List *inputs, Expr *expr)
{
	StarLookup *lookup = NULL;
	ListCell   *lc;

	foreach(lc, search->lookups)
	{
		List	   *columns = columns_of(lfirst(lc));

		if (list_difference(columns, inputs) == NIL && list_difference(inputs, columns) == NIL)
			lookup = lfirst(lc);
	}
	if (lookup == NULL)
	{
		lookup = make_lookup(inputs);
		search->lookups = lappend(search->lookups, lookup);
	}
	lookup->computed = list_append_unique(lookup->computed, expr);
}

static bool
is_computed(const ComputedSearch *search, const Expr *expr)
{
	ListCell   *lc;

	foreach(lc, search->lookups)
		if (list_member(((const StarLookup *) lfirst(lc))->computed, expr))
			return true;
	return false;
}

static bool search_expr(ComputedSearch *search, Expr *expr);

/* True ends the walk: a part can be computed by nobody. */
static bool
search_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, List))
		return expression_tree_walker(node, search_walker, context);
	return !search_expr(context, (Expr *) node);
}

/* The part of an expression that is evaluated whenever that is, where others may not be. */
static Expr *
first_part(const Expr *expr)
{
	const CaseExpr *choice = (const CaseExpr *) expr;

	if (IsA(expr, CaseExpr))
		return choice->arg != NULL ? choice->arg : linitial_node(CaseWhen, choice->args)->expr;
	if (IsA(expr, CoalesceExpr))
		return linitial(((const CoalesceExpr *) expr)->args);
	return NULL;
}

/* The parts of an expression that engines cannot compute; false: nor can PostgreSQL. */
static bool
search_parts(ComputedSearch *search, Expr *expr)
{
	bool		certain = search->certain;
	Expr	   *first = first_part(expr);
	bool		result;

	if (IsA(expr, Var) || IsA(expr, PlaceHolderVar) ||
		(first != NULL && !search_expr(search, first)))
		return false;
	if (!IsA(expr, FuncExpr) && !IsA(expr, OpExpr) && !IsA(expr, RelabelType))
		search->certain = false;
	result = !expression_tree_walker((Node *) expr, search_walker, search);
	search->certain = certain;
	return result;
}

/* Find what of an expression is to be computed; false: it cannot be. */
static bool
search_expr(ComputedSearch *search, Expr *expr)
{
	List	   *inputs;
	int			nlookups = list_length(search->lookups);

	/* it is another look-up's */
	if (!bms_is_member(search->rel->relid, pull_varnos(search->grouping->root, (Node *) expr)))
		return true;
	/* the value of the CASE around: known if that is */
	if (has_case_test((Node *) expr) || is_computed(search, as_computed(search, expr)) ||
		engines_compute(search, expr))
		return true;
	if (IsA(expr, RelabelType))
		return search_parts(search, expr);
	inputs = inputs_of(search, expr);
	/* parts might be computed one by one, each of fewer values */
	if (inputs == NIL ||
		(list_length(inputs) > 1 &&
		 (is_operation(expr) || contain_nonstrict_functions((Node *) expr))))
	{
		if (search_parts(search, expr))
			return true;
		search->lookups = list_truncate(search->lookups, nlookups);
	}
	if (inputs == NIL)
		return false;
	add_computed(search, inputs, as_computed(search, expr));
	return true;
}

/* What is ranked, whether engines compute it or not. */
static bool
search_ranked(ComputedSearch *search, Expr *expr)
{
	List	   *inputs;

	if (!bms_is_member(search->rel->relid, pull_varnos(search->grouping->root, (Node *) expr)))
		return true;
	inputs = inputs_of(search, expr);
	if (inputs != NIL)
		add_computed(search, inputs, as_computed(search, expr));
	return inputs != NIL;
}

/* A key: a numeric of several display scales is one only as PostgreSQL has computed it. */
static bool
search_key(ComputedSearch *search, Expr *key)
{
	List	   *inputs;

	if (exprType((Node *) key) == NUMERICOID && engines_compute(search, key) &&
		!lower_key(begin_lowering(search), key) && (inputs = inputs_of(search, key)) != NIL)
	{
		add_computed(search, inputs, as_computed(search, key));
		return true;
	}
	return search_expr(search, key);
}

/* The arguments of an aggregate, and its FILTER. */
static bool
search_aggregate(ComputedSearch *search, Aggref *aggref)
{
	bool		certain = search->certain;
	bool		result = true;
	ListCell   *lc;

	if (!lower_needs_distinct(aggref) && lower_aggref(begin_lowering(search), aggref))
		return true;
	search->certain = certain && aggref->aggfilter == NULL;
	if (lower_needs_rank(aggref))
		result = search_ranked(search, linitial_node(TargetEntry, aggref->args)->expr);
	else
		foreach(lc, aggref->args)
			result = result && (lower_needs_distinct(aggref) ? search_key : search_expr)
				(search, lfirst_node(TargetEntry, lc)->expr);
	search->certain = false;
	if (aggref->aggfilter != NULL)
		result = result && search_expr(search, aggref->aggfilter);
	search->certain = certain;
	return result;
}

/* Find what conditions need, of which *found has those that engines do not compute. */
static bool
search_conditions(ComputedSearch *search, List **found)
{
	ListCell   *lc;

	*found = NIL;
	foreach(lc, search->rel->baserestrictinfo)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		List	   *clause = list_make1(rinfo->clause);

		if (lower_filter(begin_lowering(search), clause))
			continue;
		/* nothing may be computed of rows that a policy's condition would hide */
		if (has_hidden_rows(search->grouping->root, search->rel->relid) ||
			!search_expr(search, rinfo->clause))
			return false;
		*found = lappend(*found, rinfo);
	}
	return true;
}

/* What other look-ups' rows are found by, and conditions of these joins. */
static bool
search_joins(ComputedSearch *search, const Star *star)
{
	ListCell   *lc;
	ListCell   *key;

	foreach(lc, star->lookups)
	{
		const StarLookup *lookup = lfirst(lc);

		foreach(key, lookup->keys)
			if (!search_expr(search, ((const JoinKey *) lfirst(key))->outer))
				return false;
		if (search_walker((Node *) lookup->conditions, search) ||
			search_walker((Node *) lookup->filters, search))
			return false;
	}
	return true;
}

/*
 * The conditions that sift values: those of engines, all of them if PostgreSQL evaluates just
 * these.  Else those that raise no errors, and all of policies and barrier views, which come first.
 */
static List *
value_conditions(const ComputedSearch *search, List *computed_conditions)
{
	const PlannerInfo *root = search->grouping->root;
	List	   *conditions = NIL;
	ListCell   *lc;

	foreach(lc, list_difference_ptr(search->rel->baserestrictinfo, computed_conditions))
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (search->certain || rinfo->security_level < root->qual_security_level ||
			cannot_fail((Node *) rinfo))
			conditions = lappend(conditions, rinfo);
	}
	return conditions;
}

/* The table's rows that pass these conditions, with the columns that a look-up needs. */
static RelOptInfo *
make_relation(PlannerInfo *root, const RelOptInfo *rel, List *conditions, List *columns)
{
	RelOptInfo *own = own_relation(root, rel, conditions, columns);

	own->cheapest_total_path = own_relation_scan(root, own, rel);
	own->pathlist = list_make1(own->cheapest_total_path);
	return own;
}

/* How many distinct values rows are found by, which pass the conditions that sift these. */
static double
distinct_values(PlannerInfo *root, const StarLookup *lookup)
{
	RelOptInfo *rel = find_base_rel(root, lookup->rel->relid);
	double		rows_passed = rel->rows;
	EstimationInfo known;
	double		values;

	rel->rows = lookup->rel->rows;
	values = estimate_num_groups(root, columns_of(lookup), rel->rows, NULL, &known);
	rel->rows = rows_passed;
	return known.flags & SELFLAG_USED_DEFAULT ? lookup->rel->rows : values;
}

/* Are distinct values too many for memory, or nearly as many as rows, or does nobody know? */
static bool
are_too_many(PlannerInfo *root, const StarLookup *lookup)
{
	double		rows = lookup->rel->rows;
	double		values = distinct_values(root, lookup);
	double		few = 0;

	if (list_length(lookup->keys) == 1)
		few = key_values(root, linitial(columns_of(lookup)));
	if (few > 0)
		values = Min(values, few);
	return values * (VALUE_MEMORY + lookup->rel->reltarget->width) > groups_memory_limit(false) ||
		values > Max(rows * MOST_DISTINCT, FEW_VALUES);
}

bool
computed_find(const Grouping *grouping, RelOptInfo *rel, const InputTables *tables, bool certain,
			  bool truncates, Star *star)
{
	ComputedSearch search = {
		.grouping = grouping,.rel = rel,.tables = tables,.truncates = truncates
	};
	List	   *conditions;
	ListCell   *lc;

	/* a condition that is the only one is evaluated for each row */
	search.certain = certain && list_length(rel->baserestrictinfo) == 1;
	if (!search_conditions(&search, &star->conditions))
		return false;
	search.certain = false;
	if (!search_joins(&search, star))
		return false;
	search.certain = certain && star->conditions == NIL;
	foreach(lc, grouping->input_keys)
		if (!search_key(&search, lfirst(lc)))
			return false;
	foreach(lc, grouping->aggrefs)
		if (!search_aggregate(&search, lfirst_node(Aggref, lc)))
			return false;
	conditions = value_conditions(&search, star->conditions);
	foreach(lc, search.lookups)
	{
		StarLookup *lookup = lfirst(lc);

		lookup->rel = make_relation(grouping->root, rel, conditions, columns_of(lookup));
		if (are_too_many(grouping->root, lookup))
			return false;
	}
	if (search.lookups == NIL)
		return false;
	((StarLookup *) llast(search.lookups))->filters =
		get_actual_clauses(clauses_in_order(grouping->root, star->conditions));
	star->fact = rel;
	star->lookups = list_concat(search.lookups, star->lookups);
	return true;
}

const char *
computed_name(PlannerInfo *root, const StarLookup *lookup)
{
	RangeTblEntry *rte = planner_rt_fetch(lookup->rel->relid, root);
	StringInfoData name;
	ListCell   *lc;

	initStringInfo(&name);
	foreach(lc, columns_of(lookup))
	{
		Node	   *column = copyObject(lfirst(lc));

		ChangeVarNodes(column, lookup->rel->relid, 1, 0);
		appendStringInfo(&name, "%s%s", foreach_current_index(lc) > 0 ? ", " : "",
						 deparse_expression(column, deparse_context_for(rte->eref->aliasname, rte->relid),
											true, false));
	}
	return name.data;
}

static bool
is_regexp(Oid function, void *context)
{
	return function == F_SUBSTRING_TEXT_TEXT ||
		(function < FirstNormalObjectId && strncmp(get_func_name(function), "regexp_", 7) == 0);
}

static bool
regexp_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return check_functions_in_node(node, is_regexp, NULL) ||
		expression_tree_walker(node, regexp_walker, context);
}

Cost
computed_calls_cost(const List *computed, double rows)
{
	double		calls = 0;
	ListCell   *lc;

	foreach(lc, computed)
		calls += regexp_walker(lfirst(lc), NULL) ? REGEXP_CALLS : 1;
	return rows * calls * CALL * cpu_tuple_cost;
}
