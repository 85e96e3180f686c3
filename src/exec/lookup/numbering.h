/*
 * numbering.h
 *	  Distinct values, each with a number, from 0 on in the order in which they come.
 */
#ifndef GPUAGG_NUMBERING_H
#define GPUAGG_NUMBERING_H

#include "exec/lookup/array.h"
#include "program/fn.h"

typedef struct Numbering Numbering;

/* In the current context, where its memory stays.  Of fewer than 2^31 values. */
extern Numbering *numbering_of_words(int nwords);
extern Numbering *numbering_of_texts(void);
extern Numbering *numbering_of_datums(Oid type, Oid collation);

/* No two of the values to come will be the same as others.  If some are, each has a number. */
extern void numbering_expect_distinct(Numbering *numbering);

/* The number of a value, which is copied if it is new: so many words, or a text's bytes. */
extern uint32 numbering_add_words(Numbering *numbering, const uint64 *words);
extern uint32 numbering_add_text(Numbering *numbering, Bytes text);

/* The same of n values, one behind the other, of words. */
extern void numbering_add_all_words(Numbering *numbering, const uint64 *words, uint32 n,
									uint32 *numbers);

/*
 * The same of a Datum, by its type's equality.  *ambiguous is set if it equals another one
 * that has other bits.
 */
extern uint32 numbering_add_datum(Numbering *numbering, Datum value, bool *ambiguous);

/* The i-th of the Datums that a caller numbers by their words; in the current context, or the caller's. */
typedef Datum (*NumberedDatum) (void *caller, uint32 i);

/*
 * The same of n Datums, of which the same words stand for the same ones, so that few of them have
 * to be made.  False: there are too many different words for that, and no Datum has been numbered.
 */
extern bool numbering_add_datums(Numbering *numbering, const uint64 *words, uint32 n,
								 NumberedDatum datum, void *caller, uint32 *numbers,
								 bool *ambiguous);

/* How many values there are, and all of them, in the order of their numbers. */
extern uint32 numbering_count(const Numbering *numbering);
extern const uint64 *numbering_words(const Numbering *numbering);
extern const Bytes *numbering_texts(const Numbering *numbering);

/* The Datums likewise, copied into the current context. */
extern Datum *numbering_copy_datums(const Numbering *numbering);

/*
 * Number the Datums anew, in the order of their type and collation.  Returns an array in the
 * current context: by the number that a value had, the one that it has now.
 */
extern uint32 *numbering_sort(Numbering *numbering);

/* Bytes of memory. */
extern Size numbering_memory(const Numbering *numbering);

/*
 * The same of so many values, of size bytes, and copied ones beside; distinct: as
 * numbering_expect_distinct was told.
 */
extern double numbering_expected_memory(double n, double size, double copied, bool distinct);

/* What so many Datums are expected to take more; copied: bytes of one, 0 if it is passed by value. */
extern double numbering_expected_images(double n, double copied);

#endif							/* GPUAGG_NUMBERING_H */
