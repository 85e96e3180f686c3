/*
 * kernel_pending.c
 *	  Kernels that were asked for and are not loaded yet.
 *
 * What is pending has an image, from disk, or a job that makes one, or is queued for a
 * compiler.  It stays so if whoever asked was interrupted, so that the next one does not
 * begin anew.  Several runs may wait for one image, by turns: each gets a copy of what the
 * job made, the last one the image itself.
 *
 * Few compilers work at the same time.  What is asked for meanwhile is queued, since nobody
 * may ask again: a query that the interpreter runs does not wait for its kernels.  Of what is
 * queued, that which runs wait for is compiled first, then what was asked for first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/cuda/compiled/compile_job.h"
#include "engine/cuda/compiled/kernel_pending.h"

#define PENDING_KEPT 8

/* Compilers that work at the same time at most: those of cancelled queries count. */
#define COMPILERS_MAX 4

/* What is queued for a compiler at most, without what runs wait for. */
#define QUEUE_MAX 64

/* How long to wait between two looks at a compiler, in milliseconds. */
#define WAIT_MS 1

typedef struct Pending
{
	struct Pending *next;
	KernelSource *source;		/* a copy */
	const DeviceOps *ops;
	DeviceInfo	info;
	bool		queued;			/* for a compiler; if not: */
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

static bool
is_done(const Pending *p)
{
	return !p->queued && (p->job == NULL || compile_job_wait(p->job, 0));
}

static bool
has_failed(const Pending *p)
{
	return p->job != NULL ? compile_job_failed(p->job) : p->status != DEVICE_OK;
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
	int			begun = 0;

	while (*p != NULL)
	{
		begun += !(*p)->queued;
		if (begun > PENDING_KEPT && (*p)->waiters == 0 && is_done(*p))
			drop_pending(p);
		else
			p = &(*p)->next;
	}
}

/* How many compilers work; one of their jobs, or NULL. */
static int
count_working(CompileJob **job)
{
	int			working = 0;

	*job = NULL;
	for (Pending *p = pending_images; p != NULL; p = p->next)
		if (p->job != NULL && !is_done(p))
		{
			*job = p->job;
			working++;
		}
	return working;
}

/* What is to be compiled next; NULL: nothing is queued. */
static Pending *
next_queued(void)
{
	Pending    *next = NULL;

	for (Pending *p = pending_images; p != NULL; p = p->next)
		if (p->queued && (next == NULL || p->waiters > 0 || next->waiters == 0))
			next = p;
	return next;
}

/*
 * How many compilers may work at the same time for this one to be begun?  Those that nobody
 * waits for leave half of the processors to sessions; tests can say how many they are
 * (GPUAGG_TEST_COMPILERS).
 */
static int
compilers_for(const Pending *p)
{
	long		n = sysconf(_SC_NPROCESSORS_ONLN) / 2;
#ifdef GPUAGG_TESTING
	const char *asked = getenv("GPUAGG_TEST_COMPILERS");

	n = asked != NULL ? atoi(asked) : n;
#endif
	if (p->waiters > 0 || n >= COMPILERS_MAX)
		return COMPILERS_MAX;
	return n > 1 ? (int) n : 1;
}

/* Compile what is queued, as far as compilers are free. */
static void
begin_queued(void)
{
	CompileJob *job;
	Pending    *p;
	int			working = count_working(&job);

	while ((p = next_queued()) != NULL && working < compilers_for(p))
	{
		working++;
		p->queued = false;
		p->job = compile_job_begin(p->ops, &p->info, p->source->text + p->source->kernel);
		if (p->job != NULL)
			continue;
		p->compiled = true;
		p->status = DEVICE_NO_MEMORY;
		snprintf(p->message, sizeof(p->message), "out of memory");
	}
}

/* Of a full queue, drop the oldest that no run waits for. */
static void
make_room_in_queue(void)
{
	Pending   **oldest = NULL;
	int			queued = 0;

	for (Pending **p = &pending_images; *p != NULL; p = &(*p)->next)
	{
		if (!(*p)->queued || (*p)->waiters > 0)
			continue;
		oldest = p;
		queued++;
	}
	if (queued >= QUEUE_MAX)
		drop_pending(oldest);
}

/* Ask for an image that is not pending; NULL: out of memory. */
static Pending *
add_pending(const ImageRequest *request)
{
	Pending    *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->source = kernel_source_copy(request->source);
	if (p->source == NULL)
	{
		free(p);
		return NULL;
	}
	p->ops = request->ops;
	p->info = *request->info;
	if (request->from_disk)
		p->image = kernel_disk_load(p->source, &p->size);
	p->queued = p->image == NULL;
	if (p->queued)
		make_room_in_queue();
	p->next = pending_images;
	pending_images = p;
	trim_pending();
	return p;
}

/* Ask for an image, by a run that waits for it or not; NULL: out of memory. */
static Pending *
ask(const ImageRequest *request, bool waits)
{
	Pending    *p = *find_pending(request->source);

	if (p == NULL)
		p = add_pending(request);
	if (p != NULL)
		p->waiters += waits;
	begin_queued();
	return p;
}

void
kernel_pending_begin(const ImageRequest *request)
{
	(void) ask(request, false);
}

bool
kernel_pending_ready(const ImageRequest *request)
{
	const Pending *p = ask(request, false);

	return p != NULL && is_done(p) && !has_failed(p);
}

/* Sleep for a moment.  Should the run end? */
static bool
sleep_by(bool (*wait) (int), CompileJob *job)
{
	if (wait != NULL)
		return wait(WAIT_MS);
	if (job == NULL)
		(void) count_working(&job);
	if (job != NULL)
		(void) compile_job_wait(job, WAIT_MS);
	return false;
}

/* Wait until the image is there, or cannot be had; nobody drops it meanwhile. */
static DeviceStatus
wait_for_image(const ImageRequest *request, bool (*wait) (int),
			   char *message, size_t len)
{
	Pending    *p = ask(request, true);
	bool		interrupted = false;

	if (p == NULL)
	{
		snprintf(message, len, "out of memory");
		return DEVICE_NO_MEMORY;
	}
	while (!interrupted && !is_done(p))
	{
		interrupted = sleep_by(wait, p->job);
		begin_queued();
	}
	p->waiters--;
	if (interrupted)
		snprintf(message, len, "interrupted");
	return interrupted ? DEVICE_BUSY : DEVICE_OK;
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

	begin_queued();
	for (Pending *p = pending_images; p != NULL; p = p->next)
	{
		working = working || p->queued;
		if (p->job == NULL || p->waiters > 0)
			continue;
		if (!is_done(p))
		{
			working = true;
			continue;
		}
		end_job(p);
		if (p->status == DEVICE_OK)
			kernel_disk_store(p->source, p->image, p->size);
		p->compiled = false;
	}
	trim_pending();
	return working;
}

void
kernel_pending_end(void)
{
	while (pending_images != NULL)
		drop_pending(&pending_images);
}
