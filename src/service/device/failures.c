/*
 * failures.c
 *	  What the device has not done for runs, in the server's log.
 *
 * A failure is its run's only, and PostgreSQL's plan takes over, so that without a line in
 * the log nobody would hear of it.  Runs that fail alike are many: failures are of one kind
 * if they differ in numbers only, and each kind is logged once.  Tests look for the words
 * before the reason.
 */
#include "service/device/failures.h"

#include <ctype.h>
#include <stdint.h>

#include "engine/cuda/cuda_engine.h"

#define MOST_KINDS 64

/* FNV-1a (Fowler, Noll, Vo, 1991) */
#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static const Service *log_of;
static uint64_t kinds[MOST_KINDS];
static int	nkinds;

/* Of all but the digits. */
static uint64_t
kind_of(EngineStatus status, const char *message)
{
	uint64_t	hash = FNV_BASIS ^ status;

	for (; *message != '\0'; message++)
		if (!isdigit((unsigned char) *message))
			hash = (hash ^ (unsigned char) *message) * FNV_PRIME;
	return hash;
}

/* Is it of no kind that has been logged? */
static bool
is_new(EngineStatus status, const char *message)
{
	uint64_t	kind = kind_of(status, message);

	for (int i = 0; i < nkinds; i++)
		if (kinds[i] == kind)
			return false;
	if (nkinds == MOST_KINDS)
		return false;
	kinds[nkinds++] = kind;
	return true;
}

static void
log_failure(EngineStatus status, const char *message)
{
	const char *what = status == ENGINE_NO_MEMORY ? "the device has no memory for a run" :
		status == ENGINE_LOST ? "the device is lost" : "the device has refused a run";

	if (is_new(status, message))
		service_log(log_of, "%s: %s", what, message);
}

void
failures_log(const Service *service)
{
	log_of = service;
	cuda_engine_report_to(log_failure);
}
