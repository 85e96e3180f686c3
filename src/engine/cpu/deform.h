/*
 * deform.h
 *	  Heap pages into columns.
 *
 * A DeformBuffer holds the Program's columns for up to `capacity` rows.  Pages
 * append their visible tuples until it is full; then the caller aggregates the
 * batch, resets the buffer and goes on where the page was left:
 *
 *	  for (line = 0; line < page->nlines;)
 *	  {
 *		  status = deform_page(buffer, page, &line, message);
 *		  ...
 *		  if (deform_full(buffer))
 *			  ... deform_batch(buffer) ..., deform_reset(buffer)
 *	  }
 *
 * Plain C99 without postgres.h; all memory comes from malloc and belongs to
 * the buffer.
 */
#ifndef GPUAGG_DEFORM_H
#define GPUAGG_DEFORM_H

#include "engine/engine.h"
#include "program/heap_tuple.h"

typedef struct DeformBuffer DeformBuffer;

/*
 * A buffer for the columns of a Program whose source is SOURCE_PAGES; NULL: no
 * memory.  wanted: for each of them whether it is, NULL: all are.  The others are
 * never read, and have no values.  The Program is not needed afterwards; the parameters
 * and their bytes must stay until deform_free.  capacity is at least 1.
 */
extern DeformBuffer *deform_create(const Program *program, const ParamValue *params,
								   uint32_t capacity, const bool *wanted);

/*
 * Append visible tuples of the page, beginning with number *line of its list
 * (or of its line pointers, from 0), until the page or the buffer is
 * exhausted.  *line is where to go on; page->nlines: nothing is left.  The page
 * is aligned to 8 bytes.
 *
 * A row with a needed value that is compressed or stored out of line is left
 * out, if program_leaves_rows: it stands in the batch, but is no row of the
 * query (deform_left), and is noted for deform_take_left.
 *
 * Fails with ENGINE_CORRUPT if the page contradicts itself or its list,
 * ENGINE_INEXACT if there is such a row otherwise, if a value is NULL although
 * the Program says it cannot be, or a numeric that is not what its column says,
 * and ENGINE_NO_MEMORY; message (256 bytes) then says where and why, and the
 * buffer may only be freed.
 */
extern EngineStatus deform_page(DeformBuffer *buffer, const PageRef *page,
								uint32_t *line, char *message);

/*
 * The same in two steps, for a caller that reads some columns of all tuples, and
 * others of those that it has chosen by them.  The pages must stay readable.
 */

/* A visible tuple whose header has been checked. */
typedef struct DeformTuple
{
	HeapTuple	heap;
	uint16_t	line;			/* line pointer, from 1 */
	uint16_t	at;				/* offset in its data where the last pass ended */
	bool		simple;			/* it has all attributes needed, and no NULL among
								 * the leading ones of fixed length */
	uint32_t	block;			/* of its PageRef */
	uint32_t	table;
} DeformTuple;

/*
 * Find visible tuples of the page, as deform_page does: tuples[*n], and so on until
 * *n is `room`.
 */
extern EngineStatus deform_find(const DeformBuffer *buffer, const PageRef *page,
								uint32_t *line, DeformTuple *tuples, uint32_t *n,
								uint32_t room, char *message);

/*
 * The page behind the one whose tuples are found next, in this way or by deform_page; NULL:
 * it is not known.  It is fetched into the processor's caches meanwhile.
 */
extern void deform_expect(DeformBuffer *buffer, const PageRef *page);

/* How many bytes of these tuples have been read, from their begin: the mean of some. */
extern uint32_t deform_reach(const DeformTuple *tuples, uint32_t n);

/* How much of each tuple deform_find fetches ahead; deform_page has learned it. */
extern void deform_set_reach(DeformBuffer *buffer, uint32_t reach);

/*
 * What is read of each tuple: the wanted columns of the buffer.  `before` was the
 * last pass over the same tuples, perhaps into another buffer of the same Program;
 * it goes on where that one ended, if it can.  NULL: it is the first one.  The
 * result is NULL if there is no memory.
 */
typedef struct DeformPass DeformPass;

extern DeformPass *deform_pass_create(const DeformBuffer *buffer, const bool *wanted,
									  const DeformPass *before);
extern void deform_pass_free(DeformPass *pass);

/* Append n tuples, for which there is room.  Fails as deform_page. */
extern EngineStatus deform_read(DeformBuffer *buffer, const DeformPass *pass,
								DeformTuple *tuples, uint32_t n, char *message);

extern uint32_t deform_rows(const DeformBuffer *buffer);
extern bool deform_full(const DeformBuffer *buffer);

/* The rows as columns, the buffer's own, until the next call but rows, full. */
extern const ColumnBatch *deform_batch(DeformBuffer *buffer);

/* One byte a row of the batch: is it left out?  NULL: none is. */
extern const uint8_t *deform_left(const DeformBuffer *buffer);

/* These rows of the batch, in their order; the buffer's own, until deform_reset. */
extern const ToastedRow *deform_left_rows(const DeformBuffer *buffer);

/* As EngineOps.toasted. */
extern int	deform_take_left(DeformBuffer *buffer, ToastedRow *rows, int max);

/* Forget the rows, keep the memory. */
extern void deform_reset(DeformBuffer *buffer);

/* NULL is fine. */
extern void deform_free(DeformBuffer *buffer);

/* Bytes allocated.  Only TEXT columns grow, with the longest batch. */
extern size_t deform_memory(const DeformBuffer *buffer);

#endif							/* GPUAGG_DEFORM_H */
