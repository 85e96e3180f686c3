/*
 * groups_file.h
 *	  A run's groups in a memory file: written by the device process, read by the
 *	  session.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_GROUPS_FILE_H
#define GPUAGG_GROUPS_FILE_H

#include "engine/engine.h"

typedef struct GroupsWriter GroupsWriter;

/* NULL: no memory, or no file.  The Program must outlive it. */
extern GroupsWriter *groups_writer_create(const Program *program);

/* False: no memory; then only groups_writer_free may follow. */
extern bool groups_writer_add(GroupsWriter *writer, const GroupBatch *batch);

/* The sealed file, which stays the writer's, and its size; -1: no memory. */
extern int	groups_writer_end(GroupsWriter *writer, uint64_t *size);
extern void groups_writer_free(GroupsWriter *writer);
extern uint64_t groups_writer_size(const GroupsWriter *writer); /* bytes so far */

typedef struct GroupsReader GroupsReader;

/*
 * The groups of a file of that size, checked to be what the Program has; the file may be
 * closed then, and the Program must outlive the reader.  Takes a moment where the
 * Program has extremes of texts: asks hints->wait.  NULL and why: it is no such
 * file, or there is no memory.
 */
extern GroupsReader *groups_reader_open(const Program *program, int file, uint64_t size,
										const EngineHints *hints, char *why, size_t len);

/* The same of a file's bytes, which must stay, aligned to 8 bytes. */
extern GroupsReader *groups_reader_of(const Program *program, const void *bytes, uint64_t size,
									  const EngineHints *hints, char *why, size_t len);

/* The file's bytes; how many are held, mapped or copied. */
extern const void *groups_reader_bytes(const GroupsReader *reader);
extern uint64_t groups_reader_memory(const GroupsReader *reader);

/* The next batch, of no groups after the last one; the first one again; no failure. */
extern void groups_reader_next(GroupsReader *reader, GroupBatch *batch);
extern void groups_reader_rewind(GroupsReader *reader);
extern void groups_reader_close(GroupsReader *reader);

#endif							/* GPUAGG_GROUPS_FILE_H */
