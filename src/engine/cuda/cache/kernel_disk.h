/*
 * kernel_disk.h
 *	  Compiled kernels on disk.
 */
#ifndef GPUAGG_KERNEL_DISK_H
#define GPUAGG_KERNEL_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What an image was made of: two hashes over the same bytes, from different
 * starts, which makes 128 bits.
 */
typedef struct ImageKey
{
	uint64_t	hash[2];
} ImageKey;

extern void image_key_start(ImageKey *key);
extern void image_key_add(ImageKey *key, const void *data, size_t size);
extern bool image_key_equal(const ImageKey *a, const ImageKey *b);

/*
 * Where compiled kernels are kept; NULL or empty (the start value): nowhere.
 * The directory is made if it is not there; the string is copied.
 */
extern void kernel_disk_directory(const char *path);

/* The most bytes that files in it may have; the oldest are removed first. */
extern void kernel_disk_limit(size_t bytes);

/* The image of that key, malloc'd, or NULL: it is not there, or damaged. */
extern void *kernel_disk_load(const ImageKey *key, size_t *size);

/* Keep an image, if that can be done. */
extern void kernel_disk_store(const ImageKey *key, const void *image, size_t size);

#endif							/* GPUAGG_KERNEL_DISK_H */
