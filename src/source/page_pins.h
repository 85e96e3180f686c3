/*
 * page_pins.h
 *	  The pins of pages that an engine reads, in the order in which it gets them.
 */
#ifndef GPUAGG_PAGE_PINS_H
#define GPUAGG_PAGE_PINS_H

#include "storage/buf.h"

#include "handle/handle.h"

typedef struct PagePins PagePins;

/* For pages of an engine's run; share: how many buffers a backend may pin. */
extern PagePins *page_pins_create(EngineHandle *engine, int share);

/* How many pages one call of the engine had best have now: one at least. */
extern int	page_pins_group(const PagePins *pins);

/*
 * Before the first page of a call: unpin what the engine has released, and wait
 * until so many pages can be pinned.
 */
extern void page_pins_wait(PagePins *pins);

/* Take a pin.  bulk: the page was just read into a bulk read's ring of buffers. */
extern void page_pins_add(PagePins *pins, Buffer buffer, bool bulk);

/* Unpin all and free it: the engine has released all, or has failed. */
extern void page_pins_end(PagePins *pins);

#endif							/* GPUAGG_PAGE_PINS_H */
