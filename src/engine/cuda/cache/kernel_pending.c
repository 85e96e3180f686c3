/*
 * kernel_pending.c
 *	  Kernels that were asked for and are not loaded yet.
 *
 * What is pending has an image, from disk, or a job that makes one.  It stays so
 * if whoever asked was interrupted, so that the next one does not begin anew.  Several
 * runs may wait for one image, by turns: each gets a copy of what the job made, the
 * last one the image itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	CompileJob *job;			/* or, if NULL, the image, or why there is none: */
	void	   *image;
	size_t		size;
	DeviceStatus status;
	char		message[512];
	bool		compiled;		/* the image is not from disk */
	int			waiters;		/* runs that wait for it */
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

/* Take what a job that is done has made. */
static void
end_job(Pending *p)
{
	if (p->job == NULL)
		return;
	p->status = compile_job_end(p->job, &p->image, &p->size, p->message, sizeof(p->message));
	p->job = NULL;
	p->compiled = true;
}

/* A waiter's own copy of the image. */
static DeviceStatus
copy_image(const Pending *p, void **image, size_t *size, char *message, size_t len)
{
	*image = p->image != NULL ? malloc(p->size) : NULL;
	*size = p->size;
	if (*image != NULL)
		memcpy(*image, p->image, p->size);
	else if (p->status == DEVICE_OK)
	{
		snprintf(message, len, "out of memory");
		return DEVICE_NO_MEMORY;
	}
	return p->status;
}

/* Take an image, the caller's to free; the last waiter takes it out of the list. */
static DeviceStatus
take_pending(Pending **link, void **image, size_t *size, char *message, size_t len)
{
	Pending    *p = *link;
	DeviceStatus status;

	end_job(p);
	if (p->status != DEVICE_OK)
		snprintf(message, len, "%s", p->message);
	if (p->waiters > 0)
		return copy_image(p, image, size, message, len);
	*link = p->next;
	*image = p->image;
	*size = p->size;
	status = p->status;
	free_pending(p);
	return status;
}

/* Let go of an image that nobody waits for; on disk it can be found again. */
static void
drop_pending(Pending **link)
{
	Pending    *p = *link;

	*link = p->next;
	end_job(p);
	if (p->compiled && p->status == DEVICE_OK)
		kernel_disk_store(p->source, p->image, p->size);
	free(p->image);
	free_pending(p);
}

/* Of many pending images, those that are there go, the oldest at least. */
static void
trim_pending(void)
{
	Pending   **p = &pending_images;

	for (int i = 0; *p != NULL; i++)
	{
		if (i >= PENDING_KEPT && (*p)->waiters == 0 &&
			((*p)->job == NULL || compile_job_wait((*p)->job, 0)))
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

static bool
has_failed(const Pending *p)
{
	return p->job != NULL ? compile_job_failed(p->job) : p->status != DEVICE_OK;
}

bool
kernel_pending_ready(const ImageRequest *request)
{
	const Pending *p;

	if (kernel_pending_begin(request) != DEVICE_OK)
		return false;
	p = *find_pending(request->source);
	return (p->job == NULL || compile_job_wait(p->job, 0)) && !has_failed(p);
}

/* Sleep for a moment; nobody drops the image meanwhile.  Should the run end? */
static bool
wait_by_turns(const ImageRequest *request, bool (*wait) (int))
{
	Pending    *p = *find_pending(request->source);
	bool		interrupted;

	if (p != NULL)
		p->waiters++;
	interrupted = wait(WAIT_MS);
	if (p != NULL)
		p->waiters--;
	return interrupted;
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
		if (wait != NULL && wait_by_turns(request, wait))
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
	*compiled = (*link)->job != NULL || (*link)->compiled;
	return take_pending(link, image, size, message, len);
}

void
kernel_pending_forget_failures(void)
{
	Pending   **p = &pending_images;

	while (*p != NULL)
	{
		if ((*p)->waiters == 0 && has_failed(*p))
			drop_pending(p);
		else
			p = &(*p)->next;
	}
}

bool
kernel_pending_keep(void)
{
	bool		working = false;

	for (Pending *p = pending_images; p != NULL; p = p->next)
	{
		if (p->job == NULL || p->waiters > 0)
			continue;
		if (!compile_job_wait(p->job, 0))
		{
			working = true;
			continue;
		}
		end_job(p);
		if (p->status == DEVICE_OK)
			kernel_disk_store(p->source, p->image, p->size);
		p->compiled = false;
	}
	return working;
}

void
kernel_pending_end(void)
{
	while (pending_images != NULL)
		drop_pending(&pending_images);
}
