/*
 * compat.c
 *	  What differs between PostgreSQL 15 and 19 by more than a name.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "executor/executor.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "partitioning/partprune.h"
#include "rewrite/rewriteManip.h"
#include "storage/fd.h"
#include "storage/smgr.h"
#include "tcop/tcopprot.h"
#include "utils/datetime.h"
#include "utils/rel.h"
#include "utils/spccache.h"
#include "utils/wait_event.h"

/*
 * The header includes ICU's in 15 to 18, which need not be installed, for a
 * member of locales that is behind the one read here.
 */
#undef USE_ICU
#include "utils/pg_locale.h"

#include "compat.h"

/*
 * Which attributes of one table are those of the other, by name; an error if it
 * has one of them not.
 *
 * 16: that can be let pass.
 */
AttrMap *
compat_attribute_map(TupleDesc from, TupleDesc to)
{
#if PG_VERSION_NUM >= 160000
	return build_attrmap_by_name(from, to, false);
#else
	return build_attrmap_by_name(from, to);
#endif
}

/*
 * Begin a sequential scan.
 *
 * 19: scans take hints.
 */
TableScanDesc
compat_begin_scan(Relation relation, Snapshot snapshot)
{
#if PG_VERSION_NUM >= 190000
	return table_beginscan(relation, snapshot, 0, NULL, SO_NONE);
#else
	return table_beginscan(relation, snapshot, 0, NULL);
#endif
}

/*
 * Is the order of texts in this collation that of their bytes?
 *
 * 18: a member of the locale says so.
 */
bool
compat_collates_as_c(Oid collation)
{
#if PG_VERSION_NUM >= 180000
	return pg_newlocale_from_collation(collation)->collate_is_c;
#else
	return lc_collate_is_c(collation);
#endif
}

/* Are the letters' cases in this collation those of ASCII, for all bytes?  18: as above. */
bool
compat_ctype_is_c(Oid collation)
{
#if PG_VERSION_NUM >= 180000
	return pg_newlocale_from_collation(collation)->ctype_is_c;
#else
	return lc_ctype_is_c(collation);
#endif
}

/*
 * The type of a time zone's abbreviation, as datetime.h counts them.
 *
 * 16: the type is another result, beside an error's number.
 */
int
compat_decode_zone_abbreviation(char *lower_name, int *offset, pg_tz **zone)
{
#if PG_VERSION_NUM >= 160000
	DateTimeErrorExtra extra;
	int			type;

	if (DecodeTimezoneAbbrev(0, lower_name, &type, offset, zone, &extra) != 0)
		return DYNTZ;			/* one whose zone cannot be found */
	return type;
#else
	return DecodeTimezoneAbbrev(0, lower_name, offset, zone);
#endif
}

/*
 * Can EXPLAIN show these expressions as what a custom scan's tuples are made of?
 *
 * 18: of a window function the window's name is shown, which is looked for in the
 * WindowAgg node that computes the function.
 */
bool
compat_explains(const List *exprs)
{
#if PG_VERSION_NUM >= 180000
	return !contain_window_function((Node *) exprs);
#else
	return true;
#endif
}

/*
 * A key of GROUP BY as the grouping step's input has it.
 *
 * 18: where there are grouping sets, that some leave a key out is marked in the
 * step's output, for what no row changes by a placeholder around it.
 */
Node *
compat_input_key(PlannerInfo *root, Node *key)
{
#if PG_VERSION_NUM >= 180000
	if (root->parse->groupingSets == NIL || root->group_rtindex == 0)
		return key;
	key = remove_nulling_relids(key, bms_make_singleton(root->group_rtindex), NULL);
	if (IsA(key, PlaceHolderVar) && ((PlaceHolderVar *) key)->phnullingrels == NULL &&
		!contain_var_clause((Node *) ((PlaceHolderVar *) key)->phexpr))
		return (Node *) ((PlaceHolderVar *) key)->phexpr;
#endif
	return key;
}

/*
 * Can the system be told of blocks that a scan of the relation is going to read, and does it read
 * them into memory of its own?
 *
 * 17: of several at once.
 */
bool
compat_reads_ahead(Relation relation)
{
#if PG_VERSION_NUM >= 170000 && defined(USE_PREFETCH)
	return !RelationUsesLocalBuffers(relation) && (io_direct_flags & IO_DIRECT_DATA) == 0 &&
		get_tablespace_io_concurrency(relation->rd_rel->reltablespace) > 0;
#else
	(void) relation;
	return false;
#endif
}

/* Tell the system that so many blocks are read soon. */
void
compat_read_ahead(Relation relation, BlockNumber block, int nblocks)
{
#if PG_VERSION_NUM >= 170000 && defined(USE_PREFETCH)
	(void) smgrprefetch(RelationGetSmgr(relation), MAIN_FORKNUM, block, nblocks);
#else
	(void) relation;
	(void) block;
	(void) nblocks;
#endif
}

/*
 * Prune a page if that is worth while.
 *
 * 19: pruning can set the page's bit in the visibility map, of which it keeps a
 * buffer pinned.  It does so where the query is known not to change the table,
 * which is not looked at here.
 */
void
compat_prune_page(Relation relation, Buffer buffer, Buffer *vmbuffer)
{
#if PG_VERSION_NUM >= 190000
	heap_page_prune_opt(relation, buffer, vmbuffer, false);
#else
	heap_page_prune_opt(relation, buffer);
#endif
}

/*
 * Would Append, over these paths of a partitioned table, choose among them when
 * it runs?
 *
 * 18: what makes the information for it also keeps it, for a plan node that
 * refers to it by its number.  Of none does one refer to this, so it goes again.
 */
bool
compat_prunes_at_run_time(PlannerInfo *root, RelOptInfo *rel, List *paths, List *clauses)
{
#if PG_VERSION_NUM >= 180000
	bool		prunes = make_partition_pruneinfo(root, rel, paths, clauses) >= 0;

	if (prunes)
		root->partPruneInfos = list_delete_last(root->partPruneInfos);
	return prunes;
#else
	return make_partition_pruneinfo(root, rel, paths, clauses) != NULL;
#endif
}

/*
 * The equalities, of equivalence classes, that are evaluated where a relation is joined.
 *
 * 16: an outer join can make what is equal NULL.
 */
List *
compat_join_implied_equalities(PlannerInfo *root, Relids join_relids, Relids outer_relids,
							   RelOptInfo *inner_rel, SpecialJoinInfo *sjinfo)
{
#if PG_VERSION_NUM >= 160000
	return generate_join_implied_equalities(root, join_relids, outer_relids, inner_rel, sjinfo);
#else
	return generate_join_implied_equalities(root, join_relids, outer_relids, inner_rel);
#endif
}

/*
 * The base relations of what a node depends on.
 *
 * 16: outer joins that can make it NULL are among them.
 */
Relids
compat_without_outer_joins(const PlannerInfo *root, Relids relids)
{
#if PG_VERSION_NUM >= 160000
	return bms_difference(relids, root->outer_join_rels);
#else
	return relids;
#endif
}

/*
 * An expression as it is below all outer joins.
 *
 * 16: columns say which outer joins can have made them NULL.
 */
Node *
compat_below_outer_joins(const PlannerInfo *root, Node *node)
{
#if PG_VERSION_NUM >= 160000
	return remove_nulling_relids(node, root->outer_join_rels, NULL);
#else
	return node;
#endif
}

/*
 * May the user execute the plan, as for its tables?  raise: if not, it is an error.
 *
 * 16: what is asked for is no longer part of the range table.
 */
bool
compat_check_permissions(const PlannedStmt *plan, bool raise)
{
#if PG_VERSION_NUM >= 160000
	return ExecCheckPermissions(plan->rtable, plan->permInfos, raise);
#else
	return ExecCheckRTPerms(plan->rtable, raise);
#endif
}

/*
 * Let columns of a relation, in an expression of a query that has not been planned, be those that
 * an outer join can make NULL.
 *
 * 16: a column tells which ones can.
 */
#if PG_VERSION_NUM >= 160000
void
compat_set_nulled(Node *expr, Index rti, Index join)
{
	ListCell   *lc;

	/* the expression's own columns, no copies */
	foreach(lc, pull_vars_of_level(expr, 0))
	{
		Var		   *var = lfirst(lc);

		if (IsA(var, Var) && (Index) var->varno == rti)
			var->varnullingrels = bms_add_member(var->varnullingrels, (int) join);
	}
}
#else
void
compat_set_nulled(Node *expr, Index rti, Index join)
{
}
#endif

/*
 * The expression, with columns as they are below an outer join.
 *
 * 16: a column tells which outer joins can make it NULL.
 */
Node *
compat_not_nulled(Node *expr, Index join)
{
#if PG_VERSION_NUM >= 160000
	return remove_nulling_relids(expr, bms_make_singleton((int) join), NULL);
#else
	return expr;
#endif
}

/*
 * Let a query that has not been planned name its groups' keys themselves.
 *
 * 18: they are columns of a relation of their own.
 */
void
compat_flatten_groups(Query *query)
{
#if PG_VERSION_NUM >= 180000
	ListCell   *lc;

	if (!query->hasGroupRTE)
		return;
	query->targetList = (List *) flatten_group_exprs(NULL, query, (Node *) query->targetList);
	query->havingQual = flatten_group_exprs(NULL, query, query->havingQual);
	query->hasGroupRTE = false;
	/* where the query is pulled up, its relations must not be taken for the groups of that query */
	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst(lc);

		if (rte->rtekind != RTE_GROUP)
			continue;
		rte->rtekind = RTE_RESULT;
		rte->groupexprs = NIL;
	}
#endif
}

/*
 * Append a copy of a query's relation to the range table of another one.
 *
 * 16: what a user must be allowed to do with it is in a list of its own.
 */
void
compat_copy_relation(Query *to, const Query *from, Index rti)
{
	RangeTblEntry *rte = copyObject(rt_fetch(rti, from->rtable));

	to->rtable = lappend(to->rtable, rte);
	to->hasRowSecurity |= from->hasRowSecurity;
	ChangeVarNodes((Node *) rte->securityQuals, (int) rti, list_length(to->rtable), 0);
#if PG_VERSION_NUM >= 160000
	if (rte->perminfoindex == 0)
		return;
	to->rteperminfos = lappend(to->rteperminfos,
							   copyObject(getRTEPermissionInfo(from->rteperminfos, rte)));
	rte->perminfoindex = list_length(to->rteperminfos);
#endif
}

/*
 * Let the query have no relations.
 *
 * 16: nor what a user must be allowed to do with them.
 */
void
compat_clear_relations(Query *query)
{
	query->rtable = NIL;
#if PG_VERSION_NUM >= 160000
	query->rteperminfos = NIL;
#endif
}

/*
 * Has the table columns that are computed when they are read?
 *
 * 18: there are such.
 */
bool
compat_has_virtual_columns(Oid relid)
{
#if PG_VERSION_NUM >= 180000
	Relation	relation = relation_open(relid, NoLock);
	const TupleConstr *constr = RelationGetDescr(relation)->constr;
	bool		result = constr != NULL && constr->has_generated_virtual;

	relation_close(relation, NoLock);
	return result;
#else
	return false;
#endif
}

/*
 * The wait event of this name.
 *
 * 17: extensions have wait events of their own.  A server has 128 of them, and
 * asking for one more is an error; some are left to others.
 */
uint32
compat_wait_event(const char *name)
{
#if PG_VERSION_NUM >= 170000
	int			n;

	GetWaitEventCustomNames(PG_WAIT_EXTENSION, &n);
	if (n < 96)
		return WaitEventExtensionNew(name);
#endif
	return PG_WAIT_EXTENSION;
}

/*
 * Plan a query for any values of its parameters.
 *
 * 19: EXPLAIN's state is one more argument.
 */
PlannedStmt *
compat_plan_query(Query *query, const char *query_string)
{
#if PG_VERSION_NUM >= 190000
	return pg_plan_query(query, query_string, CURSOR_OPT_PARALLEL_OK, NULL, NULL);
#else
	return pg_plan_query(query, query_string, CURSOR_OPT_PARALLEL_OK, NULL);
#endif
}
