/*
 * availability.c
 *	  What a session knows of devices, by asking the device process.
 *
 * Which engines the device process has is asked once a session.  That it is still there
 * is seen by the socket's name, which is enough for a plan: a run that finds nobody
 * there falls back.
 */
#include "postgres.h"

#include "service/ask.h"
#include "service/availability.h"
#include "service/directory.h"
#include "service/service.h"

typedef enum Answer
{
	ANSWER_UNKNOWN,				/* none has come */
	ANSWER_YES,
	ANSWER_NO
} Answer;

/* What the device process has said of its devices. */
typedef struct Devices
{
	DeviceInfo *infos;
	int			max;
	int			n;
	bool		warm;
	char	   *why;
} Devices;

/* By engine; the reason of a no. */
static Answer answers[SERVICE_ENGINES];
static char no_reason[256];
static bool is_warm = false;

static bool
take_devices(Message *answer, void *arg)
{
	Devices    *devices = arg;

	devices->n = (int) answer->devices.ndevices;
	devices->warm = answer->devices.warm != 0;
	strlcpy(devices->why, answer->devices.why, 256);
	memcpy(devices->infos, message_devices(answer),
		   Min(devices->n, devices->max) * sizeof(DeviceInfo));
	return true;
}

/* The engines that a device process has if its build does are there whenever it serves. */
static Answer
ask_for_engine(ServiceEngine engine, char *why)
{
	DeviceInfo	first;
	Devices		devices = {.infos = &first,.max = 1,.why = why};

	if (engine != SERVICE_CUDA)
		return ANSWER_YES;
	if (!service_ask(QUESTION_DEVICES, take_devices, &devices, why))
		return ANSWER_UNKNOWN;
	is_warm = devices.warm;
	if (devices.n == 0)
		return ANSWER_NO;
	strlcpy(why, first.reason, 256);
	return first.usable ? ANSWER_YES : ANSWER_NO;
}

static Answer
answer_of(ServiceEngine engine, char *reason, size_t len)
{
	char		why[256];

	if (!directory_names_socket() && !service_start(reason, len))
		return service_pauses(reason, len) ? ANSWER_UNKNOWN : ANSWER_NO;
	if (answers[engine] == ANSWER_UNKNOWN)
	{
		answers[engine] = ask_for_engine(engine, why);
		if (answers[engine] == ANSWER_UNKNOWN)
			strlcpy(reason, why, len);
		else if (answers[engine] == ANSWER_NO)
			strlcpy(no_reason, why, sizeof(no_reason));
	}
	if (answers[engine] == ANSWER_NO)
		strlcpy(reason, no_reason, len);
	return answers[engine];
}

bool
service_has_engine(ServiceEngine engine, char *reason, size_t len)
{
	return answer_of(engine, reason, len) == ANSWER_YES;
}

bool
service_may_have_engine(ServiceEngine engine, char *reason, size_t len)
{
	return answer_of(engine, reason, len) != ANSWER_NO;
}

/* Once it is open it stays open, and what is asked each time is asked seldom. */
bool
service_is_warm(ServiceEngine engine)
{
	char		why[256];

	if (engine == SERVICE_CUDA && !is_warm && directory_names_socket())
		ask_for_engine(engine, why);
	return engine != SERVICE_CUDA || is_warm;
}

int
service_devices(DeviceInfo *infos, int max, char *why)
{
	Devices		devices = {.infos = infos,.max = max,.why = why};

	service_look_again();
	memset(answers, 0, sizeof(answers));
	if (!service_start(why, 256) ||
		!service_ask(QUESTION_DEVICES, take_devices, &devices, why))
		return 0;
	return devices.n;
}
