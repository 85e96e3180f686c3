/*
 * peer.h
 *	  CUB's sort and reduction by key, to compare with: what it is given and gives.
 *
 * peer.cu is built by nvcc into a library of its own, cub_peer.so beside the benchmark,
 * which opens it if it is there.  Read as C and as CUDA C++.
 */
#ifndef PEER_H
#define PEER_H

#include <stdint.h>

#define PEER_LIBRARY "cub_peer.so"
#define PEER_MAX_RUNS 64

/* Sums are integers of 128 bits that count units of 2^PEER_UNIT. */
#define PEER_UNIT (-80)

typedef struct PeerInput
{
	uint64_t	keys;			/* in device memory: integers of key_bytes */
	uint64_t	values;			/* likewise: doubles */
	uint64_t	rows;
	int			key_bytes;		/* 4 or 8 */
	int			key_bits;		/* the lowest ones, by which keys differ */
	int			runs;
} PeerInput;

typedef struct PeerResult
{
	double		ms[PEER_MAX_RUNS];
	uint64_t	groups;
	uint64_t	rows;			/* the groups' counts */
	uint64_t	digest;			/* of keys, sums and counts */
	char		message[128];
} PeerResult;

/* 0: done; else the message tells why not. */
typedef int (*PeerRun) (const PeerInput *input, PeerResult *result);

#define PEER_RUN "cub_sort_reduce"

#ifdef __CUDACC__
#define PEER_FN static __host__ __device__ inline
#else
#define PEER_FN static inline
#endif

/* The digest of one word more of a group; groups' digests are added up. */
PEER_FN uint64_t
digest_word(uint64_t digest, uint64_t word)
{
	digest += word;
	digest = (digest ^ digest >> 32) * UINT64_C(0xd6e8feb86659fd93);
	digest = (digest ^ digest >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return digest ^ digest >> 32;
}

#endif							/* PEER_H */
