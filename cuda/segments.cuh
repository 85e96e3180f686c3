/*
 * segments.cuh
 *	  Rows of a batch that stand in several places.
 *
 * A segment has a part of the batch's rows: for each of the Program's columns an array, and
 * marks of rows that are left out.  Rows are numbered as if each segment had room for
 * `segment_rows`; those beyond a segment's own are left out.  So segments that have about
 * the same number of rows are taken by one launch.
 *
 * segment_rows is a multiple of SEGMENT_ALIGN, so that the rows of a thread that takes
 * several at once are in one segment, and the division by it is one of 40 bits.
 */
#ifndef GPUAGG_SEGMENTS_CUH
#define GPUAGG_SEGMENTS_CUH

/* A row's segment, and its number there. */
DEVICE_FN const uint64_t *
row_segment(const RowBatch *batch, uint64_t row, uint64_t *offset)
{
	uint64_t	segment = row / SEGMENT_ALIGN * batch->segment_magic >> SEGMENT_MAGIC_SHIFT;

	*offset = row - segment * batch->segment_rows;
	return batch->segments + segment * batch->segment_words;
}

DEVICE_FN bool
segment_leaves(const uint64_t *segment, uint64_t offset)
{
	const uint8_t *mask = (const uint8_t *) segment[SEGMENT_MASK];

	return offset >= segment[SEGMENT_NROWS] || (mask != NULL && mask[offset] != 0);
}

#endif							/* GPUAGG_SEGMENTS_CUH */
