/*
 * worker.c
 *	  The device worker: a background worker whose child is the device process.
 *
 * When a server process crashes, PostgreSQL restarts all of them.  So what drives the
 * device is a process of its own that the postmaster does not know of (process.c), and the
 * worker, which does nothing but to see to it, is what the postmaster knows.  It starts the
 * device process, writes what that says to the server's log, and starts another one when it
 * has ended, after a pause that grows.  One whose loop stands still, in a driver's call for
 * one, serves nobody, and is killed.  So is one that does not come to serve, since the driver
 * hangs as it looks for devices; sessions do not wait for it meanwhile.
 *
 * A cluster has one worker, which holds the lock of the service's directory (directory.c).
 * What a device process has kept, the next one may be given to keep (rewarm.c).
 *
 * If there is no device, it says so in a note and ends, so that it takes up no slot.
 *
 * The device process ends with the worker, whatever way that goes: by its exit callback,
 * by its handler of SIGQUIT, or else by the kernel.  The worker waits for it, so that the
 * server's old shared memory is gone before a restarting postmaster makes new.
 */
#include "postgres.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat.h"
#include "engine/devices.h"
#include "guc.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "postmaster/interrupt.h"
#include "service/device/process.h"
#include "service/worker/directory.h"
#include "service/worker/rewarm.h"
#include "service/worker/worker.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

/* Milliseconds: the pause before the device process is started again, at first, */
#define SHORTEST_PAUSE 1000

/* and then twice as long each time, up to this; */
#define LONGEST_PAUSE 60000

/* one that has served for so long is followed by the shortest pause again. */
#define SERVED_WELL 60000

/* Milliseconds between two looks at whether lock and socket are in their places. */
#define FILES_INTERVAL 2000

/*
 * A loop that stands still for so many times gpuagg.device_timeout is taken to hang:
 * sessions have given up by then.
 */
#define TIMEOUTS_TO_HANG 3

/*
 * The same of one that has not served yet, at first: drivers take from 0.3 to 6 s to begin, and
 * longer on a machine that is busy or has many devices.  After each that was killed the next
 * one has twice as long, up to so many times, until one serves.
 */
#define TIMEOUTS_TO_SERVE 6
#define MOST_TIMEOUTS_TO_SERVE 96

/*
 * Seconds that a device is left out which has failed, at first; twice as long each time that it
 * fails again within as long a time, up to the most.
 */
#define DEVICE_PAUSE 60
#define LONGEST_DEVICE_PAUSE 3600

/* Milliseconds to wait for the lock, or for a killed device process. */
#define LOCK_PATIENCE 100
#define DEATH_PATIENCE 3000

/* Lines of the device process that go to the log in a minute. */
#define LINES_A_MINUTE 60

/* How the device process has ended. */
typedef enum DeviceEnd
{
	END_NONE,					/* not yet */
	END_DIED,
	END_NO_DEVICE				/* it has found none */
} DeviceEnd;

/* 0: there is none. */
static volatile pid_t device_pid = 0;

/* What each device process writes to, and what the worker sleeps on. */
static int	status_pipe[2];
static WaitEventSet *wait_set;

/* Of the device process that there is, or was last. */
static bool serves;
static bool no_device;
static int	silence;			/* milliseconds that the worker has waited since it
								 * heard of its loop, or has started it */
static char last_line[STATUS_MAX_LINE];

/* What has come through the pipe and is not a whole line yet. */
static char pending[STATUS_MAX_LINE];
static size_t pending_size;

/* Lines logged and left out in the minute that began then. */
static TimestampTz minute;
static int	lines_logged;
static int	lines_left_out;

/* For the device process that does not serve yet. */
static int	timeouts_to_serve = TIMEOUTS_TO_SERVE;

/* A device that has failed. */
typedef struct FailedDevice
{
	int			pause;			/* seconds that it is left out, 0: it has not failed; */
	TimestampTz until;			/* when they end */
} FailedDevice;

static FailedDevice failed_devices[DEVICES_MAX];
static int	device_pause = DEVICE_PAUSE;

static int	longest_pause = LONGEST_PAUSE;

/* Kill the device process and wait for its death; in signal handlers, too. */
static void
end_device_process(void)
{
	pid_t		pid = device_pid;

	if (pid == 0)
		return;
	kill(pid, SIGKILL);
	for (int waited = 0; waited < DEATH_PATIENCE; waited++)
	{
		if (waitpid(pid, NULL, WNOHANG) != 0)
			break;
		usleep(1000);
	}
	device_pid = 0;
}

/* The server crashed, or shuts down at once: as SignalHandlerForCrashExit. */
static void
quit_handler(SIGNAL_ARGS)
{
	end_device_process();
	_exit(2);
}

static void
child_handler(SIGNAL_ARGS)
{
	int			save_errno = errno;

	SetLatch(MyLatch);
	errno = save_errno;
}

static void
exit_callback(int code, Datum arg)
{
	end_device_process();
	directory_remove_socket();
	rewarm_end();
}

/* May one more line be logged in this minute? */
static bool
line_is_allowed(void)
{
	TimestampTz now = GetCurrentTimestamp();

	if (TimestampDifferenceExceeds(minute, now, 60 * 1000))
	{
		if (lines_left_out > 0)
			ereport(LOG,
					(errmsg("%d more lines of the gpuagg device process were left out",
							lines_left_out)));
		minute = now;
		lines_logged = lines_left_out = 0;
	}
	if (lines_logged++ < LINES_A_MINUTE)
		return true;
	lines_left_out++;
	return false;
}

/* Bytes that are no printable ASCII become question marks. */
static void
clean(char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char) *text < ' ' || (unsigned char) *text > '~')
			*text = '?';
}

/* Leave the device out for a while. */
static void
note_failed_device(const char *number)
{
	int			i = atoi(number);
	TimestampTz now = GetCurrentTimestamp();
	FailedDevice *device;

	if (i < 0 || i >= DEVICES_MAX)
		return;
	device = &failed_devices[i];
	if (device->pause == 0 ||
		TimestampDifferenceExceeds(device->until, now, 1000 * device->pause))
		device->pause = device_pause;
	else
		device->pause = Min(2 * device->pause, LONGEST_DEVICE_PAUSE);
	device->until = TimestampTzPlusMilliseconds(now, 1000 * device->pause);
	ereport(LOG,
			(errmsg("gpuagg leaves out device %d for %d s if there are others", i, device->pause)));
}

/* For how many seconds each device is to be left out. */
static void
find_left_out(uint32 *left_out)
{
	TimestampTz now = GetCurrentTimestamp();

	for (int i = 0; i < DEVICES_MAX; i++)
		left_out[i] = failed_devices[i].pause == 0 ? 0 :
			(uint32) ((TimestampDifferenceMilliseconds(now, failed_devices[i].until) + 999) / 1000);
}

/* A line of the status pipe. */
static void
take_line(char *line)
{
	if (strcmp(line, STATUS_SERVES) == 0 && device_pid != 0)
	{
		/* without its name it is ended as soon as the files are looked at */
		serves = true;
		silence = 0;
		timeouts_to_serve = TIMEOUTS_TO_SERVE;
		directory_name_socket();
		directory_write_note(NOTE_NONE, "");
		rewarm_begin();
		ereport(LOG,
				(errmsg("gpuagg device process (PID %d) serves", (int) device_pid)));
		return;
	}
	if (strcmp(line, STATUS_ALIVE) == 0)
	{
		silence = 0;
		return;
	}
	if (strncmp(line, STATUS_LOST, strlen(STATUS_LOST)) == 0)
	{
		note_failed_device(line + strlen(STATUS_LOST));
		return;
	}
	no_device = strncmp(line, STATUS_NO_DEVICE, strlen(STATUS_NO_DEVICE)) == 0;
	if (no_device)
		line += strlen(STATUS_NO_DEVICE);
	clean(line);
	strlcpy(last_line, line, sizeof(last_line));
	if (!no_device && line_is_allowed())
		ereport(LOG,
				(errmsg("gpuagg device process: %s", line)));
}

/* All that can be read now.  A line that is too long becomes several. */
static void
read_status(void)
{
	char		c[STATUS_MAX_LINE];
	ssize_t		n;

	while ((n = read(status_pipe[0], c, sizeof(c))) > 0)
		for (int i = 0; i < n; i++)
		{
			if (c[i] != '\n')
				pending[pending_size++] = c[i] == '\0' ? '?' : c[i];
			if (c[i] != '\n' && pending_size < sizeof(pending) - 1)
				continue;
			pending[pending_size] = '\0';
			pending_size = 0;
			take_line(pending);
		}
}

/*
 * Sleep for at most so many milliseconds, until a signal comes or there was something to
 * read.  Ends the process if it is time for that.  Silence is what was slept, not what a
 * clock says: the machine may have been suspended.
 */
static void
sleep_in_worker(int milliseconds)
{
	WaitEvent	event;

	if (WaitEventSetWait(wait_set, milliseconds, &event, 1, PG_WAIT_EXTENSION) == 0)
		silence += milliseconds;
	else if (event.events == WL_LATCH_SET)
		ResetLatch(MyLatch);
	read_status();
	if (ShutdownRequestPending)
	{
		if (serves)
			rewarm_save();
		proc_exit(0);
	}
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}
}

/*
 * What the worker needs for as long as it lives, so that it can go on where no more
 * descriptors are to be had.  The pipe's ends do not block: neither process waits for
 * the other.
 */
static void
make_wait_set(void)
{
	if (pipe2(status_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not create a pipe: %m")));
	wait_set = compat_create_wait_set(3);
	AddWaitEventToSet(wait_set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(wait_set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	AddWaitEventToSet(wait_set, WL_SOCKET_READABLE, status_pipe[0], NULL, NULL);
}

/* fork(); no handler runs before device_pid is known, and none in the child. */
static bool
fork_blocked(int listener)
{
	sigset_t	all,
				old;
	uint32		left_out[DEVICES_MAX];
	pid_t		pid;

	find_left_out(left_out);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = device_process_fork(listener, status_pipe[1], left_out);
	device_pid = Max(pid, 0);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return pid > 0;
}

/* Start a device process; it alone has the socket, so that it ends with it. */
static bool
start_device_process(void)
{
	int			listener = directory_make_socket();
	bool		started = listener >= 0 && fork_blocked(listener);

	if (!started)
	{
		snprintf(last_line, sizeof(last_line), "could not start: %s", strerror(errno));
		ereport(LOG,
				(errmsg("gpuagg device process %s", last_line)));
	}
	if (listener >= 0)
		close(listener);
	return started;
}

/* Has it ended?  *status as waitpid tells it. */
static bool
device_process_ended(int *status)
{
	if (waitpid(device_pid, status, WNOHANG) == 0)
		return false;
	device_pid = 0;
	return true;
}

/*
 * The service's files are not what they were: somebody has removed them.  Without
 * the lock another worker could be there already.
 */
static void
check_files(void)
{
	if (!directory_lock_is_there())
	{
		ereport(LOG,
				(errmsg("gpuagg device worker ends, since its lock file is gone")));
		proc_exit(0);
	}
	if (serves && !directory_has_socket() && device_pid != 0)
		kill(device_pid, SIGKILL);
}

/* Sessions need not wait for it. */
static void
note_late_start(void)
{
	char		reason[STATUS_MAX_LINE];

	if (silence < gpuagg_device_timeout)
		return;
	snprintf(reason, sizeof(reason), "the device process has been started %d s ago and does not serve yet",
			 silence / 1000);
	directory_write_note(NOTE_PAUSE, reason);
}

/* Its loop should have gone round, or begun, long ago. */
static void
check_silence(void)
{
	int			timeouts = serves ? TIMEOUTS_TO_HANG : timeouts_to_serve;

	if (device_pid == 0)
		return;
	if (!serves)
		note_late_start();
	if (silence / timeouts < gpuagg_device_timeout)
		return;
	ereport(LOG,
			(errmsg("gpuagg device process (PID %d) hangs and is killed", (int) device_pid),
			 serves ? errdetail("Nothing was heard of it for %d ms.", silence) :
			 errdetail("It was started %d ms ago and does not serve yet.", silence)));
	strlcpy(last_line, serves ? "it hung" : "it hung before it served", sizeof(last_line));
	kill(device_pid, SIGKILL);
	if (!serves)
		timeouts_to_serve = Min(2 * timeouts_to_serve, MOST_TIMEOUTS_TO_SERVE);
	silence = 0;
}

/* How it has ended, in the log; the last thing that it said is likely the reason. */
static void
report_end(pid_t pid, int status)
{
	char	   *how = wait_result_to_str(status);

	ereport(LOG,
			(errmsg("gpuagg device process (PID %d) has ended: %s", (int) pid, how)));
	if (last_line[0] == '\0')
		strlcpy(last_line, how, sizeof(last_line));
	pfree(how);
}

/* A device process from its start to its end. */
static DeviceEnd
run_device_process(void)
{
	int			status = 0;
	pid_t		pid;

	serves = no_device = false;
	silence = 0;
	last_line[0] = '\0';
	pending_size = 0;
	if (!start_device_process())
		return END_DIED;
	pid = device_pid;
	while (!device_process_ended(&status))
	{
		check_files();
		check_silence();
		sleep_in_worker(serves ? Min(rewarm_go_on(), FILES_INTERVAL) : FILES_INTERVAL);
	}
	read_status();
	directory_remove_socket();
	if (no_device && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return END_NO_DEVICE;
	report_end(pid, status);
	return END_DIED;
}

/* Sleep, so that what ends at once is not started again and again. */
static void
pause_for(int milliseconds)
{
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz end = TimestampTzPlusMilliseconds(now, milliseconds);
	char		reason[STATUS_MAX_LINE + 64];

	snprintf(reason, sizeof(reason), "the device process has ended and will be started again: %s", last_line);
	directory_write_note(NOTE_PAUSE, reason);
	for (; now < end; now = GetCurrentTimestamp())
	{
		check_files();
		sleep_in_worker(TimestampDifferenceMilliseconds(now, end));
	}
}

/* There is no device, and no reason to stay. */
static void __attribute__((noreturn))
end_without_device(void)
{
	ereport(LOG,
			(errmsg("gpuagg has no device: %s", last_line)));
	directory_write_note(NOTE_NO_DEVICE, last_line);
	proc_exit(0);
}

/*
 * A worker of the same cluster may be about to end.  If it stays, this one is not
 * needed.
 */
static void
take_lock(void)
{
	for (int waited = 0; !directory_lock(); waited += 10)
	{
		if (waited >= LOCK_PATIENCE)
			proc_exit(0);
		sleep_in_worker(10);
	}
}

void
gpuagg_device_worker(Datum arg)
{
	int			pause = SHORTEST_PAUSE;

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	pqsignal(SIGQUIT, quit_handler);
	pqsignal(SIGCHLD, child_handler);
	BackgroundWorkerUnblockSignals();
	make_wait_set();
	take_lock();
	on_proc_exit(exit_callback, 0);
	for (;;)
	{
		TimestampTz started = GetCurrentTimestamp();

		directory_write_note(NOTE_NONE, "");
		if (run_device_process() == END_NO_DEVICE)
			end_without_device();
		if (serves && TimestampDifferenceExceeds(started, GetCurrentTimestamp(), SERVED_WELL))
			pause = SHORTEST_PAUSE;
		pause_for(Min(pause, longest_pause));
		pause = Min(2 * pause, LONGEST_PAUSE);
	}
}

BackgroundWorker
worker_registration(bool by_session)
{
	BackgroundWorker worker = {
		.bgw_flags = BGWORKER_SHMEM_ACCESS,
		.bgw_start_time = BgWorkerStart_ConsistentState,
		.bgw_restart_time = by_session ? BGW_NEVER_RESTART : LONGEST_PAUSE / 1000,
		.bgw_notify_pid = by_session ? MyProcPid : 0
	};

	strlcpy(worker.bgw_name, "gpuagg device worker", sizeof(worker.bgw_name));
	strlcpy(worker.bgw_type, "gpuagg device worker", sizeof(worker.bgw_type));
	strlcpy(worker.bgw_library_name, "gpuagg", sizeof(worker.bgw_library_name));
	strlcpy(worker.bgw_function_name, "gpuagg_device_worker", sizeof(worker.bgw_function_name));
	return worker;
}

void
worker_init(void)
{
	BackgroundWorker worker = worker_registration(false);

#ifdef GPUAGG_TESTING
	DefineCustomIntVariable("gpuagg.longest_pause",
							"The longest pause before the device process is started again.",
							NULL,
							&longest_pause, LONGEST_PAUSE, 1, LONGEST_PAUSE,
							PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("gpuagg.device_dies_at",
							"The next device process kills itself at its message of that number.",
							NULL,
							&device_process_dies_at, 0, 0, INT_MAX,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("gpuagg.device_delay",
							"The next device process hangs for so long before it looks for devices.",
							NULL,
							&device_process_delay, 0, 0, 3600 * 1000,
							PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("gpuagg.device_pause",
							"So long is a device left out at first that has failed.",
							NULL,
							&device_pause, DEVICE_PAUSE, 1, LONGEST_DEVICE_PAUSE,
							PGC_SIGHUP, GUC_UNIT_S, NULL, NULL, NULL);
#endif
	if (process_shared_preload_libraries_in_progress && !IsBinaryUpgrade)
		RegisterBackgroundWorker(&worker);
}
