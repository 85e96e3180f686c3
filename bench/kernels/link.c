/*
 * link.c
 *	  How fast the device reads the host's memory: the floor of every query whose
 *	  pages are in the host's buffers.
 *
 * Page-locked memory by a copy.  What the copy moves is not zeros, and each run
 * moves all of it.
 */
#include <stdio.h>
#include <string.h>

#include "bench.h"

/* Bytes moved at a time: those of the table, and at most 1 GB. */
#define LINK_BYTES_MAX (UINT64_C(1) << 30)
#define ROW_BYTES 12

/* What a copy needs; what could not be made is NULL or 0. */
typedef struct Link
{
	const DeviceOps *ops;
	Device	   *device;
	DeviceStream *stream;
	DeviceEvent *begun;
	DeviceEvent *done;
	void	   *from;
	DevicePtr	to;
	uint64_t	size;
} Link;

static bool
link_open(const Bench *bench, Link *link)
{
	char		why[256];

	*link = (Link) {.ops = bench->device,.size = bench->rows * ROW_BYTES};
	if (link->size > LINK_BYTES_MAX)
		link->size = LINK_BYTES_MAX;
	link->device = link->ops->open(0, why, sizeof(why));
	return link->device != NULL &&
		link->ops->stream_create(link->device, &link->stream) == DEVICE_OK &&
		link->ops->event_create(link->device, &link->begun) == DEVICE_OK &&
		link->ops->event_create(link->device, &link->done) == DEVICE_OK &&
		link->ops->host_alloc(link->device, link->size, &link->from) == DEVICE_OK &&
		link->ops->alloc(link->device, link->size, &link->to) == DEVICE_OK;
}

static void
link_close(Link *link)
{
	const DeviceOps *ops = link->ops;

	if (link->device == NULL)
		return;
	ops->free(link->device, link->to);
	if (link->from != NULL)
		ops->host_free(link->device, link->from);
	if (link->begun != NULL)
		ops->event_destroy(link->device, link->begun);
	if (link->done != NULL)
		ops->event_destroy(link->device, link->done);
	if (link->stream != NULL)
		ops->stream_destroy(link->device, link->stream);
	ops->close(link->device);
}

/* Milliseconds of one copy of all bytes; negative: it failed. */
static double
copy_once(const Link *link)
{
	const DeviceOps *ops = link->ops;
	float		ms;

	if (ops->event_record(link->device, link->begun, link->stream) != DEVICE_OK ||
		ops->upload(link->device, link->stream, link->to, link->from, link->size) != DEVICE_OK ||
		ops->event_record(link->device, link->done, link->stream) != DEVICE_OK ||
		ops->stream_wait(link->device, link->stream) != DEVICE_OK ||
		ops->event_elapsed(link->device, link->begun, link->done, &ms) != DEVICE_OK)
		return -1;
	return ms;
}

void
run_link(Bench *bench)
{
	Link		link;
	double		times[64];
	int			runs = bench->runs < 64 ? bench->runs : 64;
	char		cell[32];
	const char *line[] = {"a copy from page-locked memory", cell};

	report_section("From the host's memory, GB/s", "what|GB/s");
	if (!link_open(bench, &link))
		bench->failed = true;
	else
		for (uint64_t i = 0; i < link.size / 8; i++)
			((uint64_t *) link.from)[i] = i * UINT64_C(0x9E3779B97F4A7C15);
	for (int i = 0; i < runs && !bench->failed; i++)
	{
		times[i] = copy_once(&link);
		bench->failed = times[i] < 0;
	}
	snprintf(cell, sizeof(cell), "%.1f",
			 bench->failed ? 0 : link.size / median(times, runs) / 1e6);
	report_line(line, 2);
	link_close(&link);
}
