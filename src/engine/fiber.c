/*
 * fiber.c
 *	  Stacks that one OS thread changes between.
 *
 * The x86-64 change follows the System V ABI: rbx, rbp and r12 to r15 are
 * pushed on the old stack and popped from the new one, and a jump goes on where
 * the new stack left off (a `ret` would be predicted to go back to the caller,
 * wrongly).  A new fiber's stack is laid out as if it had left off in
 * fiber_start.  The floating point control words are not saved: nobody changes
 * them here.
 */
#include "engine/fiber.h"

#include <stdint.h>

#ifdef FIBER_UCONTEXT

/* makecontext passes ints only, so pointers come in two halves. */
static void
fiber_start(unsigned int entry_high, unsigned int entry_low,
			unsigned int argument_high, unsigned int argument_low)
{
	uint64_t	entry = (uint64_t) entry_high << 32 | entry_low;
	uint64_t	argument = (uint64_t) argument_high << 32 | argument_low;

	((void (*) (void *)) (uintptr_t) entry) ((void *) (uintptr_t) argument);
}

void
fiber_prepare(Fiber *fiber, void *stack, size_t size,
			  void (*entry) (void *), void *argument)
{
	uint64_t	e = (uint64_t) (uintptr_t) entry;
	uint64_t	a = (uint64_t) (uintptr_t) argument;

	getcontext(&fiber->context);
	fiber->context.uc_stack.ss_sp = stack;
	fiber->context.uc_stack.ss_size = size;
	fiber->context.uc_link = NULL;
	makecontext(&fiber->context, (void (*) (void)) fiber_start, 4,
				(unsigned int) (e >> 32), (unsigned int) e,
				(unsigned int) (a >> 32), (unsigned int) a);
}

void
fiber_switch(Fiber *from, Fiber *to)
{
	swapcontext(&from->context, &to->context);
}

#else

/* Go from a new fiber's first switch to its entry: r12 has it, r13 its argument. */
extern void fiber_start(void);

__asm__(
	".text\n"
	".p2align 4\n"
	".globl fiber_switch\n"
	".type fiber_switch, @function\n"
	"fiber_switch:\n"
	"	pushq	%rbp\n"
	"	pushq	%rbx\n"
	"	pushq	%r12\n"
	"	pushq	%r13\n"
	"	pushq	%r14\n"
	"	pushq	%r15\n"
	"	movq	%rsp, (%rdi)\n"
	"	movq	(%rsi), %rsp\n"
	"	popq	%r15\n"
	"	popq	%r14\n"
	"	popq	%r13\n"
	"	popq	%r12\n"
	"	popq	%rbx\n"
	"	popq	%rbp\n"
	"	popq	%rcx\n"
	"	jmp	*%rcx\n"
	".size fiber_switch, . - fiber_switch\n"
	".p2align 4\n"
	".hidden fiber_start\n"
	".globl fiber_start\n"
	".type fiber_start, @function\n"
	"fiber_start:\n"
	"	movq	%r13, %rdi\n"
	"	call	*%r12\n"
	"	ud2\n"
	".size fiber_start, . - fiber_start\n"
);

void
fiber_prepare(Fiber *fiber, void *stack, size_t size,
			  void (*entry) (void *), void *argument)
{
	uintptr_t	top = ((uintptr_t) stack + size) & ~(uintptr_t) 15;
	/* the stack is aligned to 16 bytes where fiber_start calls */
	uint64_t   *frame = (uint64_t *) top - 9;

	frame[0] = 0;				/* r15 */
	frame[1] = 0;				/* r14 */
	frame[2] = (uint64_t) (uintptr_t) argument; /* r13 */
	frame[3] = (uint64_t) (uintptr_t) entry;	/* r12 */
	frame[4] = 0;				/* rbx */
	frame[5] = 0;				/* rbp: ends a debugger's walk */
	frame[6] = (uint64_t) (uintptr_t) fiber_start;
	frame[7] = 0;
	fiber->stack_pointer = frame;
}

#endif							/* FIBER_UCONTEXT */
