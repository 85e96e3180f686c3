/*
 * page_spans.h
 *	  Which of a run's pages one of the processes that feed it has given.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_PAGE_SPANS_H
#define GPUAGG_PAGE_SPANS_H

#include <stdbool.h>
#include <stdint.h>

/* Stretches of pages between those of others that are not released yet. */
#define PAGE_SPANS 512

/* Pages that the engine was given behind one another. */
typedef struct PageSpan
{
	uint64_t	npages;
	uint64_t	end;			/* the last one's number in the run, from 1 */
} PageSpan;

/* Begins as zeros. */
typedef struct PageSpans
{
	uint64_t	given;			/* pages */
	uint64_t	done;			/* released ones that are in no span */
	uint32_t	first;			/* of a ring */
	uint32_t	n;
	PageSpan	spans[PAGE_SPANS];
} PageSpans;

/* Is there no room for more pages, until some are released? */
extern bool page_spans_full(const PageSpans *spans);

/* The engine has been given these pages, behind so many of all processes'. */
extern void page_spans_add(PageSpans *spans, uint64_t before, uint64_t npages);

/* It has released so many of all processes' pages: how many of these here. */
extern uint64_t page_spans_released(PageSpans *spans, uint64_t all);

#endif							/* GPUAGG_PAGE_SPANS_H */
