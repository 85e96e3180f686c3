/*
 * kernel_args.h
 *	  What the host hands to the kernels, as the kernels declare it.
 */
#ifndef GPUAGG_KERNEL_ARGS_H
#define GPUAGG_KERNEL_ARGS_H

#include <stddef.h>

#include "../../../../cuda/args.cuh"

#endif							/* GPUAGG_KERNEL_ARGS_H */
