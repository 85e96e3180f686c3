/*
 * copier.c
 *	  Threads that copy heap pages while another thread finds them.
 *
 * A ring of jobs with one producer.  `started` counts the jobs that threads may
 * take, `taken` those that one has claimed (by compare-and-swap), and each job
 * says in `done` which job was copied from its place last, so that the producer
 * can wait for jobs in their order while they end in any.  Counters that several
 * threads look at all the time have cache lines of their own, and change once
 * for several jobs.
 *
 * Jobs come every few microseconds while a table is read, so a thread without
 * one spins for a while before it sleeps.  The threads do nothing but memcpy,
 * and take none of the process's signals.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/cuda/context/copier.h"

#define RING_JOBS 2048			/* a power of two; 4 calls of ENGINE_MAX_PAGES */
#define SPINS 20000				/* some tens of microseconds */
#define MAX_THREADS 8

typedef struct Job
{
	void	   *to;
	const void *from;
	size_t		size;
	uint64_t	done;			/* number of the job copied last, from 1 */
} Job;

#define CACHE_LINE 64

struct Copier
{
	uint64_t	submitted;		/* jobs, since the beginning; the producer's */
	uint64_t	completed;		/* of these, with all before; the producer's */
	char		pad1[CACHE_LINE];
	uint64_t	started;
	char		pad2[CACHE_LINE];
	uint64_t	taken;
	char		pad3[CACHE_LINE];
	Job			jobs[RING_JOBS];
	int			nthreads;
	pthread_t	threads[MAX_THREADS];
	pthread_mutex_t mutex;		/* for sleeping and waking only */
	pthread_cond_t wake;
	int			sleepers;
	bool		ending;
};

static inline void
pause_briefly(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

bool
copier_help(Copier *copier)
{
	uint64_t	next = __atomic_load_n(&copier->taken, __ATOMIC_ACQUIRE);
	Job		   *job;

	do
	{
		if (next >= __atomic_load_n(&copier->started, __ATOMIC_ACQUIRE))
			return false;
	} while (!__atomic_compare_exchange_n(&copier->taken, &next, next + 1, false,
										  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));

	job = &copier->jobs[next % RING_JOBS];
	memcpy(job->to, job->from, job->size);
	__atomic_store_n(&job->done, next + 1, __ATOMIC_RELEASE);
	return true;
}

/* Sleep until there may be a job; false: the copier is ending. */
static bool
sleep_for_job(Copier *copier)
{
	bool		ending;

	pthread_mutex_lock(&copier->mutex);
	__atomic_add_fetch(&copier->sleepers, 1, __ATOMIC_SEQ_CST);
	while (!copier->ending &&
		   __atomic_load_n(&copier->taken, __ATOMIC_SEQ_CST) >=
		   __atomic_load_n(&copier->started, __ATOMIC_SEQ_CST))
		pthread_cond_wait(&copier->wake, &copier->mutex);
	__atomic_sub_fetch(&copier->sleepers, 1, __ATOMIC_SEQ_CST);
	ending = copier->ending;
	pthread_mutex_unlock(&copier->mutex);
	return !ending;
}

static void *
copier_main(void *arg)
{
	Copier	   *copier = arg;

	do
	{
		for (int spins = 0; spins < SPINS; spins++)
		{
			if (copier_help(copier))
				spins = 0;
			pause_briefly();
		}
	} while (sleep_for_job(copier));
	return NULL;
}

int
copier_threads(void)
{
	long		cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores >= 8 ? 3 : cores >= 4 ? 1 : 0;
}

Copier *
copier_create(int threads)
{
	Copier	   *copier = calloc(1, sizeof(Copier));
	sigset_t	all;
	sigset_t	before;

	if (copier == NULL)
		return NULL;
	pthread_mutex_init(&copier->mutex, NULL);
	pthread_cond_init(&copier->wake, NULL);

	/* threads inherit the mask */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (copier->nthreads < threads && copier->nthreads < MAX_THREADS &&
		   pthread_create(&copier->threads[copier->nthreads], NULL, copier_main,
						  copier) == 0)
		copier->nthreads++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return copier;
}

void
copier_destroy(Copier *copier)
{
	if (copier == NULL)
		return;
	copier_wait(copier, copier->submitted);
	pthread_mutex_lock(&copier->mutex);
	copier->ending = true;
	pthread_cond_broadcast(&copier->wake);
	pthread_mutex_unlock(&copier->mutex);
	for (int i = 0; i < copier->nthreads; i++)
		pthread_join(copier->threads[i], NULL);
	pthread_cond_destroy(&copier->wake);
	pthread_mutex_destroy(&copier->mutex);
	free(copier);
}

uint64_t
copier_submit(Copier *copier, void *to, const void *from, size_t size)
{
	uint64_t	number = copier->submitted;
	Job		   *job = &copier->jobs[number % RING_JOBS];

	if (copier->nthreads == 0)
	{
		memcpy(to, from, size);
		return 0;
	}
	if (number >= RING_JOBS)
		copier_wait(copier, number - RING_JOBS + 1);
	job->to = to;
	job->from = from;
	job->size = size;
	copier->submitted = number + 1;
	return number + 1;
}

void
copier_start(Copier *copier)
{
	if (copier->started == copier->submitted)
		return;
	__atomic_store_n(&copier->started, copier->submitted, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&copier->sleepers, __ATOMIC_SEQ_CST) > 0)
	{
		pthread_mutex_lock(&copier->mutex);
		pthread_cond_broadcast(&copier->wake);
		pthread_mutex_unlock(&copier->mutex);
	}
}

/* Has the job with that number (from 1) been copied, or its place reused? */
static bool
is_done(Copier *copier, uint64_t number)
{
	Job		   *job = &copier->jobs[(number - 1) % RING_JOBS];

	return __atomic_load_n(&job->done, __ATOMIC_ACQUIRE) >= number;
}

bool
copier_done(Copier *copier, uint64_t ticket)
{
	while (copier->completed < ticket && is_done(copier, copier->completed + 1))
		copier->completed++;
	return copier->completed >= ticket;
}

void
copier_wait(Copier *copier, uint64_t ticket)
{
	if (ticket > copier->started)
		copier_start(copier);
	while (!copier_done(copier, ticket))
		if (!copier_help(copier))
			pause_briefly();
}
