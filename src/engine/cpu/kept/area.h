/*
 * area.h
 *	  Columns of tables in memory that all of a server's processes share.
 *
 * What is kept of a stripe (stripe.h) is the rows of those of its blocks that were all-visible
 * at one moment, of which the stamp tells: for each column an array of values, as narrow as the
 * stripe's values allow (encode.h), or its texts (encode_texts.h), a bitmap of those that are not
 * NULL, and a list of the rows whose values are compressed or out of line.
 *
 * The area is pages of one size, which are in lists: of free ones, or of one array.  A stripe's
 * description takes a page.  Stripes are found by a hash table, columns' entries by a table in
 * which an entry has some places only.
 *
 * One lock is over all of this, taken by a function of the caller's, for some instructions at a
 * time.  Only what stands in arrays is read without it, of stripes that are pinned: their pages
 * do not go, and do not change.  Locks and pins are had within one call of an engine, which no
 * error leaves: so a process that ends as PostgreSQL lets it leaves none.  After a process that
 * died in the middle, PostgreSQL makes all of the server's shared memory anew.
 *
 * Functions are called with the lock held, but for those that say otherwise.
 */
#ifndef GPUAGG_CPU_KEPT_AREA_H
#define GPUAGG_CPU_KEPT_AREA_H

#include "engine/kept_key.h"
#include "engine/stripe.h"

#define CPU_KEPT_PAGE 16384		/* bytes: a batch's values fit at least */
#define CPU_KEPT_COLUMNS 2048	/* entries */
#define CPU_KEPT_PLACES 80		/* columns of a stripe */

/* A column of a file; compared as bytes. */
typedef struct CpuKeptName
{
	uint32_t	file[3];		/* as in TableState */
	uint32_t	none;			/* 0 */
	KeptKey		key;
} CpuKeptName;

/* What is kept of a column, and what runs have had of it. */
typedef struct CpuKeptColumn
{
	CpuKeptName name;			/* zeros: the entry is free */
	uint32_t	relation;
	uint32_t	stripes;		/* that have it; 0: another column may take the entry */
	double		heat;			/* at that time */
	int64_t		heat_at;		/* seconds since 1970, as all times here */
	int64_t		last_used;
	uint64_t	hits;			/* stripes that runs have taken */
	uint64_t	rows;
	uint64_t	blocks;
	uint64_t	pages;			/* of the area */
	uint64_t	plain_bytes;	/* of its values and NULLs as batches have them */
} CpuKeptColumn;

/* Where a stripe has a column, and how. */
typedef struct CpuKeptPlace
{
	uint32_t	column;			/* number of the entry */
	uint32_t	values;			/* first page; 0: there are none */
	uint32_t	validity;		/* likewise; 0: no row is NULL */
	uint32_t	texts;			/* likewise: TEXT only */
	uint32_t	left;			/* likewise: of CpuKeptLeft */
	uint32_t	npages;			/* of all of these */
	uint32_t	nnulls;			/* rows */
	uint32_t	nleft;			/* rows whose values are not here */
	uint32_t	ntexts;			/* TEXT: */
	uint32_t	text_bytes;		/* of all rows */
	uint8_t		width;			/* bytes a value; 0: all are the least one, or code 0 */
	bool		plain;			/* they are values, else numbers that the least one is added to */
	bool		coded;			/* TEXT: they are codes of the texts, that of NULL is ntexts; else
								 * there are none, and the texts are the rows' */
	bool		has_range;		/* they are integers, and not all are NULL: */
	int64_t		least;
	int64_t		most;
} CpuKeptPlace;

/* A row whose value is compressed or out of line: its number in the stripe, and its tuple. */
typedef struct CpuKeptLeft
{
	uint32_t	row;
	uint16_t	block;			/* in the stripe */
	uint16_t	line;			/* line pointer, from 1 */
} CpuKeptLeft;

typedef struct CpuKeptStripe
{
	uint32_t	file[3];
	uint32_t	number;
	uint32_t	next;			/* in its bucket */
	uint32_t	pins;
	bool		replaced;		/* no bucket has it: its pages go with the last pin */
	StripeMap	map;			/* the stamp */
	uint8_t		has[STRIPE_MAX_BLOCKS / 8]; /* a bit a block: does the stamp hold for its rows? */
	uint32_t	nblocks;		/* such blocks */
	uint32_t	nlost;			/* others, whose rows are still there */
	uint32_t	nmissed;		/* all-visible blocks that runs have had to read, since */
	uint32_t	nrows;
	uint16_t	rows[STRIPE_MAX_BLOCKS];	/* of each block */
	uint64_t	lsns[STRIPE_MAX_BLOCKS];	/* its page's, at the stamp's moment; 0: not known */
	uint32_t	nplaces;
	CpuKeptPlace places[CPU_KEPT_PLACES];
} CpuKeptStripe;

typedef struct CpuKeptArea
{
	uint32_t	npages;			/* numbered from 1 */
	uint32_t	nfree;
	uint32_t	free;			/* the first one; 0: there are none */
	uint32_t	nbuckets;		/* a power of two */
	uint32_t	hand;			/* the bucket whose stripes are the next to give way */
	size_t		pages;			/* bytes from here to page 1 */
	CpuKeptColumn columns[CPU_KEPT_COLUMNS];
	uint32_t	lists[];		/* first stripes of buckets; then for each page the next one of
								 * its list */
} CpuKeptArea;

/* The area of this process's server, and its lock. */
typedef struct CpuKeptHost
{
	CpuKeptArea *area;
	void		(*lock) (void);
	void		(*unlock) (void);

	/* Evict what is of files that are gone.  Without the lock. */
	void		(*evict_gone) (void);
} CpuKeptHost;

/* NULL: no columns are kept.  The host stays the caller's. */
extern const CpuKeptHost *cpu_kept_host;

/* Make the area, in zeroed memory of that size; false: it is too small.  Without the lock. */
extern bool cpu_kept_create(CpuKeptArea *area, size_t size);

static inline char *
cpu_kept_page(CpuKeptArea *area, uint32_t page)
{
	return (char *) area + area->pages + (size_t) (page - 1) * CPU_KEPT_PAGE;
}

/* The page behind this one in its list; 0: it is the last.  Of a pinned stripe, without the lock. */
static inline uint32_t
cpu_kept_next(const CpuKeptArea *area, uint32_t page)
{
	return area->lists[area->nbuckets + page - 1];
}

/*
 * The number of a column's entry, made if there is none; -1: there is no place for it.  Number
 * may be what it was once, or -1.
 */
extern int	cpu_kept_column(CpuKeptArea *area, const CpuKeptName *name, uint32_t relation, int number);

/* Add to a column's heat.  now: in seconds. */
extern void cpu_kept_heat(CpuKeptColumn *column, double heat, int64_t now);

/* What is kept of a stripe, or NULL. */
extern CpuKeptStripe *cpu_kept_stripe(CpuKeptArea *area, const uint32_t *file, uint32_t number);

/* Where it has the column of that entry, or NULL. */
extern const CpuKeptPlace *cpu_kept_place(const CpuKeptStripe *stripe, int column);

extern void cpu_kept_pin(CpuKeptStripe *stripe);
extern void cpu_kept_unpin(CpuKeptArea *area, CpuKeptStripe *stripe);

/*
 * The stripe's blocks have been compared with their pages: those in `has`, nblocks of them, are at
 * the moment of a later map what they were when they were kept.
 */
extern void cpu_kept_stamp(CpuKeptStripe *stripe, const StripeMap *map, const uint8_t *has,
						   uint32_t nblocks);

/*
 * Have so many pages free, for columns of that heat: columns of less than half of it give way.
 * False: there is no room.  Adds to *evicted the blocks of columns that have given way.
 */
extern bool cpu_kept_make_room(CpuKeptArea *area, uint32_t npages, double heat, int64_t now,
							   uint64_t *evicted);

/* A list of n free pages, of which there are so many; 0: of none. */
extern uint32_t cpu_kept_take_pages(CpuKeptArea *area, uint32_t n);
extern void cpu_kept_free_pages(CpuKeptArea *area, uint32_t first);

/*
 * Columns of a stripe have been made: *made, a description in a page of its own that nobody knows
 * yet, with places of entries that `names` tell.  They become the stripe's, or all is freed if
 * what is there is newer or has them already.  In a stripe that has no place for a column, a colder
 * one gives way.  now: in seconds.  Are they there now, and were not?
 */
extern bool cpu_kept_publish(CpuKeptArea *area, uint32_t page, const CpuKeptName *names,
							 uint32_t relation, int64_t now);

/*
 * Evict a file's columns of attributes whose bits are set, the lowest bit of byte 0 first; NULL:
 * all.  The bytes that are free now.
 */
extern uint64_t cpu_kept_evict(CpuKeptArea *area, const uint32_t *file, const uint8_t *attributes);

#endif							/* GPUAGG_CPU_KEPT_AREA_H */
