/*
 * statistics.cuh
 *	  Percentiles and modes of groups, from pairs of slots and values in their order.
 *
 * The pairs of a group stand behind one another, from starts[slot] to ends[slot].  A percentile
 * is at one or two places there.  For a mode, the first pair of each run of equal values looks
 * for the run's end, by steps that double and then by halving, and the longest run of a group
 * is found by a maximum: of its length, and of its place, so that of equally long ones the
 * first is taken.
 */
#ifndef GPUAGG_STATISTICS_CUH
#define GPUAGG_STATISTICS_CUH

/* Which bits differ between values, and the least and the greatest one. */
KERNEL(list_range, StatisticArgs, args)
{
	uint64_t	any = 0;
	uint64_t	all = UINT64_MAX;
	uint64_t	least = UINT64_MAX;
	uint64_t	most = 0;

	for (uint64_t i = grid_index(); i < args.n; i += grid_size())
	{
		uint64_t	value = args.list.values[i];

		any |= value;
		all &= value;
		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	for (uint32_t lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2)
	{
		uint64_t	other_least = warp_shfl_xor_u64(FULL_MASK, least, lanes);
		uint64_t	other_most = warp_shfl_xor_u64(FULL_MASK, most, lanes);

		any |= warp_shfl_xor_u64(FULL_MASK, any, lanes);
		all &= warp_shfl_xor_u64(FULL_MASK, all, lanes);
		least = other_least < least ? other_least : least;
		most = other_most > most ? other_most : most;
	}
	if (lane_index() == 0)
	{
		atomic_or_u64(&args.bits[LIST_ANY], any);
		atomic_or_u64(&args.bits[LIST_NOT_ALL], ~all);
		(void) atomic_max_u64(&args.bits[LIST_NOT_LEAST], ~least);
		(void) atomic_max_u64(&args.bits[LIST_MOST], most);
	}
}

/* Pairs to a larger list. */
KERNEL(list_copy, StatisticArgs, args)
{
	uint64_t	n = *args.top;

	for (uint64_t i = grid_index(); i < n; i += grid_size())
	{
		args.to.slots[i] = args.list.slots[i];
		args.to.values[i] = args.list.values[i];
	}
}

/* The groups have moved to a larger table: moved[slot] is each one's new slot. */
KERNEL(list_move, StatisticArgs, args)
{
	uint64_t	n = *args.top;

	for (uint64_t i = grid_index(); i < n; i += grid_size())
		args.list.slots[i] = args.moved[args.list.slots[i]];
}

/* Where the pairs of each slot begin and end; both are 0 of slots without any. */
KERNEL(list_groups, StatisticArgs, args)
{
	for (uint64_t i = grid_index(); i < args.n; i += grid_size())
	{
		uint32_t	slot = args.list.slots[i];

		if (i == 0 || args.list.slots[i - 1] != slot)
			args.starts[slot] = (uint32_t) i;
		if (i + 1 == args.n || args.list.slots[i + 1] != slot)
			args.ends[slot] = (uint32_t) (i + 1);
	}
}

/* Of the float values 0 and -0: has the group both, of which one is the value? */
DEVICE_FN bool
statistic_is_ambiguous(const StatisticArgs *args, uint32_t slot, uint64_t value)
{
	uint32_t	from = args->starts[slot];
	uint32_t	to = args->ends[slot];

	if (!args->is_float || (value != ORDER_ZERO && value != ORDER_NEGATIVE_ZERO))
		return false;
	/* the first 0: if there are both, -0 is before it */
	while (from < to)
	{
		uint32_t	middle = from + (to - from) / 2;

		if (args->list.values[middle] < ORDER_ZERO)
			from = middle + 1;
		else
			to = middle;
	}
	return from > args->starts[slot] && from < args->ends[slot] &&
		args->list.values[from] == ORDER_ZERO &&
		args->list.values[from - 1] == ORDER_NEGATIVE_ZERO;
}

/* The pair at a place of the group's order, from its first on. */
DEVICE_FN uint64_t
statistic_value(const StatisticArgs *args, uint32_t slot, uint64_t place)
{
	uint64_t	value = args->list.values[args->descending ? args->ends[slot] - 1 - place :
										  args->starts[slot] + place];

	if (statistic_is_ambiguous(args, slot, value))
		atomic_or_u32(args->errors, ERROR_INEXACT);
	return value;
}

/* The fraction of a slot's group. */
DEVICE_FN double
statistic_fraction(const StatisticArgs *args, uint64_t slot)
{
	return args->slots == 0 ? args->fraction :
		fraction_of_word(args->slots[args->fractions.first + slot * args->fractions.stride]);
}

KERNEL(read_percentiles, StatisticArgs, args)
{
	for (uint64_t slot = grid_index(); slot < args.capacity; slot += grid_size())
	{
		uint64_t   *words = args.results + slot * args.nwords + args.word;
		uint64_t	n = args.ends[slot] - args.starts[slot];
		uint64_t	low;
		uint64_t	high;
		double		fraction;
		double		share;

		if (n == 0)
			continue;
		fraction = statistic_fraction(&args, slot);
		if (!args.continuous)
		{
			low = statistic_value(&args, (uint32_t) slot, percentile_disc_rank(fraction, n));
			words[0] = order_to_word(low, args.is_float);
			continue;
		}
		percentile_cont_ranks(fraction, n, &low, &high, &share);
		words[0] = order_to_bits(statistic_value(&args, (uint32_t) slot, low), args.is_float);
		words[1] = order_to_bits(statistic_value(&args, (uint32_t) slot, high), args.is_float);
		words[2] = f64_bits(share);
	}
}

/* The value at a place, that of all that are equal to it. */
DEVICE_FN uint64_t
mode_value(const StatisticArgs *args, uint64_t place)
{
	return order_of_equal(args->list.values[place], args->is_float);
}

/* Where a run that begins there ends. */
DEVICE_FN uint32_t
mode_run_end(const StatisticArgs *args, uint32_t start, uint32_t end, uint64_t value)
{
	uint64_t	step = 1;
	uint64_t	from = start + UINT64_C(1); /* all before it are in the run */
	uint64_t	to;

	/* the place that is looked at can be behind 2^32 */
	while (from + step < end && mode_value(args, from + step) == value)
	{
		from += step + 1;
		step *= 2;
	}
	to = from + step < end ? from + step : end;
	while (from < to)
	{
		uint64_t	middle = from + (to - from) / 2;

		if (mode_value(args, middle) == value)
			from = middle + 1;
		else
			to = middle;
	}
	return (uint32_t) from;
}

/* The longest run of each slot: its length, and below that which of equally long ones. */
KERNEL(find_modes, StatisticArgs, args)
{
	for (uint64_t i = grid_index(); i < args.n; i += grid_size())
	{
		uint32_t	slot = args.list.slots[i];
		uint64_t	value = mode_value(&args, i);
		uint32_t	length;
		uint32_t	order;
		uint64_t	run;

		if (i > args.starts[slot] && mode_value(&args, i - 1) == value)
			continue;
		length = mode_run_end(&args, (uint32_t) i, args.ends[slot], value) - (uint32_t) i;
		order = args.descending ? (uint32_t) i : UINT32_MAX - (uint32_t) i;
		run = (uint64_t) length << 32 | order;
		if (load_volatile_u64(&args.modes[slot]) < run)
			atomic_max_u64(&args.modes[slot], run);
	}
}

KERNEL(read_modes, StatisticArgs, args)
{
	for (uint64_t slot = grid_index(); slot < args.capacity; slot += grid_size())
	{
		uint32_t	order = (uint32_t) args.modes[slot];
		uint64_t	value;

		if (args.modes[slot] == 0)
			continue;
		value = args.list.values[args.descending ? order : UINT32_MAX - order];
		if (statistic_is_ambiguous(&args, (uint32_t) slot, value))
			atomic_or_u32(args.errors, ERROR_INEXACT);
		args.results[slot * args.nwords + args.word] = order_to_word(value, args.is_float);
	}
}

#endif							/* GPUAGG_STATISTICS_CUH */
