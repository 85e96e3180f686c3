/*
 * page_calls.c
 *	  Which of the pages that were given to a run have been read.
 *
 * A queue with an entry for each time that pages were taken in.  Pages are released
 * in the order in which they were given, an entry's all at once.
 */
#include "engine/cuda/input/page_calls.h"

static PageCall *
oldest(PageCalls *calls)
{
	return &calls->calls[calls->done % PAGE_CALLS];
}

/* Nobody reads the oldest entry's pages any more. */
static void
release_oldest(PageCalls *calls)
{
	calls->released = oldest(calls)->pages;
	calls->done++;
}

void
page_calls_add(Copier *copier, PageCalls *calls, uint32_t pages, uint64_t ticket)
{
	if (calls->added - calls->done == PAGE_CALLS)
	{
		copier_wait(copier, oldest(calls)->ticket);
		release_oldest(calls);
	}
	calls->given += pages;
	calls->calls[calls->added++ % PAGE_CALLS] = (PageCall)
	{
		.pages = calls->given,.ticket = ticket
	};
}

uint64_t
page_calls_released(Copier *copier, PageCalls *calls)
{
	while (calls->done != calls->added && copier_done(copier, oldest(calls)->ticket))
		release_oldest(calls);
	return calls->released;
}

void
page_calls_wait(Copier *copier, PageCalls *calls)
{
	while (calls->done != calls->added)
	{
		copier_wait(copier, oldest(calls)->ticket);
		release_oldest(calls);
	}
}
