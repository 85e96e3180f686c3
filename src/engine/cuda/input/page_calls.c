/*
 * page_calls.c
 *	  Which of the pages that were given to a run have been read.
 *
 * A queue with an entry for each time that pages were taken in.  Pages are released
 * in the order in which they were given, an entry's all at once: when its copies have
 * been made, and its event has been reached.  If the device has failed, nothing reads
 * them, and the run's next call says so.
 */
#include "engine/cuda/input/page_calls.h"

static PageCall *
oldest(PageCalls *calls)
{
	return &calls->calls[calls->done % PAGE_CALLS];
}

/* Does nobody read its pages any more? */
static bool
is_read(RunCore *run, const PageCall *call)
{
	const DeviceOps *ops = run->device_ops;
	DeviceStatus status;
	float		ms = 0;

	if (!copier_done(run->context->copier, call->ticket))
		return false;
	if (!call->gathered)
		return true;
	status = ops->event_query(run->device, call->read);
	if (status == DEVICE_OK &&
		ops->event_elapsed(run->device, call->begun, call->read, &ms) == DEVICE_OK)
		run->head.stats.input_ns += (uint64_t) (ms * 1e6);
	return status != DEVICE_BUSY;
}

uint64_t
page_calls_released(RunCore *run, PageCalls *calls)
{
	while (calls->done != calls->added && is_read(run, oldest(calls)))
	{
		calls->released = oldest(calls)->pages;
		calls->done++;
	}
	return calls->released;
}

bool
page_calls_full(RunCore *run, PageCalls *calls)
{
	if (calls->added - calls->done == PAGE_CALLS)
		(void) page_calls_released(run, calls);
	return calls->added - calls->done == PAGE_CALLS;
}

EngineStatus
page_calls_begin(RunCore *run, PageCalls *calls, PageCall **call)
{
	PageCall   *next = &calls->calls[calls->added % PAGE_CALLS];
	EngineStatus status = ENGINE_OK;

	if (next->begun == NULL)
		status = run_take_event(run, &next->begun);
	if (status == ENGINE_OK && next->read == NULL)
		status = run_take_event(run, &next->read);
	next->ticket = 0;
	next->gathered = false;
	*call = next;
	return status;
}

void
page_calls_end(PageCalls *calls, PageCall *call, uint32_t pages)
{
	calls->given += pages;
	call->pages = calls->given;
	if (call->ticket != 0)
		calls->copying = call->ticket;
	calls->added++;
}

EngineStatus
page_calls_copy(RunCore *run, const PageCalls *calls)
{
	Copier	   *copier = run->context->copier;

	while (!copier_done(copier, calls->copying))
		if (!copier_help(copier) && engine_interrupted(&run->hints))
			return run_fail(run, ENGINE_FAILED, INTERRUPTED_MESSAGE);
	return ENGINE_OK;
}

void
page_calls_wait_copies(RunCore *run, const PageCalls *calls)
{
	copier_wait(run->context->copier, calls->copying);
}

void
page_calls_close(RunCore *run, PageCalls *calls)
{
	for (int i = 0; i < PAGE_CALLS; i++)
	{
		run_give_event(run, &calls->calls[i].begun);
		run_give_event(run, &calls->calls[i].read);
	}
}
