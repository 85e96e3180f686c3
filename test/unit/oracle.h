/*
 * oracle.h
 *	  The groups of a Program over rows, computed the plainest way.
 *
 * Rows are a ColumnBatch in memory, in which all zeros of a float key have the
 * same sign; each is evaluated by itself, and groups are
 * found by a sorted list.  Groups of engines are collected in the same form, so
 * that two results can be compared.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include "engine/engine.h"

/* Groups in the order of their keys' bytes. */
typedef struct Groups
{
	int			nwords;			/* of the Program; float_state.h */
	size_t		ngroups;
	size_t		room;
	struct GroupRow *rows;
	EngineStatus status;		/* of the run that made them */
	ExactLevel	level;			/* and of its float sums */
	char		message[256];
	EngineStats stats;
} Groups;

/* What the groups of all rows of a batch are. */
extern Groups *oracle_groups(const Program *program, const ParamValue *params,
							 const ColumnBatch *batch);

/*
 * Run an engine, with wider float sums where it asks for that, over a batch, cut
 * into batches of `step` rows; or over pages, and for each row that it leaves out
 * over one whose columns are NULL, or zero.
 */
extern Groups *engine_groups_of_batch(const EngineOps *engine, const Program *program,
									  const ParamValue *params, const EngineHints *hints,
									  const ColumnBatch *batch, uint32_t step);
extern Groups *engine_groups_of_pages(const EngineOps *engine, const Program *program,
									  const ParamValue *params, const EngineHints *hints,
									  const PageRef *pages, int npages);

/* How a run gets its pages. */
typedef struct PageFeed
{
	const PageRef *pages;
	int			npages;
	int			at_once;		/* pages of a call */
	void		(*lose) (const PageRef *page);	/* when one is released, or NULL; then
												 * there are no float sums */
} PageFeed;

/*
 * The LSNs that a run with EngineHints.answers asks for, request->n of them; false: there is no
 * answer, and the run is closed.
 */
extern bool (*oracle_lsns) (const EngineRequest *request, uint64_t *lsns);

extern Groups *engine_groups_of_feed(const EngineOps *engine, const Program *program,
									 const ParamValue *params, const EngineHints *hints,
									 const PageFeed *feed);

/*
 * Are they the same?  Float sums to the last bit.  If not, says what differs on a line of TAP's comments.
 */
extern bool groups_same(const Program *program, const Groups *a, const Groups *b);
extern void groups_free(Groups *groups);

#endif							/* ORACLE_H */
