/*
 * admission.c
 *	  Which runs may begin: a budget of a device's memory, and the line before it.
 *
 * Owns no memory: the line is a list of the runs' tickets.
 */
#include "service/device/admission.h"

#include <stddef.h>

static void
admit(Admission *admission, Ticket *ticket)
{
	ticket->admitted = true;
	admission->used += ticket->need;
}

/* Is there room, now that nobody is before it?  For one that is alone there always is. */
static bool
has_room(const Admission *admission, const Ticket *ticket)
{
	return admission->used == 0 ||
		(admission->used <= admission->budget &&
		 ticket->need <= admission->budget - admission->used);
}

void
admission_enter(Admission *admission, Ticket *ticket)
{
	Ticket	  **last = &admission->first;

	ticket->next = NULL;
	ticket->admitted = false;
	if ((admission->first == NULL || !ticket->waits) && has_room(admission, ticket))
		admit(admission, ticket);
	if (ticket->admitted || ticket->waits)
		admission->runs++;
	if (ticket->admitted || !ticket->waits)
		return;
	while (*last != NULL)
		last = &(*last)->next;
	*last = ticket;
}

static void
remove_from_line(Admission *admission, const Ticket *ticket)
{
	Ticket	  **place = &admission->first;

	while (*place != NULL && *place != ticket)
		place = &(*place)->next;
	if (*place == NULL)
		return;
	*place = ticket->next;
	admission->runs--;
}

void
admission_leave(Admission *admission, Ticket *ticket)
{
	if (ticket->admitted)
	{
		admission->used -= ticket->need;
		admission->runs--;
	}
	else
		remove_from_line(admission, ticket);
	ticket->admitted = false;
	while (admission->first != NULL && has_room(admission, admission->first))
	{
		Ticket	   *next = admission->first;

		admission->first = next->next;
		admit(admission, next);
		if (next->admit != NULL)
			next->admit(next->argument);
	}
}

uint32_t
admission_position(const Admission *admission, const Ticket *ticket)
{
	uint32_t	position = 0;

	for (const Ticket *t = admission->first; t != NULL && t != ticket; t = t->next)
		position++;
	return position;
}
