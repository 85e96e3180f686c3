/*
 * tables.cuh
 *	  Parameters that are tables (ops_lookup.h), each in memory of its own.
 */
#ifndef GPUAGG_TABLES_CUH
#define GPUAGG_TABLES_CUH

/* Nothing writes parameters or tables during a kernel: loads of a header are moved out of loops. */
DEVICE_FN Bytes
table_bytes(const DeviceConstant *constant)
{
	Bytes		bytes;

	bytes.data = (const char *) load_readonly(&constant->word);
	bytes.len = load_readonly(&constant->text.length);
	return bytes;
}

/*
 * Which of several keys an array has, whose distances from the least one are `at`, a bit each of
 * those in `asked`: the form is looked at once, and all of their loads are given out together.
 * Others read the first entry.
 */
DEVICE_FN uint32_t
array_has(const char *entries, uint32_t form, uint32_t *at, uint32_t asked, int n)
{
	uint32_t	numbers[WARP_SIZE];
	uint32_t	found = 0;

	PRAGMA_UNROLL
	for (int i = 0; i < n; i++)
		at[i] = asked >> i & 1 ? at[i] : 0;
	if (form == LOOKUP_BITS)
	{
		PRAGMA_UNROLL
		for (int i = 0; i < n; i++)
			numbers[i] = GA_LOAD((const uint8_t *) entries + at[i] / 8);
		PRAGMA_UNROLL
		for (int i = 0; i < n; i++)
			numbers[i] &= 1u << at[i] % 8;
	}
	else if (form == LOOKUP_ARRAY1)
	{
		PRAGMA_UNROLL
		for (int i = 0; i < n; i++)
			numbers[i] = GA_LOAD((const uint8_t *) entries + at[i]);
	}
	else if (form == LOOKUP_ARRAY2)
	{
		PRAGMA_UNROLL
		for (int i = 0; i < n; i++)
			numbers[i] = GA_LOAD((const uint16_t *) entries + at[i]);
	}
	else
	{
		PRAGMA_UNROLL
		for (int i = 0; i < n; i++)
			numbers[i] = GA_LOAD((const uint32_t *) entries + at[i]);
	}
	PRAGMA_UNROLL
	for (int i = 0; i < n; i++)
		found |= (uint32_t) (numbers[i] != 0) << i;
	return found & asked;
}

/* Which of n keys a table of any form has, a bit each of those in `asked`, one by one. */
DEVICE_FN uint32_t
table_has_each(const int64_t *keys, uint32_t asked, int n, Bytes table)
{
	uint32_t	found = 0;

	PRAGMA_NO_UNROLL
	while (asked != 0)
	{
		uint32_t	first = asked & (0 - asked);
		int64_t		key = 0;

		PRAGMA_UNROLL
		for (int i = 0; i < n; i++)
			key = first == 1u << i ? keys[i] : key;
		if (int8_lookup(key, table) >= 0)
			found |= first;
		asked ^= first;
	}
	return found;
}

/* The same, those of an array all together. */
DEVICE_FN uint32_t
table_has_int8(const int64_t *keys, uint32_t asked, int n, Bytes table)
{
	const LookupHeader *header = (const LookupHeader *) table.data;
	uint32_t	form = GA_LOAD(&header->form);
	uint64_t	least = (uint64_t) GA_LOAD(&header->least);
	uint64_t	nentries = GA_LOAD(&header->nentries);
	uint32_t	at[WARP_SIZE];

	if (form < LOOKUP_HASH4 && nentries > 0 && nentries <= UINT32_MAX)
	{
		PRAGMA_UNROLL
		for (int i = 0; i < n; i++)
		{
			at[i] = (uint32_t) ((uint64_t) keys[i] - least);
			asked &= ~((uint32_t) ((uint64_t) keys[i] - least >= nentries) << i);
		}
		return array_has(lookup_entries(table), form, at, asked, n);
	}
	return table_has_each(keys, asked, n, table);
}

/*
 * The same, by numbers of 32 bits if all keys of an array are such ones: then no key that is
 * before them has the distance of one of them.
 */
DEVICE_FN uint32_t
table_has_int4(const int32_t *keys, uint32_t asked, int n, Bytes table)
{
	const LookupHeader *header = (const LookupHeader *) table.data;
	uint32_t	form = GA_LOAD(&header->form);
	int64_t		least = GA_LOAD(&header->least);
	uint64_t	nentries = GA_LOAD(&header->nentries);
	int64_t		wide[WARP_SIZE];
	uint32_t	at[WARP_SIZE];

	if (form < LOOKUP_HASH4 && nentries > 0 && nentries <= UINT32_MAX && least >= INT32_MIN &&
		least + (int64_t) nentries - 1 <= INT32_MAX)
	{
		PRAGMA_UNROLL
		for (int i = 0; i < n; i++)
		{
			at[i] = (uint32_t) keys[i] - (uint32_t) least;
			asked &= ~((uint32_t) (at[i] >= (uint32_t) nentries) << i);
		}
		return array_has(lookup_entries(table), form, at, asked, n);
	}
	PRAGMA_UNROLL
	for (int i = 0; i < n; i++)
		wide[i] = keys[i];
	return table_has_each(wide, asked, n, table);
}

#endif							/* GPUAGG_TABLES_CUH */
