/*
 * collation.h
 *	  Which collations compare texts as engines do: by their bytes.
 */
#ifndef GPUAGG_COLLATION_H
#define GPUAGG_COLLATION_H

#include "plan/lower/lowering.h"

/*
 * Is equality under this collation that of the bytes?  It is so for types that
 * have none.
 */
extern bool check_collation(Lowering *l, Oid type, Oid collation);

/* Is the order of texts (or bytea) under this collation that of their bytes? */
extern bool check_order(Lowering *l, Oid type, Oid collation);

#endif							/* GPUAGG_COLLATION_H */
