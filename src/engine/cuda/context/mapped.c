/*
 * mapped.c
 *	  Host memory that kernels read where it is.
 *
 * A slice's state goes from NONE to WANTED by the thread that runs queries, and from
 * there to REGISTERED or FAILED by the registering thread, which stores the slice's
 * place before.  The mutex is for sleeping, waking and the message.
 *
 * While a slice is registered, other calls of the driver can have to wait, and so can who
 * maps or unmaps memory in this process.  Runs that read columns which stay on the device do
 * not need the slices.  So for a while after mapped_hold the thread pauses between two slices,
 * for a multiple of the time that one has taken.
 *
 * Slices begin at the pages of the operating system, since what is registered must
 * not overlap.  Where a range does not, a heap page may lie in two slices, and is then
 * not read in place.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/clock.h"
#include "engine/cuda/context/mapped.h"

#define MAX_RANGES 8
#define OS_PAGE 4096
#define ALIGNMENT 16			/* of a kernel's loads */

/* How long a call of mapped_hold counts, and how many times as long as a slice a pause is. */
#define HOLD_NS UINT64_C(200000000)
#define PAUSE_SHARE 15
#define LONGEST_PAUSE_NS UINT64_C(1000000000)

enum
{
	SLICE_NONE, SLICE_WANTED, SLICE_REGISTERED, SLICE_FAILED
};

typedef struct Slice
{
	int			state;
	DevicePtr	place;			/* if REGISTERED */
} Slice;

typedef struct Range
{
	const char *address;
	const char *end;
	const char *base;			/* of the first slice */
	size_t		nslices;
	Slice	   *slices;
} Range;

struct Mapped
{
	Device	   *device;			/* NULL: not open */
	int			nranges;
	Range		ranges[MAX_RANGES];
	bool		threaded;
	pthread_t	thread;
	pthread_mutex_t mutex;
	pthread_cond_t wake;		/* a slice is wanted, or the end has come */
	pthread_cond_t idle;		/* no slice is wanted any more */
	uint64_t	held;			/* when mapped_hold was called last; 0: never */
	int			wanted;			/* slices, under the mutex like all below */
	bool		ending;
	char		why[256];		/* a slice has failed */
};

Mapped *
mapped_create(void)
{
	Mapped	   *mapped = calloc(1, sizeof(Mapped));

	if (mapped == NULL)
		return NULL;
	pthread_mutex_init(&mapped->mutex, NULL);
	pthread_cond_init(&mapped->wake, NULL);
	pthread_cond_init(&mapped->idle, NULL);
	return mapped;
}

bool
mapped_add(Mapped *mapped, const void *address, size_t size)
{
	Range	   *range = &mapped->ranges[mapped->nranges];

	if (mapped->nranges == MAX_RANGES)
		return false;
	range->address = address;
	range->end = range->address + size;
	range->base = range->address - (uintptr_t) address % OS_PAGE;
	range->nslices = (size_t) (range->end - range->base + MAPPED_SLICE - 1) / MAPPED_SLICE;
	range->slices = calloc(range->nslices, sizeof(Slice));
	if (range->slices == NULL)
		return false;
	mapped->nranges++;
	return true;
}

static const char *
slice_address(const Range *range, size_t slice)
{
	return range->base + slice * MAPPED_SLICE;
}

/* Up to the range's last page of the operating system. */
static size_t
slice_size(const Range *range, size_t slice)
{
	size_t		rest = (size_t) (range->end - slice_address(range, slice));

	rest = (rest + OS_PAGE - 1) / OS_PAGE * OS_PAGE;
	return rest < MAPPED_SLICE ? rest : MAPPED_SLICE;
}

static int
slice_state(const Slice *slice)
{
	return __atomic_load_n(&slice->state, __ATOMIC_ACQUIRE);
}

/* A slice that is wanted; false: there is none. */
static bool
find_wanted(const Mapped *mapped, const Range **range, size_t *slice)
{
	for (int i = 0; i < mapped->nranges; i++)
		for (size_t j = 0; j < mapped->ranges[i].nslices; j++)
			if (slice_state(&mapped->ranges[i].slices[j]) == SLICE_WANTED)
			{
				*range = &mapped->ranges[i];
				*slice = j;
				return true;
			}
	return false;
}

/*
 * Devices' threads register the same memory one after the other: a driver tells one that comes
 * while another is at it that the memory is registered, and then has no address of it yet.
 */
static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;

static void
register_slice(Mapped *mapped, const Range *range, size_t number)
{
	Slice	   *slice = &range->slices[number];
	char		why[256] = "";
	DeviceStatus status;

	pthread_mutex_lock(&registering);
	status = mapped->device->ops->host_register(mapped->device, slice_address(range, number),
												slice_size(range, number), &slice->place,
												why, sizeof(why));
	pthread_mutex_unlock(&registering);
	pthread_mutex_lock(&mapped->mutex);
	if (status != DEVICE_OK)
		memcpy(mapped->why, why, sizeof(why));
	__atomic_store_n(&slice->state, status == DEVICE_OK ? SLICE_REGISTERED : SLICE_FAILED,
					 __ATOMIC_RELEASE);
	if (--mapped->wanted == 0)
		pthread_cond_broadcast(&mapped->idle);
	pthread_mutex_unlock(&mapped->mutex);
}

/* Sleep until a slice is wanted; false: the end has come. */
static bool
sleep_for_slice(Mapped *mapped)
{
	bool		ending;

	pthread_mutex_lock(&mapped->mutex);
	while (mapped->wanted == 0 && !mapped->ending)
		pthread_cond_wait(&mapped->wake, &mapped->mutex);
	ending = mapped->ending;
	pthread_mutex_unlock(&mapped->mutex);
	return !ending;
}

/* Has a run asked for it a short while ago? */
static bool
is_held(Mapped *mapped)
{
	uint64_t	held = __atomic_load_n(&mapped->held, __ATOMIC_RELAXED);

	return held != 0 && now_ns() - held < HOLD_NS;
}

/* Sleep for so long, or until the end has come. */
static void
pause_for(Mapped *mapped, uint64_t ns)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	ns += (uint64_t) until.tv_nsec;
	until.tv_sec += (time_t) (ns / 1000000000);
	until.tv_nsec = (long) (ns % 1000000000);
	pthread_mutex_lock(&mapped->mutex);
	while (!mapped->ending &&
		   pthread_cond_timedwait(&mapped->wake, &mapped->mutex, &until) == 0)
		continue;
	pthread_mutex_unlock(&mapped->mutex);
}

static void *
mapped_main(void *arg)
{
	Mapped	   *mapped = arg;
	const Range *range;
	size_t		slice;

	while (sleep_for_slice(mapped))
	{
		uint64_t	begin = now_ns();
		uint64_t	pause;

		if (!find_wanted(mapped, &range, &slice))
			continue;
		register_slice(mapped, range, slice);
		pause = (now_ns() - begin) * PAUSE_SHARE;
		if (is_held(mapped))
			pause_for(mapped, pause < LONGEST_PAUSE_NS ? pause : LONGEST_PAUSE_NS);
	}
	return NULL;
}

void
mapped_hold(Mapped *mapped)
{
	__atomic_store_n(&mapped->held, now_ns(), __ATOMIC_RELAXED);
}

void
mapped_open(Mapped *mapped, Device *device)
{
	sigset_t	all;
	sigset_t	before;

	mapped->device = device;
	mapped->ending = false;
	/* threads inherit the mask */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	mapped->threaded = pthread_create(&mapped->thread, NULL, mapped_main, mapped) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Let the device forget a range, and begin anew with the next device. */
static void
unregister_range(Mapped *mapped, Range *range)
{
	for (size_t i = 0; i < range->nslices; i++)
	{
		if (slice_state(&range->slices[i]) == SLICE_REGISTERED)
			mapped->device->ops->host_unregister(mapped->device, slice_address(range, i));
		range->slices[i] = (Slice) {0};
	}
}

void
mapped_close(Mapped *mapped)
{
	if (mapped->device == NULL)
		return;
	pthread_mutex_lock(&mapped->mutex);
	mapped->ending = true;
	pthread_cond_broadcast(&mapped->wake);
	pthread_mutex_unlock(&mapped->mutex);
	if (mapped->threaded)
		pthread_join(mapped->thread, NULL);
	for (int i = 0; i < mapped->nranges; i++)
		unregister_range(mapped, &mapped->ranges[i]);
	mapped->wanted = 0;
	mapped->why[0] = '\0';
	mapped->device = NULL;
}

/* Have a slice registered.  Without a thread none ever is. */
static void
want_slice(Mapped *mapped, Slice *slice)
{
	if (!mapped->threaded)
		return;
	pthread_mutex_lock(&mapped->mutex);
	__atomic_store_n(&slice->state, SLICE_WANTED, __ATOMIC_RELEASE);
	mapped->wanted++;
	pthread_cond_signal(&mapped->wake);
	pthread_mutex_unlock(&mapped->mutex);
}

static DevicePtr
place_in(Mapped *mapped, const Range *range, const char *address, size_t size)
{
	size_t		offset = (size_t) (address - range->base);
	Slice	   *slice = &range->slices[offset / MAPPED_SLICE];
	int			state = slice_state(slice);

	if (offset / MAPPED_SLICE != (offset + size - 1) / MAPPED_SLICE)
		return 0;
	if (state == SLICE_NONE)
		want_slice(mapped, slice);
	return state == SLICE_REGISTERED ? slice->place + offset % MAPPED_SLICE : 0;
}

DevicePtr
mapped_place(Mapped *mapped, const void *address, size_t size)
{
	const char *begin = address;

	if (mapped->device == NULL || (uintptr_t) address % ALIGNMENT != 0)
		return 0;
	for (int i = 0; i < mapped->nranges; i++)
	{
		const Range *range = &mapped->ranges[i];

		if (begin >= range->address && begin + size <= range->end)
			return place_in(mapped, range, begin, size);
	}
	return 0;
}

void
mapped_wait(Mapped *mapped)
{
	pthread_mutex_lock(&mapped->mutex);
	while (mapped->wanted > 0)
		pthread_cond_wait(&mapped->idle, &mapped->mutex);
	pthread_mutex_unlock(&mapped->mutex);
}

bool
mapped_failed(Mapped *mapped, char *why, size_t len)
{
	bool		failed;

	pthread_mutex_lock(&mapped->mutex);
	failed = mapped->why[0] != '\0';
	snprintf(why, len, "%s", mapped->why);
	pthread_mutex_unlock(&mapped->mutex);
	return failed;
}
