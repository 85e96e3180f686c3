/*
 * fiber.h
 *	  Stacks that one OS thread changes between.
 *
 * On x86-64 a change is a few instructions that save the registers a function
 * must preserve; elsewhere (or with FIBER_UCONTEXT defined) it is swapcontext,
 * which also makes a system call.
 */
#ifndef GPUAGG_FIBER_H
#define GPUAGG_FIBER_H

#include <stddef.h>

#if !defined(__x86_64__) && !defined(FIBER_UCONTEXT)
#define FIBER_UCONTEXT
#endif

#ifdef FIBER_UCONTEXT
#include <ucontext.h>
#endif

typedef struct Fiber
{
#ifdef FIBER_UCONTEXT
	ucontext_t	context;
#else
	void	   *stack_pointer;
#endif
} Fiber;

/*
 * Make a fiber that begins in entry(argument) when first changed to; entry must
 * never return.  The stack belongs to the caller, who may give it to another
 * fiber once this one is not changed to any more.
 */
extern void fiber_prepare(Fiber *fiber, void *stack, size_t size,
						  void (*entry) (void *), void *argument);

/* Save the running fiber in from and go on in to. */
extern void fiber_switch(Fiber *from, Fiber *to);

#endif							/* GPUAGG_FIBER_H */
