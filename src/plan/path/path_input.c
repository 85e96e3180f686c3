/*
 * path_input.c
 *	  What is below a path that has a single input.
 */
#include "postgres.h"

#include "compat.h"
#include "plan/path/path_input.h"

const Path *
path_same_rows(const Path *path)
{
	switch (nodeTag(path))
	{
		case T_ProjectionPath:
			return ((const ProjectionPath *) path)->subpath;
		case T_SortPath:
		case T_IncrementalSortPath:
			return ((const SortPath *) path)->subpath;
		case T_MaterialPath:
			return ((const MaterialPath *) path)->subpath;
		case T_GatherPath:
			return ((const GatherPath *) path)->subpath;
		case T_GatherMergePath:
			return ((const GatherMergePath *) path)->subpath;
		default:
			return NULL;
	}
}

const Path *
path_input(const Path *path)
{
	switch (nodeTag(path))
	{
		case T_AggPath:
			return ((const AggPath *) path)->subpath;
		case T_GroupPath:
			return ((const GroupPath *) path)->subpath;
		case T_GroupingSetsPath:
			return ((const GroupingSetsPath *) path)->subpath;
		case T_WindowAggPath:
			return ((const WindowAggPath *) path)->subpath;
		case COMPAT_UNIQUE_PATH:
			return ((const CompatUniquePath *) path)->subpath;
		default:
			return path_same_rows(path);
	}
}
