/*
 * others.c
 *	  What other extensions have put among the planner's paths.
 *
 * A table's file need not have its rows: an extension can keep them elsewhere, and put a
 * node of its own in the place of the table's scan, by set_rel_pathlist_hook.  So pages are
 * read only of tables that PostgreSQL would scan itself by each path that there is: a table's
 * paths are scans of this table, those of a table that has partitions or children collect
 * scans of exactly these.
 *
 * Likewise an extension can put its own nodes in the place of all that PostgreSQL has for a
 * grouping, by create_upper_paths_hook, and make other groups.  And where PostgreSQL would have
 * a foreign server group, all rows of its table would come here instead of the groups.
 */
#include "postgres.h"

#include "nodes/extensible.h"

#include "plan/path/others.h"
#include "plan/path/path_input.h"

/* The paths of which one collects the rows; NIL: it is another kind of path. */
static List *
paths_collected(const Path *path)
{
	if (IsA(path, AppendPath))
		return ((const AppendPath *) path)->subpaths;
	if (IsA(path, MergeAppendPath))
		return ((const MergeAppendPath *) path)->subpaths;
	return NIL;
}

static bool
is_table_scan(const Path *path)
{
	switch (nodeTag(path))
	{
		case T_Path:
			return path->pathtype == T_SeqScan;
		case T_IndexPath:
		case T_BitmapHeapPath:
		case T_TidPath:
		case T_TidRangePath:
			return true;
		default:
			return false;
	}
}

/* Add the tables that a path scans, by their indexes.  Returns what is no such scan, or NULL. */
static const Path *
add_scanned(const Path *path, Relids *scanned)
{
	const Path *below;
	ListCell   *lc;

	while ((below = path_same_rows(path)) != NULL)
		path = below;
	if (is_table_scan(path))
	{
		*scanned = bms_add_member(*scanned, path->parent->relid);
		return NULL;
	}
	if (paths_collected(path) == NIL)
		return path;
	foreach(lc, paths_collected(path))
	{
		const Path *other = add_scanned(lfirst(lc), scanned);

		if (other != NULL)
			return other;
	}
	return NULL;
}

/* Why one of the paths does not scan these tables, or NULL. */
static const char *
examine_scans(const List *paths, Relids tables)
{
	ListCell   *lc;

	foreach(lc, paths)
	{
		Relids		scanned = NULL;
		const Path *other = add_scanned(lfirst(lc), &scanned);

		if (other != NULL && IsA(other, CustomPath))
			return psprintf("another extension has replaced the scan of a table by custom scan \"%s\"",
							((const CustomPath *) other)->methods->CustomName);
		if (other != NULL || !bms_equal(scanned, tables))
			return "another extension has replaced the scan of a table";
		bms_free(scanned);
	}
	return NULL;
}

static const char *
examine_rel(const RelOptInfo *rel, Relids tables)
{
	const char *reason = examine_scans(rel->pathlist, tables);

	return reason != NULL ? reason : examine_scans(rel->partial_pathlist, tables);
}

const char *
others_scan(const RelOptInfo *rel, const List *leaves)
{
	Relids		tables = NULL;
	ListCell   *lc;

	foreach(lc, leaves)
	{
		const RelOptInfo *leaf = lfirst(lc);
		const char *reason = leaf != rel ? examine_rel(leaf, leaf->relids) : NULL;

		if (reason != NULL)
			return reason;
		tables = bms_add_member(tables, leaf->relid);
	}
	return examine_rel(rel, tables);
}

/* Does a foreign server compute a grouping, or a part of it, above its input? */
static bool
is_pushed_down(const Path *path, const RelOptInfo *input_rel)
{
	ListCell   *lc;

	while (path != NULL && path->parent != input_rel && IS_UPPER_REL(path->parent))
	{
		if (IsA(path, ForeignPath))
			return true;
		foreach(lc, paths_collected(path))
			if (is_pushed_down(lfirst(lc), input_rel))
				return true;
		path = path_input(path);
	}
	return false;
}

static const Path *
cheapest_path(const RelOptInfo *rel)
{
	const Path *cheapest = NULL;
	ListCell   *lc;

	foreach(lc, rel->pathlist)
	{
		const Path *path = lfirst(lc);

		if (cheapest == NULL || path->total_cost < cheapest->total_cost)
			cheapest = path;
	}
	return cheapest;
}

const char *
others_grouping(const RelOptInfo *grouped_rel, const RelOptInfo *input_rel)
{
	const char *name = NULL;
	ListCell   *lc;

	if (is_pushed_down(cheapest_path(grouped_rel), input_rel))
		return "a foreign server computes the grouping";
	foreach(lc, grouped_rel->pathlist)
	{
		const Path *path = lfirst(lc);
		const Path *below;

		while ((below = path_same_rows(path)) != NULL)
			path = below;
		if (!IsA(path, CustomPath))
			return NULL;
		name = ((const CustomPath *) path)->methods->CustomName;
	}
	return name == NULL ? NULL :
		psprintf("another extension has replaced the aggregation by custom scan \"%s\"", name);
}

const char *
others_node(const Path *path, const RelOptInfo *input_rel)
{
	const char *name;
	ListCell   *lc;

	while (path != NULL && path->parent != input_rel)
	{
		if (IsA(path, CustomPath))
			return ((const CustomPath *) path)->methods->CustomName;
		foreach(lc, paths_collected(path))
			if ((name = others_node(lfirst(lc), input_rel)) != NULL)
				return name;
		path = path_input(path);
	}
	return NULL;
}
