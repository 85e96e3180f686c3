/*
 * copy.cuh
 *	  Copies to shared memory that go on while the block computes.
 *
 * A barrier in shared memory tells when they have come.  All threads of the block call
 * each of these.  Where the hardware has no copies of that kind, or the compiler does not know
 * them, the block makes them at once.
 */
#ifndef GPUAGG_COPY_CUH
#define GPUAGG_COPY_CUH

#include "prelude.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12

DEVICE_FN uint32_t
shared_address(const void *address)
{
	return (uint32_t) __cvta_generic_to_shared(address);
}

/* Before the block's next block_sync. */
DEVICE_FN void
copy_init(uint64_t *barrier)
{
	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], 1;\n\t"
					 "fence.mbarrier_init.release.cluster;"
					 : : "r"(shared_address(barrier)) : "memory");
}

/* So many bytes will come before the next copy_wait. */
DEVICE_FN void
copy_expect(uint64_t *barrier, uint32_t bytes)
{
	if (threadIdx.x == 0)
		asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
					 : : "r"(shared_address(barrier)), "r"(bytes) : "memory");
}

/*
 * Begin with a copy of so many bytes, a multiple of 16, between addresses that are multiples
 * of 16.  No thread uses the memory before copy_wait.
 */
DEVICE_FN void
copy_begin(uint64_t *barrier, void *to, const void *from, uint32_t bytes)
{
	if (threadIdx.x == 0)
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
					 "[%0], [%1], %2, [%3];"
					 : : "r"(shared_address(to)), "l"(__cvta_generic_to_global(from)),
					 "r"(bytes), "r"(shared_address(barrier)) : "memory");
}

/* Wait for all that was expected.  uses: how many times the barrier has been waited for. */
DEVICE_FN void
copy_wait(uint64_t *barrier, uint32_t uses)
{
	uint32_t	done = 0;

	while (done == 0)
		asm volatile("{\n\t"
					 ".reg .pred came;\n\t"
					 "mbarrier.try_wait.parity.shared.b64 came, [%1], %2;\n\t"
					 "selp.u32 %0, 1, 0, came;\n\t"
					 "}"
					 : "=r"(done) : "r"(shared_address(barrier)), "r"(uses & 1) : "memory");
}

#else

DEVICE_FN void
copy_init(uint64_t *barrier)
{
	(void) barrier;
}

DEVICE_FN void
copy_expect(uint64_t *barrier, uint32_t bytes)
{
	(void) barrier;
	(void) bytes;
}

DEVICE_FN void
copy_begin(uint64_t *barrier, void *to, const void *from, uint32_t bytes)
{
	uint64_t   *words = (uint64_t *) to;

	(void) barrier;
	for (uint32_t i = threadIdx.x; i < bytes / 16; i += blockDim.x)
	{
		uint64_t	loaded[2];

		load_stream(loaded, (const uint8_t *) from + (uint64_t) i * 16, 16);
		words[2 * i] = loaded[0];
		words[2 * i + 1] = loaded[1];
	}
}

DEVICE_FN void
copy_wait(uint64_t *barrier, uint32_t uses)
{
	(void) barrier;
	(void) uses;
	block_sync();
}

#endif

#endif							/* GPUAGG_COPY_CUH */
