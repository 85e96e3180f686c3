/*
 * unpack.h
 *	  Rows of kept segments as columns that stand behind one another, on the device.
 */
#ifndef GPUAGG_UNPACK_H
#define GPUAGG_UNPACK_H

#include "engine/cuda/input/input_buffer.h"
#include "engine/cuda/input/served.h"

/*
 * Can the run's rows be unpacked?  Not texts, whose codes stand in segments, nor rows of many
 * columns.
 */
extern bool unpack_possible(const RunCore *run, const Served *served);

/*
 * Have room for the columns of so many rows in each of the buffers of segments; false: there is
 * no memory for it, and nothing has changed.
 */
extern bool unpack_make_room(RunCore *run, uint32_t rows, InputBuffer *buffers, int n);

/*
 * Unpack n segments, from the first on, that the buffer is of, in the work stream.  From then
 * on the buffer has columns.  Its counters have been cleared.
 */
extern EngineStatus unpack_launch(RunCore *run, const Served *served, DeviceKernel *kernel,
								  uint32_t first, uint32_t n, InputBuffer *buffer);

#endif							/* GPUAGG_UNPACK_H */
