/*
 * lookup_keys.h
 *	  From keys to rows: the bytes of a look-up.
 */
#ifndef GPUAGG_LOOKUP_KEYS_H
#define GPUAGG_LOOKUP_KEYS_H

#include "program/ops_lookup.h"

/*
 * The bytes (ops_lookup.h) of integer keys, or of texts, of which each has the row of the
 * same place.  nrows: all rows are below.  The form is chosen by the keys.  palloc'd; NULL
 * data: a key is there twice (*is_unique false), or the bytes would be more than limit.
 */
extern Bytes lookup_of_integers(const int64 *keys, const uint32 *rows, uint64 n, uint32 nrows,
								uint64 limit, bool *is_unique);
extern Bytes lookup_of_texts(const Bytes *keys, const uint32 *rows, uint64 n, uint32 nrows,
							 uint64 limit, bool *is_unique);

/* What EXPLAIN calls the form of such bytes. */
extern const char *lookup_form_name(Bytes table);

#endif							/* GPUAGG_LOOKUP_KEYS_H */
