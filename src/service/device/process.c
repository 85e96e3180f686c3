/*
 * process.c
 *	  Becoming the device process.
 *
 * The device process is a child of the device worker that the postmaster does not know of,
 * so that its death restarts no server.  What it could do to the server is taken from
 * it before any code of a driver runs in it:
 *
 * - it has the default signal handlers, and dies with the worker;
 * - it has none of the server's descriptors, in particular no lock, no client's
 *	 connection and no end of the pipe that tells that the postmaster lives;
 * - it can read the server's shared memory but not write to it, and is attached to no
 *	 segment that a starting postmaster would wait for (protect.c);
 * - callbacks for the end of a server process are forgotten, and it ends by _exit;
 * - it gains no privileges by executing programs, and when memory is short the kernel ends
 *	 it before any server process.
 *
 * From fork() on no function of PostgreSQL may be called that could raise an error, wait
 * for a lock or write to shared memory.  What goes wrong is told in the status pipe.
 */
#include "postgres.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalog/pg_tablespace_d.h"
#include "common/relpath.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/stripe.h"
#include "guc.h"
#include "miscadmin.h"
#include "service/device/process.h"
#include "service/device/protect.h"
#include "service/device/server.h"
#include "storage/bufmgr.h"
#include "storage/ipc.h"
#include "storage/pg_shmem.h"
#include "utils/ps_status.h"

/* The engines that it may have, in the order in which their reasons are told. */
static const EngineOps *const engines[] = {
#define SERVED(id, ops, costs, device, client) &ops,
#include "engine/engines.def"
};

/* Write a line to the status pipe; a full pipe loses it. */
static void
tell(int status, const char *what, const char *text)
{
	char		line[STATUS_MAX_LINE];
	int			len = snprintf(line, sizeof(line) - 1, "%s%s", what, text);

	len = Min(len, (int) sizeof(line) - 2);
	line[len] = '\n';
	if (write(status, line, len + 1) < 0)
		return;					/* there is nobody else to tell it */
}

static void __attribute__((noreturn))
give_up(int status, const char *what, const char *why)
{
	tell(status, what, why);
	_exit(1);
}

/* The worker's handlers are for a server process.  A lost session is no signal's affair. */
static void
reset_signals(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t	none;

	for (int signal = 1; signal < NSIG; signal++)
		sigaction(signal, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

#ifdef GPUAGG_TESTING
int			device_process_dies_at = 0;
int			device_process_delay = 0;
#endif

/*
 * Die with the worker, which may be gone already, and be signalled by nobody who
 * signals the worker's process group: the postmaster does that.
 */
static void
attach_to_worker(pid_t worker, int status)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		give_up(status, "could not ask to end with the worker: ", strerror(errno));
	if (getppid() != worker)
		_exit(1);
	setsid();
}

/* Let the kernel take this process first when memory is short. */
static void
offer_to_oom_killer(int status)
{
	int			file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (file < 0 || write(file, "1000", 4) != 4)
		tell(status, "could not write to /proc/self/oom_score_adj: ", strerror(errno));
	if (file >= 0)
		close(file);
}

/*
 * Close all descriptors but these two.  Input and output are /dev/null; what a
 * library writes to stderr goes to the log.
 */
static void
close_descriptors(int listener, int status)
{
	int			null = open("/dev/null", O_RDWR);
	DIR		   *open_ones = opendir("/proc/self/fd");
	struct dirent *entry;

	if (null < 0 || open_ones == NULL || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
		dup2(status, 2) < 0)
		give_up(status, "could not give up descriptors: ", strerror(errno));
	while ((entry = readdir(open_ones)) != NULL)
	{
		int			number = atoi(entry->d_name);

		if (number > 2 && number != listener && number != status &&
			number != dirfd(open_ones))
			close(number);
	}
	closedir(open_ones);
}

/* Is there anything to serve with?  If not, end, which is no failure. */
static void
require_engine(int status)
{
	char		reasons[STATUS_MAX_LINE] = "";

#ifdef GPUAGG_TESTING
	usleep((useconds_t) device_process_delay * 1000);
#endif
	for (int i = 0; i < (int) lengthof(engines); i++)
	{
		char		reason[256] = "";
		size_t		used = strlen(reasons);

		/* an engine that needs nothing has nothing to serve with, either */
		if (engines[i]->process == NULL)
			continue;
		engines[i]->process->init(DataDir);
		if (engine_is_available(engines[i], reason, sizeof(reason)))
			return;
		snprintf(reasons + used, sizeof(reasons) - used, "%s%s", used ? "; " : "", reason);
	}
	tell(status, STATUS_NO_DEVICE, reasons);
	_exit(0);
}

/*
 * What DROP, TRUNCATE and rewrites leave is empty from their commit on, and goes with the next
 * checkpoint (mdunlink).
 */
bool
table_file_is_gone(const uint32_t *file)
{
	char		path[MAXPGPATH];
	struct stat status;

	if (file[0] == DEFAULTTABLESPACE_OID)
		snprintf(path, sizeof(path), "base/%u/%u", file[1], file[2]);
	else
		snprintf(path, sizeof(path), "pg_tblspc/%u/%s/%u/%u",
				 file[0], TABLESPACE_VERSION_DIRECTORY, file[1], file[2]);
	if (stat(path, &status) != 0)
		return errno == ENOENT;
	return status.st_size == 0;
}

#ifdef GPUAGG_TESTING
/* Tests have smaller tables dealt over devices. */
static uint64
deal_pages(void)
{
	const char *pages = getenv("GPUAGG_DEAL_PAGES");

	return pages != NULL ? strtoul(pages, NULL, 10) : DEAL_PAGES;
}

/* Several stripes of them, too. */
static void
set_stripe_blocks(void)
{
	const char *blocks = getenv("GPUAGG_STRIPE_BLOCKS");

	if (blocks != NULL)
		stripe_blocks = (uint32_t) strtoul(blocks, NULL, 10);
}
#endif

static uint64
cache_size(void)
{
#ifdef GPUAGG_TESTING
	/* tests have smaller tables that a device has no room for */
	const char *kilobytes = getenv("GPUAGG_CACHE_KILOBYTES");

	if (kilobytes != NULL)
		return strtoul(kilobytes, NULL, 10) << 10;
#endif
	return gpuagg_cache_size < 0 ? KEPT_SHARE : (uint64) gpuagg_cache_size << 20;
}

/*
 * A System V segment of shared buffers has been detached, so that they cannot be read
 * here.
 */
static ServiceConfig
service_config(void)
{
	bool		readable = shared_memory_type == SHMEM_TYPE_MMAP;

	return (ServiceConfig)
	{
		.buffers = readable ? BufferBlocks : NULL,
			.buffers_size = readable ? (uint64) NBuffers * BLCKSZ : 0,
			.devices = gpuagg_used_devices,
			.max_device_memory = (uint64) gpuagg_max_device_memory << 20,
			.cache_size = cache_size(),
			.host_cache_size = (uint64) gpuagg_host_cache_size << 20,
			.file_is_gone = table_file_is_gone,
#ifdef GPUAGG_TESTING
			.deal_pages = deal_pages(),
			.dies_at = (uint64) device_process_dies_at,
#else
			.deal_pages = DEAL_PAGES,
#endif
	};
}

static void __attribute__((noreturn))
run_device_process(pid_t worker, int listener, int status, const uint32 *left_out)
{
	ServiceConfig config = service_config();
	char		why[256];

	memcpy(config.left_out, left_out, sizeof(config.left_out));

	reset_signals();
	attach_to_worker(worker, status);
	on_exit_reset();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	offer_to_oom_killer(status);
	close_descriptors(listener, status);
	if (!protect_shared_memory(why, sizeof(why)))
		give_up(status, why, "");
	init_ps_display("gpuagg device process");
#ifdef GPUAGG_TESTING
	set_stripe_blocks();
#endif
	cuda_engine_use(config.devices, 0);
	require_engine(status);
	tell(status, STATUS_SERVES, "");
	device_process_main(listener, status, &config);
}

pid_t
device_process_fork(int listener, int status, const uint32 *left_out)
{
	pid_t		worker = getpid();
	pid_t		pid = fork();

	if (pid == 0)
		run_device_process(worker, listener, status, left_out);
	return pid;
}
