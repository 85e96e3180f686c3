/*
 * mapped.h
 *	  Host memory that kernels read where it is.
 *
 * Ranges are announced before the device is open, such as the server's shared
 * buffers by the device process.  Registering memory with the driver takes 50 us a
 * megabyte and makes all of it resident.  So a range is divided into slices, and a
 * slice is registered by a thread once a page of it has been asked for.  Until
 * then, and if it cannot be registered, its pages have to be copied.
 */
#ifndef GPUAGG_MAPPED_H
#define GPUAGG_MAPPED_H

#include "engine/cuda/device/device.h"

#define MAPPED_SLICE ((size_t) 128 << 20)

typedef struct Mapped Mapped;

/* NULL: no memory. */
extern Mapped *mapped_create(void);

/*
 * Announce a range, which must stay readable until mapped_close, and which no other
 * range overlaps.  The device is not open.  False: no memory.
 */
extern bool mapped_add(Mapped *mapped, const void *address, size_t size);

/*
 * Begin and end to register slices with a device.  When mapped_close is called
 * nothing on the device reads them.
 */
extern void mapped_open(Mapped *mapped, Device *device);
extern void mapped_close(Mapped *mapped);

/*
 * Where kernels read these bytes, which are aligned to 16; 0: they cannot, or not
 * yet, and what can be done about it has begun.
 */
extern DevicePtr mapped_place(Mapped *mapped, const void *address, size_t size);

/*
 * Who needs no slice would wait for those that are being registered: for a while, let there
 * be pauses between them.
 */
extern void mapped_hold(Mapped *mapped);

/* Wait until no slice waits to be registered. */
extern void mapped_wait(Mapped *mapped);

/* Has a slice failed?  The reason of the last one that has. */
extern bool mapped_failed(Mapped *mapped, char *why, size_t len);

#endif							/* GPUAGG_MAPPED_H */
