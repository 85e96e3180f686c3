/*
 * host_compile.h
 *	  Kernel text to a shared object by the host's C compiler.
 */
#ifndef GPUAGG_SIMT_HOST_COMPILE_H
#define GPUAGG_SIMT_HOST_COMPILE_H

#include "engine/cuda/device/device.h"

/* Is the compiler there?  If not, why. */
extern bool simt_compiler_there(char *why, size_t len);

/* As DeviceOps.compile; takes -D, -U and -I of the options. */
extern DeviceStatus simt_host_compile(const char *text, const char *const *options,
									  void **image, size_t *size,
									  char *message, size_t len);

#endif							/* GPUAGG_SIMT_HOST_COMPILE_H */
