/*
 * check_lookup.h
 *	  Are bytes that somebody else has made a look-up, or a column of its values?
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_CHECK_LOOKUP_H
#define GPUAGG_CHECK_LOOKUP_H

#include "program.h"

/*
 * Can the operation, one that reads tables, read these bytes, whatever its other operand: so
 * that it reads nothing outside of them, and comes to an end?
 */
extern bool lookup_is_good(OpCode op, Bytes table);

/*
 * A bit for all operations that lookup_is_good does not tell apart: bytes that one of them can
 * read, the others can, too.
 */
extern uint32_t lookup_reader(OpCode op);

/* The bits of those that find keys. */
#define LOOKUP_KEY_READERS 3

#endif							/* GPUAGG_CHECK_LOOKUP_H */
