/*
 * page_spans.c
 *	  Which of a run's pages one of the processes that feed it has given.
 *
 * An engine counts pages in the order in which it got them from all processes, and
 * releases them in that order.  A process's own are remembered as spans of these
 * numbers, the oldest first, until they are released.  A run that only one process
 * feeds is one span.
 *
 * Owns no memory.
 */
#include "service/device/page_spans.h"

#include <stddef.h>

static PageSpan *
span(PageSpans *spans, uint32_t n)
{
	return &spans->spans[(spans->first + n) % PAGE_SPANS];
}

bool
page_spans_full(const PageSpans *spans)
{
	return spans->n == PAGE_SPANS;
}

void
page_spans_add(PageSpans *spans, uint64_t before, uint64_t npages)
{
	PageSpan   *last = spans->n > 0 ? span(spans, spans->n - 1) : NULL;

	if (last == NULL || last->end != before)
	{
		last = span(spans, spans->n++);
		last->npages = 0;
	}
	last->npages += npages;
	last->end = before + npages;
	spans->given += npages;
}

uint64_t
page_spans_released(PageSpans *spans, uint64_t all)
{
	const PageSpan *first = span(spans, 0);

	while (spans->n > 0 && first->end <= all)
	{
		spans->done += first->npages;
		spans->first = (spans->first + 1) % PAGE_SPANS;
		spans->n--;
		first = span(spans, 0);
	}
	if (spans->n > 0 && all + first->npages > first->end)
		return spans->done + (all + first->npages - first->end);
	return spans->done;
}
