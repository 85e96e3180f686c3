/*
 * cost.h
 *	  The planner's cost of a GpuAgg node.
 */
#ifndef GPUAGG_COST_H
#define GPUAGG_COST_H

#include "nodes/pathnodes.h"

#include "engine/engine.h"

/*
 * The part of a join's cost by which look-ups may cost more and be no worse.  They read all rows
 * of the fact, however many of them the joins let pass, where an estimate that is too low makes a
 * join of PostgreSQL's slower.  And a session keeps them.
 */
#define LOOKUPS_TOLERANCE 0.03

/* What a cost is made of; all of it estimates. */
typedef struct CostInput
{
	const EngineOps *engine;
	const Program *program;
	Cost		input_cost;		/* of getting the rows: the child plan's, or
								 * reading the pages */
	double		pages;			/* heap pages; 0: a child plan */
	double		kept;			/* the share of them that the engine has already */
	double		rows;			/* rows read */
	double		rows_sent;		/* of these, tuples that PostgreSQL scans */
	double		rows_passed;	/* rows that pass the program's filter */
	double		row_words;		/* words of a row in the program's lists of rows */
	int			nordered;		/* aggregates that the session makes of these */
	double		groups;
	bool		rows_differ;	/* each row that passes is a group, whose columns are taken */
	double		regrouped;		/* groups that are taken into coarser ones, */
	double		made;			/* and what these are, and those of distinct values */
	Cost		scan_cost;		/* of input_cost, what processes divide */
	Cost		pages_spared;	/* cost_cached_pages_spared, of a child plan */
	int			processes;		/* that aggregate; 1: the leader alone */
	double		divisor;		/* by which they divide work */
	bool		divides_keys;	/* does each read all rows, and take those of its keys? */
} CostInput;

/* Startup cost: all that comes before the first group, where there is one process. */
extern Cost cost_startup(const CostInput *in);

/*
 * The same in parts, where there are several: of each process, up to merged groups,
 * and of the leader behind that.
 */
extern Cost cost_process(const CostInput *in);
extern Cost cost_merged(const CostInput *in);

/* Should several processes divide the keys, and not the rows?  Those of in.divides_keys do. */
extern bool cost_divide_keys(const CostInput *in);

/* What it takes to start workers that no path's cost has in it, PostgreSQL's neither. */
extern Cost cost_workers_start(void);

/*
 * What processes that have partial rows each spare of reading pages in memory, beyond
 * what the costs of their plan and of the leader's alone say.
 */
extern Cost cost_cached_pages_spared(Cost alone, Cost partial, double divisor);

/*
 * What reading a table's pages costs if all are in memory that fit, of what it costs to read them
 * from a disk.
 */
extern double cost_share_in_memory(double pages);

/*
 * What reading a table's pages costs that the same plan has just read, of what it costs to read
 * them from a disk.
 */
extern double cost_share_read_again(double pages);

/*
 * What groups and lists of values cost the CPU beyond that, which PostgreSQL's costs of
 * its own groups do not count either: by this two ways of an engine are compared.
 */
extern Cost cost_beyond(const CostInput *in);

/*
 * Do several processes take less time than the leader alone, by these costs?  The leader's
 * rows may come from workers, too.
 */
extern bool cost_workers_pay(const CostInput *in, Cost alone, Cost together, bool workers_find);

/* The least that a run of this engine can cost, however small its input. */
extern Cost cost_setup(const EngineOps *engine);

/*
 * Does the device memory that settings allow hold the groups that are expected, and lists of
 * the values of so many rows if the Program has any?  If not, reason says why.
 */
extern bool device_holds_groups(const EngineOps *engine, const Program *program, double rows,
								double groups, char *reason, size_t len);

#endif							/* GPUAGG_COST_H */
