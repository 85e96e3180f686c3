/*
 * opening.h
 *	  What a run begins with, from the session's input file: the Program, the values
 *	  of its parameters, and what is known of tables whose columns may be kept.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_OPENING_H
#define GPUAGG_OPENING_H

#include "service/wire/protocol.h"

typedef struct Opening
{
	char	   *bytes;			/* a copy of the file's beginning */
	const Program *program;		/* in it, as the columns */
	ParamValue *params;
	TableDigest *digests;		/* by parameter: such as are named have one */
	TableState *tables;
	FrameMap   *frames;			/* of all tables, one's behind the other's */
	int			ntables;
	const Column *keep;
	int			nkeep;
} Opening;

/*
 * Write them, tables and columns being those of the hints, to the beginning of a file,
 * and say where.  names: tables that have a digest come without their bytes.  False: there
 * is no memory for it.
 */
extern bool opening_write(int file, const Program *program, const ParamValue *params,
						  bool names, const EngineHints *hints, OpeningParts *parts);

/* Does opening_write name the parameter, a table: so that its bytes do not come before they are wanted? */
extern bool opening_names(const Program *program, const ParamValue *params, int param);

/*
 * Copy a file's beginning with these parts, which message_check has seen, and check
 * it.  False and why: it is not what it should be, or there is no memory.  opening_free
 * follows in any case.
 */
extern bool opening_read(int file, const OpeningParts *parts, Opening *opening, char *why,
						 size_t len);
extern void opening_free(Opening *opening);

#endif							/* GPUAGG_OPENING_H */
