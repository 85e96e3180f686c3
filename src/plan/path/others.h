/*
 * others.h
 *	  What other extensions have put among the planner's paths.
 */
#ifndef GPUAGG_OTHERS_H
#define GPUAGG_OTHERS_H

#include "nodes/pathnodes.h"

/*
 * Why the rows of a relation are not those that are in its leaves, the RelOptInfos of
 * the tables that it stands for: a phrase, or NULL.
 */
extern const char *others_scan(const RelOptInfo *rel, const List *leaves);

/* Why a grouping is not PostgreSQL's own, or not computed here: a phrase, or NULL. */
extern const char *others_grouping(const RelOptInfo *grouped_rel, const RelOptInfo *input_rel);

/*
 * The name of the first custom node of another extension in a path that computes a
 * grouping, above its input, or NULL.
 */
extern const char *others_node(const Path *path, const RelOptInfo *input_rel);

#endif							/* GPUAGG_OTHERS_H */
