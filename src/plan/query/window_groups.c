/*
 * window_groups.c
 *	  Window functions over whole partitions as joins with groups.
 *
 * In
 *
 *	  SELECT t.x, sum(t.x) OVER (PARTITION BY t.g) FROM t WHERE (conditions)
 *
 * each row has the aggregate of its partition, which is the group of t's rows by g that meet the
 * conditions.  So t can be joined to these groups, one row each, and no row has to be sorted.  An
 * equality finds no group of NULLs, so a partition's columns must not be NULL.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "plan/query/dependence.h"
#include "plan/query/grouped_subquery.h"
#include "plan/query/rewrite.h"
#include "plan/query/where_conjuncts.h"

/* So many groups at most are joined: the planner looks at all orders of joins. */
#define MAX_WINDOW_GROUPS 4

/* Windows with the same partitions, and the groups that these are. */
typedef struct WindowGroups
{
	const List *partition;		/* SortGroupClause */
	Query	   *groups;			/* of the query's table, which is relation 1 of both */
	Index		rti;			/* its number in the query */
	List	   *equalities;		/* what it is joined by */
} WindowGroups;

typedef struct WindowRewriting
{
	const Query *query;
	WindowGroups windows[MAX_WINDOW_GROUPS];
	int			nwindows;
	bool		fails;			/* a window function cannot be taken */
} WindowRewriting;

/* Is a row's frame its whole partition?  Rows that nothing orders are peers. */
static bool
is_whole_partition(const WindowClause *window)
{
	int			frame = window->frameOptions;

	return window->orderClause == NIL && (frame & FRAMEOPTION_EXCLUSION) == 0 &&
		(frame & FRAMEOPTION_START_UNBOUNDED_PRECEDING) != 0 &&
		((frame & FRAMEOPTION_END_UNBOUNDED_FOLLOWING) != 0 ||
		 (frame & (FRAMEOPTION_RANGE | FRAMEOPTION_END_CURRENT_ROW)) ==
		 (FRAMEOPTION_RANGE | FRAMEOPTION_END_CURRENT_ROW));
}

bool
may_group_windows(const Query *query)
{
	ListCell   *lc;

	if (query->commandType != CMD_SELECT || !query->hasWindowFuncs || query->hasAggs ||
		query->havingQual != NULL || query->groupClause != NIL || query->groupingSets != NIL ||
		query->setOperations != NULL ||
		query->rowMarks != NIL || query->hasTargetSRFs || query->hasSubLinks ||
		query->limitCount != NULL || query->limitOffset != NULL || query->cteList != NIL ||
		query->hasRowSecurity || list_length(query->rtable) != 1 ||
		linitial_node(RangeTblEntry, query->rtable)->rtekind != RTE_RELATION ||
		list_length(query->jointree->fromlist) != 1)
		return false;
	foreach(lc, query->windowClause)
		if (!is_whole_partition(lfirst_node(WindowClause, lc)))
			return false;
	return true;
}

/*
 * Is a column of the table never NULL in rows that meet the conditions?  Children of a table that is
 * not partitioned may have NULLs where it has none.
 */
static bool
is_never_null(const Query *query, const Var *var)
{
	const RangeTblEntry *rte = linitial_node(RangeTblEntry, query->rtable);
	Relation	relation;
	bool		result;
	ListCell   *lc;

	if (!IsA(var, Var) || var->varlevelsup != 0 || var->varattno <= 0)
		return false;
	foreach(lc, conjuncts_of(query->jointree->quals))
	{
		const NullTest *test = lfirst(lc);

		if (IsA(test, NullTest) && test->nulltesttype == IS_NOT_NULL && equal(test->arg, var))
			return true;
	}
	if (rte->inh && rte->relkind != RELKIND_PARTITIONED_TABLE && has_subclass(rte->relid))
		return false;
	relation = relation_open(rte->relid, NoLock);
	result = compat_is_not_null(RelationGetDescr(relation), var->varattno - 1);
	relation_close(relation, NoLock);
	return result;
}

/* Make a column of PARTITION BY the groups' next key. */
static bool
take_partition_key(const Query *query, WindowGroups *window, SortGroupClause *partition)
{
	Var		   *var = (Var *) get_sortgroupclause_expr(partition, query->targetList);
	SortGroupClause *group = copyObject(partition);
	TargetEntry *entry;
	Var		   *key;
	Expr	   *equality;
	Oid			type = exprType((Node *) var);

	if (!is_never_null(query, var) || !partition->hashable || !op_hashjoinable(partition->eqop, type) ||
		!groups_agree((Node *) var, partition->eqop, exprCollation((Node *) var), group))
		return false;
	entry = group_by_key(window->groups, copyObject((Expr *) var), group);
	key = makeVar((int) window->rti, entry->resno, type, var->vartypmod, var->varcollid, 0);
	equality = make_opclause(partition->eqop, BOOLOID, false, copyObject((Expr *) var), (Expr *) key,
							 InvalidOid, var->varcollid);
	set_opfuncid((OpExpr *) equality);
	window->equalities = lappend(window->equalities, equality);
	return true;
}

/* The groups of a window's partitions, without aggregates. */
static bool
begin_groups(const Query *query, const List *partition, Index rti, WindowGroups *window)
{
	Query	   *groups = makeNode(Query);
	RangeTblRef *ref = makeNode(RangeTblRef);
	ListCell   *lc;

	groups->commandType = CMD_SELECT;
	groups->canSetTag = true;
	groups->hasAggs = true;
	compat_copy_relation(groups, query, 1);
	ref->rtindex = 1;
	groups->jointree = makeFromExpr(list_make1(ref), copyObject(query->jointree->quals));
	*window = (WindowGroups)
	{
		.partition = partition,.groups = groups,.rti = rti
	};
	foreach(lc, partition)
		if (!take_partition_key(query, window, lfirst_node(SortGroupClause, lc)))
			return false;
	return true;
}

/* The aggregate that a window function is, of a partition's rows. */
static Aggref *
aggregate_of_window(const WindowFunc *func)
{
	Aggref	   *aggref = makeNode(Aggref);
	ListCell   *lc;

	aggref->aggfnoid = func->winfnoid;
	aggref->aggtype = func->wintype;
	aggref->aggcollid = func->wincollid;
	aggref->inputcollid = func->inputcollid;
	foreach(lc, func->args)
	{
		Expr	   *arg = copyObject((Expr *) lfirst(lc));

		aggref->aggargtypes = lappend_oid(aggref->aggargtypes, exprType((Node *) arg));
		aggref->args = lappend(aggref->args,
							   makeTargetEntry(arg, list_length(aggref->args) + 1, NULL, false));
	}
	aggref->aggfilter = copyObject(func->aggfilter);
	aggref->aggstar = func->winstar;
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggsplit = AGGSPLIT_SIMPLE;
	aggref->aggno = aggref->aggtransno = -1;
	aggref->location = -1;
	return aggref;
}

/* The groups of windows with these partitions; NULL: there are none. */
static WindowGroups *
groups_of_partition(WindowRewriting *rewriting, const List *partition)
{
	for (int i = 0; i < rewriting->nwindows; i++)
		if (equal(rewriting->windows[i].partition, partition))
			return &rewriting->windows[i];
	return NULL;
}

static WindowGroups *
groups_of_window(WindowRewriting *rewriting, Index winref)
{
	ListCell   *lc;

	foreach(lc, rewriting->query->windowClause)
	{
		const WindowClause *clause = lfirst_node(WindowClause, lc);

		if (clause->winref == winref)
			return groups_of_partition(rewriting, clause->partitionClause);
	}
	return NULL;
}

/* Begin the groups of all windows. */
static bool
begin_all_groups(WindowRewriting *rewriting)
{
	ListCell   *lc;

	foreach(lc, rewriting->query->windowClause)
	{
		const List *partition = lfirst_node(WindowClause, lc)->partitionClause;
		int			n = rewriting->nwindows;

		if (groups_of_partition(rewriting, partition) != NULL)
			continue;
		if (n == MAX_WINDOW_GROUPS ||
			!begin_groups(rewriting->query, partition, 2 + n, &rewriting->windows[n]))
			return false;
		rewriting->nwindows++;
	}
	return true;
}

/* The column of the groups that takes a window function's place. */
static Node *
take_window_function(WindowRewriting *rewriting, const WindowFunc *func)
{
	Aggref	   *aggref = aggregate_of_window(func);
	WindowGroups *window = groups_of_window(rewriting, func->winref);
	TargetEntry *entry;

	if (!func->winagg || window == NULL || !can_be_made_before(aggref))
	{
		rewriting->fails = true;
		return (Node *) func;
	}
	entry = makeTargetEntry((Expr *) aggref, list_length(window->groups->targetList) + 1, "value",
							false);
	window->groups->targetList = lappend(window->groups->targetList, entry);
	return (Node *) makeVar((int) window->rti, entry->resno, func->wintype, -1, func->wincollid, 0);
}

/* The expression with columns of the groups in the places of window functions. */
static Node *
value_mutator(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, WindowFunc))
		return take_window_function(context, (WindowFunc *) node);
	return expression_tree_mutator(node, value_mutator, context);
}

/* Can the groups be joined?  Of windows that no function is over they have no aggregates. */
static bool
groups_are_good(const WindowGroups *window)
{
	Query	   *groups = window->groups;

	return list_length(groups->targetList) > list_length(groups->groupClause) &&
		query_can_be_copied(groups) && join_tree_cannot_fail(groups);
}

/* Let the query join the groups. */
static void
join_groups(Query *query, const WindowGroups *window)
{
	ParseState *state = make_parsestate(NULL);
	RangeTblRef *ref = makeNode(RangeTblRef);

	query->rtable = lappend(query->rtable,
							addRangeTableEntryForSubquery(state, window->groups,
														  makeAlias("partitions", NIL), false,
														  true)->p_rte);
	free_parsestate(state);
	ref->rtindex = (int) window->rti;
	query->jointree->fromlist = lappend(query->jointree->fromlist, ref);
	if (window->equalities != NIL)
		query->jointree->quals = make_and_qual(query->jointree->quals,
											   (Node *) make_ands_explicit(window->equalities));
}

/* Of a copy of the query: it stays as it is if it cannot be rewritten. */
static bool
rewrite(Query *query)
{
	WindowRewriting rewriting = {.query = query};

	if (!begin_all_groups(&rewriting))
		return false;
	query->targetList = (List *) value_mutator((Node *) query->targetList, &rewriting);
	if (rewriting.fails || contain_volatile_functions((Node *) query->targetList) ||
		contain_volatile_functions(query->jointree->quals))
		return false;
	for (int i = 0; i < rewriting.nwindows; i++)
	{
		if (!groups_are_good(&rewriting.windows[i]))
			return false;
		join_groups(query, &rewriting.windows[i]);
	}
	query->windowClause = NIL;
	query->hasWindowFuncs = false;
	return true;
}

bool
group_windows(Query *query, const Surroundings *around)
{
	Query	   *copy;

	/* what is around the query may be evaluated before its own conditions, once it is a join */
	if (around->fail || around->others_fail || (around->nested && !folded_cannot_fail(query->targetList)))
		return false;
	copy = copyObject(query);
	if (!rewrite(copy))
		return false;
	*query = *copy;
	return true;
}
