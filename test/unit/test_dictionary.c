/*
 * test_dictionary.c
 *	  Dictionaries of texts on the device: whatever rows come in whatever order, the same
 *	  texts have the same code, others another one, and codes stay when the dictionary grows.
 *	  On the simulated device, or, with GPUAGG_TEST_ENGINE=cuda, on a GPU.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "engine/cuda/kept/dictionary.h"
#include "tap.h"

#define MAX_TEXTS 20000
#define MAX_ROWS 3000

/* How many slots texts are looked for in: as in dictionary.cuh. */
#define MAX_PROBES 1024

static Device *dev;
static const DeviceOps *ops;
static DeviceStream *stream;
static DeviceModule *module;

/* The different texts, and their codes once they have one. */
static char texts[MAX_TEXTS][64];
static uint32_t lengths[MAX_TEXTS];
static uint32_t codes[MAX_TEXTS];
static uint32_t ncodes;
static uint64_t seed;

/* A stripe's rows. */
static uint32_t chosen[MAX_ROWS];
static TextRef refs[MAX_ROWS];
static uint8_t nulls[MAX_ROWS];
static uint64_t got[MAX_ROWS];
static uint32_t row_codes[MAX_ROWS];
static Counters row_counters;

static uint32_t
next_random(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t) (seed >> 33) % below;
}

static void
must(DeviceStatus status, const char *what)
{
	if (status == DEVICE_OK)
		return;
	ok(false, "%s: %s", what, dev->message);
	exit(1);
}

/* The kernels, with another hash than their own if it is not NULL. */
static void
load_kernels(const char *hash)
{
	char		text[1000];
	void	   *image;
	size_t		size;

	snprintf(text, sizeof(text), "#include \"prelude.cuh\"\n#include \"ops.h\"\n"
			 "#include \"args.cuh\"\n#include \"key.cuh\"\n"
			 "%s%s\n#include \"dictionary.cuh\"\n",
			 hash ? "#define DICTIONARY_HASH(bytes, length) " : "", hash ? hash : "");
	must(device_compile(dev, text, NULL, &image, &size), "compile");
	must(ops->module_load(dev, image, size, &module), "module_load");
	free(image);
}

static void
launch(const char *name, void *args)
{
	void	   *params[] = {args};
	DeviceKernel *kernel;

	must(ops->kernel(dev, module, name, &kernel), name);
	must(ops->launch(dev, stream, kernel, 3, 64, 0, params), name);
}

static DevicePtr
upload(const void *from, size_t size)
{
	DevicePtr	ptr;

	must(ops->alloc(dev, size, &ptr), "alloc");
	must(ops->upload(dev, stream, ptr, from, size), "upload");
	return ptr;
}

/* Different texts: short ones, long ones that differ in the last byte, the empty one. */
static void
make_texts(void)
{
	for (uint32_t i = 1; i < MAX_TEXTS; i++)
	{
		if (i % 3 == 0)
			memset(texts[i], 'x', 50);
		lengths[i] = (uint32_t) snprintf(texts[i] + (i % 3 == 0 ? i % 40 : 0), 20, "%u", i) +
			(i % 3 == 0 ? i % 40 : 0);
	}
}

static void
begin(Dictionary *dictionary)
{
	*dictionary = (Dictionary) {0};
	ncodes = 0;
	memset(codes, 0xff, sizeof(codes));
}

/* Have room for rows, as a run does; true: the dictionary had to grow. */
static bool
grow(Dictionary *dictionary, uint32_t rows, uint64_t bytes)
{
	DictionaryMoveArgs args = {0};
	DictionaryRoom room;
	DevicePtr	memory;

	if (dictionary_has_room(dictionary, rows, bytes))
		return false;
	if (!dictionary_room(dictionary, rows, bytes, &room))
		exit(1);
	must(ops->alloc(dev, room.size, &memory), "alloc");
	if (dictionary->memory != 0)
		dictionary_tell(dictionary, &args.from);
	(void) dictionary_grow(dictionary, memory, &room);
	dictionary_tell(dictionary, &args.to);
	must(ops->fill(dev, stream, memory, 0, dictionary_zeros(dictionary)), "fill");
	if (args.from.slots != 0)
		launch("dictionary_move", &args);
	return args.from.slots != 0;
}

/* Find codes of rows, among so many texts from one on; with bytes before their own. */
static void
find_codes(Dictionary *dictionary, uint32_t nrows, uint32_t first, uint32_t ntexts,
		   DictionaryCounters *counters)
{
	static char bytes[MAX_ROWS * 64];
	uint32_t	size = 7;
	DictionaryArgs args = {.nrows = nrows};
	DevicePtr	from;

	for (uint32_t i = 0; i < nrows; i++)
	{
		chosen[i] = first + next_random(ntexts);
		nulls[i] = i % 11 == 5;
		refs[i] = (TextRef) {size, lengths[chosen[i]]};
		memcpy(bytes + size, texts[chosen[i]], lengths[chosen[i]]);
		size += lengths[chosen[i]];
		if (nulls[i])
			refs[i] = (TextRef) {UINT32_MAX, UINT32_MAX};
	}
	(void) grow(dictionary, nrows, size);
	dictionary_expect(dictionary, nrows, size);
	dictionary_tell(dictionary, &args.dictionary);
	args.texts = upload(refs, nrows * sizeof(TextRef));
	args.from = from = upload(bytes, sizeof(bytes));
	args.nulls = upload(nulls, nrows);
	args.found = upload(got, nrows * sizeof(uint32_t));
	row_counters = (Counters) {0};
	args.counters = upload(&row_counters, sizeof(row_counters));
	launch("dictionary_find", &args);
	launch("dictionary_add", &args);
	launch("dictionary_row_codes", &args);
	must(ops->download(dev, stream, row_codes, args.texts, nrows * sizeof(uint32_t)), "download");
	must(ops->download(dev, stream, &row_counters, args.counters, sizeof(row_counters)),
		 "download");
	launch("dictionary_codes", &args);
	must(ops->download(dev, stream, got, args.texts, nrows * sizeof(uint64_t)), "download");
	must(ops->download(dev, stream, counters, args.dictionary.counters, sizeof(*counters)),
		 "download");
	must(ops->stream_wait(dev, stream), "wait");
	dictionary_told(dictionary, nrows, size, counters);
	ops->free(dev, args.texts);
	ops->free(dev, from);
	ops->free(dev, args.nulls);
	ops->free(dev, args.found);
	ops->free(dev, args.counters);
}

/* Have the rows the codes of their texts, new texts the next ones? */
static bool
codes_are_right(const Dictionary *dictionary)
{
	uint32_t	before = ncodes;
	static bool seen[MAX_TEXTS];
	bool		right = true;

	memset(seen, 0, sizeof(seen));
	for (uint32_t i = 0; i < MAX_TEXTS; i++)
		if (codes[i] != UINT32_MAX)
			seen[codes[i]] = true;
	for (uint32_t i = 0; i < MAX_ROWS; i++)
	{
		uint32_t   *code = &codes[chosen[i]];

		if (nulls[i])
			right = right && got[i] == 0;
		else if (*code == UINT32_MAX)
		{
			right = right && got[i] >= before && got[i] < dictionary->entries && !seen[got[i]];
			*code = (uint32_t) got[i];
			if (got[i] < MAX_TEXTS)
				seen[got[i]] = true;
			ncodes++;
		}
		else
			right = right && *code == got[i];
		right = right && row_codes[i] == got[i];
	}
	return right && row_counters.errors == 0 && ncodes == dictionary->entries && !dictionary->spoilt;
}

/* Copies of all entries have the texts, behind bytes of others. */
static bool
copies_are_right(const Dictionary *dictionary)
{
	uint64_t	size = 1000 + dictionary->bytes;
	DictionaryCopyArgs args = {.nentries = dictionary->entries,.nbytes = dictionary->bytes,
							   .start = 1024};
	TextRef    *entries = calloc(dictionary->entries, sizeof(TextRef));
	char	   *bytes = calloc(1, size + 24);
	DeviceDictionary device;
	DevicePtr	copy = upload(bytes, size + 24);
	bool		right = true;

	dictionary_tell(dictionary, &device);
	args.entries = device.entries;
	args.bytes = device.bytes;
	args.to_entries = upload(entries, dictionary->entries * sizeof(TextRef));
	args.to_bytes = copy + 1024;
	launch("dictionary_copy", &args);
	must(ops->download(dev, stream, bytes, copy, size + 24), "download");
	must(ops->download(dev, stream, entries, args.to_entries,
					   dictionary->entries * sizeof(TextRef)), "download");
	must(ops->stream_wait(dev, stream), "wait");
	for (uint32_t i = 0; i < MAX_TEXTS; i++)
		if (codes[i] != UINT32_MAX)
			right = right && entries[codes[i]].length == lengths[i] &&
				memcmp(bytes + entries[codes[i]].start, texts[i], lengths[i]) == 0;
	ops->free(dev, args.to_entries);
	ops->free(dev, copy);
	free(entries);
	free(bytes);
	return right;
}

static void
end(Dictionary *dictionary)
{
	while (dictionary->old != NULL)
	{
		OldMemory  *old = dictionary->old;

		dictionary->old = old->next;
		ops->free(dev, old->ptr);
		free(old);
	}
	ops->free(dev, dictionary->memory);
}

static int
count_old(const Dictionary *dictionary)
{
	int			n = 0;

	for (const OldMemory *old = dictionary->old; old != NULL; old = old->next)
		n++;
	return n;
}

/* Stripes of rows, of few texts at first and of many later. */
static void
test_stripes(const char *name, const char *hash, uint32_t ntexts)
{
	Dictionary	dictionary;
	DictionaryCounters counters;
	bool		right = true;

	load_kernels(hash);
	begin(&dictionary);
	for (uint32_t i = 0; i < 12; i++)
	{
		find_codes(&dictionary, MAX_ROWS, i * ntexts / 16, ntexts / 16 + i * ntexts / 48,
				   &counters);
		right = right && codes_are_right(&dictionary);
	}
	ok(right, "%s: %u texts in 12 stripes", name, dictionary.entries);
	ok(copies_are_right(&dictionary), "and their copies");
	ok(ntexts < 1000 || count_old(&dictionary) > 0, "it has grown %d times",
	   count_old(&dictionary));
	end(&dictionary);
	ops->module_unload(dev, module);
}

/* More texts than room; more of one hash than are looked at. */
static void
test_lost(void)
{
	Dictionary	dictionary;
	DictionaryCounters counters;
	uint32_t	entries;
	uint32_t	room;

	load_kernels(NULL);
	begin(&dictionary);
	find_codes(&dictionary, MAX_ROWS, 0, 100, &counters);
	ok(codes_are_right(&dictionary), "texts find room");
	entries = dictionary.entries;
	room = dictionary.room.entries;
	dictionary.room.entries = 100;
	dictionary.entries = 0;
	find_codes(&dictionary, 5, 200, 1000, &counters);
	ok(dictionary.spoilt && counters.lost > 0, "texts without room for an entry are counted");
	ok(row_counters.errors == ERROR_CODES, "and told as an error of their rows");
	dictionary.room.entries = room;
	ok(grow(&dictionary, 10 * room, 0), "the dictionary is moved all the same");
	dictionary.entries = entries;
	ok(copies_are_right(&dictionary), "with what rows have that are served");
	end(&dictionary);
	ops->module_unload(dev, module);
	load_kernels("((bytes), (uint64_t) (length) * 0)");
	begin(&dictionary);
	find_codes(&dictionary, 800, 0, MAX_TEXTS, &counters);
	ok(!dictionary.spoilt, "texts of one hash");
	for (int i = 0; i < 3; i++)
		find_codes(&dictionary, 800, 0, MAX_TEXTS, &counters);
	ok(dictionary.spoilt, "more than %d are counted as lost", MAX_PROBES);
	ok(row_counters.errors == ERROR_CODES, "and are an error");
	end(&dictionary);
	ops->module_unload(dev, module);
}

/* What the host knows without a device. */
static void
test_counts(void)
{
	Dictionary	dictionary = {0};
	DictionaryCounters counters = {.entries = 100,.bytes = 1000};
	const DictionaryCounters none = {0};
	DictionaryRoom room;

	ok(!dictionary_has_room(&dictionary, 0, 0), "there is no room at first");
	ok(dictionary_room(&dictionary, 5000, 1 << 20, &room) && room.entries >= 5000 &&
	   room.nslots >= 10000 && room.bytes >= 1 << 20, "room is made");
	(void) dictionary_grow(&dictionary, 4096, &room);
	ok(dictionary_has_room(&dictionary, 8192, 1 << 20) &&
	   !dictionary_has_room(&dictionary, 8193, 0), "so there is");
	dictionary_expect(&dictionary, 5000, 1000);
	ok(dictionary_has_room(&dictionary, 3192, 0) && !dictionary_has_room(&dictionary, 3193, 0),
	   "less while rows are on their way");
	dictionary_expect(&dictionary, 2000, 1000);
	dictionary_dropped(&dictionary, 2000, 1000, &none);
	ok(dictionary.entries == 0 && dictionary_has_room(&dictionary, 3192, 0) &&
	   !dictionary_has_room(&dictionary, 3193, 0), "and no longer once they are dropped");
	dictionary_told(&dictionary, 5000, 1000, &counters);
	ok(dictionary.entries == 100 && dictionary_has_room(&dictionary, 8092, 0),
	   "when they have got there, what they had is known");
	dictionary_expect(&dictionary, 2000, 1000);
	dictionary_expect(&dictionary, 2000, 1000);
	counters.entries = 150;
	dictionary_dropped(&dictionary, 2000, 1000, &counters);
	counters.entries = 120;
	dictionary_dropped(&dictionary, 2000, 1000, &counters);
	ok(dictionary.entries == 150 && dictionary.rows == 5000,
	   "and what others that are dropped had, in whichever order");
	ok(!dictionary_room(&dictionary, UINT32_C(1) << 26, 0, &room) &&
	   !dictionary_room(&dictionary, 0, UINT64_C(1) << 32, &room), "it has a largest size");
}

/* What texts a table's rows have. */
typedef enum Order
{
	RANDOM, SORTED, IN_TURNS
} Order;

/* Texts of so many rows, if each of ntexts is as frequent as others. */
static uint32_t
texts_of(Order order, double rows, double all_rows, double ntexts)
{
	if (order == RANDOM)
		return (uint32_t) (ntexts * (1 - exp(-rows / ntexts)));
	if (order == SORTED)
		return (uint32_t) (rows * ntexts / all_rows);
	return (uint32_t) (rows < ntexts ? rows : ntexts);
}

/* The rows, by stripes, until it is given up: of how many; 0: it is not. */
static double
given_up_after(Order order, double all_rows, double ntexts, double stripe)
{
	Dictionary	dictionary = {0};

	while ((double) dictionary.rows < all_rows)
	{
		double		left = all_rows - (double) dictionary.rows;
		uint32_t	n = (uint32_t) (left < stripe ? left : stripe);
		DictionaryCounters counters = {
			.entries = texts_of(order, (double) dictionary.rows + n, all_rows, ntexts)
		};

		dictionary_expect(&dictionary, n, 0);
		dictionary_told(&dictionary, n, 0, &counters);
		/* a table's rows are not quite known */
		if (dictionary_is_useless(&dictionary, all_rows * 1.02))
			return (double) dictionary.rows;
	}
	return 0;
}

/* Is a dictionary kept that is worth it, and no other? */
static void
test_worth(void)
{
	static const struct
	{
		const char *what;
		Order		order;
		double		rows;
		double		texts;
		double		most;		/* rows after which it is given up; 0: it is not */
	}			cases[] = {
		{"few texts", RANDOM, 1e7, 1000, 0},
		{"more texts than a stripe has rows", RANDOM, 1e7, 1e5, 0},
		{"a tenth of the rows", RANDOM, 1e7, 1e6, 0},
		{"half of the rows at last", RANDOM, 1e7, 5e6, 0},
		{"texts that rarely come twice", RANDOM, 1e7, 1e7, 2.5e6},
		{"texts that hardly ever do", RANDOM, 1e7, 1e12, 2.5e6},
		{"more than codes are made for", RANDOM, 1e9, 4e7, 4.2e6},
		{"sorted texts, each ten times", SORTED, 1e7, 1e6, 0},
		{"sorted texts, each three times", SORTED, 1e7, 1e7 / 3, 0},
		{"sorted texts, all different", SORTED, 1e7, 1e7, 2.5e6},
		{"texts in turns", IN_TURNS, 1e7, 1e6, 0},
		{"many texts in turns", IN_TURNS, 1e7, 5e6, 2.5e6},
		{"all different, of a small table", SORTED, 80000, 80000, 80000},
		{"of two stripes", SORTED, 150000, 150000, 82000},
		{"of hardly any rows", SORTED, 30000, 30000, 0},
		{"half of a small table", RANDOM, 80000, 40000, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (double stripe = 20000; stripe < 200000; stripe += 61000)
		{
			double		rows = given_up_after(cases[i].order, cases[i].rows, cases[i].texts,
											  stripe);
			double		most = cases[i].most == 0 ? 0 : cases[i].most + 2 * stripe;

			ok((rows > 0) == (most > 0) && rows <= most, "%s: %.0f of %.0f rows, by %.0f, %s",
			   cases[i].what, cases[i].texts, cases[i].rows, stripe,
			   rows > 0 ? "given up" : "kept");
		}
}

/* A dictionary that has been found useful may get texts of more rows. */
static void
test_growth(void)
{
	Dictionary	dictionary = {.rows = 20000000,.entries = 1000};

	ok(!dictionary_is_useless(&dictionary, 2e7), "few texts of many rows");
	dictionary.rows += 1000000;
	dictionary.entries += 1000000;
	ok(!dictionary_is_useless(&dictionary, 2.1e7), "some rows with texts of their own");
	dictionary.rows += 60000000;
	dictionary.entries += 14000000;
	ok(!dictionary_is_useless(&dictionary, 8.1e7), "more of them");
	dictionary.entries += 3000000;
	ok(dictionary_is_useless(&dictionary, 8.1e7), "too many");
}

int
main(void)
{
	const char *engine = getenv("GPUAGG_TEST_ENGINE");
	char		why[256];

	ops = engine && strcmp(engine, "cuda") == 0 ? &cuda_device : &simt_device;
	dev = ops->open(0, why, sizeof(why));
	if (dev == NULL)
	{
		printf("1..0 # SKIP %s\n", why);
		return 0;
	}
	must(ops->stream_create(dev, &stream), "stream_create");
	make_texts();
	test_counts();
	test_worth();
	test_growth();
	test_stripes("one text", NULL, 16);
	test_stripes("some texts", NULL, 500);
	test_stripes("many texts", NULL, MAX_TEXTS / 2);
	test_stripes("texts whose hashes have the same upper half", "(uint32_t) hash_bytes(0, bytes, length)",
				 MAX_TEXTS / 2);
	test_stripes("texts of 64 hashes", "hash_bytes(0, bytes, length) % 64 << 26", 500);
	test_lost();
	ops->stream_destroy(dev, stream);
	ops->close(dev);
	return done_testing();
}
