/*
 * test_kept_cache.c
 *	  Columns that stay in device memory: what is found, what gives way to what, and
 *	  that pinned chunks outlive their eviction.
 *
 * The device is one that only counts its memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/cuda_engine.h"
#include "engine/cuda/kept/device_lookups.h"
#include "engine/cuda/kept/room.h"
#include "lookup_tables.h"
#include "tap.h"

#define CHUNK ((uint64_t) 1 << 20)
#define DAY 86400

static uint64_t allocated;
static uint64_t next_address = 4096;
static uint64_t device_size = UINT64_MAX;
static uint64_t sizes[4096];	/* by address / CHUNK */

static DeviceStatus
count_alloc(Device *device, size_t size, DevicePtr *ptr)
{
	if (size > device_size - allocated)
		return DEVICE_NO_MEMORY;
	*ptr = next_address += 4 * CHUNK;
	sizes[*ptr / (4 * CHUNK) % 4096] = size;
	allocated += size;
	return DEVICE_OK;
}

static void
count_free(Device *device, DevicePtr ptr)
{
	allocated -= sizes[ptr / (4 * CHUNK) % 4096];
}

/* Host memory, copies and their stream; a count of how many calls go well before one fails. */
static int	host_allocs_left = 1000;
static int	copies_left = 1000;
static uint64_t host_allocated;
static int	streams;

static DeviceStatus
count_host_alloc(Device *its_device, size_t size, void **ptr)
{
	if (host_allocs_left-- <= 0)
	{
		snprintf(its_device->message, sizeof(its_device->message), "no locked memory");
		return DEVICE_NO_MEMORY;
	}
	*ptr = malloc(size + sizeof(uint64_t) * 32);
	*(uint64_t *) *ptr = size;
	*ptr = (char *) *ptr + sizeof(uint64_t) * 32;
	host_allocated += size;
	return DEVICE_OK;
}

static void
count_host_free(Device *its_device, void *ptr)
{
	uint64_t   *block = (uint64_t *) ptr - 32;

	host_allocated -= *block;
	free(block);
}

static DeviceStatus
make_stream(Device *its_device, DeviceStream **stream)
{
	streams++;
	*stream = (DeviceStream *) &streams;
	return DEVICE_OK;
}

static void
destroy_stream(Device *its_device, DeviceStream *stream)
{
	streams--;
}

static DeviceStatus
wait_for_stream(Device *its_device, DeviceStream *stream)
{
	return DEVICE_OK;
}

/* The copy has the source's address in its first word. */
static DeviceStatus
download(Device *its_device, DeviceStream *stream, void *to, DevicePtr from, size_t size)
{
	if (copies_left-- <= 0)
		return DEVICE_REFUSED;
	memcpy(to, &from, sizeof(from));
	return DEVICE_OK;
}

static DeviceStatus
upload(Device *its_device, DeviceStream *stream, DevicePtr to, const void *from, size_t size)
{
	return copies_left-- <= 0 ? DEVICE_REFUSED : DEVICE_OK;
}

static const DeviceOps ops = {.alloc = count_alloc,.free = count_free,
	.host_alloc = count_host_alloc,.host_free = count_host_free,.stream_create = make_stream,
	.stream_destroy = destroy_stream,.stream_wait = wait_for_stream,.download = download,
.upload = upload};
static Device device = {.ops = &ops};
static DeviceMemory memory;
static KeptCache cache;
static int64_t now = 1000;

static void
begin(uint64_t limit)
{
	memset(&memory, 0, sizeof(memory));
	memory.budget = 100 * CHUNK;
	cache = (KeptCache) {.device = &device,.memory = &memory,.limit = limit};
}

static void
end(const char *what)
{
	device_lookups_forget(&cache);
	kept_close(&cache);
	device_memory_trim(&device, &memory, 0);
	ok(allocated == 0 && memory.lent == 0 && cache.bytes == 0 && host_allocated == 0 &&
	   streams == 0, "%s: all memory was given back", what);
	host_allocs_left = copies_left = 1000;
}

static KeptFile *
file_of(uint32_t number)
{
	uint32_t	name[3] = {1663, 5, number};
	KeptFile   *file = kept_file(&cache, name, number + 100);

	kept_file_leave(file);
	return file;
}

static KeptColumn *
column_of(uint32_t file, int attno)
{
	Column		column = {.attno = (int16_t) attno,.missing = -1,.type = VT_INT4};
	KeptKey		key;

	(void) kept_key(&column, NULL, &key);
	return kept_column(file_of(file), &key);
}

/* What is known of a stripe of `blocks` blocks with 10 rows each. */
static KeptStripe *
make_stripe(uint64_t lsn, uint8_t bits, uint32_t blocks)
{
	KeptStripe *stripe = calloc(1, sizeof(*stripe));

	stripe->map.lsn = lsn;
	memset(stripe->map.bits, bits, sizeof(stripe->map.bits));
	stripe->nblocks = blocks;
	stripe->nrows = blocks * 10;
	for (uint32_t i = 0; i <= STRIPE_MAX_BLOCKS; i++)
	{
		stripe->rows[i] = i < blocks ? i * 10 : blocks * 10;
		if (i < blocks)
			stripe->has[i / 8] |= (uint8_t) (1 << i % 8);
	}
	return stripe;
}

/* A chunk with one column, or two; NULL: no room. */
static KeptChunk *
make_chunk(KeptColumn *first, KeptColumn *second)
{
	KeptChunk  *chunk = kept_chunk(&cache, CHUNK, second ? 2 : 1, first->heat, now);

	if (chunk == NULL)
		return NULL;
	chunk->columns[0] = (KeptPlace) {.column = first,.bytes = CHUNK / 2};
	if (second != NULL)
		chunk->columns[1] = (KeptPlace) {.column = second,.bytes = CHUNK / 2};
	return chunk;
}

/* Keep a stripe's column; is it kept? */
static bool
keep(uint32_t file, uint32_t stripe, KeptColumn *column)
{
	KeptChunk  *chunk = make_chunk(column, NULL);

	return chunk != NULL &&
		kept_publish(&cache, file_of(file), stripe, make_stripe(7, 0x55, 1000), chunk);
}

static bool
is_kept(uint32_t file, uint32_t stripe, KeptColumn *column)
{
	KeptStripe *there = kept_stripe(file_of(file), stripe);
	const KeptPlace *place;

	return there != NULL && kept_find(there, column, &place) != NULL;
}

static void
test_geometry(void)
{
	bool		good = true;

	for (uint32_t block = 0; block < 5 * FRAME_BLOCKS; block++)
	{
		uint32_t	stripe = stripe_of_block(block);
		uint32_t	first = stripe_first_block(stripe);

		good = good && first <= block && block < first + stripe_nblocks(stripe) &&
			stripes_of_table(block + 1) == stripe + 1;
	}
	ok(good, "each block is in one stripe");
	ok(stripe_of_block(FRAME_BLOCKS - 1) == 3 && stripe_of_block(FRAME_BLOCKS) == 4 &&
	   stripe_first_block(4) == FRAME_BLOCKS, "a frame has four stripes");
	ok(3 * STRIPE_BLOCKS / 4 + STRIPE_MAX_BLOCKS / 4 == FRAME_MAP_BYTES,
	   "which are whole bytes of the map");
}

static void
test_keys(void)
{
	ParamValue	params[2] = {{.type = VT_INT4,.word = 5}, {.type = VT_INT4,.word = 6}};
	Column		column = {.attno = 3,.missing = 0,.type = VT_INT4};
	KeptKey		a;
	KeptKey		b;

	begin(10 * CHUNK);
	(void) kept_key(&column, params, &a);
	column.missing = 1;
	(void) kept_key(&column, params, &b);
	ok(kept_column(file_of(1), &a) != kept_column(file_of(1), &b),
	   "columns differ by the value of tuples that are too short");
	params[0].word = 6;
	column.missing = 0;
	(void) kept_key(&column, params, &a);
	ok(kept_column(file_of(1), &a) == kept_column(file_of(1), &b),
	   "and not by the parameter that it is in");
	column.scale = 2;
	(void) kept_key(&column, params, &b);
	ok(kept_column(file_of(1), &a) != kept_column(file_of(1), &b), "by the scale");
	column.scale = 0;
	column.presence = 1;
	(void) kept_key(&column, params, &b);
	ok(kept_column(file_of(1), &a) != kept_column(file_of(1), &b), "by presence");
	ok(file_of(1) != file_of(2), "and by the file");
	end("keys");
}

static void
test_stamps(void)
{
	KeptColumn *x;
	KeptColumn *y;

	begin(10 * CHUNK);
	x = column_of(1, 1);
	y = column_of(1, 2);
	ok(keep(1, 0, x) && is_kept(1, 0, x) && !is_kept(1, 0, y) && !is_kept(1, 1, x),
	   "a column of a stripe is kept");
	ok(x->rows == 10000 && x->blocks == 1000 && x->bytes == CHUNK / 2, "and counted");
	ok(keep(1, 0, y) && is_kept(1, 0, x) && is_kept(1, 0, y),
	   "another column joins it under the same stamp");
	ok(!keep(1, 0, y) && cache.bytes == 2 * CHUNK, "what is there already is dropped");
	ok(!kept_publish(&cache, file_of(1), 0, make_stripe(6, 0x55, 1000),
						 make_chunk(y, NULL)) && is_kept(1, 0, x), "so is what is older");
	ok(kept_publish(&cache, file_of(1), 0, make_stripe(7, 0x15, 900), make_chunk(y, NULL)) &&
	   !is_kept(1, 0, x) && is_kept(1, 0, y), "fewer bits under the same LSN are newer");
	ok(!keep(1, 0, x) && !is_kept(1, 0, x), "and more bits are older");
	ok(kept_publish(&cache, file_of(1), 0, make_stripe(8, 0x55, 1000),
						make_chunk(x, NULL)) &&
	   is_kept(1, 0, x) && !is_kept(1, 0, y) && y->rows == 0 && cache.bytes == CHUNK,
	   "a greater LSN is newer");
	ok(kept_publish(&cache, file_of(1), 0, make_stripe(8, 0x55, 999),
						make_chunk(y, NULL)) &&
	   !is_kept(1, 0, x) && is_kept(1, 0, y), "other rows do not join, but take the place");
	end("stamps");
}

static void
test_pins(void)
{
	KeptColumn *x;
	KeptChunk  *chunk;

	begin(3 * CHUNK);
	x = column_of(1, 1);
	keep(1, 0, x);
	keep(1, 1, x);
	chunk = kept_stripe(file_of(1), 0)->chunks;
	kept_pin(chunk);
	kept_pin(chunk);
	ok(kept_give_back(&cache, 2 * CHUNK, now) && is_kept(1, 0, x) && !is_kept(1, 1, x),
	   "what is pinned does not give way");
	ok(!kept_give_back(&cache, 1, now), "nothing else is there");
	kept_evict_file(&cache, file_of(1));
	ok(!is_kept(1, 0, x) && cache.bytes == CHUNK && x->rows == 0,
	   "evicted, it is not found, and its memory stays");
	kept_unpin(&cache, chunk);
	ok(cache.bytes == CHUNK, "as long as somebody has it pinned");
	kept_unpin(&cache, chunk);
	ok(cache.bytes == 0, "and goes with the last pin");
	end("pins");
}

/* A chunk of two columns stays for the one that is not evicted. */
static void
test_attributes(void)
{
	const uint8_t first[] = {1 << 1};
	const uint8_t second[] = {1 << 2};
	KeptColumn *x;
	KeptColumn *y;

	begin(3 * CHUNK);
	x = column_of(1, 1);
	y = column_of(1, 2);
	ok(kept_publish(&cache, file_of(1), 0, make_stripe(1, 0x55, 1000), make_chunk(x, y)) &&
	   keep(1, 1, x), "a chunk of two columns, and one of the first");
	kept_evict_attributes(&cache, file_of(1), first);
	ok(!is_kept(1, 0, x) && !is_kept(1, 1, x) && is_kept(1, 0, y) && x->rows == 0 &&
	   x->bytes == 0 && cache.bytes == CHUNK, "the first is evicted");
	kept_evict_attributes(&cache, file_of(1), first);
	ok(is_kept(1, 0, y) && cache.bytes == CHUNK, "once more");
	ok(kept_keeps_any(file_of(1)), "something is kept");
	kept_evict_attributes(&cache, file_of(1), second);
	ok(!is_kept(1, 0, y) && cache.bytes == 0 && !kept_keeps_any(file_of(1)),
	   "and then the second");
	end("attributes");
}

/* How many of a file's stripes are kept. */
static int
count_kept(uint32_t file, KeptColumn *column)
{
	int			n = 0;

	for (uint32_t i = 0; i < 100; i++)
		n += is_kept(file, i, column);
	return n;
}

static void
scan(uint32_t file, KeptColumn *column, uint32_t stripes)
{
	kept_heat(column, HEAT_READ, now);
	for (uint32_t i = 0; i < stripes; i++)
		if (!is_kept(file, i, column))
			(void) keep(file, i, column);
}

static void
test_scans(void)
{
	KeptColumn *daily;
	KeptColumn *once;

	begin(10 * CHUNK);
	daily = column_of(1, 1);
	once = column_of(2, 1);
	for (int day = 0; day < 5; day++, now += DAY)
		scan(1, daily, 8);
	ok(count_kept(1, daily) == 8, "what is read daily is kept");
	now -= DAY / 2;
	scan(2, once, 50);
	ok(count_kept(1, daily) == 8 && count_kept(2, once) == 2,
	   "a large scan takes what room there is and pushes out nothing");
	ok(is_kept(2, 0, once) && is_kept(2, 1, once), "its first stripes");
	scan(2, once, 50);
	ok(is_kept(2, 0, once) && is_kept(2, 1, once), "which stay at the next scan");
	for (int i = 0; i < 8; i++)
		scan(2, once, 50);
	ok(count_kept(2, once) == 10 && count_kept(1, daily) == 0,
	   "read much more often than the others, it pushes them out");
	scan(1, daily, 8);
	ok(count_kept(2, once) == 10, "and they do not come back at once");
	now += 30 * DAY;
	scan(1, daily, 8);
	ok(count_kept(1, daily) == 8 && count_kept(2, once) == 2, "but a month later");
	ok(!is_kept(2, 9, once) && is_kept(2, 1, once), "the last stripes give way first");
	end("scans");
}

static void
test_limits(void)
{
	KeptColumn *x;

	begin(10 * CHUNK);
	x = column_of(1, 1);
	scan(1, x, 10);
	kept_set_limit(&cache, 4 * CHUNK, now);
	ok(count_kept(1, x) == 4 && cache.bytes == 4 * CHUNK, "a smaller limit evicts");
	ok(cache.evicted == 6 * 1000, "and the blocks are counted");
	kept_set_limit(&cache, KEPT_SHARE, now);
	scan(1, x, 60);
	ok(count_kept(1, x) == 25, "a quarter of the budget is kept");
	kept_set_limit(&cache, 100 * CHUNK, now);
	device_size = 30 * CHUNK;
	scan(1, x, 60);
	ok(count_kept(1, x) == 30, "as many as the device has room for");
	device_size = UINT64_MAX;
	ok(kept_give_back(&cache, 5 * CHUNK / 2, now) && cache.bytes == 27 * CHUNK,
	   "runs get what they need");
	kept_set_limit(&cache, 0, now);
	ok(cache.bytes == 0 && !keep(1, 0, x), "with a limit of 0 nothing is kept");
	end("limits");
}

static void
begin_tiers(uint64_t limit, uint64_t host_limit)
{
	begin(limit);
	cache.host.limit = host_limit;
}

/* Where a stripe's first chunk is. */
static bool
is_on_host(uint32_t file, uint32_t stripe)
{
	const KeptStripe *there = kept_stripe(file_of(file), stripe);

	return there != NULL && there->chunks->on_host;
}

static int
count_on_host(uint32_t file)
{
	int			n = 0;

	for (uint32_t i = 0; i < 100; i++)
		n += is_on_host(file, i);
	return n;
}

/* What the device has no room for, and what gives way there, is on the host. */
static void
test_host(void)
{
	KeptColumn *x;
	KeptColumn *y;
	KeptChunk  *chunk;
	DevicePtr	address;

	begin_tiers(4 * CHUNK, 6 * CHUNK);
	x = column_of(1, 1);
	y = column_of(2, 1);
	scan(1, x, 20);
	ok(count_kept(1, x) == 10 && count_on_host(1) == 6 && cache.bytes == 4 * CHUNK &&
	   host_allocated == 6 * CHUNK && cache.evicted == 0, "as many as both have room for");
	ok(x->bytes == 5 * CHUNK && x->host_bytes == 3 * CHUNK && x->blocks == 10000,
	   "bytes tell of both");
	address = kept_stripe(file_of(1), 3)->chunks->memory;
	kept_evict_chunk(&cache, file_of(1), 9, kept_stripe(file_of(1), 9)->chunks);
	ok(kept_give_back(&cache, CHUNK, now) && is_on_host(1, 3) && cache.evicted == 0,
	   "what gives way moves to a place that is free there");
	ok(*(uint64_t *) (uintptr_t) kept_stripe(file_of(1), 3)->chunks->memory == address,
	   "with its bytes");
	kept_move_up(&cache, file_of(1), &x, 1, now);
	ok(!is_on_host(1, 3) && count_on_host(1) == 5 && x->host_bytes == 5 * CHUNK / 2,
	   "and back, if there is room");
	chunk = kept_stripe(file_of(1), 4)->chunks;
	kept_pin(chunk);
	kept_evict_file(&cache, file_of(1));
	ok(cache.host.used == CHUNK && x->host_bytes == 0, "evicted, a pinned one stays");
	kept_unpin(&cache, chunk);
	ok(cache.host.used == 0 && host_allocated == 0, "until it is unpinned");
	scan(1, x, 10);
	for (int i = 0; i < 6; i++)
		kept_heat(y, HEAT_READ, now);
	scan(2, y, 7);
	ok(count_kept(2, y) == 7 && count_on_host(2) == 3 && count_kept(1, x) == 3 &&
	   count_on_host(1) == 3, "hotter ones take the device, and push out others of the host");
	end("host memory");
}

static void
test_host_moves(void)
{
	KeptColumn *x;
	KeptColumn *y;

	begin_tiers(2 * CHUNK, 10 * CHUNK);
	x = column_of(1, 1);
	y = column_of(2, 1);
	scan(1, x, 2);
	scan(2, y, 3);
	ok(count_on_host(1) == 0 && count_on_host(2) == 3, "who comes first has the device");
	kept_heat(y, HEAT_READ, now);
	kept_move_up(&cache, file_of(2), &y, 1, now);
	ok(count_on_host(2) == 3, "until others are read more than twice as often");
	kept_heat(y, HEAT_READ, now);
	kept_move_up(&cache, file_of(2), &y, 1, now);
	ok(count_on_host(2) == 1 && count_on_host(1) == 2 && !is_on_host(2, 0),
	   "then they change places");
	kept_pin(kept_stripe(file_of(2), 2)->chunks);
	kept_set_limit(&cache, 5 * CHUNK, now);
	kept_move_up(&cache, file_of(2), &y, 1, now);
	ok(is_on_host(2, 2), "what is pinned stays where it is");
	kept_unpin(&cache, kept_stripe(file_of(2), 2)->chunks);
	kept_set_host_limit(&cache, 0, now);
	ok(count_on_host(1) == 0 && count_on_host(2) == 0 && count_kept(2, y) == 2 &&
	   host_allocated == 0, "a limit of 0 evicts what is on the host");
	end("moves");
}

/* There is room in host memory, but in pieces: chunks give way until two are neighbours. */
static void
test_host_pieces(void)
{
	KeptColumn *x;
	KeptColumn *y;
	KeptChunk  *chunk;

	begin_tiers(CHUNK, 8 * CHUNK);
	x = column_of(1, 1);
	y = column_of(2, 1);
	scan(1, x, 9);
	kept_evict_chunk(&cache, file_of(1), 2, kept_stripe(file_of(1), 2)->chunks);
	kept_evict_chunk(&cache, file_of(1), 4, kept_stripe(file_of(1), 4)->chunks);
	for (int i = 0; i < 6; i++)
		kept_heat(y, HEAT_READ, now);
	chunk = kept_chunk(&cache, 2 * CHUNK, 1, y->heat, now);
	ok(chunk != NULL && chunk->on_host && count_on_host(1) == 4 && !is_kept(1, 7, x) &&
	   !is_kept(1, 8, x), "a table's last stripes give way, no more than needed");
	chunk->columns[0] = (KeptPlace) {.column = y,.bytes = 2 * CHUNK};
	ok(kept_publish(&cache, file_of(2), 0, make_stripe(7, 0x55, 1000), chunk) && is_kept(2, 0, y),
	   "and the larger chunk is there");
	end("host memory in pieces");
}

/* What is refused is refused once, and what cannot be copied is evicted. */
static void
test_host_failures(void)
{
	KeptColumn *x;
	uint64_t	size = CHUNK;
	DevicePtr	ptr;

	begin_tiers(2 * CHUNK, 10 * CHUNK);
	x = column_of(1, 1);
	host_allocs_left = 0;
	scan(1, x, 5);
	scan(1, x, 5);
	ok(count_kept(1, x) == 2 && cache.host.refused && host_allocs_left == -1 &&
	   strcmp(cache.host.why, "no locked memory") == 0, "memory is refused, and not asked for again");
	end("no host memory");
	begin_tiers(2 * CHUNK, 10 * CHUNK);
	x = column_of(1, 1);
	scan(1, x, 5);
	copies_left = 0;
	ok(kept_give_back(&cache, CHUNK, now) && count_kept(1, x) == 4 && cache.host.used == 3 * CHUNK,
	   "a chunk that cannot be copied down is evicted");
	kept_move_up(&cache, file_of(1), &x, 1, now);
	ok(count_on_host(1) == 3 && cache.bytes == CHUNK, "and one that cannot be copied up stays");
	copies_left = 1000;
	kept_move_up(&cache, file_of(1), &x, 1, now);
	ok(count_on_host(1) == 2, "until it can");
	ok(kept_memory(&cache, &size, 0, now, &ptr) && count_on_host(1) == 3 && count_kept(1, x) == 4,
	   "for a dictionary others move, whatever their heat");
	kept_memory_free(&cache, ptr, size);
	end("failed copies");
}

/* A table of 1000 bytes that the number tells, with memory of that size. */
static DeviceLookup *
add_lookup(uint8_t number, uint64_t size, uint32_t readers)
{
	static char bytes[1000];
	Bytes		table = {bytes, sizeof(bytes)};
	Digest		digest;
	DevicePtr	ptr;

	memset(bytes + sizeof(LookupHeader), number, sizeof(bytes) - sizeof(LookupHeader));
	digest_of(bytes, sizeof(bytes), &digest);
	return kept_lookup_memory(&cache, &size, now, &ptr) ?
		device_lookup_add(&cache, &digest, table, readers, ptr, size) : NULL;
}

static DeviceLookup *
find_lookup(uint8_t number, uint32_t readers)
{
	char		bytes[1000] = {0};
	Digest		digest;

	memset(bytes + sizeof(LookupHeader), number, sizeof(bytes) - sizeof(LookupHeader));
	digest_of(bytes, sizeof(bytes), &digest);
	return device_lookup_take(&cache, &digest, sizeof(bytes), readers);
}

/* Is it there?  It has been used then. */
static bool
has_lookup(uint8_t number)
{
	DeviceLookup *lookup = find_lookup(number, 4);

	if (lookup != NULL)
		device_lookup_leave(&cache, lookup);
	return lookup != NULL;
}

static void
test_lookups(void)
{
	KeptColumn *x;
	DeviceLookup *lookups[3];

	/* tables have an eighth of what may be kept */
	begin(32 * CHUNK);
	x = column_of(1, 1);
	kept_heat(x, HEAT_WANTED, now);
	scan(1, x, 32);
	ok(count_kept(1, x) == 32, "columns have all that may be kept");
	for (uint8_t i = 0; i < 3; i++)
		lookups[i] = add_lookup(i, CHUNK, 4);
	ok(lookups[0] && lookups[1] && lookups[2] && count_kept(1, x) == 29 &&
	   cache.bytes == 32 * CHUNK && cache.lookup_bytes == 3 * CHUNK, "and give way to tables");
	ok(add_lookup(9, 5 * CHUNK, 4) == NULL && count_kept(1, x) == 29,
	   "but not to one that is larger than their share");
	ok(find_lookup(0, 8) == NULL && find_lookup(0, 4 | 8) == NULL,
	   "one is not found by who has not checked it");
	ok(add_lookup(9, 2 * CHUNK, 4) == NULL, "what is pinned does not give way");
	for (int i = 0; i < 3; i++)
		device_lookup_leave(&cache, lookups[i]);
	ok(has_lookup(0) && cache.lookups == lookups[0], "the one that has been used comes first");
	lookups[0] = add_lookup(9, 2 * CHUNK, 4);
	ok(lookups[0] != NULL && !has_lookup(1) && has_lookup(0) && has_lookup(2) && has_lookup(9),
	   "the one that has not been used for longest gives way");
	scan(1, x, 60);
	ok(has_lookup(0) && has_lookup(2) && has_lookup(9), "columns do not push out tables");
	ok(kept_give_back(&cache, CHUNK, now) && !has_lookup(0) && has_lookup(2),
	   "runs take tables first");
	ok(kept_give_back(&cache, 4 * CHUNK, now) && !has_lookup(2) && has_lookup(9) &&
	   cache.lookup_bytes == 2 * CHUNK && cache.bytes <= 28 * CHUNK, "and then columns");
	device_lookups_forget(&cache);
	ok(!has_lookup(9) && cache.lookup_bytes == 2 * CHUNK, "what is pinned stays for its run");
	device_lookup_leave(&cache, lookups[0]);
	ok(cache.lookup_bytes == 0, "and goes with it");
	lookups[0] = add_lookup(1, CHUNK, 4);
	device_lookup_leave(&cache, lookups[0]);
	kept_set_limit(&cache, 4 * CHUNK, now);
	ok(!has_lookup(1), "a smaller limit evicts");
	kept_set_limit(&cache, 0, now);
	ok(add_lookup(1, CHUNK, 4) == NULL, "with a limit of 0 no table is kept");
	end("look-ups");
}

/* What is left of a table in host memory finds the same keys. */
static void
check_outline(LookupForm form, int64_t apart)
{
	int64_t		keys[50];
	uint32_t	rows[50];
	Bytes		table;
	Digest		digest = {{1, 2, 3, (uint64_t) form}};
	DeviceLookup *lookup;
	const LookupHeader *header;
	uint64_t	size = CHUNK;
	DevicePtr	ptr = 0;
	int			same = 0;

	for (int i = 0; i < 50; i++)
	{
		keys[i] = -70 + i * apart;
		rows[i] = form == LOOKUP_BITS ? 0 : (uint32_t) i % 3;
	}
	table = table_of_integers(form, keys, rows, 50, form == LOOKUP_BITS ? 1 : 3);
	(void) kept_lookup_memory(&cache, &size, now, &ptr);
	lookup = device_lookup_add(&cache, &digest, table, 1, ptr, size);
	header = (const LookupHeader *) lookup->kept.outline.data;
	ok(header->least == keys[0] && header->most == keys[49] &&
	   header->nrows == (form == LOOKUP_BITS ? 1 : 3) &&
	   (header->form >= LOOKUP_HASH4) == (form >= LOOKUP_HASH4), "form %d: the header", form);
	for (int64_t key = -100; key < 300 && form < LOOKUP_HASH4; key++)
		same += (int8_lookup(key, lookup->kept.outline) >= 0) == (int8_lookup(key, table) >= 0);
	ok(same == (form < LOOKUP_HASH4 ? 400 : 0), "form %d: the keys", form);
	device_lookup_leave(&cache, lookup);
	free((char *) table.data);
}

static void
test_outlines(void)
{
	begin(80 * CHUNK);
	for (LookupForm form = LOOKUP_BITS; form <= LOOKUP_HASH8; form++)
	{
		check_outline(form, 1);
		check_outline(form, 5);
	}
	end("outlines");
}

int
main(void)
{
	test_lookups();
	test_outlines();
	test_geometry();
	test_keys();
	test_stamps();
	test_pins();
	test_attributes();
	test_scans();
	test_limits();
	test_host();
	test_host_moves();
	test_host_pieces();
	test_host_failures();
	return done_testing();
}
