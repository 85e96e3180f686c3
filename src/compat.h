/*
 * compat.h
 *	  What differs between PostgreSQL 15 and 19.
 *
 * The source is written in the terms of the newest version.  What older ones
 * call otherwise is defined here in their terms; what takes more than another
 * name is a function of compat.c.  Each entry names the version that it came
 * with.
 */
#ifndef GPUAGG_COMPAT_H
#define GPUAGG_COMPAT_H

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 200000
#error "gpuagg is written for PostgreSQL 15 to 19"
#endif

#include "access/attmap.h"
#include "access/relscan.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
#include "pgtime.h"
#include "storage/buf.h"
#include "utils/snapshot.h"

/* 16: macros of varlena values have a header of their own */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 16: a relation's file is named by a locator, no longer by a node */
#if PG_VERSION_NUM < 160000
#define rd_locator rd_node
#define rd_newRelfilelocatorSubid rd_newRelfilenodeSubid
#define rd_firstRelfilelocatorSubid rd_firstRelfilenodeSubid
#define COMPAT_FILE(locator) {(locator).spcNode, (locator).dbNode, (locator).relNode}
#else
#define COMPAT_FILE(locator) {(locator).spcOid, (locator).dbOid, (locator).relNumber}
#endif

/* 18: there is another reverse(), of bytes, and so the name of this one has its argument */
#if PG_VERSION_NUM < 180000
#define F_REVERSE_TEXT F_REVERSE
#endif

/* 16: keys that are the same in all rows, or equal to others, are left out of plans */
#if PG_VERSION_NUM >= 160000
#define compat_group_clause(root) ((root)->processed_groupClause)
#define compat_distinct_clause(root) ((root)->processed_distinctClause)
#else
#define compat_group_clause(root) ((root)->parse->groupClause)
#define compat_distinct_clause(root) ((root)->parse->distinctClause)
#endif

/* 16: the input of an aggregate may be sorted for its DISTINCT or ORDER BY */
#if PG_VERSION_NUM >= 160000
#define compat_is_presorted(aggref) ((aggref)->aggpresorted)
#else
#define compat_is_presorted(aggref) ((void) (aggref), false)
#endif

/*
 * 16: an outer join is a member of the relids of what it has joined.  Of clauses of outer joins
 * that commute there is one for each order; relids: of a join's two sides.
 */
#if PG_VERSION_NUM >= 160000
#define compat_add_outer_join(relids, sjinfo) \
	((sjinfo)->ojrelid != 0 ? bms_add_member(relids, (sjinfo)->ojrelid) : (relids))
#define compat_is_incompatible(rinfo, relids) bms_overlap((rinfo)->incompatible_relids, relids)
#else
#define compat_add_outer_join(relids, sjinfo) (relids)
#define compat_is_incompatible(rinfo, relids) ((void) (relids), false)
#endif

/* 16: a column tells which outer joins can make it NULL */
#if PG_VERSION_NUM >= 160000
#define compat_can_be_nulled(var) ((var)->varnullingrels != NULL)
#else
#define compat_can_be_nulled(var) ((void) (var), false)
#endif

/* 16: what is written to a file is const */
#if PG_VERSION_NUM >= 160000
#define compat_file_write(file, bytes, size, offset, event) FileWrite(file, bytes, size, offset, event)
#else
#define compat_file_write(file, bytes, size, offset, event) \
	FileWrite(file, unconstify(char *, bytes), size, offset, event)
#endif

/* 16: width_bucket of floats divides before it multiplies */
#define compat_buckets_divide_first (PG_VERSION_NUM >= 160000)

/* 17: snapshots no longer become too old */
#if PG_VERSION_NUM >= 170000
#define TestForOldSnapshot(snapshot, relation, page) ((void) 0)
#define compat_snapshots_become_too_old() false
#else
#define compat_snapshots_become_too_old() (old_snapshot_threshold >= 0)
#endif

/* 17: sets of events to wait for belong to a resource owner, or to the process */
#if PG_VERSION_NUM >= 170000
#define compat_create_wait_set(n) CreateWaitEventSet(NULL, n)
#else
#define compat_create_wait_set(n) CreateWaitEventSet(TopMemoryContext, n)
#endif

/* 17: a query of a set operation may be asked for rows in order */
#if PG_VERSION_NUM >= 170000
#define compat_setop_pathkeys(root) ((root)->setop_pathkeys)
#else
#define compat_setop_pathkeys(root) NIL
#endif

/* 17: what lets a WindowAgg end early belongs to its functions, and to its path */
#if PG_VERSION_NUM >= 170000
#define compat_run_condition(path) ((path)->runCondition)
#else
#define compat_run_condition(path) ((path)->winclause->runCondition)
#endif

/* 17: intervals can be infinite */
#if PG_VERSION_NUM < 170000
#define INTERVAL_NOT_FINITE(interval) false
#endif

/* 18: EXPLAIN's state and its output functions have headers of their own */
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#define compat_rtable_size(es) ((es)->rtable_size)
#else
#include "commands/explain.h"
#define compat_rtable_size(es) list_length((es)->rtable)
#endif

/* 18: nodes that enable_* settings forbid are counted, no longer made dear */
#if PG_VERSION_NUM >= 180000
#define compat_disabled_nodes(path) ((path)->disabled_nodes)
#define compat_set_disabled_nodes(path, n) ((path)->disabled_nodes = (n))
#else
#define compat_disabled_nodes(path) 0
#define compat_set_disabled_nodes(path, n) ((void) (n))
#endif

/* 18: a query that has been started is run once */
#if PG_VERSION_NUM >= 180000
#define compat_run_query(query) ExecutorRun(query, ForwardScanDirection, 0)
#else
#define compat_run_query(query) ExecutorRun(query, ForwardScanDirection, 0, true)
#endif

/* 17: what MERGE joins by is no condition of the join tree */
#if PG_VERSION_NUM >= 170000
#define compat_merge_condition(query) ((query)->mergeJoinCondition)
#else
#define compat_merge_condition(query) NULL
#endif

/* 18: a NOT NULL constraint need not be valid */
#if PG_VERSION_NUM >= 180000
#define compat_is_not_null(desc, i) \
	(TupleDescCompactAttr(desc, i)->attnullability == ATTNULLABLE_VALID)
#else
#define compat_is_not_null(desc, i) (TupleDescAttr(desc, i)->attnotnull)
#endif

/* 19: an option of EXPLAIN, which 18 has brought, may stand in a setting, too */
#if PG_VERSION_NUM >= 190000
#define COMPAT_REGISTER_EXPLAIN_OPTION(name, handler) \
	RegisterExtensionExplainOption(name, handler, GUCCheckBooleanExplainOption)
#elif PG_VERSION_NUM >= 180000
#define COMPAT_REGISTER_EXPLAIN_OPTION(name, handler) \
	RegisterExtensionExplainOption(name, handler)
#endif

/* 19: what is fetched of statistics may be the caller's to free, if he asks */
#if PG_VERSION_NUM >= 190000
#define compat_fetch_stats(kind, database, object) \
	pgstat_fetch_entry(kind, database, object, NULL)
#elif PG_VERSION_NUM >= 180000
#define compat_fetch_stats(kind, database, object) \
	pgstat_fetch_entry(kind, database, object)
#endif

/* 19: commands that need a database for themselves can end its background workers */
#if PG_VERSION_NUM < 190000
#define BGWORKER_INTERRUPTIBLE 0
#endif

/* 19: means of equal values are exact, and regressions do not overflow on their way */
#define compat_guarded_moments (PG_VERSION_NUM >= 190000)

/* 19: the path of Material says whether enable_material is on */
#if PG_VERSION_NUM >= 190000
#define compat_material_path(subpath) ((Path *) create_material_path((subpath)->parent, subpath, true))
#else
#define compat_material_path(subpath) ((Path *) create_material_path((subpath)->parent, subpath))
#endif

/* 19: the kinds of paths that Append has are in a structure */
#if PG_VERSION_NUM >= 190000
#define compat_append_path(root, rel, subpaths_) \
	((Path *) create_append_path(root, rel, (AppendPathInput) {.subpaths = (subpaths_)}, NIL, NULL, \
								 0, false, -1))
#else
#define compat_append_path(root, rel, subpaths_) \
	((Path *) create_append_path(root, rel, subpaths_, NIL, NIL, NULL, 0, false, -1))
#endif

/* 19: the path of Unique has the node's name */
#if PG_VERSION_NUM >= 190000
#define CompatUniquePath UniquePath
#define COMPAT_UNIQUE_PATH T_UniquePath
#else
#define CompatUniquePath UpperUniquePath
#define COMPAT_UNIQUE_PATH T_UpperUniquePath
#endif

/* 19: the planner's hook is given EXPLAIN's state; it is the last argument */
#if PG_VERSION_NUM >= 190000
#define COMPAT_PLANNER_PARAMS(params) ParamListInfo params, ExplainState *explain
#define COMPAT_PLANNER_ARGS(params) params, explain
#define COMPAT_PLANNER_MEMBERS(params) ParamListInfo params; ExplainState *explain
#define COMPAT_PLANNER_MEMBER_ARGS(in) (in)->params, (in)->explain
#else
#define COMPAT_PLANNER_PARAMS(params) ParamListInfo params
#define COMPAT_PLANNER_ARGS(params) params
#define COMPAT_PLANNER_MEMBERS(params) ParamListInfo params
#define COMPAT_PLANNER_MEMBER_ARGS(in) (in)->params
#endif

extern AttrMap *compat_attribute_map(TupleDesc from, TupleDesc to);
extern TableScanDesc compat_begin_scan(Relation relation, Snapshot snapshot);
extern bool compat_collates_as_c(Oid collation);
extern bool compat_ctype_is_c(Oid collation);
extern bool compat_check_permissions(const PlannedStmt *plan, bool raise);
extern int	compat_decode_zone_abbreviation(char *lower_name, int *offset, pg_tz **zone);
extern void compat_set_nulled(Node *expr, Index rti, Index join);
extern Node *compat_not_nulled(Node *expr, Index join);
extern void compat_flatten_groups(Query *query);
extern void compat_copy_relation(Query *to, const Query *from, Index rti);
extern void compat_clear_relations(Query *query);
extern bool compat_has_virtual_columns(Oid relid);
extern PlannedStmt *compat_plan_query(Query *query, const char *query_string);
extern bool compat_reads_ahead(Relation relation);
extern void compat_read_ahead(Relation relation, BlockNumber block, int nblocks);
extern void compat_prune_page(Relation relation, Buffer buffer, Buffer *vmbuffer);
extern bool compat_explains(const List *exprs);
extern Node *compat_input_key(PlannerInfo *root, Node *key);
extern Relids compat_without_outer_joins(const PlannerInfo *root, Relids relids);
extern Node *compat_below_outer_joins(const PlannerInfo *root, Node *node);
extern List *compat_join_implied_equalities(PlannerInfo *root, Relids join_relids,
											Relids outer_relids, RelOptInfo *inner_rel,
											SpecialJoinInfo *sjinfo);
extern bool compat_prunes_at_run_time(PlannerInfo *root, RelOptInfo *rel, List *paths,
									  List *clauses);
extern uint32 compat_wait_event(const char *name);

#endif							/* GPUAGG_COMPAT_H */
