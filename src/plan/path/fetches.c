/*
 * fetches.c
 *	  What index scans within nested loops take that the planner does not count.
 *
 * Where an index is scanned again and again, a page that one scan has read is in memory for the
 * next ones, so the planner divides the pages of all scans by their number (cost_index).  It
 * does so before it knows the loops, and takes their number to be that of all rows of the
 * smallest table that a key comes from.  Where other joins and their conditions leave a few of
 * these, the same scans read nearly as many pages, of which the path's cost has a small part:
 * 413 scans that are taken to be some of 5,000 read 46,000 pages, and not 5,000.  By the
 * planner's own formula it is computed here how many they are.
 *
 * The planner's costs of pages are those of a disk.  In memory all pages cost less, but a page
 * that one scan has read costs the next one as much again.  So where such scans are compared
 * with a path that reads all of a table, pages have the costs of memory on both sides.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "plan/path/cost.h"
#include "plan/path/fetches.h"
#include "plan/path/path_input.h"

Fetches
pages_in_order(double pages, Cost cost)
{
	return (Fetches) {.in_memory = cost * (cost_share_in_memory(pages) - 1)};
}

void
fetches_add(Fetches *sum, Fetches more)
{
	sum->uncounted += more.uncounted;
	sum->in_memory += more.in_memory;
}

Cost
fetches_difference(const Fetches *path, const Fetches *other)
{
	return path->uncounted > 0 || other->uncounted > 0 ? path->in_memory - other->in_memory : 0;
}

/* How many scans of an index the planner has taken the path to be one of. */
static double
scans_counted(const PlannerInfo *root, const Path *path)
{
	Relids		outer = PATH_REQ_OUTER(path);
	double		least = 0;
	int			relid = -1;

	while ((relid = bms_next_member(outer, relid)) >= 0)
	{
		const RelOptInfo *rel = relid < root->simple_rel_array_size ?
			root->simple_rel_array[relid] : NULL;

		if (rel != NULL && rel->rows > 0 && (least == 0 || rel->rows < least))
			least = rel->rows;
	}
	return Max(least, 1);
}

/* The pages that each of so many scans reads, if the rows that it finds lie anywhere. */
static double
pages_per_scan(PlannerInfo *root, const IndexPath *scan, double tuples, double scans)
{
	return index_pages_fetched(tuples * scans, scan->path.parent->pages,
							   (double) scan->indexinfo->pages, root) / scans;
}

/*
 * What a scan's pages cost, as the planner has it.  Its startup cost is the index's, and that of
 * a path that a setting forbids.
 */
static Cost
pages_cost(const IndexPath *scan, double tuples)
{
	const Path *path = &scan->path;
	Cost		in_index = Max(0, scan->indextotalcost - path->startup_cost);

	return path->total_cost - path->startup_cost - in_index -
		tuples * (cpu_tuple_cost + path->parent->baserestrictcost.per_tuple);
}

/*
 * Of so many scans of an index.  Which part of the rows lie anywhere is seen by what the planner
 * counts for them; others lie together, and cost little.
 */
static Fetches
index_fetches(PlannerInfo *root, const IndexPath *scan, double scans)
{
	const RelOptInfo *rel = scan->path.parent;
	double		counted = scans_counted(root, &scan->path);
	double		tuples = clamp_row_est(scan->indexselectivity * rel->tuples);
	double		in_memory = cost_share_in_memory(rel->pages);
	Cost		pages = pages_cost(scan, tuples);
	Cost		anywhere;
	Cost		expected;

	if (scan->path.pathtype == T_IndexOnlyScan || pages <= 0)
		return (Fetches) {0};
	/* of a page, if all rows lie anywhere */
	anywhere = Min(pages / pages_per_scan(root, scan, tuples, counted), random_page_cost);
	expected = anywhere * pages_per_scan(root, scan, tuples, Min(scans, counted));
	if (in_memory < 1)
		in_memory *= anywhere * pages_per_scan(root, scan, tuples, 1);
	else
		in_memory = expected;
	return (Fetches) {
		.uncounted = scans * Max(0, expected - pages),
			.in_memory = scans * (in_memory - pages)
	};
}

/* Of a table's scan, or of its pages that a bitmap names, in their order. */
static Fetches
scan_fetches(const Path *path, double runs)
{
	const RelOptInfo *rel = path->parent;
	Cost		pages = 0;

	if (path->pathtype == T_SeqScan)
		pages = seq_page_cost * rel->pages;
	else if (path->pathtype == T_BitmapHeapScan)
		pages = path->total_cost - path->startup_cost - path->rows *
			(cpu_tuple_cost + rel->baserestrictcost.per_tuple);
	return pages_in_order(rel->pages, runs * Max(0, pages));
}

static Fetches fetches_of_runs(PlannerInfo *root, const Path *path, double runs);

/*
 * Of a join's inputs, of which a nested loop may run the second for each row of the first; for
 * rows that the planner does not expect, at the cost of all.
 */
static Fetches
join_fetches(PlannerInfo *root, const JoinPath *join, double runs)
{
	const Path *outer = join->outerjoinpath;
	const Path *inner = join->innerjoinpath;
	Fetches		sum = fetches_of_runs(root, outer, runs);

	if (IsA(join, NestPath) && PATH_REQ_OUTER(inner) != NULL)
	{
		double		factor = joined_rows_factor(root, outer->parent->relids);
		Cost		more = runs * outer->rows * (factor - 1) * inner->total_cost;

		fetches_add(&sum, (Fetches) {.uncounted = more,.in_memory = more});
		runs *= outer->rows * factor;
	}
	fetches_add(&sum, fetches_of_runs(root, inner, runs));
	return sum;
}

/* Of a path that is run so often. */
static Fetches
fetches_of_runs(PlannerInfo *root, const Path *path, double runs)
{
	for (const Path *below; (below = path_input(path)) != NULL;)
		path = below;
	switch (nodeTag(path))
	{
		case T_IndexPath:
			return index_fetches(root, (const IndexPath *) path, runs);
		case T_NestPath:
		case T_MergePath:
		case T_HashPath:
			return join_fetches(root, (const JoinPath *) path, runs);
		case T_Path:
		case T_BitmapHeapPath:
			return scan_fetches(path, runs);
		default:
			return (Fetches) {0};
	}
}

Fetches
path_fetches(PlannerInfo *root, const Path *path)
{
	return fetches_of_runs(root, path, 1);
}
