/*
 * upload.h
 *	  An input buffer's rows to the device, in the copy stream.
 */
#ifndef GPUAGG_UPLOAD_H
#define GPUAGG_UPLOAD_H

#include "engine/cuda/input/input_buffer.h"

/*
 * Copy pages with their lists, or columns with their texts.  The stage, in which all
 * copying has ended, must stay until the stream is done.
 */
extern EngineStatus input_upload(RunCore *run, const InputLayout *input,
								 const InputBuffer *buffer);

#endif							/* GPUAGG_UPLOAD_H */
