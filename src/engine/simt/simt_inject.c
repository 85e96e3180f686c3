/*
 * simt_inject.c
 *	  Failures that tests ask the simulated device for.
 */
#include "engine/simt/device_simt.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INJECTIONS 8
#define CALL_LENGTH 24

typedef struct Injection
{
	char		call[CALL_LENGTH];
	int			device;			/* whose calls; SIMT_NO_DEVICE: all */
	int			left;			/* calls until it happens; 0: it has happened */
	DeviceStatus status;
} Injection;

static Injection injections[MAX_INJECTIONS];
static int	ninjections;

/* Kernels are compiled in threads. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static bool
call_known(const char *call)
{
	static const char *const calls[] = {
		"any", "open", "alloc", "memory_free", "host_alloc", "host_register", "stream_create",
		"stream_wait", "event_create", "event_record", "event_query",
		"event_elapsed", "stream_wait_event", "upload", "download", "fill", "copy_from",
		"compile", "module_load", "kernel", "allow_shared", "launch"
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(call, calls[i]) == 0)
			return true;
	return false;
}

/* Take the call's name and its device apart; false: there is none such. */
static bool
read_call(const char *call, Injection *injection)
{
	char		end;

	injection->device = SIMT_NO_DEVICE;
	if (sscanf(call, "%23[^@]@%d%c", injection->call, &injection->device, &end) > 2)
		return false;
	return call_known(injection->call) && (injection->device >= 0) == (strchr(call, '@') != NULL);
}

bool
simt_inject(const char *call, int nth, DeviceStatus status)
{
	Injection	injection = {.left = nth,.status = status};
	bool		known = call == NULL || (read_call(call, &injection) && nth >= 1);

	pthread_mutex_lock(&mutex);
	if (call == NULL)
		ninjections = 0;
	else if (known && ninjections < MAX_INJECTIONS)
		injections[ninjections++] = injection;
	else
		known = false;
	pthread_mutex_unlock(&mutex);
	return known;
}

/* One "call:nth:status". */
static bool
inject_item(char *item)
{
	char	   *nth = strchr(item, ':');
	char	   *status;
	char	   *end;
	long		n;

	if (nth == NULL)
		return false;
	*nth++ = '\0';
	status = strchr(nth, ':');
	if (status == NULL)
		return false;
	*status++ = '\0';
	n = strtol(nth, &end, 10);
	if (end == nth || *end != '\0' || n < 1 || n > 1000000)
		return false;
	if (strcmp(status, "no_memory") == 0)
		return simt_inject(item, (int) n, DEVICE_NO_MEMORY);
	if (strcmp(status, "compile") == 0)
		return simt_inject(item, (int) n, DEVICE_COMPILE);
	if (strcmp(status, "refused") == 0)
		return simt_inject(item, (int) n, DEVICE_REFUSED);
	if (strcmp(status, "failed") == 0)
		return simt_inject(item, (int) n, DEVICE_FAILED);
	return false;
}

bool
simt_inject_text(const char *text)
{
	char	   *copy;
	char	   *rest = NULL;
	bool		ok = true;

	simt_inject(NULL, 0, DEVICE_OK);
	copy = strdup(text);
	if (copy == NULL)
		return false;
	for (char *item = strtok_r(copy, ", ", &rest); item && ok;
		 item = strtok_r(NULL, ", ", &rest))
		ok = inject_item(item);
	free(copy);
	if (!ok)
		simt_inject(NULL, 0, DEVICE_OK);
	return ok;
}

DeviceStatus
simt_injected(int device, const char *call)
{
	DeviceStatus status = DEVICE_OK;

	pthread_mutex_lock(&mutex);
	for (int i = 0; i < ninjections; i++)
	{
		Injection  *injection = &injections[i];
		bool		any = strcmp(injection->call, "any") == 0;

		if (!any && strcmp(injection->call, call) != 0)
			continue;
		if (injection->device != SIMT_NO_DEVICE && injection->device != device)
			continue;
		if (injection->left == 0 && !any)
			continue;
		if (injection->left > 0)
			injection->left--;
		if (injection->left == 0 && status == DEVICE_OK)
			status = injection->status;
	}
	pthread_mutex_unlock(&mutex);
	return status;
}
