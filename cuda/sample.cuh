/*
 * sample.cuh
 *	  Keys of some rows of the first batch, from which `auto` chooses.
 *
 * Chunks of neighbouring rows, spread evenly over the batch: the chunks tell how
 * keys follow each other, all of them together how many there are.
 */
#ifndef GPUAGG_SAMPLE_CUH
#define GPUAGG_SAMPLE_CUH

DEVICE_FN void
sample_rows(const AggregateArgs *args)
{
	for (uint64_t i = grid_index(); i < args->batch.nrows; i += grid_size())
	{
		SampledRow *sampled = &args->sampled[i];
		uint64_t	index = i / args->sample_chunk * args->sample_stride +
			i % args->sample_chunk;
		Raw			raw;
		Row			row;

		row_load(&args->batch, index, &raw);
		row_eval(args, &raw, (uint32_t) index, &row);
		sampled->passes = row.passes;
		sampled->conditions = raw.left ? 0 :
			(uint16_t) row_conditions(args, &raw, (uint32_t) index);
		sampled->isnull = 0;
		sampled->value = 0;
		sampled->hash = 0;
		if (!row.passes)
			continue;
		sampled->hash = key_hash(row.key);
		if (TABLE_DIRECT)
		{
			/* with a direct_min of 0, the key is the value behind NULL's slot */
			sampled->isnull = row.key[0] == 0;
			sampled->value = (int64_t) (row.key[0] - 1);
		}
	}
}

#if !INTERPRETED
KERNEL(sample, AggregateArgs, args)
{
	sample_rows(&args);
}
#endif

#endif							/* GPUAGG_SAMPLE_CUH */
