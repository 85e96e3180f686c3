/*
 * peer.cu
 *	  Sum and count by key as CUB's users write it: rows are sorted by key, then reduced.
 *
 * cub::DeviceRadixSort over the bits by which keys differ, then
 * cub::DeviceReduce::ReduceByKey.  Sums are exact: a value becomes an integer of 128
 * bits when it is read.  Input is left as it is.
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/transform_iterator.h>

#include <cstdio>

#include "peer.h"

/* A group's state. */
struct State
{
	uint64_t	low;
	uint64_t	high;
	uint64_t	count;
};

/* A value's state.  Bits below the unit would be lost, and the digest tell it. */
struct StateOfValue
{
	__device__ State operator()(double value) const
	{
		uint64_t	bits = (uint64_t) __double_as_longlong(value);
		int			exponent = (int) (bits >> 52 & 0x7ff);
		uint64_t	mantissa = (bits & ((UINT64_C(1) << 52) - 1)) |
			(uint64_t) (exponent > 0) << 52;
		int			shift = (exponent > 0 ? exponent : 1) - 1075 - PEER_UNIT;
		__int128	sum = shift >= 0 ? (__int128) mantissa << shift :
			shift > -64 ? mantissa >> -shift : 0;

		if (bits >> 63)
			sum = -sum;
		return State{(uint64_t) sum, (uint64_t) (sum >> 64), 1};
	}
};

struct Merge
{
	__host__ __device__ State operator()(const State &a, const State &b) const
	{
		uint64_t	low = a.low + b.low;

		return State{low, a.high + b.high + (low < b.low), a.count + b.count};
	}
};

/* What there is of device memory; freed at the end, whatever came. */
struct Memory
{
	void	   *parts[8];
	int			n = 0;
	cudaError_t error = cudaSuccess;

	template<typename T> T *take(size_t count)
	{
		void	   *part = nullptr;

		if (error == cudaSuccess)
			error = cudaMalloc(&part, count * sizeof(T));
		if (part != nullptr)
			parts[n++] = part;
		return (T *) part;
	}

	~Memory()
	{
		while (n > 0)
			cudaFree(parts[--n]);
	}
};

template<typename Key>
__global__ void
digest_groups(const Key *keys, const State *states, uint64_t groups, unsigned long long *sums)
{
	uint64_t	digest = 0;
	uint64_t	rows = 0;

	for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; i < groups;
		 i += (uint64_t) gridDim.x * blockDim.x)
	{
		uint64_t	group = digest_word(0, keys[i]);

		group = digest_word(group, states[i].low);
		group = digest_word(group, states[i].high);
		digest += digest_word(group, states[i].count);
		rows += states[i].count;
	}
	atomicAdd(&sums[0], (unsigned long long) digest);
	atomicAdd(&sums[1], (unsigned long long) rows);
}

template<typename Key>
struct SortReduce
{
	const PeerInput &input;
	Memory		memory;
	Key		   *sorted_keys;
	double	   *sorted_values;
	Key		   *keys;
	State	   *states;
	unsigned long long *counters;	/* groups, then digest_groups' */
	void	   *scratch = nullptr;
	size_t		scratch_size = 0;

	explicit SortReduce(const PeerInput &from, uint64_t most_groups):input(from)
	{
		size_t		sort = 0;
		size_t		reduce = 0;

		sorted_keys = memory.take<Key>(input.rows);
		sorted_values = memory.take<double>(input.rows);
		keys = memory.take<Key>(most_groups);
		states = memory.take<State>(most_groups);
		counters = memory.take<unsigned long long>(3);
		run_sort(nullptr, sort);
		run_reduce(nullptr, reduce);
		scratch_size = sort > reduce ? sort : reduce;
		scratch = memory.take<char>(scratch_size);
	}

	void run_sort(void *room, size_t &size)
	{
		cudaError_t error = cub::DeviceRadixSort::SortPairs(
			room, size, (const Key *) input.keys, sorted_keys, (const double *) input.values,
			sorted_values, (int64_t) input.rows, 0, input.key_bits);

		memory.error = memory.error != cudaSuccess ? memory.error : error;
	}

	void run_reduce(void *room, size_t &size)
	{
		cudaError_t error = cub::DeviceReduce::ReduceByKey(
			room, size, sorted_keys, keys,
			thrust::make_transform_iterator(sorted_values, StateOfValue()), states, counters,
			Merge(), (int64_t) input.rows);

		memory.error = memory.error != cudaSuccess ? memory.error : error;
	}

	/* Milliseconds of both. */
	float run(cudaEvent_t from, cudaEvent_t to)
	{
		float		ms = 0;

		cudaEventRecord(from);
		run_sort(scratch, scratch_size);
		run_reduce(scratch, scratch_size);
		cudaEventRecord(to);
		if (memory.error == cudaSuccess)
			memory.error = cudaEventSynchronize(to);
		cudaEventElapsedTime(&ms, from, to);
		return ms;
	}

	void finish(PeerResult *result)
	{
		unsigned long long sums[3] = {0, 0, 0};

		cudaMemcpy(sums, counters, 8, cudaMemcpyDeviceToHost);
		cudaMemset(counters + 1, 0, 16);
		digest_groups<<<1024, 256>>>(keys, states, sums[0], counters + 1);
		cudaMemcpy(sums + 1, counters + 1, 16, cudaMemcpyDeviceToHost);
		result->groups = sums[0];
		result->digest = sums[1];
		result->rows = sums[2];
		if (memory.error == cudaSuccess)
			memory.error = cudaGetLastError();
	}
};

template<typename Key>
static int
measure(const PeerInput *input, PeerResult *result)
{
	uint64_t	most = input->key_bits < 32 ? UINT64_C(1) << input->key_bits : input->rows;
	SortReduce<Key> work(*input, most < input->rows ? most : input->rows);
	cudaEvent_t from;
	cudaEvent_t to;

	cudaEventCreate(&from);
	cudaEventCreate(&to);
	for (int i = -1; i < input->runs && work.memory.error == cudaSuccess; i++)
	{
		float		ms = work.run(from, to);

		/* the first run finds memory that has not been touched */
		if (i >= 0)
			result->ms[i] = ms;
	}
	if (work.memory.error == cudaSuccess)
		work.finish(result);
	cudaEventDestroy(from);
	cudaEventDestroy(to);
	snprintf(result->message, sizeof(result->message), "%s",
			 cudaGetErrorString(work.memory.error));
	return work.memory.error != cudaSuccess;
}

extern "C" int
cub_sort_reduce(const PeerInput *input, PeerResult *result)
{
	return input->key_bytes == 4 ? measure<uint32_t>(input, result) :
		measure<uint64_t>(input, result);
}
