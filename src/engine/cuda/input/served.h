/*
 * served.h
 *	  Rows that a run takes from columns that are kept, instead of their pages.
 */
#ifndef GPUAGG_SERVED_H
#define GPUAGG_SERVED_H

#include "engine/cuda/input/kept_tables.h"
#include "engine/cuda/input/served_texts.h"

/* Bytes of a segment's columns that are in host memory. */
typedef struct HostPiece
{
	DevicePtr	from;			/* their address there */
	uint64_t	size;
	uint64_t	to;				/* in the memory for copies of the launch's buffer */
	uint32_t	segment;
} HostPiece;

/* Begins as zeros. */
typedef struct Served
{
	KeptChunk **chunks;		/* pinned */
	uint32_t	nchunks;
	uint64_t   *words;			/* of the segments (segments.cuh) */
	uint32_t	nsegments;
	HostPiece  *pieces;			/* by segments */
	uint32_t	npieces;
	uint32_t	max_rows;		/* of a segment */
	uint64_t	rows;			/* of all that is served, without those that are masked */
	MaskRange  *ranges;			/* masked rows, by segments */
	uint32_t   *range_segments; /* whose they are */
	uint32_t	nranges;
	uint32_t	nmasked;		/* segments with masked rows */
	uint32_t	ranges_room;
	uint32_t	chunks_room;
	uint32_t	segments_room;
	uint32_t	pieces_room;
	ServedTexts texts;

	/* on the device */
	uint32_t	segment_rows;
	DeviceBuffer segments;
	DeviceBuffer masks;
	DeviceBuffer device_ranges;
} Served;

/*
 * What the cache has of the tables for this run: pinned, until served_close, and marked in
 * the tables' `served`.
 */
extern EngineStatus served_find(RunCore *run, KeptTables *tables, Served *served);

/*
 * Have room on the device for what tells of the segments, and masks.  mask: the kernel
 * `mask_rows`, if there are masked rows.
 */
extern EngineStatus served_make_room(RunCore *run, Served *served, DeviceKernel *mask);

/* Tell the device, once it is known where the pieces will be (segment_launches.h). */
extern EngineStatus served_upload(RunCore *run, const Served *served);

/* Free it; nothing is left that works on the device. */
extern void served_close(RunCore *run, Served *served);

#endif							/* GPUAGG_SERVED_H */
