/*
 * group_source.c
 *	  The rows of a plan that are groups of another node, by columns as engines have them.
 *
 * Nodes know of sources of rows; so this one, which knows of nodes, is told by them.
 */
#include "postgres.h"

#include "source/group_source.h"

static GroupSourceOpen open_source;

void
group_source_init(GroupSourceOpen open)
{
	open_source = open;
}

GroupSource *
group_source_open(PlanState *plan, const Program *program, const Bitmapset *datums)
{
	return open_source(plan, program, datums);
}
