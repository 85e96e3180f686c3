/*
 * encode_texts.h
 *	  Texts as they stand in a stripe's pages.
 */
#ifndef GPUAGG_CPU_KEPT_ENCODE_TEXTS_H
#define GPUAGG_CPU_KEPT_ENCODE_TEXTS_H

#include "engine/cpu/kept/area.h"
#include "engine/engine.h"

/* A stripe's texts of a column, from the first row on; begins as zeros. */
typedef struct PlainTexts
{
	char	   *bytes;
	uint32_t   *offsets;		/* into them, one more than rows */
	size_t		bytes_room;

	/* What texts_choose makes: */
	uint16_t   *codes;			/* of each row */
	uint32_t   *firsts;			/* for each code the first row that has its text */
	size_t		codes_room;
	size_t		firsts_room;
} PlainTexts;

extern void texts_free(PlainTexts *texts);
extern size_t texts_memory(const PlainTexts *texts);	/* bytes, of what texts_choose makes */

/*
 * Choose the rows' encoding, into the place: all of it but nnulls, which is known, and the pages.
 * validity: a bit a row; NULL: no row is NULL.  Adds the pages of the texts to *npages.  False: no
 * memory.
 */
extern bool texts_choose(PlainTexts *texts, const uint8_t *validity, uint32_t nrows,
						 CpuKeptPlace *place, uint32_t *npages);

/* Write the texts into the place's pages, of which nobody else knows. */
extern void texts_write(CpuKeptArea *area, const CpuKeptPlace *place, const PlainTexts *texts);

/* Where the next text is. */
typedef struct TextReader
{
	uint32_t	page;
	uint32_t	left;			/* texts of the page */
	const char *next;
} TextReader;

extern void texts_begin(TextReader *reader, CpuKeptArea *area, const CpuKeptPlace *place);

/* The next n of them, which there are.  The bytes stay where they are. */
extern void texts_read(TextReader *reader, CpuKeptArea *area, uint32_t n, Bytes *texts);

#endif							/* GPUAGG_CPU_KEPT_ENCODE_TEXTS_H */
