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
	ImageKey	key;
	CompileJob *job;			/* or, if NULL, the image from disk: */
	void	   *image;
	size_t		size;
} Pending;

/* The one asked for last comes first. */
static Pending *pending_images = NULL;

/* The link that leads to a key's image, or to the list's end. */
static Pending **
find_pending(const ImageKey *key)
{
	Pending   **p = &pending_images;

	while (*p != NULL && !image_key_equal(&(*p)->key, key))
		p = &(*p)->next;
	return p;
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
	free(p);
	return status;
}

/* Let go of an image that nobody waits for; on disk it can be found again. */
static void
drop_pending(Pending **link)
{
	ImageKey	key = (*link)->key;
	bool		compiled = (*link)->job != NULL;
	void	   *image;
	size_t		size;

	if (take_pending(link, &image, &size, NULL, 0) != DEVICE_OK)
		return;
	if (compiled)
		kernel_disk_store(&key, image, size);
	free(image);
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

DeviceStatus
kernel_pending_begin(const ImageRequest *request)
{
	Pending    *p;

	if (*find_pending(&request->key) != NULL)
		return DEVICE_OK;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return DEVICE_NO_MEMORY;
	p->key = request->key;
	if (request->from_disk)
		p->image = kernel_disk_load(&p->key, &p->size);
	if (p->image == NULL && job_in_the_way() != NULL)
	{
		free(p);
		return DEVICE_BUSY;
	}
	if (p->image == NULL)
		p->job = compile_job_begin(request->ops, request->info, request->text);
	if (p->image == NULL && p->job == NULL)
	{
		free(p);
		return DEVICE_NO_MEMORY;
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
			job = (*find_pending(&request->key))->job;
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
	link = find_pending(&request->key);
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
