/*
 * test_simt.c
 *	  The simulated device: what every device does, and what only it reports.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device_kernels.h"
#include "engine/simt/simt.h"
#include "tap.h"

#define HEAD \
	"#include \"prelude.cuh\"\n" \
	"typedef struct Args { uint64_t *out; uint64_t n; } Args;\n" \
	"KERNEL(k, Args, args)\n"

typedef struct Args
{
	DevicePtr	out;
	uint64_t	n;
} Args;

static Device *
open_device(void)
{
	char		why[256];
	Device	   *dev = simt_device.open(0, why, sizeof(why));

	if (dev == NULL)
	{
		printf("Bail out! %s\n", why);
		exit(1);
	}
	return dev;
}

/*
 * Run a kernel's body on a device of its own and an array of 64 words; it must
 * end with the status, and the message must have the part in it.
 */
static void
expect(const char *name, const char *body, uint32_t block, uint32_t shared,
	   DeviceStatus status, const char *part)
{
	static const uint64_t words[64];
	Device	   *dev = open_device();
	Args		args = {.out = device_copy(dev, words, sizeof(words)), .n = 64};
	char		text[2048];
	DeviceStatus got;

	snprintf(text, sizeof(text), "%s%s", HEAD, body);
	got = run_kernel(dev, text, "k", 2, block, shared, &args);
	ok(got == status && (part == NULL || strstr(dev->message, part)), "%s%s%s",
	   name, got == DEVICE_OK ? "" : ": ", got == DEVICE_OK ? "" : dev->message);
	if (status == DEVICE_FAILED)
		ok(dev->ops->alloc(dev, 8, &args.out) == DEVICE_FAILED,
		   "then the device is lost");
	else if (status == DEVICE_REFUSED)
		ok(dev->ops->alloc(dev, 8, &args.out) == DEVICE_OK,
		   "which leaves the device as it was");
	dev->ops->close(dev);
}

static void
test_collective_errors(void)
{
	expect("a mask without its caller",
		   "{ warp_sync(0xfffffffeu); }", 32, 0,
		   DEVICE_FAILED, "does not name its own lane 0");
	expect("a lane that has returned",
		   "{ if (lane_index() == 3) return; warp_ballot(FULL_MASK, 1); }", 32, 0,
		   DEVICE_FAILED, "thread 3: returned, but lane 0 waits for it");
	expect("a lane that returned before",
		   "{ if (lane_index() == 3) return; warp_sync(0xfffffff7u);"
		   " warp_ballot(FULL_MASK, 1); }", 32, 0,
		   DEVICE_FAILED, "names lane 3");
	expect("lanes beyond the block",
		   "{ warp_sync(FULL_MASK); }", 24, 0,
		   DEVICE_FAILED, "names lane 24");
	expect("two collectives for the same lanes",
		   "{\n if (lane_index() < 16)\n  warp_sync(FULL_MASK);\n else\n"
		   "  warp_ballot(FULL_MASK, 1);\n}", 32, 0,
		   DEVICE_FAILED, "waits in warp_sync(0xffffffff) at");
	expect("one collective at two places",
		   "{\n if (lane_index() < 16)\n  warp_sync(FULL_MASK);\n else\n"
		   "  warp_sync(FULL_MASK);\n}", 32, 0,
		   DEVICE_FAILED, "waits in warp_sync(0xffffffff) at");
	expect("masks that overlap",
		   "{ warp_sync(lane_index() < 20 ? 0x000fffffu : 0xfffff000u); }", 32, 0,
		   DEVICE_FAILED, NULL);
	expect("half a warp at the barrier, half at a collective",
		   "{\n if (lane_index() < 16)\n  block_sync();\n else\n"
		   "  warp_sync(FULL_MASK);\n}", 64, 0,
		   DEVICE_FAILED, "but lane 0 waits in block_sync at");
	expect("two barriers",
		   "{\n if (threadIdx.x < 32)\n  block_sync();\n else\n  block_sync();\n}",
		   64, 0, DEVICE_FAILED, "other threads wait in block_sync at");
	expect("a circle of disjoint masks",
		   "{ warp_sync(lane_index() == 0 ? 0x3u : lane_index() == 1 ? 0x6u :"
		   " lane_index() == 2 ? 0xcu : 0x9u); }", 4, 0,
		   DEVICE_FAILED, "warp_sync(0x00000003) at kernel.c:4, but lane 1 waits in warp_sync(0x00000006)");
}

/* Compilers count on the stack's alignment, for vector registers say. */
static void
test_stack(void)
{
	expect("the stack is aligned to 16 bytes",
		   "{ __attribute__((aligned(16))) char local[16]; char *p = local;"
		   " __asm__(\"\" : \"+r\" (p));"
		   " if ((uintptr_t) p % 16 != 0) gpu_trap(); }", 64, 0,
		   DEVICE_OK, NULL);
}

static void
test_endless(void)
{
	expect("a loop that relaxes for ever",
		   "{ while (load_volatile_u64(args.out) == 0) gpu_relax(); }", 32, 0,
		   DEVICE_FAILED, "hangs");
	expect("a loop of loads",
		   "{ while (load_volatile_u64(args.out) == 0) ; }", 32, 0,
		   DEVICE_FAILED, "hangs");
	expect("a lock that its holder keeps",
		   "{ while (atomic_cas_u64(args.out, 0, 1) != 0) ; }", 32, 0,
		   DEVICE_FAILED, "hangs");
	expect("a lock within a warp",
		   "{ while (atomic_cas_u64(args.out, 0, 1) != 0) ;"
		   " gpu_relax(); atomic_exchange_u64(args.out, 0); }", 64, 0,
		   DEVICE_OK, NULL);
	expect("a trap", "{ if (threadIdx.x == 5) gpu_trap(); }", 32, 0,
		   DEVICE_FAILED, "thread 5: gpu_trap at");
}

static void
test_bounds(void)
{
	expect("a write behind the buffer", "{ args.out[args.n] = 1; }", 1, 0,
		   DEVICE_FAILED, "wrote to offset 512 of buffer 1 of 512 bytes");
	expect("a write before the buffer", "{ args.out[-1] = 1; }", 1, 0,
		   DEVICE_FAILED, "wrote to offset -1 of buffer 1 of 512 bytes");
	expect("a write at the end", "{ args.out[args.n - 1] = 1; }", 1, 0,
		   DEVICE_OK, NULL);
	expect("one that is not aligned", "{ *(uint64_t *) ((char *) args.out + 4) = 1; }", 1, 0,
		   DEVICE_FAILED, "misaligned");
	expect("an atomic that is not aligned",
		   "{ atomic_add_u64((uint64_t *) ((char *) args.out + 4), 1); }", 1, 0,
		   DEVICE_FAILED, "misaligned");
	expect("a load of two words that is not aligned",
		   "{ typedef struct Pair { uint64_t a, b; } __attribute__((aligned(16))) Pair;"
		   " args.out[0] = ((const volatile Pair *) (args.out + 1))->b; }", 1, 0,
		   DEVICE_FAILED, "misaligned");
	expect("a load of a byte", "{ args.out[0] = *((char *) args.out + 5); }", 1, 0,
		   DEVICE_OK, NULL);
	expect("a write behind dynamic shared memory",
		   "{ DYNAMIC_SHARED(uint64_t, x); x[args.n] = 1; }", 1, 512,
		   DEVICE_FAILED, "offset 512 of 512 bytes of dynamic shared memory");
}

/* What a compiler and the driver refuse of a kernel. */
static void
test_kernel_limits(void)
{
	static const char *const large =
		"#include \"prelude.cuh\"\n"
		"typedef struct Args { uint64_t *out; char rest[%d]; } Args;\n"
		"KERNEL(k, Args, args) { args.out[0] = args.rest[0]; }\n";
	Device	   *dev = open_device();
	struct
	{
		DevicePtr	out;
		char		rest[4089];
	}			args;
	uint64_t	words[4] = {0};
	char		text[512];

	memset(&args, 0, sizeof(args));
	args.out = device_copy(dev, words, sizeof(words));
	snprintf(text, sizeof(text), large, 4096 - 8);
	ok(run_kernel(dev, text, "k", 1, 32, 0, &args) == DEVICE_OK, "4096 bytes of parameters");
	snprintf(text, sizeof(text), large, 4096 - 7);
	ok(run_kernel(dev, text, "k", 1, 32, 0, &args) == DEVICE_COMPILE,
	   "more do not compile: %s", dev->message);
	expect("48 kB of static shared memory and more",
		   "{ SHARED uint64_t s[6200]; s[threadIdx.x] = 1; args.out[0] = s[0]; }", 32, 0,
		   DEVICE_REFUSED, "bytes of shared memory");
	expect("256 threads without bounds", "{ }", 256, 0, DEVICE_OK, NULL);
	expect("257 threads, for which there may be no registers", "{ }", 257, 0,
		   DEVICE_REFUSED, "256 threads");
	dev->ops->close(dev);
}

/* Host memory that cannot be registered, and frees of what is none. */
static void
test_host_memory(void)
{
	Device	   *dev = open_device();
	const DeviceOps *ops = dev->ops;
	char	   *memory = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE,
							  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void	   *host = NULL;
	DevicePtr	ptr;
	char		why[256] = "";

	ok(ops->host_register(dev, memory, 0, &ptr, why, sizeof(why)) == DEVICE_REFUSED,
	   "no bytes: %s", why);
	ok(ops->host_register(dev, memory + 8, 4096, &ptr, why, sizeof(why)) == DEVICE_REFUSED,
	   "not aligned: %s", why);
	munmap(memory + (1 << 15), 1 << 15);
	ok(ops->host_register(dev, memory, 1 << 16, &ptr, why, sizeof(why)) == DEVICE_REFUSED,
	   "not there: %s", why);
	ok(ops->host_register(dev, memory, 1 << 15, &ptr, why, sizeof(why)) == DEVICE_OK,
	   "what is there");
	ops->host_unregister(dev, memory);
	ok(ops->host_alloc(dev, 100, &host) == DEVICE_OK, "page-locked memory");
	ops->host_free(dev, host);
	ok(ops->alloc(dev, 8, &ptr) == DEVICE_OK, "is freed");
	ops->host_free(dev, memory);
	ok(ops->alloc(dev, 8, &ptr) == DEVICE_FAILED, "a free of other memory: %s", dev->message);
	ops->close(dev);
	munmap(memory, 1 << 15);
}

/* Each model has its own limit of shared memory, which the engine is told of. */
static void
test_models(void)
{
	static const struct
	{
		const char *capability;
		uint32_t	kilobytes;
	}			models[] = {{"7.5", 64}, {"8.0", 163}, {"8.6", 99}, {"9.0", 227}, {"12.0", 99}};
	uint64_t	words[64] = {0};
	DeviceInfo	info;
	char		why[256];

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
	{
		Device	   *dev;
		Args		args = {.n = 64};
		uint32_t	limit = models[i].kilobytes * 1024;

		setenv("GPUAGG_SIMT_CAPABILITY", models[i].capability, 1);
		dev = open_device();
		args.out = device_copy(dev, words, sizeof(words));
		ok(dev->info.shared_limit == limit &&
		   run_kernel(dev, HEAD "{ }", "k", 1, 32, limit - 1024, &args) == DEVICE_OK &&
		   run_kernel(dev, HEAD "{ }", "k", 1, 32, limit + 1, &args) == DEVICE_REFUSED,
		   "%s: %u kB: %s", models[i].capability, models[i].kilobytes, dev->message);
		dev->ops->close(dev);
	}
	setenv("GPUAGG_SIMT_CAPABILITY", "1.0", 1);
	ok(simt_device.list(&info, 1, why, sizeof(why)) == 1 && !info.usable, "none: %s", info.reason);
	unsetenv("GPUAGG_SIMT_CAPABILITY");
}

static void
test_copy_bounds(void)
{
	Device	   *dev = open_device();
	const DeviceOps *ops = dev->ops;
	uint64_t	words[16] = {0};
	Args		args = {.out = device_copy(dev, words, 64)};
	DevicePtr	ptr = args.out;
	DeviceStream *stream = NULL;

	ops->stream_create(dev, &stream);
	ok(ops->upload(dev, stream, ptr + 8, words, 64) == DEVICE_REFUSED,
	   "an upload behind the buffer: %s", dev->message);
	ok(ops->download(dev, stream, words, ptr - 8, 8) == DEVICE_REFUSED,
	   "a download from before it: %s", dev->message);
	ok(ops->fill(dev, stream, ptr, 0, 65) == DEVICE_REFUSED, "a fill");
	ok(ops->fill(dev, stream, ptr, 0, 64) == DEVICE_OK, "a fill that fits");
	ok(run_kernel(dev, HEAD "{ }", "k", 1, 1025, 0, &args) == DEVICE_REFUSED,
	   "too many threads: %s", dev->message);
	ok(run_kernel(dev, HEAD "{ }", "k", 1, 32, 1 << 20, &args) == DEVICE_REFUSED,
	   "too much shared memory: %s", dev->message);
	ok(ops->stream_wait(dev, stream) == DEVICE_OK, "none of which loses the device");
	ops->free(dev, ptr + 8);
	ok(ops->alloc(dev, 8, &ptr) == DEVICE_FAILED, "a free of what is no buffer: %s",
	   dev->message);
	ops->close(dev);
}

/* What nobody has set is not zero. */
static void
test_garbage(void)
{
	Device	   *dev = open_device();
	const DeviceOps *ops = dev->ops;
	uint64_t	words[64] = {0};
	Args		args = {.n = 64};

	ops->alloc(dev, sizeof(words), &args.out);
	host_copy(dev, words, args.out, sizeof(words));
	ok(words[0] == UINT64_C(0xa5a5a5a5a5a5a5a5) && words[63] == words[0],
	   "new device memory is full of garbage");
	run_kernel(dev, HEAD "{ SHARED uint64_t s[4]; DYNAMIC_SHARED(uint64_t, d);"
			   " if (threadIdx.x == 0) { args.out[blockIdx.x] = s[1];"
			   " args.out[8 + blockIdx.x] = d[1]; s[1] = d[1] = 0; }"
			   " args.out[16 + lane_index()] = warp_shfl_u64(lane_index() < 16 ? 0xffffu : 0xffff0000u, 1, 3); }",
			   "k", 2, 32, 64, &args);
	host_copy(dev, words, args.out, sizeof(words));
	ok(words[0] != 0 && words[1] != 0, "so is static shared memory, in each block");
	ok(words[8] != 0 && words[9] != 0, "and dynamic shared memory");
	ok(words[16] == 1 && words[32] != 1, "and what a shuffle reads outside its mask");
	ops->close(dev);
}

/* Work is done late: copies see what host memory holds when they are done. */
static void
test_late(void)
{
	Device	   *dev = open_device();
	const DeviceOps *ops = dev->ops;
	uint64_t	word = 1;
	uint64_t	back = 0;
	DevicePtr	ptr;
	DeviceStream *stream = NULL;
	DeviceEvent *event = NULL;

	ops->stream_create(dev, &stream);
	ops->event_create(dev, &event);
	ops->alloc(dev, 8, &ptr);
	ops->upload(dev, stream, ptr, &word, 8);
	ops->download(dev, stream, &back, ptr, 8);
	ops->event_record(dev, event, stream);
	word = 2;
	ok(back == 0 && ops->event_query(dev, event) == DEVICE_BUSY,
	   "nothing is done before somebody asks");
	ok(ops->stream_wait(dev, stream) == DEVICE_OK && back == 2,
	   "an upload reads its source when it is done");
	ops->event_destroy(dev, event);
	ops->close(dev);
}

/* A failed kernel is told by whatever comes after it. */
static void
test_failed_stream(void)
{
	Device	   *dev = open_device();
	const DeviceOps *ops = dev->ops;
	uint64_t	word = 0;
	DevicePtr	ptr = device_copy(dev, &word, 8);
	void	   *params[] = {&(Args) {.out = ptr}};
	DeviceStream *one = NULL,
			   *two = NULL;
	DeviceEvent *event = NULL;
	DeviceModule *module = NULL;
	DeviceKernel *kernel = NULL;
	void	   *image;
	size_t		size;

	device_compile(dev, HEAD "{ }", NULL, &image, &size);
	ops->module_load(dev, image, size, &module);
	free(image);
	ops->kernel(dev, module, "k", &kernel);
	ops->stream_create(dev, &one);
	ops->stream_create(dev, &two);
	ops->event_create(dev, &event);
	simt_inject("launch", 1, DEVICE_FAILED);
	ok(ops->launch(dev, one, kernel, 1, 32, 0, params) == DEVICE_OK &&
	   ops->event_record(dev, event, one) == DEVICE_OK &&
	   ops->stream_wait_event(dev, two, event) == DEVICE_OK &&
	   ops->fill(dev, two, ptr, 0, 8) == DEVICE_OK, "work is taken");
	ok(ops->stream_wait(dev, two) == DEVICE_FAILED, "a stream that waits for it: %s",
	   dev->message);
	ok(ops->event_query(dev, event) == DEVICE_FAILED, "the event behind it: %s",
	   dev->message);
	ok(ops->fill(dev, one, ptr, 0, 8) == DEVICE_FAILED, "more work for its stream: %s",
	   dev->message);
	ops->stream_destroy(dev, one);
	ok(ops->event_query(dev, event) == DEVICE_FAILED, "also when the stream is gone");
	ops->event_destroy(dev, event);
	ops->module_unload(dev, module);
	ops->close(dev);
}

/* Threads that change at random see the fault of a kernel without atomics. */
static void
test_seed(void)
{
	const char *const body = HEAD
		"{ uint64_t old = load_volatile_u64(args.out); fence_device();"
		" args.out[0] = old + 1; }";
	uint64_t	zero = 0,
				in_order = 0,
				at_random = 0;
	Device	   *dev = open_device();
	Args		args = {.out = device_copy(dev, &zero, 8)};

	run_kernel(dev, body, "k", 1, 256, 0, &args);
	host_copy(dev, &in_order, args.out, 8);
	simt_set_seed(dev, 7);
	args.out = device_copy(dev, &zero, 8);
	run_kernel(dev, body, "k", 1, 256, 0, &args);
	host_copy(dev, &at_random, args.out, 8);
	ok(in_order == 256 && at_random < 256,
	   "a race hidden in order (%llu) shows with a seed (%llu)",
	   (unsigned long long) in_order, (unsigned long long) at_random);
	dev->ops->close(dev);
}

static void
test_injection(void)
{
	Device	   *dev = open_device();
	const DeviceOps *ops = dev->ops;
	uint64_t	word = 0;
	Args		args = {.out = device_copy(dev, &word, 8)};
	DevicePtr	ptr = 0;
	const char *const text = HEAD "{ args.out[0] = 1; }";

	ok(simt_inject("alloc", 2, DEVICE_NO_MEMORY), "inject");
	ok(ops->alloc(dev, 8, &ptr) == DEVICE_OK, "the first alloc");
	ok(ops->alloc(dev, 8, &ptr) == DEVICE_NO_MEMORY && ptr == 0, "the second: %s",
	   dev->message);
	ok(ops->alloc(dev, 8, &ptr) == DEVICE_OK, "the third");
	ok(simt_inject_text("compile:1:compile,launch:1:refused"), "inject by text");
	ok(run_kernel(dev, text, "k", 1, 32, 0, &args) == DEVICE_COMPILE,
	   "a failed compile: %s", dev->message);
	ok(run_kernel(dev, text, "k", 1, 32, 0, &args) == DEVICE_REFUSED,
	   "a refused launch: %s", dev->message);
	ok(run_kernel(dev, text, "k", 1, 32, 0, &args) == DEVICE_OK, "and then none");
	ok(simt_inject_text("launch:1:failed"), "inject a kernel that fails");
	ok(run_kernel(dev, text, "k", 1, 32, 0, &args) == DEVICE_FAILED,
	   "a failed launch: %s", dev->message);
	ok(run_kernel(dev, text, "k", 1, 32, 0, &args) == DEVICE_FAILED,
	   "which loses the device: %s", dev->message);
	ops->close(dev);
	dev = open_device();
	ops = dev->ops;
	args.out = device_copy(dev, &word, 8);
	ok(run_kernel(dev, text, "k", 1, 32, 0, &args) == DEVICE_OK, "until it is opened anew");
	ok(simt_inject("any", 2, DEVICE_FAILED), "the device disappears");
	ok(ops->alloc(dev, 8, &ptr) == DEVICE_OK, "not yet");
	ok(ops->alloc(dev, 8, &ptr) == DEVICE_FAILED, "now");
	ok(ops->memory_free(dev, &word) == DEVICE_FAILED, "and for good");
	ok(simt_inject_text(""), "what was asked for is taken back");
	ok(ops->memory_free(dev, &word) == DEVICE_FAILED, "but a lost device stays lost");
	ok(!simt_inject("aloc", 1, DEVICE_FAILED) && !simt_inject_text("alloc:x:failed") &&
	   !simt_inject_text("alloc:1") && !simt_inject_text("alloc:1:lost"),
	   "what cannot be injected is told");
	ops->close(dev);
}

int
main(void)
{
	DeviceInfo	info = {0};
	char		why[256];

	ok(simt_device.list(&info, 1, why, sizeof(why)) == 1 && info.usable,
	   "there is one simulated device: %s", info.usable ? info.name : info.reason);
	for (uint64_t seed = 0; seed < 4; seed++)
	{
		Device	   *dev = open_device();

		printf("# threads in %s order\n", seed ? "random" : "their own");
		simt_set_seed(dev, seed);
		test_device_kernels(dev);
		test_device_calls(dev);
		dev->ops->close(dev);
	}
	test_collective_errors();
	test_stack();
	test_endless();
	test_bounds();
	test_kernel_limits();
	test_host_memory();
	test_models();
	test_copy_bounds();
	test_garbage();
	test_late();
	test_failed_stream();
	test_seed();
	test_injection();
	return done_testing();
}
