/*
 * rivals.h
 *	  Which of PostgreSQL's own paths for a step remain beside a GpuAgg path.
 */
#ifndef GPUAGG_RIVALS_H
#define GPUAGG_RIVALS_H

#include "nodes/pathnodes.h"

#include "plan/path/fetches.h"
#include "plan/path/report.h"

typedef struct RivalsInput
{
	PlannerInfo *root;
	UpperRelationKind stage;
	Path	   *path;			/* that has a GpuAgg node */
	bool		finds_groups;	/* has keys */
	bool		is_divided;		/* workers aggregate */
	bool		looks_up;		/* a session keeps a part of its work */
	Cost		setup;			/* what its engine's run costs of any rows */
	Cost		workers_start;	/* what plans with workers take longer than their
								 * cost says, beside this path */
	Fetches		fetches;		/* what is read below the path */
	Cost		calls;			/* what plans of one process take longer to call functions than
								 * their cost says, beside this path */
} RivalsInput;

/*
 * Remove PostgreSQL's paths for the step that are no better, though add_path would prefer
 * one.  Returns what becomes of the step if the path is not in the plan; *is_offered: it had
 * better be added.
 */
extern GroupingFate rivals_remove(const RivalsInput *in, RelOptInfo *grouped_rel,
								  bool *is_offered);

#endif							/* GPUAGG_RIVALS_H */
