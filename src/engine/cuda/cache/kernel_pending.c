/*
 * kernel_pending.c
 *	  Kernels that were asked for and are not loaded yet.
 *
 * What is pending has an image, from disk, or a job that makes one.  It stays so
 * if whoever asked was interrupted, so that the next one does not begin anew.
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/cuda/cache/compile_job.h"
#include "engine/cuda/cache/kernel_pending.h"

#define PENDING_KEPT 8

/* Compilers that work at the same time: those of cancelled queries count. */
#define COMPILERS_MAX 4

/* How long to wait between two looks at a compiler, in milliseconds. */
#define WAIT_MS 1

typedef struct Pending
{
	struct Pending *next;
	KernelSource *source;		/* a copy */
	CompileJob *job;			/* or, if NULL, the image from disk: */
	void	   *image;
	size_t		size;
} Pending;

/* The one asked for last comes first. */
static Pending *pending_images = NULL;

/* The link that leads to a source's image, or to the list's end. */
static Pending **
find_pending(const KernelSource *source)
{
	Pending   **p = &pending_images;

	while (*p != NULL && !kernel_source_equal((*p)->source, source))
		p = &(*p)->next;
	return p;
}

static void
free_pending(Pending *p)
{
	free(p->source);
	free(p);
}

/* Take an image, the caller's to free, out of the list. */
static DeviceStatus
take_pending(Pending **link, void **image, size_t *size, char *message, size_t len)
{
	Pending    *p = *link;
	DeviceStatus status = DEVICE_OK;

	*link = p->next;
	*image = p->image;
	*size = p->size;
	if (p->job != NULL)
		status = compile_job_end(p->job, image, size, message, len);
	free_pending(p);
	return status;
}

/* Let go of an image that nobody waits for; on disk it can be found again. */
static void
drop_pending(Pending **link)
{
	Pending    *p = *link;
	void	   *image = p->image;
	size_t		size = p->size;

	*link = p->next;
	if (p->job != NULL &&
		compile_job_end(p->job, &image, &size, NULL, 0) == DEVICE_OK)
		kernel_disk_store(p->source, image, size);
	free(image);
	free_pending(p);
}

/* Of many pending images, those that are there go, the oldest at least. */
static void
trim_pending(void)
{
	Pending   **p = &pending_images;

	for (int i = 0; *p != NULL; i++)
	{
		if (i >= PENDING_KEPT && ((*p)->job == NULL || compile_job_wait((*p)->job, 0)))
			drop_pending(p);
		else
			p = &(*p)->next;
	}
}

/* One of the jobs if there are too many for another to begin, else NULL. */
static CompileJob *
job_in_the_way(void)
{
	CompileJob *job = NULL;
	int			working = 0;

	for (Pending *p = pending_images; p != NULL; p = p->next)
		if (p->job != NULL && !compile_job_wait(p->job, 0))
		{
			job = p->job;
			working++;
		}
	return working >= COMPILERS_MAX ? job : NULL;
}

/* Get the image from disk, or begin to compile it. */
static DeviceStatus
begin_image(const ImageRequest *request, Pending *p)
{
	p->source = kernel_source_copy(request->source);
	if (p->source == NULL)
		return DEVICE_NO_MEMORY;
	if (request->from_disk)
		p->image = kernel_disk_load(p->source, &p->size);
	if (p->image != NULL)
		return DEVICE_OK;
	if (job_in_the_way() != NULL)
		return DEVICE_BUSY;
	p->job = compile_job_begin(request->ops, request->info, p->source->text + p->source->kernel);
	return p->job != NULL ? DEVICE_OK : DEVICE_NO_MEMORY;
}

DeviceStatus
kernel_pending_begin(const ImageRequest *request)
{
	Pending    *p;
	DeviceStatus status;

	if (*find_pending(request->source) != NULL)
		return DEVICE_OK;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return DEVICE_NO_MEMORY;
	status = begin_image(request, p);
	if (status != DEVICE_OK)
	{
		free_pending(p);
		return status;
	}
	p->next = pending_images;
	pending_images = p;
	trim_pending();
	return DEVICE_OK;
}

/* Wait until the image is there, or cannot be had. */
static DeviceStatus
wait_for_image(const ImageRequest *request, bool (*wait) (int),
			   char *message, size_t len)
{
	for (;;)
	{
		DeviceStatus status = kernel_pending_begin(request);
		CompileJob *job;

		if (status == DEVICE_NO_MEMORY)
		{
			snprintf(message, len, "out of memory");
			return status;
		}
		if (status == DEVICE_OK)
		{
			job = (*find_pending(request->source))->job;
			if (job == NULL || compile_job_wait(job, 0))
				return DEVICE_OK;
		}
		else
			job = job_in_the_way();
		if (wait != NULL && wait(WAIT_MS))
		{
			snprintf(message, len, "interrupted");
			return DEVICE_BUSY;
		}
		if (wait == NULL && job != NULL)
			(void) compile_job_wait(job, WAIT_MS);
	}
}

DeviceStatus
kernel_pending_get(const ImageRequest *request, bool (*wait) (int),
				   void **image, size_t *size, bool *compiled,
				   char *message, size_t len)
{
	DeviceStatus status = wait_for_image(request, wait, message, len);
	Pending   **link;

	*compiled = true;
	if (status != DEVICE_OK)
		return status;
	link = find_pending(request->source);
	*compiled = (*link)->job != NULL;
	return take_pending(link, image, size, message, len);
}

void
kernel_pending_forget_failures(void)
{
	Pending   **p = &pending_images;

	while (*p != NULL)
	{
		if ((*p)->job != NULL && compile_job_failed((*p)->job))
			drop_pending(p);
		else
			p = &(*p)->next;
	}
}

void
kernel_pending_end(void)
{
	while (pending_images != NULL)
		drop_pending(&pending_images);
}
