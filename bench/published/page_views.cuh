/*
 * page_views.cuh
 *	  From pages' views to their ranks: a counting sort by views.
 */
#ifndef GPUAGG_PAGE_VIEWS_CUH
#define GPUAGG_PAGE_VIEWS_CUH

typedef struct PageArgs
{
	POINTER(const uint64_t) views;	/* of each page */
	POINTER(uint32_t) keys;		/* of each page: the bin of its views */
	POINTER(const uint64_t) bins;	/* how many pages have so many views */
	POINTER(uint32_t) reversed; /* the same, most views first; then their prefix sums */
	POINTER(uint32_t) ranks;	/* of each page */
	uint32_t	npages;
	uint32_t	nbins;
	uint64_t	padded;			/* bins, and zeros behind them */
} PageArgs;

#ifdef GPUAGG_PRELUDE_CUH

KERNEL(page_keys, PageArgs, args)
{
	for (uint64_t i = grid_index(); i < args.npages; i += grid_size())
		args.keys[i] = (uint32_t) args.views[i];
}

KERNEL(bins_reverse, PageArgs, args)
{
	for (uint64_t i = grid_index(); i < args.padded; i += grid_size())
		args.reversed[i] = i < args.nbins ? (uint32_t) args.bins[args.nbins - 1 - i] : 0;
}

/* One more than the pages with more views. */
KERNEL(page_ranks, PageArgs, args)
{
	for (uint64_t i = grid_index(); i < args.npages; i += grid_size())
	{
		uint32_t	place = args.nbins - 1 - args.keys[i];

		args.ranks[i] = place > 0 ? args.reversed[place - 1] + 1 : 1;
	}
}

#endif							/* GPUAGG_PRELUDE_CUH */

#endif							/* GPUAGG_PAGE_VIEWS_CUH */
