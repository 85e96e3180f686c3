/*
 * admission.h
 *	  Which runs may begin: a budget of a device's memory, and the line before it.
 *
 * Runs are admitted in the order in which they came, as soon as what they need is
 * free.  One that needs more than the whole budget waits until it is alone; what it
 * then cannot have it will be told by the device's allocator.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_ADMISSION_H
#define GPUAGG_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

/* A run's place.  Belongs to the run; in the line or admitted between enter and leave. */
typedef struct Ticket
{
	uint64_t	need;			/* bytes */
	bool		waits;			/* else it gets what is free, or is not admitted */
	bool		admitted;
	void		(*admit) (void *argument);	/* called when it is; NULL: nobody is */
	void	   *argument;
	struct Ticket *next;		/* in the line */
} Ticket;

typedef struct Admission
{
	uint64_t	budget;			/* bytes; may change at any time */
	uint64_t	used;			/* by those that are admitted */
	uint32_t	runs;			/* between enter and leave */
	Ticket	   *first;			/* of those that wait */
} Admission;

/*
 * Come to the line with a ticket whose need, waits, admit and argument are set: admitted says
 * whether there is nothing to wait for, and admit is called later only.  One that does not
 * wait does not stand in line.
 */
extern void admission_enter(Admission *admission, Ticket *ticket);

/* Leave it, or end what was admitted; others may be admitted now. */
extern void admission_leave(Admission *admission, Ticket *ticket);

/* How many are before it in the line. */
extern uint32_t admission_position(const Admission *admission, const Ticket *ticket);

#endif							/* GPUAGG_ADMISSION_H */
