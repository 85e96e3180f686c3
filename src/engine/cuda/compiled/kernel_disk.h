/*
 * kernel_disk.h
 *	  Compiled kernels on disk.
 */
#ifndef GPUAGG_KERNEL_DISK_H
#define GPUAGG_KERNEL_DISK_H

#include "engine/cuda/compiled/kernel_source.h"

/*
 * Where compiled kernels are kept; NULL or empty (the start value): nowhere.
 * The directory is made if it is not there; the string is copied.
 */
extern void kernel_disk_directory(const char *path);

/* The image made of that source, malloc'd, or NULL: it is not there, or damaged. */
extern void *kernel_disk_load(const KernelSource *source, size_t *size);

/* Keep an image, if that can be done. */
extern void kernel_disk_store(const KernelSource *source, const void *image, size_t size);

#endif							/* GPUAGG_KERNEL_DISK_H */
