/*
 * device_kernels.h
 *	  What kernels must do on every device: the same tests for simt and cuda.
 *
 * Kernels write what they see into an array of words; the host compares it with
 * what it works out by itself.  Part of the one program that includes it.
 */
#ifndef DEVICE_KERNELS_H
#define DEVICE_KERNELS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile.h"
#include "tap.h"

#define WORDS 4096

/* The parameter of all kernels here. */
typedef struct KernelArgs
{
	DevicePtr	in;				/* const uint64_t * */
	DevicePtr	out;			/* uint64_t * */
	uint32_t	n;
	uint32_t	seed;
} KernelArgs;

static const char *const kernels =
"#include \"prelude.cuh\"\n"
"typedef struct Args\n"
"{\n"
"	const uint64_t *in;\n"
"	uint64_t *out;\n"
"	uint32_t n, seed;\n"
"} Args;\n"
"\n"
"KERNEL(add, Args, args)\n"
"{\n"
"	for (uint64_t i = grid_index(); i < args.n; i += grid_size())\n"
"		args.out[i] = load_readonly(&args.in[i]) + args.in[args.n + i];\n"
"}\n"
"\n"
"KERNEL(shuffle, Args, args)\n"
"{\n"
"	uint32_t lane = lane_index();\n"
"	uint64_t *out = args.out + threadIdx.x * 16;\n"
"	uint64_t value = args.in[threadIdx.x];\n"
"	double f = (double) (int64_t) value * 0.5;\n"
"	out[0] = warp_shfl_u32(FULL_MASK, (uint32_t) value, (lane * 7) % 32);\n"
"	out[1] = warp_shfl_u64(FULL_MASK, value, 31 - lane);\n"
"	out[2] = (uint64_t) warp_shfl_s64(FULL_MASK, -(int64_t) value, 5);\n"
"	out[3] = f64_bits(warp_shfl_f64(FULL_MASK, f, (lane + 1) % 32));\n"
"	out[4] = warp_shfl_up_u64(FULL_MASK, value, 3);\n"
"	out[5] = f64_bits(warp_shfl_down_f64(FULL_MASK, f, 9));\n"
"	out[6] = f64_bits((double) warp_shfl_xor_f32(FULL_MASK, (float) lane, 5));\n"
"	out[7] = (uint64_t) (int64_t) warp_shfl_xor_s32(FULL_MASK, -(int32_t) lane, 16);\n"
"}\n"
"\n"
"/* Odd and even lanes go different ways, and meet again. */\n"
"KERNEL(votes, Args, args)\n"
"{\n"
"	uint32_t lane = lane_index();\n"
"	uint64_t *out = args.out + threadIdx.x * 16;\n"
"	uint64_t value = args.in[threadIdx.x];\n"
"	if (lane & 1)\n"
"	{\n"
"		out[0] = warp_ballot(0xaaaaaaaau, value & 2);\n"
"		out[1] = warp_match_u64(0xaaaaaaaau, value & 3);\n"
"	}\n"
"	else\n"
"	{\n"
"		out[0] = warp_any(0x55555555u, value & 1);\n"
"		warp_sync(0x55555555u);\n"
"		out[1] = warp_match_u32(0x55555555u, (uint32_t) value & 7);\n"
"	}\n"
"	out[2] = warp_ballot(FULL_MASK, value & 4);\n"
"	out[3] = warp_all(FULL_MASK, lane < 32) + 2 * warp_all(FULL_MASK, lane != 9) +\n"
"		4 * warp_any(FULL_MASK, lane == 9) + 8 * warp_any(FULL_MASK, lane == 32);\n"
"	out[4] = warp_reduce_add_u32(FULL_MASK, lane);\n"
"}\n"
"\n"
"/* Whole warps return before the barriers; the rest goes on. */\n"
"KERNEL_BOUNDS(barriers, Args, args, 1024, 1)\n"
"{\n"
"	SHARED uint64_t values[1024];\n"
"	uint32_t n = args.n;\n"
"	if (threadIdx.x >= n)\n"
"		return;\n"
"	values[threadIdx.x] = args.in[threadIdx.x] + blockIdx.x;\n"
"	block_sync();\n"
"	args.out[blockIdx.x * n + threadIdx.x] = values[n - 1 - threadIdx.x];\n"
"	if (block_sync_count(threadIdx.x % 3 == 0) != (n + 2) / 3 ||\n"
"		block_sync_or(threadIdx.x == n) || !block_sync_or(threadIdx.x == 7) ||\n"
"		!block_sync_and(threadIdx.x < n) || block_sync_and(threadIdx.x != 7))\n"
"		args.out[blockIdx.x * n + threadIdx.x] = 0;\n"
"}\n"
"\n"
"/* Each block adds its part to 64 sums in dynamic shared memory first. */\n"
"KERNEL(dynamic, Args, args)\n"
"{\n"
"	DYNAMIC_SHARED(uint64_t, sums);\n"
"	for (uint32_t i = threadIdx.x; i < args.n; i += blockDim.x)\n"
"		sums[i] = 0;\n"
"	block_sync();\n"
"	atomic_add_u64_noreturn(&sums[args.n - 1 - threadIdx.x % 64], 1);\n"
"	block_sync();\n"
"	for (uint32_t i = threadIdx.x; i < 64; i += blockDim.x)\n"
"		atomic_add_u64_noreturn(&args.out[i], sums[args.n - 1 - i]);\n"
"}\n"
"\n"
"KERNEL(atomics, Args, args)\n"
"{\n"
"	uint64_t *o = args.out;\n"
"	uint64_t i = grid_index();\n"
"	uint32_t *w = (uint32_t *) (o + 32);\n"
"	int64_t s = (int64_t) i - 100;\n"
"	uint64_t seen;\n"
"	atomic_add_u32_noreturn(&w[0], (uint32_t) i);\n"
"	atomic_min_s32((int32_t *) &w[1], (int32_t) s);\n"
"	atomic_max_s32((int32_t *) &w[2], (int32_t) s);\n"
"	atomic_min_u32(&w[3], (uint32_t) s);\n"
"	atomic_max_u32(&w[4], (uint32_t) s);\n"
"	atomic_or_u32(&w[5], 1u << (i % 31));\n"
"	atomic_and_u32(&w[6], ~(1u << (i % 31)));\n"
"	atomic_add_u64(&o[0], i << 32);\n"
"	atomic_add_f64_noreturn((double *) &o[1], (double) s);\n"
"	atomic_min_s64((int64_t *) &o[2], s);\n"
"	atomic_max_s64((int64_t *) &o[3], s);\n"
"	atomic_min_u64(&o[4], (uint64_t) s);\n"
"	atomic_max_u64(&o[5], (uint64_t) s);\n"
"	atomic_or_u64(&o[6], UINT64_C(1) << (i % 61));\n"
"	atomic_and_u64(&o[7], ~(UINT64_C(1) << (i % 61)));\n"
"	/* each value handed on once, so their sum is that of all but the last */\n"
"	atomic_add_u64(&o[8], atomic_exchange_u64(&o[9], i));\n"
"	/* addition by compare and swap */\n"
"	seen = load_volatile_u64(&o[10]);\n"
"	for (;;)\n"
"	{\n"
"		uint64_t was = atomic_cas_u64(&o[10], seen, seen + i);\n"
"		if (was == seen)\n"
"			break;\n"
"		seen = was;\n"
"	}\n"
"	/* the one that finds a zero counts */\n"
"	if (atomic_cas_u32(&w[8], 0, 1) == 0)\n"
"		atomic_add_u64(&o[11], 1);\n"
"}\n"
"\n"
"/* The last warp waits for what the first one does at the end. */\n"
"KERNEL(waiting, Args, args)\n"
"{\n"
"	SHARED uint32_t flag;\n"
"	if (threadIdx.x == 0)\n"
"		flag = 0;\n"
"	block_sync();\n"
"	if (threadIdx.x == 0)\n"
"	{\n"
"		args.out[1] = 42;\n"
"		fence_block();\n"
"		atomic_exchange_u32(&flag, 1);\n"
"	}\n"
"	if (threadIdx.x == blockDim.x - 1)\n"
"	{\n"
"		while (load_volatile_u32(&flag) == 0)\n"
"			gpu_relax();\n"
"		fence_block();\n"
"		args.out[0] = load_volatile_u64(&args.out[1]);\n"
"	}\n"
"}\n"
"\n"
"/* One atomic for the lanes that are active together. */\n"
"KERNEL(active, Args, args)\n"
"{\n"
"	uint32_t lane = lane_index();\n"
"	if (args.in[threadIdx.x] % 3 == 0)\n"
"	{\n"
"		uint32_t mask = warp_active();\n"
"		uint32_t leader = bits_first_u32(mask) - 1;\n"
"		uint64_t start = 0;\n"
"		if (lane == leader)\n"
"			start = atomic_add_u64(&args.out[0], bits_count_u32(mask));\n"
"		start = warp_shfl_u64(mask, start, leader);\n"
"		args.out[1 + start + bits_count_u32(mask & lanes_below())] = args.in[threadIdx.x];\n"
"	}\n"
"}\n"
"\n"
"CONSTANT uint32_t primes[4] = {2, 3, 5, 7};\n"
"\n"
"KERNEL(bits, Args, args)\n"
"{\n"
"	uint64_t x = args.in[threadIdx.x];\n"
"	uint64_t *out = args.out + threadIdx.x * 16;\n"
"	out[0] = bits_count_u32((uint32_t) x);\n"
"	out[1] = bits_count_u64(x);\n"
"	out[2] = bits_first_u32((uint32_t) x);\n"
"	out[3] = bits_first_u64(x);\n"
"	out[4] = bits_leading_zeros_u32((uint32_t) x);\n"
"	out[5] = bits_leading_zeros_u64(x);\n"
"	out[6] = bits_reverse_u32((uint32_t) x);\n"
"	out[7] = multiply_high_u64(x, x);\n"
"	out[8] = f64_bits(f64_from_bits(x >> 2) + 0.0);\n"
"	out[9] = primes[x % 4];\n"
"}\n";

static DeviceModule *module;
static DeviceStream *stream;

/* End the program if the device does not do what everything else needs. */
static void
must(Device *dev, DeviceStatus status, const char *what)
{
	if (status == DEVICE_OK)
		return;
	printf("Bail out! %s: %s\n", what, dev->message);
	exit(1);
}

/* Device memory with the host's bytes in it; ends the test if there is none. */
static DevicePtr
device_copy(Device *dev, const void *from, size_t size)
{
	DevicePtr	ptr;
	DeviceStream *s;

	must(dev, dev->ops->alloc(dev, size, &ptr), "alloc");
	must(dev, dev->ops->stream_create(dev, &s), "stream_create");
	must(dev, dev->ops->upload(dev, s, ptr, from, size), "upload");
	must(dev, dev->ops->stream_wait(dev, s), "stream_wait");
	dev->ops->stream_destroy(dev, s);
	return ptr;
}

/* Its content back. */
static void
host_copy(Device *dev, void *to, DevicePtr from, size_t size)
{
	DeviceStream *s;

	must(dev, dev->ops->stream_create(dev, &s), "stream_create");
	must(dev, dev->ops->download(dev, s, to, from, size), "download");
	must(dev, dev->ops->stream_wait(dev, s), "stream_wait");
	dev->ops->stream_destroy(dev, s);
}

/*
 * Run the kernel of that name of a text: params is its parameter.  The status
 * of the first step that fails, compilation to waiting.
 */
static DeviceStatus
run_kernel(Device *dev, const char *text, const char *name, uint32_t grid,
		   uint32_t block, uint32_t shared, void *params)
{
	const DeviceOps *ops = dev->ops;
	void	   *array[] = {params};
	DeviceModule *m = NULL;
	DeviceKernel *k;
	DeviceStream *s = NULL;
	void	   *image;
	size_t		size;
	DeviceStatus status = device_compile(dev, text, NULL, &image, &size);

	if (status != DEVICE_OK)
		return status;
	status = ops->module_load(dev, image, size, &m);
	free(image);
	if (status == DEVICE_OK)
		status = ops->kernel(dev, m, name, &k);
	if (status == DEVICE_OK)
		status = ops->stream_create(dev, &s);
	if (status == DEVICE_OK)
		status = device_launch(dev, s, k, grid, block, shared, array);
	if (status == DEVICE_OK)
		status = ops->stream_wait(dev, s);
	ops->stream_destroy(dev, s);
	ops->module_unload(dev, m);
	return status;
}

/* Launch one of `kernels` on WORDS words in and out; both arrays are updated. */
static void
launch(Device *dev, const char *name, uint32_t grid, uint32_t block,
	   uint32_t shared, const uint64_t *in, uint64_t *out, uint32_t n)
{
	KernelArgs	args = {.n = n};
	void	   *params[] = {&args};
	DeviceKernel *kernel;

	args.in = device_copy(dev, in, WORDS * sizeof(uint64_t));
	args.out = device_copy(dev, out, WORDS * sizeof(uint64_t));
	must(dev, dev->ops->kernel(dev, module, name, &kernel), name);
	must(dev, device_launch(dev, stream, kernel, grid, block, shared, params), name);
	must(dev, dev->ops->stream_wait(dev, stream), name);
	host_copy(dev, out, args.out, WORDS * sizeof(uint64_t));
	dev->ops->free(dev, args.in);
	dev->ops->free(dev, args.out);
}

/* The same numbers at every run. */
static void
fill_words(uint64_t *words)
{
	uint64_t	x = 88172645463325252u;

	for (int i = 0; i < WORDS; i++)
	{
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		words[i] = i % 16 == 0 ? x >> 63 : x >> (i % 50);
	}
}

static uint64_t
bits_of(double value)
{
	uint64_t	bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static void
test_add(Device *dev, const uint64_t *in)
{
	uint64_t	out[WORDS] = {0};
	int			wrong = 0;

	launch(dev, "add", 3, 64, 0, in, out, 1000);
	for (int i = 0; i < 1000; i++)
		wrong += out[i] != in[i] + in[1000 + i];
	ok(wrong == 0 && out[1000] == 0, "a grid-stride loop adds two vectors");
}

static void
test_shuffle(Device *dev, const uint64_t *in)
{
	uint64_t	out[WORDS] = {0};
	int			wrong[8] = {0};

	launch(dev, "shuffle", 1, 128, 0, in, out, 0);
	for (int t = 0; t < 128; t++)
	{
		const uint64_t *o = out + t * 16;
		const uint64_t *warp = in + t / 32 * 32;
		int			lane = t % 32;

		wrong[0] += o[0] != (uint32_t) warp[lane * 7 % 32];
		wrong[1] += o[1] != warp[31 - lane];
		wrong[2] += o[2] != -warp[5];
		wrong[3] += o[3] != bits_of((double) (int64_t) warp[(lane + 1) % 32] * 0.5);
		wrong[4] += o[4] != warp[lane < 3 ? lane : lane - 3];
		wrong[5] += o[5] != bits_of((double) (int64_t) warp[lane > 22 ? lane : lane + 9] * 0.5);
		wrong[6] += o[6] != bits_of(lane ^ 5);
		wrong[7] += o[7] != (uint64_t) -(int64_t) (lane ^ 16);
	}
	ok(wrong[0] == 0, "shuffle u32");
	ok(wrong[1] == 0, "shuffle u64");
	ok(wrong[2] == 0, "shuffle s64 from one lane");
	ok(wrong[3] == 0, "shuffle f64");
	ok(wrong[4] == 0, "shuffle up");
	ok(wrong[5] == 0, "shuffle down");
	ok(wrong[6] == 0, "shuffle xor f32");
	ok(wrong[7] == 0, "shuffle xor s32");
}

static void
test_votes(Device *dev, const uint64_t *in)
{
	uint64_t	out[WORDS] = {0};
	int			wrong[5] = {0};

	launch(dev, "votes", 1, 64, 0, in, out, 0);
	for (int t = 0; t < 64; t++)
	{
		const uint64_t *o = out + t * 16;
		const uint64_t *warp = in + t / 32 * 32;
		int			odd = t & 1;
		uint64_t	vote = 0,
					match = 0,
					all = 0;

		for (int i = 0; i < 32; i++)
		{
			all |= (uint64_t) (warp[i] >> 2 & 1) << i;
			if ((i & 1) != odd)
				continue;
			if (odd)
				vote |= (warp[i] >> 1 & 1) << i;
			else
				vote |= warp[i] & 1;
			if (((warp[i] ^ in[t]) & (odd ? 3 : 7)) == 0)
				match |= UINT64_C(1) << i;
		}
		wrong[0] += o[0] != vote;
		wrong[1] += o[1] != match;
		wrong[2] += o[2] != all;
		wrong[3] += o[3] != 1 + 4;
		wrong[4] += o[4] != 31 * 32 / 2;
	}
	ok(wrong[0] == 0, "votes in two branches");
	ok(wrong[1] == 0, "matches in two branches");
	ok(wrong[2] == 0, "a ballot of all lanes after the branches");
	ok(wrong[3] == 0, "all and any");
	ok(wrong[4] == 0, "sum over a warp");
}

static void
test_barriers(Device *dev, const uint64_t *in)
{
	uint64_t	out[WORDS] = {0};
	int			wrong = 0;

	launch(dev, "barriers", 3, 1024, 0, in, out, 992);
	for (int i = 0; i < 3 * 992; i++)
		wrong += out[i] != in[992 - 1 - i % 992] + (uint64_t) (i / 992);
	ok(wrong == 0, "block barriers and votes, after a warp has returned");
}

static void
test_dynamic(Device *dev, const uint64_t *in)
{
	uint64_t	out[WORDS] = {0};
	int			wrong = 0;

	launch(dev, "dynamic", 2, 256, 60000, in, out, 7500);
	for (int i = 0; i < 64; i++)
		wrong += out[i] != 8;
	ok(wrong == 0, "60000 bytes of dynamic shared memory");
}

static void
test_atomics(Device *dev, const uint64_t *in)
{
	const uint64_t n = 4 * 96;
	const uint64_t sum = n * (n - 1) / 2;
	uint64_t	out[WORDS] = {0};
	uint32_t	w[16] = {0};
	double		f;

	out[4] = out[7] = UINT64_MAX;
	w[3] = w[6] = UINT32_MAX;
	memcpy(out + 32, w, sizeof(w));
	launch(dev, "atomics", 4, 96, 0, in, out, 0);
	memcpy(w, out + 32, sizeof(w));
	memcpy(&f, &out[1], sizeof(f));
	ok(w[0] == sum, "atomic add u32");
	ok(w[1] == (uint32_t) -100 && w[2] == n - 101, "atomic min and max s32");
	ok(w[3] == 0 && w[4] == UINT32_MAX, "atomic min and max u32");
	ok(w[5] == 0x7fffffff && w[6] == 0x80000000, "atomic or and and u32");
	ok(out[0] == sum << 32, "atomic add u64");
	ok(f == (double) sum - 100.0 * n, "atomic add f64");
	ok((int64_t) out[2] == -100 && out[3] == n - 101, "atomic min and max s64");
	ok(out[4] == 0 && out[5] == UINT64_MAX, "atomic min and max u64");
	ok(out[6] == UINT64_MAX >> 3 && out[7] == ~(UINT64_MAX >> 3), "atomic or and and u64");
	ok(out[8] + out[9] == sum, "atomic exchange u64");
	ok(out[10] == sum, "addition by compare and swap");
	ok(out[11] == 1 && w[8] == 1, "one winner of a compare and swap");
}

static void
test_waiting(Device *dev, const uint64_t *in)
{
	uint64_t	out[WORDS] = {0};

	launch(dev, "waiting", 1, 128, 0, in, out, 0);
	ok(out[0] == 42, "a thread waits for another warp's write");
}

static void
test_active(Device *dev, const uint64_t *in)
{
	uint64_t	out[WORDS] = {0};
	uint64_t	expected = 0,
				count = 0,
				got = 0;

	launch(dev, "active", 1, 256, 0, in, out, 0);
	for (int i = 0; i < 256; i++)
		if (in[i] % 3 == 0)
		{
			count++;
			expected += in[i];
		}
	for (uint64_t i = 1; i <= count; i++)
		got += out[i];
	ok(out[0] == count && got == expected && out[count + 1] == 0,
	   "the active lanes get places by one atomic");
}

static void
test_bits(Device *dev, const uint64_t *in)
{
	static const uint32_t primes[] = {2, 3, 5, 7};
	uint64_t	out[WORDS] = {0};
	int			wrong[10] = {0};

	launch(dev, "bits", 1, 256, 0, in, out, 0);
	for (int t = 0; t < 256; t++)
	{
		const uint64_t *o = out + t * 16;
		uint64_t	x = in[t];
		uint32_t	low = (uint32_t) x;
		uint64_t	reversed = 0;

		for (int i = 0; i < 32; i++)
			reversed |= (uint64_t) (low >> i & 1) << (31 - i);
		wrong[0] += o[0] != (uint64_t) __builtin_popcount(low);
		wrong[1] += o[1] != (uint64_t) __builtin_popcountll(x);
		wrong[2] += o[2] != (uint64_t) __builtin_ffs((int) low);
		wrong[3] += o[3] != (uint64_t) __builtin_ffsll((long long) x);
		wrong[4] += o[4] != (low ? (uint64_t) __builtin_clz(low) : 32);
		wrong[5] += o[5] != (x ? (uint64_t) __builtin_clzll(x) : 64);
		wrong[6] += o[6] != reversed;
		wrong[7] += o[7] != (uint64_t) ((unsigned __int128) x * x >> 64);
		wrong[8] += o[8] != x >> 2;
		wrong[9] += o[9] != primes[x % 4];
	}
	ok(wrong[0] == 0 && wrong[1] == 0, "bits are counted");
	ok(wrong[2] == 0 && wrong[3] == 0, "the first bit is found");
	ok(wrong[4] == 0 && wrong[5] == 0, "leading zeros are counted");
	ok(wrong[6] == 0, "bits are reversed");
	ok(wrong[7] == 0, "the high half of a product");
	ok(wrong[8] == 0, "a double's bits");
	ok(wrong[9] == 0, "a constant table");
}

/* Compile the kernels for the device and test them. */
static void
test_device_kernels(Device *dev)
{
	uint64_t	in[WORDS];
	void	   *image;
	size_t		size;

	fill_words(in);
	must(dev, device_compile(dev, kernels, NULL, &image, &size), "compile");
	must(dev, dev->ops->module_load(dev, image, size, &module), "module_load");
	must(dev, dev->ops->stream_create(dev, &stream), "stream_create");
	free(image);
	test_add(dev, in);
	test_shuffle(dev, in);
	test_votes(dev, in);
	test_barriers(dev, in);
	test_dynamic(dev, in);
	test_atomics(dev, in);
	test_waiting(dev, in);
	test_active(dev, in);
	test_bits(dev, in);
	dev->ops->stream_destroy(dev, stream);
	dev->ops->module_unload(dev, module);
}

/* A stream waits for another one's event; polling comes to an end. */
static void
test_events(Device *dev)
{
	const DeviceOps *ops = dev->ops;
	DeviceStream *one,
			   *two;
	DeviceEvent *start,
			   *end,
			   *downloaded;
	DevicePtr	ptr;
	uint64_t   *host;
	DeviceStatus status;
	float		ms = -1;

	must(dev, ops->stream_create(dev, &one), "stream_create");
	must(dev, ops->stream_create(dev, &two), "stream_create");
	must(dev, ops->event_create(dev, &start), "event_create");
	must(dev, ops->event_create(dev, &end), "event_create");
	must(dev, ops->event_create(dev, &downloaded), "event_create");
	must(dev, ops->host_alloc(dev, 2 * sizeof(uint64_t), (void **) &host), "host_alloc");
	must(dev, ops->alloc(dev, sizeof(uint64_t), &ptr), "alloc");
	ok(ptr % 256 == 0, "device memory is aligned to 256 bytes");

	host[0] = 17;
	host[1] = 0;
	must(dev, ops->event_record(dev, start, one), "event_record");
	must(dev, ops->upload(dev, one, ptr, &host[0], sizeof(uint64_t)), "upload");
	must(dev, ops->event_record(dev, end, one), "event_record");
	must(dev, ops->stream_wait_event(dev, two, end), "stream_wait_event");
	must(dev, ops->download(dev, two, &host[1], ptr, sizeof(uint64_t)), "download");
	must(dev, ops->event_record(dev, downloaded, two), "event_record");
	do
		status = ops->event_query(dev, downloaded);
	while (status == DEVICE_BUSY);
	ok(status == DEVICE_OK && host[1] == 17, "a stream waits for another stream's event");
	ok(ops->event_query(dev, end) == DEVICE_OK, "the event has been reached");
	ok(ops->event_query(dev, start) == DEVICE_OK, "and the one before it");
	status = ops->event_elapsed(dev, start, end, &ms);
	ok(status == DEVICE_OK && ms >= 0, "time between the events is %g ms", ms);

	must(dev, ops->fill(dev, one, ptr, 0x5a, sizeof(uint64_t)), "fill");
	must(dev, ops->download(dev, one, host, ptr, sizeof(uint64_t)), "download");
	ok(ops->stream_wait(dev, one) == DEVICE_OK && host[0] == UINT64_C(0x5a5a5a5a5a5a5a5a),
	   "fill");

	ops->event_destroy(dev, start);
	ops->event_destroy(dev, end);
	ops->event_destroy(dev, downloaded);
	ops->stream_destroy(dev, one);
	ops->stream_destroy(dev, two);
	ops->host_free(dev, host);
	ops->free(dev, ptr);
	ops->free(dev, 0);
}

static void
test_failures(Device *dev)
{
	static const char *const good =
		"#include \"prelude.cuh\"\n"
		"typedef struct Args { uint64_t *out; } Args;\n"
		"KERNEL(store, Args, args) { args.out[0] = VALUE; }\n";
	static const char *const options[] = {"-DVALUE=7", NULL};
	const DeviceOps *ops = dev->ops;
	void	   *image;
	size_t		size;
	uint64_t	free_bytes;
	DevicePtr	ptr;
	DeviceModule *m;
	DeviceKernel *k;
	DeviceKernel *again;

	ok(device_compile(dev, "#include \"prelude.cuh\"\nDEVICE_FN int f(void) { return nothing; }\n",
					NULL, &image, &size) == DEVICE_COMPILE,
	   "text that does not compile");
	ok(strstr(dev->message, "nothing") != NULL, "the compiler's error: %s", dev->message);
	ok(device_compile(dev, good, NULL, &image, &size) == DEVICE_COMPILE,
	   "a macro is missing");
	ok(device_compile(dev, good, options, &image, &size) == DEVICE_OK,
	   "an option defines it");
	must(dev, ops->module_load(dev, image, size, &m), "module_load");
	free(image);
	ok(ops->kernel(dev, m, "missing", &k) == DEVICE_REFUSED, "no such kernel: %s",
	   dev->message);
	ok(ops->kernel(dev, m, "store", &k) == DEVICE_OK, "the kernel is there");
	ok(ops->kernel(dev, m, "store", &again) == DEVICE_OK && again == k,
	   "and is the same one when it is asked for again");
	ops->module_unload(dev, m);

	ok(ops->module_load(dev, "no module", 10, &m) == DEVICE_REFUSED, "no module: %s",
	   dev->message);
	ok(ops->memory_free(dev, &free_bytes) == DEVICE_OK && free_bytes > 0,
	   "free device memory");
	ok(ops->alloc(dev, free_bytes + (UINT64_C(1) << 40), &ptr) == DEVICE_NO_MEMORY && ptr == 0,
	   "more memory than there is: %s", dev->message);
	ok(ops->alloc(dev, 8, &ptr) == DEVICE_OK, "and then some that there is");
	ops->free(dev, ptr);
}

#define REGISTERED_SIZE ((size_t) 4 << 20)

/*
 * Kernels read and copies take memory that the process shares with others and may only
 * read, as the device process reads shared buffers; both see what another process has
 * written since.
 */
static void
test_registered(Device *dev)
{
	static const char *const text =
		"#include \"prelude.cuh\"\n"
		"typedef struct Args { const uint64_t *in; uint64_t *out; uint32_t n; } Args;\n"
		"KERNEL(take, Args, args)\n"
		"{\n"
		"	for (uint64_t i = grid_index(); i < args.n; i += grid_size())\n"
		"		args.out[i] = args.in[i];\n"
		"}\n";
	size_t		n = REGISTERED_SIZE / sizeof(uint64_t);
	uint64_t   *memory = mmap(NULL, REGISTERED_SIZE, PROT_READ | PROT_WRITE,
							  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t   *back = calloc(n, sizeof(uint64_t));
	KernelArgs	args = {.n = (uint32_t) n};
	char		why[256] = "";
	bool		same = true;
	DeviceStatus status;
	pid_t		pid;

	for (size_t i = 0; i < n; i++)
		memory[i] = i * 31;
	pid = fork();
	if (pid == 0)
	{
		/* a writer, once the parent has given up writing */
		sleep(1);
		memory[n - 1] = 4711;
		_exit(0);
	}
	mprotect(memory, REGISTERED_SIZE, PROT_READ);
	status = dev->ops->host_register(dev, memory, REGISTERED_SIZE, &args.in, why, sizeof(why));
	ok(status == DEVICE_OK && args.in != 0, "read-only memory is registered %s", why);
	waitpid(pid, NULL, 0);
	if (status == DEVICE_OK)
	{
		must(dev, dev->ops->alloc(dev, REGISTERED_SIZE, &args.out), "alloc");
		must(dev, run_kernel(dev, text, "take", 64, 256, 0, &args), "take");
		host_copy(dev, back, args.out, REGISTERED_SIZE);
		for (size_t i = 0; i < n; i++)
			same = same && back[i] == (i == n - 1 ? 4711 : i * 31);
		ok(same, "a kernel reads it");
		dev->ops->host_unregister(dev, memory);
		dev->ops->free(dev, args.out);
		status = dev->ops->host_register(dev, memory, REGISTERED_SIZE, &args.in, why,
										 sizeof(why));
		ok(status == DEVICE_OK, "it can be registered again %s", why);
		dev->ops->host_unregister(dev, memory);
	}
	munmap(memory, REGISTERED_SIZE);
	free(back);
}

/*
 * Launches that are refused, and leave the device as it was; and those that are not, of a
 * kernel with 4 kB of static shared memory and bounds of 128 threads.
 */
static void
test_launches(Device *dev)
{
	static const char *const text =
		"#include \"prelude.cuh\"\n"
		"typedef struct Args { uint64_t *out; uint32_t last; } Args;\n"
		"KERNEL_BOUNDS(edges, Args, args, 128, 1)\n"
		"{\n"
		"	SHARED uint64_t fixed[512];\n"
		"	DYNAMIC_SHARED(uint64_t, table);\n"
		"	fixed[threadIdx.x] = threadIdx.x;\n"
		"	table[args.last - threadIdx.x] = threadIdx.x;\n"
		"	block_sync();\n"
		"	if (blockIdx.x == 0)\n"
		"		args.out[threadIdx.x] = fixed[127 - threadIdx.x] + table[args.last - threadIdx.x];\n"
		"}\n";
	const struct
	{
		uint32_t	grid,
					block,
					shared;
		bool		fits;
	}			launches[] = {
		{2, 128, 1024, true}, {2, 128, 44 * 1024, true}, {2, 128, 45696, true},
		{2, 128, 47872, true}, {2, 128, 48 * 1024, true}, {2, 128, 60 * 1024, true},
		{0, 128, 1024, false}, {2, 0, 1024, false}, {2, 129, 2048, false},
		{2, 1025, 1024, false}, {UINT32_C(1) << 31, 128, 1024, false},
		{2, 128, dev->info.shared_limit, false}, {2, 128, UINT32_C(1) << 20, false},
		{2, 128, dev->info.shared_limit - 8192, true}
	};
	struct
	{
		DevicePtr	out;
		uint32_t	last;
	}			args = {0};
	uint64_t	words[128] = {0};

	args.out = device_copy(dev, words, sizeof(words));
	for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++)
	{
		DeviceStatus status;
		bool		right = true;

		args.last = launches[i].shared / 8 - 1;
		status = run_kernel(dev, text, "edges", launches[i].grid, launches[i].block,
							launches[i].shared, &args);
		host_copy(dev, words, args.out, sizeof(words));
		for (uint64_t t = 0; t < 128; t++)
			right = right && words[t] == 127;
		ok(launches[i].fits ? status == DEVICE_OK && right : status == DEVICE_REFUSED,
		   "%u blocks of %u threads, 4096 + %u bytes are %s: %s", launches[i].grid,
		   launches[i].block, launches[i].shared, launches[i].fits ? "launched" : "refused",
		   status == DEVICE_OK ? "" : dev->message);
		ok(status == DEVICE_OK || strstr(dev->message, "kernel \"edges\""),
		   "what is refused has its numbers");
	}
	dev->ops->free(dev, args.out);
}

/* Without having been allowed, a block has 48 kB, its static memory included. */
static void
test_shared_default(Device *dev)
{
	static const char *const text =
		"#include \"prelude.cuh\"\n"
		"typedef struct Args { uint64_t *out; } Args;\n"
		"KERNEL(part, Args, args)\n"
		"{\n"
		"	SHARED uint64_t fixed[512];\n"
		"	fixed[threadIdx.x] = args.out[0];\n"
		"	block_sync();\n"
		"	args.out[threadIdx.x] = fixed[31 - threadIdx.x];\n"
		"}\n";
	const DeviceOps *ops = dev->ops;
	DevicePtr	out = 0;
	void	   *params[] = {&out};
	DeviceStream *s = NULL;
	DeviceModule *m = NULL;
	DeviceKernel *k = NULL;
	KernelUse	use = {0};
	void	   *image;
	size_t		size;

	must(dev, ops->alloc(dev, 4096, &out), "alloc");
	must(dev, device_compile(dev, text, NULL, &image, &size), "compile");
	must(dev, ops->module_load(dev, image, size, &m), "module_load");
	must(dev, ops->kernel(dev, m, "part", &k), "kernel");
	must(dev, ops->stream_create(dev, &s), "stream_create");
	ops->kernel_use(dev, k, &use);
	ok(use.static_shared >= 4096 && use.static_shared < 5000, "%u bytes are static", use.static_shared);
	ok(ops->launch(dev, s, k, 1, 32, 48 * 1024 - use.static_shared, params) == DEVICE_OK,
	   "what fits is launched");
	ok(ops->launch(dev, s, k, 1, 32, 48 * 1024, params) == DEVICE_REFUSED,
	   "48 kB of dynamic memory are refused: %s", dev->message);
	ok(ops->launch(dev, s, k, 1, 32, 46 * 1024, params) == DEVICE_REFUSED,
	   "so are 46 kB: %s", dev->message);
	ok(ops->allow_shared(dev, k, 46 * 1024) == DEVICE_OK &&
	   ops->launch(dev, s, k, 1, 32, 46 * 1024, params) == DEVICE_OK, "unless they are allowed");
	ok(ops->stream_wait(dev, s) == DEVICE_OK, "the device goes on");
	free(image);
	ops->stream_destroy(dev, s);
	ops->module_unload(dev, m);
	ops->free(dev, out);
}

/* Streams, events, registered memory and the failures that leave the device usable. */
static void
test_device_calls(Device *dev)
{
	test_events(dev);
	test_registered(dev);
	test_failures(dev);
	test_launches(dev);
	test_shared_default(dev);
}

#endif							/* DEVICE_KERNELS_H */
