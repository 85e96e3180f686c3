/*
 * test_device_cuda.c
 *	  The CUDA device: on it, if there is one, and what works without one.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device_kernels.h"
#include "engine/cuda/device/cuda_compile.h"
#include "tap.h"

/* All operations as kernels would have them, and some of each other kind. */
static const char *const text =
	"#include \"prelude.cuh\"\n"
	"#include \"ops.h\"\n"
	"#include \"state.h\"\n"
	"typedef struct Args { uint64_t *out; double *sum; } Args;\n"
	"KERNEL_BOUNDS(k, Args, args, 256, 2)\n"
	"{\n"
	"	SHARED double part[32];\n"
	"	DYNAMIC_SHARED(uint64_t, table);\n"
	"	table[threadIdx.x] = warp_match_u64(FULL_MASK, args.out[threadIdx.x]);\n"
	"	part[warp_index()] = warp_shfl_down_f64(FULL_MASK, args.sum[threadIdx.x], 16);\n"
	"	block_sync();\n"
	"	atomic_add_u64_noreturn(args.out, table[0]);\n"
	"	atomic_add_f64_noreturn(args.sum, part[0]);\n"
	"	atomic_min_s64((int64_t *) args.out, INT64_MIN);\n"
	"	args.out[1] = float_to_ordered(part[1], false);\n"
	"	gpu_relax();\n"
	"}\n";

static void
test_compile(void)
{
	static const int archs[] = {75, 80, 90, 100, 120};
	const char *const std[] = {"-DUNUSED=1", NULL};
	char		why[256],
				message[512];
	const CudaCompiler *compiler = cuda_compiler(0, why, sizeof(why));
	void	   *image;
	size_t		size;
	DeviceStatus status;

	if (compiler == NULL)
	{
		ok(true, "# SKIP %s", why);
		return;
	}
	for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++)
	{
		strcpy(message, "");
		status = cuda_compile(compiler, archs[i], text, std, &image, &size,
							  message, sizeof(message));
		ok(status == DEVICE_OK && size > 4, "NVRTC %d.%d compiles for sm_%d%s",
		   compiler->release / 1000, compiler->release % 1000 / 10, archs[i], message);
		free(image);
	}
	status = cuda_compile(compiler, 999, text, NULL, &image, &size, message,
						  sizeof(message));
	ok(status == DEVICE_OK && strstr(image, ".target sm_") != NULL,
	   "for a GPU that NVRTC does not know yet it makes PTX");
	free(image);
	status = cuda_compile(compiler, 20, text, NULL, &image, &size, message,
						  sizeof(message));
	ok(status == DEVICE_REFUSED && image == NULL, "for one too old nothing: %s", message);
	status = cuda_compile(compiler, 90, "__device__ int f() { return nothing; }", NULL, &image,
						  &size, message, sizeof(message));
	ok(status == DEVICE_COMPILE && strstr(message, "nothing"), "an error: %s", message);
}

/* Which errors end the process, and which the run only. */
static void
test_errors(void)
{
	/* NOT_INITIALIZED and NOT_FOUND, and those of values, handles, memory and launches */
	static const CUresult others[] = {1, 2, 3, 200, 209, 218, 222, 304, 400, 500, 600, 701, 712, 713, 720, 801};
	static const CUresult sticky[] = {214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 999};
	int			wrong = 0;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		wrong += cuda_error_is_sticky(others[i]);
	for (size_t i = 0; i < sizeof(sticky) / sizeof(sticky[0]); i++)
		wrong += !cuda_error_is_sticky(sticky[i]);
	ok(wrong == 0, "errors after which a context is unusable, and others");
}

/* A device is opened again for a while if there is no memory, and for nothing else. */
static void
test_open_again(void)
{
	int			pauses = 0;
	int			again = 0;

	ok(!cuda_opens_again(0, &pauses) && !cuda_opens_again(100, &pauses) && pauses == 0,
	   "opened, or no device: not again");
	while (again < 100 && cuda_opens_again(CUDA_ERROR_OUT_OF_MEMORY, &pauses))
		again++;
	ok(again > 0 && again < 100, "no memory: %d times again", again);
}

/* A device cannot be used by a child of the process that opened it. */
static void
test_fork(Device *dev)
{
	int			status = 0;
	pid_t		pid = fork();

	if (pid == 0)
	{
		DevicePtr	ptr;
		char		why[256];
		bool		refused = dev->ops->alloc(dev, 8, &ptr) == DEVICE_FAILED &&
		cuda_driver(why, sizeof(why)) == NULL;

		dev->ops->close(dev);
		_exit(refused ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	ok(pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "a child process is refused");
}

/* A kernel that ends in an error takes the context with it; opening helps. */
static void
test_lost(Device *dev)
{
	const char *const trap =
		"#include \"prelude.cuh\"\n"
		"typedef struct Args { uint64_t *out; } Args;\n"
		"KERNEL(k, Args, args) { if (threadIdx.x == 5) gpu_trap(); }\n";
	DevicePtr	ptr = 0;
	char		why[256] = "";
	DeviceStatus status;

	ok(run_kernel(dev, trap, "k", 1, 32, 0, &ptr) == DEVICE_FAILED, "a trap: %s",
	   dev->message);
	ok(dev->ops->alloc(dev, 8, &ptr) == DEVICE_FAILED, "then the device is lost: %s",
	   dev->message);
	dev->ops->close(dev);
	dev = cuda_device.open(0, why, sizeof(why));
	if (dev == NULL)
	{
		ok(why[0] != '\0', "opening it again says why not: %s", why);
		return;
	}
	status = dev->ops->alloc(dev, 8, &ptr);
	ok(status == DEVICE_OK, "it works when it is opened again %s", dev->message);
	dev->ops->free(dev, ptr);
	dev->ops->close(dev);
}

/* Any argument: no kernel that ends in an error, for running under sanitizers. */
int
main(int argc, char **argv)
{
	DeviceInfo	info = {0};
	char		why[256] = "";
	int			n;
	Device	   *dev;

	test_errors();
	test_open_again();
	test_compile();
	n = cuda_device.list(&info, 1, why, sizeof(why));
	if (n == 0)
	{
		ok(why[0] != '\0', "without a device there is a reason: %s", why);
		ok(cuda_device.open(0, why, sizeof(why)) == NULL, "and nothing to open");
		return done_testing();
	}
	ok(info.usable, "%s, compute capability %d.%d %s", info.name, info.major,
	   info.minor, info.reason);
	dev = cuda_device.open(0, why, sizeof(why));
	ok(dev != NULL, "it can be opened %s", why);
	if (dev == NULL)
		return done_testing();
	test_device_kernels(dev);
	test_device_calls(dev);
	test_fork(dev);
	if (argc == 1)
		test_lost(dev);
	else
		dev->ops->close(dev);
	return done_testing();
}
