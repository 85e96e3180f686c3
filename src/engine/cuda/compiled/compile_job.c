/*
 * compile_job.c
 *	  The compilation of a kernel, in a thread of its own.
 *
 * A compiler cannot be stopped, so whoever must be able to stop does not call
 * it, but waits for a thread that does.  The thread takes none of the process's
 * signals.  Where there can be no thread, the caller compiles after all.
 */
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/cuda/compiled/compile_job.h"

/* Compilers recurse deeply; a thread's default may be 8 MB or less.  Not measured. */
#define STACK_SIZE ((size_t) 64 << 20)

struct CompileJob
{
	const DeviceOps *ops;
	DeviceInfo	info;
	char	   *text;
	DeviceStatus status;
	void	   *image;
	size_t		size;
	char		message[512];

	bool		threaded;
	pthread_t	thread;
	pthread_mutex_t mutex;
	pthread_cond_t ended;
	bool		done;			/* under the mutex */
};

static void
compile(CompileJob *job)
{
	job->status = job->ops->compile(&job->info, job->text, NULL, &job->image, &job->size,
									job->message, sizeof(job->message));
	pthread_mutex_lock(&job->mutex);
	job->done = true;
	pthread_cond_signal(&job->ended);
	pthread_mutex_unlock(&job->mutex);
}

/*
 * The process's locale may be changed meanwhile by the thread that runs queries,
 * and compilers change it too: this thread has its own, which is static.
 */
static void *
job_main(void *arg)
{
	uselocale(newlocale(LC_ALL_MASK, "C", (locale_t) 0));
	compile(arg);
	return NULL;
}

/* With a large stack if that can be had. */
static bool
start_thread(CompileJob *job)
{
	pthread_attr_t attributes;
	sigset_t	all;
	sigset_t	old;
	bool		started;

	if (pthread_attr_init(&attributes) != 0)
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	started = pthread_attr_setstacksize(&attributes, STACK_SIZE) == 0 &&
		pthread_create(&job->thread, &attributes, job_main, job) == 0;
	if (!started)
		started = pthread_create(&job->thread, NULL, job_main, job) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attributes);
	return started;
}

CompileJob *
compile_job_begin(const DeviceOps *ops, const DeviceInfo *info, const char *text)
{
	CompileJob *job = calloc(1, sizeof(*job));
	pthread_condattr_t clock;

	if (job == NULL)
		return NULL;
	job->text = strdup(text);
	if (job->text == NULL)
	{
		free(job);
		return NULL;
	}
	job->ops = ops;
	job->info = *info;
	pthread_mutex_init(&job->mutex, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&job->ended, &clock);
	pthread_condattr_destroy(&clock);
	job->threaded = start_thread(job);
	if (!job->threaded)
		compile(job);
	return job;
}

bool
compile_job_wait(CompileJob *job, int milliseconds)
{
	struct timespec until;
	bool		done;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long) milliseconds * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&job->mutex);
	while (!job->done &&
		   pthread_cond_timedwait(&job->ended, &job->mutex, &until) == 0)
		;
	done = job->done;
	pthread_mutex_unlock(&job->mutex);
	return done;
}

bool
compile_job_failed(CompileJob *job)
{
	return compile_job_wait(job, 0) && job->status != DEVICE_OK;
}

DeviceStatus
compile_job_end(CompileJob *job, void **image, size_t *size, char *message, size_t len)
{
	DeviceStatus status;

	if (job->threaded)
		pthread_join(job->thread, NULL);
	status = job->status;
	*image = job->image;
	*size = job->size;
	if (status != DEVICE_OK && len > 0)
	{
		strncpy(message, job->message, len - 1);
		message[len - 1] = '\0';
	}
	pthread_cond_destroy(&job->ended);
	pthread_mutex_destroy(&job->mutex);
	free(job->text);
	free(job);
	return status;
}
