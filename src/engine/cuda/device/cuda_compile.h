/*
 * cuda_compile.h
 *	  Kernel text to machine code by NVRTC.
 */
#ifndef GPUAGG_CUDA_COMPILE_H
#define GPUAGG_CUDA_COMPILE_H

#include "engine/cuda/device/cuda_api.h"
#include "engine/cuda/device/device.h"

/*
 * As DeviceOps.compile, for any architecture (90 is compute capability 9.0);
 * no device is needed.  Text may include the files of kernel_text.  The image
 * is a cubin where NVRTC knows the architecture, else PTX for the newest one it
 * knows below, which the driver translates.
 */
extern DeviceStatus cuda_compile(const CudaCompiler *compiler, int arch,
								 const char *text, const char *const *options,
								 void **image, size_t *size,
								 char *message, size_t len);

#endif							/* GPUAGG_CUDA_COMPILE_H */
