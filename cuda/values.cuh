/*
 * values.cuh
 *	  Extremes of values that no word holds: texts, numbers of 128 bits,
 *	  intervals.
 *
 * Behind a group's state each such extreme has two words in its slot.  The first
 * refers to the value, a copy in the values' arena, as a key word refers to a
 * text; VALUE_NONE: there is none yet.  The second is a filter: what can be said
 * of the value in 64 bits, in an order in which a better value's filter is never
 * less, 0 for nothing.
 *
 * A row whose filter is below that of its group is not better, and that is the
 * end of nearly all rows: a comparison of a word, an old view of which is only
 * less extreme.  Other rows compare themselves with the value referred to,
 * behind a fence, since its bytes must be seen as they were written.  If a row
 * is better, it stores a copy, and swings the reference by compare-and-swap from
 * what it has compared itself with; the filter follows.  What a reference has
 * ever named is never written to again, but for the mark of an interval that
 * equal ones were met; so values that were beaten are garbage.
 *
 * An arena without room is no reason to stop: the row is told by a counter, all
 * else of it is taken in, and the host makes room (values_move leaves the
 * garbage behind) and runs the batch again for these extremes alone
 * (values_again).  That a row meets an extreme twice changes nothing.
 *
 * The generated code gives NVALUES, HAS_VALUES, Row.takes, Row.values and row_values.
 */
#ifndef GPUAGG_VALUES_CUH
#define GPUAGG_VALUES_CUH

#define VALUE_WORDS 2			/* of an extreme, in a slot and in a row */
#define VALUE_NONE UINT64_MAX

#if !HAS_VALUES

DEVICE_FN void
row_values(const AggregateArgs *args, uint32_t slot, const Row *row)
{
	(void) args, (void) slot, (void) row;
}

#else

/* A row's values into its group's extremes: generated. */
DEVICE_FN void row_values(const AggregateArgs *args, uint32_t slot, const Row *row);

/* A group's references. */
DEVICE_FN uint64_t *
group_values(const DeviceTable *table, uint32_t slot)
{
	return group_slot(table, slot) + STATE + NHOT;
}

/* Room in the arena for that many 8-byte words, or UINT64_MAX. */
DEVICE_FN uint64_t
values_room(const DeviceTable *table, uint64_t size)
{
	TableCounters *counters = table->counters;
	uint64_t	at;

	if (load_volatile_u64(&counters->values_top) + size <= table->values_size)
	{
		at = atomic_add_u64(&counters->values_top, size);
		if (at + size <= table->values_size)
			return at;
	}
	return UINT64_MAX;
}

/* A value that a reference names. */
DEVICE_FN Bytes
value_bytes(const uint8_t *values, uint64_t ref)
{
	Bytes		bytes;

	bytes.data = (const char *) values + (uint64_t) text_start(ref) * 8;
	bytes.len = text_length(ref);
	return bytes;
}

DEVICE_FN Wide
value_wide(Bytes bytes)
{
	return wide_of_words(((const uint64_t *) bytes.data)[0],
						 ((const uint64_t *) bytes.data)[1]);
}

DEVICE_FN TimeSpan
value_interval(Bytes bytes)
{
	return interval_of_words(((const uint64_t *) bytes.data)[0],
							 ((const uint64_t *) bytes.data)[1]);
}

/*
 * The filter of a text: its first 7 bytes, and whether there are more.  A text
 * that has no more is told exactly.
 */
DEVICE_FN uint64_t
text_filter(Bytes text, bool *exact)
{
	uint64_t	filter = 0;

	for (uint32_t i = 0; i < 7; i++)
		filter = filter << 8 | (i < text.len ? (uint8_t) text.data[i] : 0);
	*exact = text.len <= 7;
	return filter << 8 | (*exact ? 1 : 2);
}

/* The filter of an address: the family, and the network's first 7 bytes. */
DEVICE_FN uint64_t
inet_filter(Bytes address)
{
	uint64_t	filter = inet_byte(address, 0);

	for (uint32_t i = 0; i < 7; i++)
		filter = filter << 8 | inet_network_byte(address, i, inet_byte(address, 1));
	return filter;
}

/*
 * The filter of a number: the length of its magnitude, and the first bits.  Up to
 * 55 bits, and some beyond, it is told exactly.
 */
DEVICE_FN uint64_t
wide_filter(Wide value, bool *exact)
{
	bool		negative = wide_is_negative(value);
	uint64_t	flip = negative ? UINT64_MAX : 0;
	uint64_t	low = value.w[0] ^ flip;
	uint64_t	high = value.w[1] ^ flip;
	uint32_t	length = high != 0 ? 128 - bits_leading_zeros_u64(high) :
		64 - bits_leading_zeros_u64(low);
	uint32_t	shift = length > 56 ? length - 56 : 0;
	uint64_t	first = shift == 0 ? low : shift >= 64 ? high >> (shift - 64) :
		low >> shift | high << (64 - shift);
	uint64_t	filter;

	/* 7 bits of length, and what stands behind the first 1 of 56 bits */
	*exact = shift == 0;
	filter = first;
	if (length > 55)
		filter = (uint64_t) (length - 55) << 55 | (first & (UINT64_C(1) << 55) - 1);
	filter = negative ? (UINT64_C(1) << 62) - filter : (UINT64_C(1) << 62) + filter + 1;
	return filter;
}

/* The filter of a value: a better one has none that is less. */
DEVICE_FN uint64_t
value_filter(AccForm order, bool max, Bytes bytes, bool *exact)
{
	uint64_t	filter;

	if (order == FORM_WIDE)
		filter = wide_filter(value_wide(bytes), exact);
	else if (order == FORM_INTERVAL)
	{
		filter = wide_filter(interval_length(value_interval(bytes)), exact);
		*exact = false;			/* equal ones can be written differently */
	}
	else if (order == FORM_INET)
	{
		filter = inet_filter(bytes);
		*exact = false;
	}
	else
		filter = text_filter(order == FORM_BPCHAR ? bpchar_trimmed(bytes) : bytes, exact);
	return max ? filter : ~filter;
}

DEVICE_FN bool
value_is_better(AccForm order, bool max, Bytes value, Bytes best)
{
	Bytes		greater = max ? value : best;
	Bytes		less = max ? best : value;

	if (order == FORM_WIDE)
		return wide_lt(value_wide(less), value_wide(greater));
	if (order == FORM_INTERVAL)
		return interval_order(value_interval(less), value_interval(greater)) < 0;
	return form_text_order(order, less, greater) < 0;
}

/* Is it an equal one, written differently?  It depends on the order of rows which. */
DEVICE_FN bool
value_is_ambiguous(AccForm order, Bytes value, Bytes best)
{
	if (order != FORM_INTERVAL)
		return false;
	return interval_order(value_interval(value), value_interval(best)) == 0 &&
		!interval_is_same(value_interval(value), value_interval(best));
}

/* Copy a value to the arena: its reference, or VALUE_NONE. */
DEVICE_FN uint64_t
value_store(const DeviceTable *table, Bytes value)
{
	uint64_t	size = ((uint64_t) value.len + 7) / 8;
	uint64_t	at = values_room(table, size);

	if (at == UINT64_MAX)
		return VALUE_NONE;
	for (uint32_t i = 0; i < value.len; i++)
		table->values[at * 8 + i] = (uint8_t) value.data[i];
	return text_word((uint32_t) at, value.len);
}

/* A value into an extreme that its filter does not decide. */
DEVICE_FN void
value_improve(const AggregateArgs *args, uint64_t *extreme, AccForm order, bool max,
			  Bytes value, uint64_t filter)
{
	uint64_t	own = VALUE_NONE;
	uint64_t	best = load_volatile_u64(&extreme[0]);

	for (;;)
	{
		uint64_t	seen;

		if (best != VALUE_NONE)
		{
			Bytes		other = value_bytes(args->table.values, best);

			fence_device();
			if (value_is_ambiguous(order, value, other))
				atomic_exchange_u64((uint64_t *) other.data + 2, 1);
			if (!value_is_better(order, max, value, other))
				return;
		}
		if (own == VALUE_NONE)
		{
			own = value_store(&args->table, value);
			if (own == VALUE_NONE)
			{
				atomic_max_u64(&args->counters->values_missed,
							   ((uint64_t) value.len + 7) / 8 + 1);
				return;
			}
			fence_device();
		}
		seen = atomic_cas_u64(&extreme[0], best, own);
		if (seen == best)
			break;
		best = seen;
	}
	atomic_max_u64(&extreme[1], filter);
}

/* A row's value into an extreme. */
DEVICE_FN void
value_take(const AggregateArgs *args, uint64_t *extreme, AccForm order, bool max, Bytes value)
{
	bool		exact;
	uint64_t	filter = value_filter(order, max, value, &exact);
	uint64_t	best = extreme[1];

	if (filter > best || (filter == best && !exact))
		value_improve(args, extreme, order, max, value, filter);
}

/* The same of a text, which the row refers to in the batch. */
DEVICE_FN void
value_take_text(const AggregateArgs *args, uint64_t *extreme, AccForm order, bool max,
				const uint64_t *ref)
{
	Bytes		text;

	text.data = (const char *) args->batch.bytes + text_start(ref[0]);
	text.len = text_length(ref[0]);
	value_take(args, extreme, order, max, text);
}

/* And of one that is two words. */
DEVICE_FN void
value_take_words(const AggregateArgs *args, uint64_t *extreme, AccForm order, bool max,
				const uint64_t *words)
{
	Bytes		value;

	value.data = (const char *) words;
	value.len = VALUE_WORDS * sizeof(uint64_t);
	value_take(args, extreme, order, max, value);
}

/*
 * And of an interval, which has a third word, in the arena: whether an equal one
 * that is written differently was met.
 */
DEVICE_FN void
value_take_interval(const AggregateArgs *args, uint64_t *extreme, AccForm order, bool max,
					const uint64_t *words)
{
	uint64_t	interval[3] = {words[0], words[1], 0};
	Bytes		value;

	value.data = (const char *) interval;
	value.len = sizeof(interval);
	value_take(args, extreme, order, max, value);
}

/* The batch again, for extremes that found no room; its groups are all there. */
DEVICE_FN void
take_values_again(const AggregateArgs *args)
{
	RowCursor	cursor = rows_begin(args, 1);
	Tile		tile;

	while (rows_tile(args, &cursor, &tile))
		for (int step = 0; step < ROWS_AT_ONCE; step++)
		{
			Row			row;
			uint32_t	slot;

			rows_step(args, &cursor, &tile, step, &row);
			if (!row.passes)
				continue;
			slot = group_find(args, row.key);
			if (slot != GROUP_NONE)
				row_values(args, slot, &row);
			else
				atomic_or_u32(&args->counters->errors, ERROR_INEXACT);
		}
}

#if !INTERPRETED
KERNEL(values_again, AggregateArgs, args)
{
	take_values_again(&args);
}
#endif

/* What the extremes refer to, from the old arena to the table's, which is empty. */
KERNEL(values_move, TableArgs, args)
{
	KERNEL_BEGIN(&args.table);
	for (uint64_t i = grid_index(); i < args.table.capacity; i += grid_size())
	{
		uint64_t   *extremes = group_values(&args.table, (uint32_t) i);

		for (int j = 0; j < NVALUES; j++)
		{
			uint64_t   *ref = &extremes[VALUE_WORDS * j];

			if (*ref != VALUE_NONE)
				*ref = value_store(&args.table, value_bytes(args.old.values, *ref));
		}
	}
}

#endif							/* HAS_VALUES */

#endif							/* GPUAGG_VALUES_CUH */
