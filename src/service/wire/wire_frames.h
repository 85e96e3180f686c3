/*
 * wire_frames.h
 *	  What visibility maps say of tables, in a session's input file.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_WIRE_FRAMES_H
#define GPUAGG_WIRE_FRAMES_H

#include "engine/table_state.h"

/* Bytes that a frame takes at least. */
#define WIRE_FRAME_SIZE 16

/*
 * Write n frames to a file from *place on, a multiple of 8, which is moved behind them, to another
 * one.  False: there is no memory for it.
 */
extern bool wire_frames_write(int file, const FrameMap *frames, uint32_t n, uint64_t *place);

/*
 * Read n frames from bytes that begin as a file does and end at `size`, from *place on, likewise.
 * False: they are not there.
 */
extern bool wire_frames_read(const char *bytes, uint64_t size, uint64_t *place, FrameMap *frames,
							 uint32_t n);

#endif							/* GPUAGG_WIRE_FRAMES_H */
