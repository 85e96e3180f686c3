/*
 * activity.h
 *	  What runs of the CPU engine are doing, for all to see.
 *
 * Runs of a device are known to the device process.  Those of the CPU engine are told of
 * in shared memory, one a process: the one that has begun last.  That needs the module in
 * shared_preload_libraries; without it the functions do nothing.
 */
#ifndef GPUAGG_ACTIVITY_H
#define GPUAGG_ACTIVITY_H

typedef struct Activity
{
	int			pid;
	Oid			database;
	Oid			role;
	bool		finishing;		/* all input is in */
	uint64		pages;			/* given to the engine, of those expected; 0, 0: none */
	uint64		total_pages;
	uint64		rows;			/* likewise */
	char		relation[NAMEDATALEN];	/* empty: no one table */
} Activity;

/* A run that this process tells of. */
typedef struct ActivityRun ActivityRun;

/* Called once, when the module is loaded. */
extern void activity_init(void);

/*
 * A run begins.  It ends with activity_end, or when the current context is reset.  relation: NULL
 * if it reads no one table.  Returns NULL if nothing is told.
 */
extern ActivityRun *activity_begin(const char *relation, double total_pages);
extern void activity_end(ActivityRun *run);

/* Of this process's run: so many pages more, so many rows in all; all input is in. */
extern void activity_read(int pages, uint64 rows);
extern void activity_finishing(void);

/* All runs, palloc'd; returns their number. */
extern int	activity_fetch(Activity **activities);

#endif							/* GPUAGG_ACTIVITY_H */
