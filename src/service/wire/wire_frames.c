/*
 * wire_frames.c
 *	  What visibility maps say of tables, in a session's input file.
 *
 * A large table has hundreds of kilobytes of bits, which nearly everywhere are all set.  To write
 * them to a file and to read them took longer than a small query's kernels.  So a frame whose
 * bytes are all the same comes as that byte.  Frames come as WireFrames, one behind the other;
 * behind the last one, the bits of those that have others, in their order.
 */
#include "service/wire/wire_frames.h"

#include <stdlib.h>
#include <string.h>

#include "service/wire/channel.h"

/* WireFrame.byte of a frame whose bits follow. */
#define FRAME_HAS_BITS 256

typedef struct WireFrame
{
	uint64_t	lsn;
	uint32_t	byte;			/* that all bytes of the bits are, or FRAME_HAS_BITS */
	uint32_t	unused;			/* 0 */
} WireFrame;

_Static_assert(sizeof(WireFrame) == WIRE_FRAME_SIZE, "a frame's size is that of the header");

static WireFrame
wire_frame(const FrameMap *frame)
{
	int			byte = frame_map_byte(frame);

	return (WireFrame)
	{
		.lsn = frame->lsn,.byte = byte >= 0 ? (uint32_t) byte : FRAME_HAS_BITS
	};
}

bool
wire_frames_write(int file, const FrameMap *frames, uint32_t n, uint64_t *place)
{
	uint64_t	size = n * (uint64_t) sizeof(WireFrame);
	WireFrame  *wires = malloc(size + n * (uint64_t) FRAME_MAP_BYTES + 8);
	char	   *bits;
	bool		written;

	if (wires == NULL)
		return false;
	bits = (char *) (wires + n);
	for (uint32_t i = 0; i < n; i++)
	{
		wires[i] = wire_frame(&frames[i]);
		if (wires[i].byte != FRAME_HAS_BITS)
			continue;
		memcpy(bits, frames[i].bits, FRAME_MAP_BYTES);
		bits += FRAME_MAP_BYTES;
	}
	size = file_aligned((uint64_t) (bits - (char *) wires));
	memset(bits, 0, size - (uint64_t) (bits - (char *) wires));
	written = file_write(file, *place, wires, size);
	*place += size;
	free(wires);
	return written;
}

/* A frame, whose bits, if they follow, are at *place. */
static bool
read_frame(const WireFrame *wire, const char *bytes, uint64_t size, uint64_t *place,
		   FrameMap *frame)
{
	if (wire->byte > FRAME_HAS_BITS || wire->unused != 0)
		return false;
	frame->lsn = wire->lsn;
	if (wire->byte != FRAME_HAS_BITS)
	{
		memset(frame->bits, (int) wire->byte, FRAME_MAP_BYTES);
		return true;
	}
	if (FRAME_MAP_BYTES > size - *place)
		return false;
	memcpy(frame->bits, bytes + *place, FRAME_MAP_BYTES);
	*place += FRAME_MAP_BYTES;
	return true;
}

bool
wire_frames_read(const char *bytes, uint64_t size, uint64_t *place, FrameMap *frames, uint32_t n)
{
	const WireFrame *wires = (const WireFrame *) (bytes + *place);

	if (*place > size || n > (size - *place) / sizeof(WireFrame))
		return false;
	*place += n * (uint64_t) sizeof(WireFrame);
	for (uint32_t i = 0; i < n; i++)
		if (!read_frame(&wires[i], bytes, size, place, &frames[i]))
			return false;
	*place = file_aligned(*place);
	return *place <= size;
}
