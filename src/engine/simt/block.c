/*
 * block.c
 *	  Runs the blocks of a launch, one after another, on fibers.
 *
 * A thread of the block is a fiber.  It runs until it waits in a collective,
 * relaxes, or returns; then the next ready thread goes on, directly, without a
 * detour through a scheduler.  The thread that completes a collective computes
 * everybody's results, makes the others ready, and goes on itself.
 *
 * Waiting for each other can go wrong, and each way ends the launch with a
 * message rather than a hang:
 *	- a mask that does not name its caller, or names a lane that has returned;
 *	- two lanes that name each other and wait at different collectives;
 *	- a barrier that two threads reach at different places;
 *	- no thread is ready and somebody waits (what the first rules let through);
 *	- a loop of relaxing, or of atomics, that makes more steps than the budget.
 * So does an access at an address that is not aligned to its type.
 * Threads that have returned do not count for block barriers, as in CUDA.
 *
 * __activemask has no defined result but that the caller is in it.  Here it
 * waits until no other lane of the warp can run, and answers with the lanes
 * that came to the same place: what hardware does for a warp that converges.
 *
 * Memory: a SimtBlock owns stacks and shared memory, used again by each block.
 * Stacks have an unreadable page below them.  Shared memory is filled with
 * garbage before every block.
 */
#include "engine/simt/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "engine/fiber.h"
#include "engine/simt/memory.h"

#define STACK_SIZE (64 * 1024)
#define STACK_GUARD 65536		/* a page, however large pages are */

/* Stacks begin at different offsets, lest they compete for the same cache sets. */
#define STACK_STAGGER 256
#define STACK_STAGGERS 32

#define MAX_WARPS (SIMT_MAX_BLOCK / SIMT_WARP_SIZE)
#define GARBAGE 0xa5
#define GARBAGE64 UINT64_C(0xa5a5a5a5a5a5a5a5)

/* Steps a block may make without an end: atomics in a row, and relaxing. */
#define STEP_BUDGET (INT64_C(1) << 26)
#define STEPS_PER_RELAX 8
#define QUOTA 4096				/* atomics until others get a chance */

typedef struct Thread
{
	Fiber		fiber;
	SimtBlock  *block;
	/* what it waits in, if it does */
	SimtKind	kind;
	uint32_t	mask;
	uint32_t	operand;
	uint64_t	value;
	uint64_t	result;
	const char *site;
} Thread;

/* Sets of lanes. A live lane is in exactly one of the other sets. */
typedef struct Warp
{
	uint32_t	live;			/* have not returned */
	uint32_t	ready;			/* run, or can */
	uint32_t	meeting;		/* wait for other lanes */
	uint32_t	converging;		/* wait in activemask */
	uint32_t	barrier;		/* wait for the block */
} Warp;

struct SimtBlock
{
	SimtRuntime rt;				/* first: kernels pass a pointer to it */
	Thread		threads[SIMT_MAX_BLOCK];
	Warp		warps[MAX_WARPS];
	uint32_t	ready_warps;	/* warps with ready lanes */
	uint32_t	nthreads;
	uint32_t	nwarps;
	uint32_t	live;
	uint32_t	current;		/* the running thread */
	Fiber		host;			/* who launched */
	const SimtLaunch *launch;

	/* the block's barrier: who is there, and what has been voted so far */
	uint32_t	arrived;
	uint32_t	votes;
	SimtKind	barrier_kind;
	const char *barrier_site;
	uint32_t	barrier_result;

	uint64_t	random;			/* 0: threads in order */
	int64_t		budget;
	uint32_t	quota;			/* what rt.quota began with */
	bool		failed;
	char		message[256];

	unsigned char *stacks;
	uint32_t	stacks_guarded; /* how many stacks have their guard */
	unsigned char *dynamic_shared;
	uint32_t	shared_limit;
};

/* End the launch with a message that names the running thread. */
static void __attribute__((noreturn, format(printf, 2, 3)))
block_fail(SimtBlock *b, const char *format,...)
{
	va_list		args;
	int			n;

	n = snprintf(b->message, sizeof(b->message), "block %u, thread %u: ",
				 b->rt.block_idx.x, b->current);
	va_start(args, format);
	vsnprintf(b->message + n, sizeof(b->message) - n, format, args);
	va_end(args);
	b->failed = true;
	fiber_switch(&b->threads[b->current].fiber, &b->host);
	abort();					/* nobody comes back to a failed thread */
}

/* xorshift64 (Marsaglia, 2003) */
static uint32_t
block_random(SimtBlock *b, uint32_t below)
{
	b->random ^= b->random << 13;
	b->random ^= b->random >> 7;
	b->random ^= b->random << 17;
	return (uint32_t) ((b->random >> 32) % below);
}

static const char *
kind_name(SimtKind kind)
{
	static const char *const names[] = {
		"warp_sync", "warp_shfl", "warp_shfl_up", "warp_shfl_down",
		"warp_shfl_xor", "warp_ballot", "warp_match", "warp_reduce_add",
		"warp_active", "block_sync", "block_sync_or", "block_sync_and",
		"block_sync_count"
	};

	return names[kind];
}

static void
make_ready(SimtBlock *b, uint32_t warp, uint32_t lanes)
{
	b->warps[warp].ready |= lanes;
	if (b->warps[warp].ready)
		b->ready_warps |= 1u << warp;
}

static void
make_unready(SimtBlock *b, uint32_t warp, uint32_t lanes)
{
	b->warps[warp].ready &= ~lanes;
	if (!b->warps[warp].ready)
		b->ready_warps &= ~(1u << warp);
}

/*
 * Sites are compared as text: the compiler may keep two copies of a literal.
 */
static bool
same_site(const char *a, const char *b)
{
	return a == b || strcmp(a, b) == 0;
}

/* Do two waiting lanes wait in the same collective? */
static bool
same_collective(const Thread *a, const Thread *b)
{
	return a->mask == b->mask && a->kind == b->kind && same_site(a->site, b->site);
}

/*
 * The warp has no ready lane: those that asked for the active lanes, at the
 * place where the lowest of them did, get each other for an answer.
 */
static void
converge(SimtBlock *b, uint32_t warp)
{
	Warp	   *w = &b->warps[warp];
	Thread	   *threads = &b->threads[warp * SIMT_WARP_SIZE];
	const char *site = threads[__builtin_ctz(w->converging)].site;
	uint32_t	group = 0;

	for (uint32_t set = w->converging; set; set &= set - 1)
	{
		uint32_t	lane = __builtin_ctz(set);

		if (same_site(threads[lane].site, site))
			group |= 1u << lane;
	}
	for (uint32_t set = group; set; set &= set - 1)
		threads[__builtin_ctz(set)].result = group;
	w->converging &= ~group;
	make_ready(b, warp, group);
}

/* The n-th lowest member of a set that has more than n. */
static uint32_t
nth_member(uint32_t set, uint32_t n)
{
	while (n-- > 0)
		set &= set - 1;
	return __builtin_ctz(set);
}

/*
 * Lane `lane` of a warp waits in a collective in vain: say for whom.  One of
 * its lanes is somewhere else.
 */
static void __attribute__((noreturn))
deadlock_lane(SimtBlock *b, uint32_t warp, uint32_t lane)
{
	const Thread *threads = &b->threads[warp * SIMT_WARP_SIZE];
	const Thread *t = &threads[lane];
	const Thread *other = t;

	b->current = warp * SIMT_WARP_SIZE + lane;
	for (uint32_t set = t->mask; set; set &= set - 1)
	{
		lane = __builtin_ctz(set);
		other = &threads[lane];
		if (b->warps[warp].barrier & set & -set)
			block_fail(b, "%s(0x%08x) at %s, but lane %u waits in %s at %s",
					   kind_name(t->kind), t->mask, t->site, lane,
					   kind_name(b->barrier_kind), b->barrier_site);
		if (!same_collective(t, other))
			break;
	}
	block_fail(b, "%s(0x%08x) at %s, but lane %u waits in %s(0x%08x) at %s",
			   kind_name(t->kind), t->mask, t->site, lane,
			   kind_name(other->kind), other->mask, other->site);
}

/* Nothing is ready and threads are left: say who waits. */
static void __attribute__((noreturn))
deadlock(SimtBlock *b)
{
	for (uint32_t i = 0; i < b->nwarps; i++)
		if (b->warps[i].meeting)
			deadlock_lane(b, i, __builtin_ctz(b->warps[i].meeting));
	block_fail(b, "%u of %u threads wait at block_sync at %s for others that never come",
			   b->arrived, b->live, b->barrier_site);
}

/*
 * The thread to run next: in order, the next one after the current in its warp,
 * then the next warp, round and round, so that spinning threads do not keep
 * others from running.
 */
static uint32_t
pick_next(SimtBlock *b)
{
	uint32_t	warp = b->current / SIMT_WARP_SIZE;
	uint32_t	lane = b->current % SIMT_WARP_SIZE;
	uint32_t	later;

	if (!b->warps[warp].ready && b->warps[warp].converging)
		converge(b, warp);
	if (!b->ready_warps)
		deadlock(b);
	if (b->random)
	{
		warp = nth_member(b->ready_warps,
						  block_random(b, __builtin_popcount(b->ready_warps)));
		later = b->warps[warp].ready;
		return warp * SIMT_WARP_SIZE +
			nth_member(later, block_random(b, __builtin_popcount(later)));
	}

	/* shifted twice, as a shift by 32 is undefined */
	later = b->warps[warp].ready & (UINT32_MAX << lane << 1);
	if (later)
		return warp * SIMT_WARP_SIZE + __builtin_ctz(later);
	later = b->ready_warps & (UINT32_MAX << warp << 1);
	warp = __builtin_ctz(later ? later : b->ready_warps);
	return warp * SIMT_WARP_SIZE + __builtin_ctz(b->warps[warp].ready);
}

/* Make a thread the running one; it then has a fresh quota. */
static void
set_current(SimtBlock *b, uint32_t thread)
{
	b->current = thread;
	b->rt.thread_idx.x = thread;
	b->quota = b->random ? block_random(b, 8) : QUOTA;
	b->rt.quota = b->quota;
}

/* Let the next ready thread run; returns when the caller is next again. */
static void
run_others(SimtBlock *b)
{
	uint32_t	from = b->current;
	uint32_t	to = pick_next(b);

	set_current(b, to);
	if (to != from)
		fiber_switch(&b->threads[from].fiber, &b->threads[to].fiber);
}

/* Take steps off the budget; a block that has none left hangs. */
static void
spend(SimtBlock *b, int64_t steps)
{
	b->budget -= steps;
	if (b->budget < 0)
		block_fail(b, "the block hangs: its threads wait for each other, or for another block, in a loop");
}

static void
rt_relax(SimtRuntime *rt)
{
	SimtBlock  *b = (SimtBlock *) rt;

	spend(b, STEPS_PER_RELAX);
	run_others(b);
}

static void
rt_point(SimtRuntime *rt)
{
	SimtBlock  *b = (SimtBlock *) rt;

	spend(b, b->quota + 1);
	run_others(b);
}

static void
rt_trap(SimtRuntime *rt, const char *site)
{
	block_fail((SimtBlock *) rt, "gpu_trap at %s", site);
}

static void
rt_misaligned(SimtRuntime *rt, const char *file, uint32_t line, const void *address,
			  uint32_t alignment)
{
	const char *name = strrchr(file, '/');

	block_fail((SimtBlock *) rt, "misaligned access at %s:%u: 0x%llx is no multiple of %u",
			   name != NULL ? name + 1 : file, line,
			   (unsigned long long) (uintptr_t) address, alignment);
}

/* The lane that a shuffle reads; -1: none, the lane keeps its own value. */
static int
shuffle_source(SimtKind kind, uint32_t lane, uint32_t operand)
{
	switch (kind)
	{
		case SIMT_SHFL:
			return operand % SIMT_WARP_SIZE;
		case SIMT_SHFL_UP:
			return lane >= operand ? (int) (lane - operand) : -1;
		case SIMT_SHFL_DOWN:
			return operand < SIMT_WARP_SIZE - lane ? (int) (lane + operand) : -1;
		default:
			return (int) ((lane ^ operand) % SIMT_WARP_SIZE);
	}
}

static uint64_t
lane_result(const Thread *threads, SimtKind kind, uint32_t mask, uint32_t lane)
{
	const Thread *t = &threads[lane];
	uint64_t	result = 0;
	int			source;

	switch (kind)
	{
		case SIMT_SHFL:
		case SIMT_SHFL_UP:
		case SIMT_SHFL_DOWN:
		case SIMT_SHFL_XOR:
			source = shuffle_source(kind, lane, t->operand);
			if (source < 0)
				return t->value;
			return (mask >> source) & 1 ? threads[source].value : GARBAGE64;
		case SIMT_MATCH:
			for (uint32_t set = mask; set; set &= set - 1)
				if (threads[__builtin_ctz(set)].value == t->value)
					result |= set & -set;
			return result;
		default:
			return 0;
	}
}

/* All lanes of mask wait in the same collective: give them their results. */
static void
complete(SimtBlock *b, uint32_t warp, SimtKind kind, uint32_t mask)
{
	Thread	   *threads = &b->threads[warp * SIMT_WARP_SIZE];
	uint64_t	all = 0;

	if (kind == SIMT_BALLOT)
	{
		for (uint32_t set = mask; set; set &= set - 1)
			if (threads[__builtin_ctz(set)].value)
				all |= set & -set;
	}
	else if (kind == SIMT_REDUCE_ADD)
	{
		for (uint32_t set = mask; set; set &= set - 1)
			all += threads[__builtin_ctz(set)].value;
	}
	for (uint32_t set = mask; set; set &= set - 1)
	{
		uint32_t	lane = __builtin_ctz(set);

		if (kind == SIMT_BALLOT || kind == SIMT_REDUCE_ADD)
			threads[lane].result = all;
		else
			threads[lane].result = lane_result(threads, kind, mask, lane);
	}
	b->warps[warp].meeting &= ~mask;
	make_ready(b, warp, mask);
}

/*
 * Does the arriving lane meet all lanes of its mask now?  Fails if one of them
 * can never come, because it waits for the arriving lane somewhere else.
 */
static bool
all_met(SimtBlock *b, uint32_t warp, uint32_t lane)
{
	const Thread *threads = &b->threads[warp * SIMT_WARP_SIZE];
	const Thread *t = &threads[lane];
	uint32_t	others = t->mask & b->warps[warp].meeting;
	uint32_t	met = 0;

	for (uint32_t set = others; set; set &= set - 1)
	{
		const Thread *o = &threads[__builtin_ctz(set)];

		if (same_collective(t, o))
			met |= set & -set;
		else if ((o->mask >> lane) & 1)
			block_fail(b, "%s(0x%08x) at %s, but lane %d waits in %s(0x%08x) at %s",
					   kind_name(t->kind), t->mask, t->site, __builtin_ctz(set),
					   kind_name(o->kind), o->mask, o->site);
	}
	return met == t->mask;
}

static uint64_t
rt_warp(SimtRuntime *rt, SimtKind kind, uint32_t mask, uint64_t value,
		uint32_t operand, const char *site)
{
	SimtBlock  *b = (SimtBlock *) rt;
	Thread	   *t = &b->threads[b->current];
	uint32_t	warp = b->current / SIMT_WARP_SIZE;
	uint32_t	lane = b->current % SIMT_WARP_SIZE;
	Warp	   *w = &b->warps[warp];

	t->kind = kind;
	t->mask = mask;
	t->operand = operand;
	t->value = value;
	t->site = site;
	make_unready(b, warp, 1u << lane);
	if (kind == SIMT_ACTIVEMASK)
	{
		w->converging |= 1u << lane;
		run_others(b);
		return t->result;
	}
	if (!((mask >> lane) & 1))
		block_fail(b, "%s(0x%08x) at %s does not name its own lane %u",
				   kind_name(kind), mask, site, lane);
	if (mask & ~w->live)
		block_fail(b, "%s(0x%08x) at %s names lane %d, which has returned or is beyond the block",
				   kind_name(kind), mask, site, __builtin_ctz(mask & ~w->live));
	w->meeting |= 1u << lane;
	if (all_met(b, warp, lane))
		complete(b, warp, kind, mask);
	if (!(w->ready & (1u << lane)))
		run_others(b);
	return t->result;
}

/* If all threads that have not returned are at the barrier, open it. */
static void
barrier_try(SimtBlock *b)
{
	if (b->arrived == 0 || b->arrived < b->live)
		return;
	switch (b->barrier_kind)
	{
		case SIMT_SYNCTHREADS_OR:
			b->barrier_result = b->votes > 0;
			break;
		case SIMT_SYNCTHREADS_AND:
			b->barrier_result = b->votes == b->arrived;
			break;
		default:
			b->barrier_result = b->votes;
			break;
	}
	b->arrived = 0;
	b->votes = 0;
	for (uint32_t i = 0; i < b->nwarps; i++)
	{
		make_ready(b, i, b->warps[i].barrier);
		b->warps[i].barrier = 0;
	}
}

static uint32_t
rt_block(SimtRuntime *rt, SimtKind kind, bool value, const char *site)
{
	SimtBlock  *b = (SimtBlock *) rt;
	uint32_t	warp = b->current / SIMT_WARP_SIZE;
	uint32_t	bit = 1u << b->current % SIMT_WARP_SIZE;

	if (b->arrived == 0)
	{
		b->barrier_kind = kind;
		b->barrier_site = site;
	}
	else if (b->barrier_kind != kind || !same_site(b->barrier_site, site))
		block_fail(b, "%s at %s, but other threads wait in %s at %s",
				   kind_name(kind), site, kind_name(b->barrier_kind),
				   b->barrier_site);
	make_unready(b, warp, bit);
	b->warps[warp].barrier |= bit;
	b->arrived++;
	b->votes += value;
	barrier_try(b);
	if (!(b->warps[warp].ready & bit))
		run_others(b);
	return b->barrier_result;
}

/* The thread has returned from the kernel. */
static void
thread_return(SimtBlock *b)
{
	uint32_t	warp = b->current / SIMT_WARP_SIZE;
	uint32_t	lane = b->current % SIMT_WARP_SIZE;
	Warp	   *w = &b->warps[warp];

	w->live &= ~(1u << lane);
	make_unready(b, warp, 1u << lane);
	for (uint32_t set = w->meeting; set; set &= set - 1)
	{
		const Thread *o = &b->threads[warp * SIMT_WARP_SIZE + __builtin_ctz(set)];

		if ((o->mask >> lane) & 1)
			block_fail(b, "returned, but lane %d waits for it in %s(0x%08x) at %s",
					   __builtin_ctz(set), kind_name(o->kind), o->mask, o->site);
	}
	b->live--;
	if (b->live == 0)
		fiber_switch(&b->threads[b->current].fiber, &b->host);
	barrier_try(b);
	run_others(b);
}

static void
thread_entry(void *argument)
{
	SimtBlock  *b = ((Thread *) argument)->block;

	b->launch->kernel->start(b->launch->params);
	thread_return(b);
	abort();					/* nobody comes back to a thread that returned */
}

/* Set up fibers and memory for the next block. */
static void
block_begin(SimtBlock *b, uint32_t index)
{
	const SimtLaunch *l = b->launch;

	b->rt.block_idx.x = index;
	b->ready_warps = 0;
	b->live = b->nthreads;
	b->arrived = 0;
	b->votes = 0;
	b->budget = STEP_BUDGET;
	memset(b->warps, 0, sizeof(b->warps));
	memset(b->dynamic_shared, GARBAGE, l->dynamic_shared);
	memset(l->shared, GARBAGE, l->shared_end - l->shared);
	for (uint32_t i = 0; i < b->nthreads; i++)
	{
		Thread	   *t = &b->threads[i];
		Warp	   *w = &b->warps[i / SIMT_WARP_SIZE];

		t->block = b;
		fiber_prepare(&t->fiber,
					  b->stacks + (size_t) i * (STACK_GUARD + STACK_SIZE) + STACK_GUARD,
					  STACK_SIZE - i % STACK_STAGGERS * STACK_STAGGER,
					  thread_entry, t);
		w->live |= 1u << i % SIMT_WARP_SIZE;
		make_ready(b, i / SIMT_WARP_SIZE, 1u << i % SIMT_WARP_SIZE);
	}
}

/* Make the pages below the first n stacks unreadable. */
static bool
guard_stacks(SimtBlock *b, uint32_t n)
{
	for (; b->stacks_guarded < n; b->stacks_guarded++)
		if (mprotect(b->stacks + (size_t) b->stacks_guarded *
					 (STACK_GUARD + STACK_SIZE), STACK_GUARD, PROT_NONE) != 0)
			return false;
	return true;
}

bool
simt_block_launch(SimtBlock *b, const SimtLaunch *launch, char *message, size_t len)
{
	if (!guard_stacks(b, launch->block))
	{
		snprintf(message, len, "cannot protect the threads' stacks");
		return false;
	}
	b->launch = launch;
	b->nthreads = launch->block;
	b->nwarps = (launch->block + SIMT_WARP_SIZE - 1) / SIMT_WARP_SIZE;
	b->failed = false;
	b->rt.block_dim.x = launch->block;
	b->rt.grid_dim.x = launch->grid;
	b->rt.dynamic_shared = b->dynamic_shared;
	*launch->rt = &b->rt;
	/* what lies behind the launch's dynamic shared memory must stay garbage */
	memset(b->dynamic_shared + launch->dynamic_shared, GARBAGE,
		   b->shared_limit - launch->dynamic_shared);
	simt_memory_hide(b->dynamic_shared + launch->dynamic_shared,
					 b->shared_limit - launch->dynamic_shared);
	for (uint32_t i = 0; i < launch->grid && !b->failed; i++)
	{
		block_begin(b, i);
		set_current(b, 0);
		fiber_switch(&b->host, &b->threads[0].fiber);
	}
	simt_memory_show(b->dynamic_shared + launch->dynamic_shared,
					 b->shared_limit - launch->dynamic_shared);
	for (uint32_t i = launch->dynamic_shared; i < b->shared_limit && !b->failed; i++)
		if (b->dynamic_shared[i] != GARBAGE)
		{
			snprintf(b->message, sizeof(b->message),
					 "out of bounds: a thread wrote to offset %u of %u bytes of dynamic shared memory",
					 i, launch->dynamic_shared);
			b->failed = true;
		}
	if (b->failed)
		snprintf(message, len, "%s", b->message);
	return !b->failed;
}

SimtBlock *
simt_block_create(uint32_t shared_limit)
{
	SimtBlock  *b = calloc(1, sizeof(SimtBlock));

	if (b == NULL)
		return NULL;
	b->rt.warp = rt_warp;
	b->rt.block = rt_block;
	b->rt.point = rt_point;
	b->rt.relax = rt_relax;
	b->rt.trap = rt_trap;
	b->rt.misaligned = rt_misaligned;
	b->shared_limit = shared_limit;
	b->stacks = mmap(NULL, (size_t) SIMT_MAX_BLOCK * (STACK_GUARD + STACK_SIZE),
					 PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (b->stacks == MAP_FAILED)
		b->stacks = NULL;
	if (posix_memalign((void **) &b->dynamic_shared, 128, shared_limit) != 0)
		b->dynamic_shared = NULL;
	if (b->stacks == NULL || b->dynamic_shared == NULL)
	{
		simt_block_free(b);
		return NULL;
	}
	return b;
}

void
simt_block_free(SimtBlock *b)
{
	if (b->stacks)
		munmap(b->stacks, (size_t) SIMT_MAX_BLOCK * (STACK_GUARD + STACK_SIZE));
	free(b->dynamic_shared);
	free(b);
}

void
simt_block_seed(SimtBlock *b, uint64_t seed)
{
	b->random = seed;
}
