/*
 * run_input.h
 *	  A session's pages and columns, as the device process gives them to an engine.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_RUN_INPUT_H
#define GPUAGG_RUN_INPUT_H

#include "service/device/server.h"
#include "service/wire/protocol.h"

/* Pages whose bytes are kept for the engine at once. */
#define COPIED_PAGES ENGINE_MAX_PAGES

/* Begins as zeros, but for what it is about. */
typedef struct RunInput
{
	const ServiceConfig *config;
	int			file;			/* the session's input file, which it owns; or -1 */
	PageRef		refs[ENGINE_MAX_PAGES];
	char	   *copies;			/* COPIED_PAGES pages, a ring */
	uint64_t	ncopies;		/* so far */
	uint64_t	copy_of[COPIED_PAGES];	/* the page's number in the run, from 1 */
	uint64_t	npages;			/* that were made refs of */
	ColumnVector vectors[PROGRAM_MAX_COLUMNS];
	char	   *columns;		/* their memory */
	uint64_t	columns_room;
} RunInput;

/*
 * The pages of a message as PageRefs in input->refs.  released: pages of the run that the
 * engine does not read any more, whose copies may be overwritten.  BUSY: too many
 * are still read.  FAILED: the message asks for what is not there.
 */
extern EngineStatus input_take_pages(RunInput *input, Message *message, uint64_t released);

/* The vectors of a message in input->vectors, checked to be what the Program has. */
extern EngineStatus input_take_columns(RunInput *input, Message *message,
									   const Program *program);

/* Can be called again. */
extern void input_free(RunInput *input);

#endif							/* GPUAGG_RUN_INPUT_H */
