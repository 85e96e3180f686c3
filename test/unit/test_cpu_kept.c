/*
 * test_cpu_kept.c
 *	  Columns in the memory that the CPU engine's processes share: their encodings, and what of them
 *	  stays and goes.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/eval.h"
#include "engine/cpu/kept/range_sift.h"
#include "random.h"
#include "tap.h"

#define AREA_SIZE (8 << 20)

static CpuKeptArea *
make_area(size_t size)
{
	CpuKeptArea *area = calloc(1, size);

	if (!cpu_kept_create(area, size))
		abort();
	return area;
}

/* The stripe's description, in a page of the area, with one column's place. */
static uint32_t
make_stripe(CpuKeptArea *area, uint32_t file, uint32_t number, uint64_t lsn, const CpuKeptPlace *place)
{
	uint32_t	page = cpu_kept_take_pages(area, 1);
	CpuKeptStripe *stripe = (CpuKeptStripe *) cpu_kept_page(area, page);

	memset(stripe, 0, sizeof(*stripe));
	stripe->file[2] = file;
	stripe->number = number;
	stripe->map.lsn = lsn;
	stripe->map.bits[0] = 1;
	stripe->has[0] = 1;
	stripe->nblocks = 1;
	stripe->nrows = 10;
	stripe->rows[0] = 10;
	stripe->nplaces = 1;
	stripe->places[0] = *place;
	return page;
}

static CpuKeptName
name_of(uint32_t file, int attno)
{
	CpuKeptName name;

	memset(&name, 0, sizeof(name));
	name.file[2] = file;
	name.key.attno = (int16_t) attno;
	name.key.type = VT_INT4;
	return name;
}

/* A place with some pages of values. */
static CpuKeptPlace
make_place(CpuKeptArea *area, uint32_t npages)
{
	return (CpuKeptPlace) {.values = cpu_kept_take_pages(area, npages),.npages = npages,.width = 4,.plain = true};
}

static bool
publish(CpuKeptArea *area, uint32_t file, uint32_t number, int attno, uint64_t lsn, uint32_t npages)
{
	CpuKeptPlace place = make_place(area, npages);
	CpuKeptName name = name_of(file, attno);

	return cpu_kept_publish(area, make_stripe(area, file, number, lsn, &place), &name, 1, 0);
}

/* Is a row of a batch as it was written? */
static bool
is_same_value(const PlainColumn *plain, uint32_t row, const DecodedColumn *column,
			  const ColumnVector *vector, uint32_t i)
{
	size_t		size = (size_t) value_type_size(plain->type);
	bool		valid = plain->validity == NULL || (plain->validity[row / 8] >> row % 8 & 1) != 0;
	bool		found = vector->validity == NULL || (vector->validity[i / 8] >> i % 8 & 1) != 0;

	if (valid != found || !valid)
		return valid == found && (!column->place.coded || column->codes[i] == column->place.ntexts);
	if (plain->type == VT_TEXT)
	{
		Bytes		text = column->place.coded ? column->texts[column->codes[i]] :
			((const Bytes *) vector->values)[i];
		const uint32_t *offsets = plain->texts.offsets + row;

		return text.len == offsets[1] - offsets[0] &&
			memcmp(text.data, plain->texts.bytes + offsets[0], text.len) == 0;
	}
	return memcmp((const char *) vector->values + i * size, plain->values + row * size, size) == 0;
}

/* A row of an integer column as 64 bits. */
static int64_t
integer_of(const PlainColumn *plain, uint32_t row)
{
	switch (plain->type)
	{
		case VT_BOOL:
			return ((const uint8_t *) plain->values)[row];
		case VT_CHAR:
			return ((const int8_t *) plain->values)[row];
		case VT_INT2:
			return ((const int16_t *) plain->values)[row];
		case VT_INT4:
			return ((const int32_t *) plain->values)[row];
		default:
			return ((const int64_t *) plain->values)[row];
	}
}

/* A range of a column's values, of which some are in the stripe, or none. */
static void
make_sift(RangeSift *sift, const DecodedColumn *column)
{
	uint64_t	span = (uint64_t) column->place.most - (uint64_t) column->place.least;
	uint64_t	from = span == UINT64_MAX ? random_u64() : random_u64() % (span + 1);
	uint64_t	width = random_u64() % 4 == 0 ? 0 : (span - from) >> random_u64() % 8;

	range_sift_create(sift, 1);
	sift->is_known = true;
	sift->n = 1;
	sift->ranges[0].least = (int64_t) ((uint64_t) column->place.least + from);
	sift->ranges[0].most = (int64_t) ((uint64_t) sift->ranges[0].least + width);
	if (random_u64() % 8 == 0)
		sift->ranges[0].most = sift->ranges[0].least - (sift->ranges[0].least > INT64_MIN);
	sift->ranges[0].refuses_nulls = random_u64() % 2 == 0;
	range_sift_begin(sift, NULL, NULL, column);
}

/* Are those rows of the batch sifted that are not in the range? */
static bool
is_sifted_right(RangeSift *sift, const PlainColumn *plain, const DecodedColumn *column, uint32_t row,
				uint32_t n)
{
	const SiftRange *range = &sift->ranges[0];
	uint8_t		left[CPU_BATCH];
	uint32_t	npass = 0;
	uint32_t	ncount = 0;
	uint32_t	expected = 0;
	uint32_t	counted = 0;
	bool		few;
	bool		right = true;

	for (uint32_t i = 0; i < n; i++)
		counted += !(left[i] = random_u64() % 5 == 0);
	few = range_sift_batch(sift, column, n, left, &npass, &ncount);
	if (sift->ntested == 0)
		return !few;
	for (uint32_t i = 0; i < n; i++)
	{
		bool		valid = plain->validity == NULL ||
			(plain->validity[(row + i) / 8] >> (row + i) % 8 & 1) != 0;
		int64_t		value = integer_of(plain, row + i);
		bool		passes = valid ? value >= range->least && value <= range->most :
			!range->refuses_nulls;

		if (left[i] || !passes)
			continue;
		right = right && sift->passes[i] && (!few || sift->rows[expected] == i);
		expected++;
	}
	return right && npass == expected && ncount == counted && few == (npass * 3 < n);
}

/* All rows of a batch, or some of them, are as they were written. */
static bool
is_same_batch(const PlainColumn *plain, DecodedColumn *column, uint32_t row, uint32_t n)
{
	ColumnVector vector;
	uint16_t	rows[CPU_BATCH];
	uint32_t	nrows = 0;
	bool		same = true;

	if (random_u64() % 2 == 0)
	{
		decode_batch(column, n, &vector);
		for (uint32_t i = 0; i < n; i++)
			same = same && is_same_value(plain, row + i, column, &vector, i);
		return same;
	}
	for (uint32_t i = 0; i < n; i++)
		if (random_u64() % 4 == 0)
			rows[nrows++] = (uint16_t) i;
	decode_rows(column, rows, nrows, &vector);
	for (uint32_t i = 0; i < nrows; i++)
		same = same && is_same_value(plain, row + rows[i], column, &vector, i);
	return same;
}

/* Write rows, read them back by batches: are they the same, and which are sifted? */
static bool
is_same_again(CpuKeptArea *area, PlainColumn *plain, uint32_t nrows, CpuKeptPlace *place)
{
	uint32_t	nfree = area->nfree;
	char	   *buffer = malloc(DECODE_BUFFER);
	bool		same = encode_choose(plain, nrows, place);
	DecodedColumn column = {0};
	RangeSift	sift = {0};

	encode_take_pages(area, place, nrows);
	same = same && area->nfree == nfree - place->npages;
	encode_write(area, place, plain, nrows);
	decode_begin(&column, plain->type, place, buffer);
	same = same && (plain->type != VT_TEXT || decode_texts(&column, area));
	make_sift(&sift, &column);
	for (uint32_t row = 0; row < nrows; row += CPU_BATCH)
	{
		uint32_t	n = nrows - row < CPU_BATCH ? nrows - row : CPU_BATCH;

		decode_move(&column, area, row, n);
		same = same && is_sifted_right(&sift, plain, &column, row, n) &&
			is_same_batch(plain, &column, row, n);
	}
	range_sift_free(&sift);
	cpu_kept_free_pages(area, place->values);
	cpu_kept_free_pages(area, place->validity);
	cpu_kept_free_pages(area, place->texts);
	cpu_kept_free_pages(area, place->left);
	decode_free(&column);
	free(buffer);
	return same && area->nfree == nfree;
}

/* Integers of a type between two bounds, some of them NULL, come back as they were. */
static void
test_range(CpuKeptArea *area, ValueType type, int64_t least, uint64_t range, uint32_t nrows, int nulls)
{
	size_t		size = (size_t) value_type_size(type);
	PlainColumn plain = {.type = type};
	CpuKeptPlace place;
	bool		same;

	plain.values = malloc(nrows * size + 8);
	plain.validity = malloc(nrows / 8 + 1);
	memset(plain.validity, 0xff, nrows / 8 + 1);
	for (uint32_t i = 0; i < nrows; i++)
	{
		uint64_t	part = i == 0 ? 0 : i == 1 ? range : range == UINT64_MAX ? random_u64() :
			random_u64() % (range + 1);
		int64_t		value = (int64_t) ((uint64_t) least + part);

		memcpy(plain.values + i * size, &value, size);
		if (nulls > 0 && i > 1 && random_u64() % (uint64_t) nulls == 0)
			plain.validity[i / 8] &= (uint8_t) ~(1 << i % 8);
	}
	same = is_same_again(area, &plain, nrows, &place);
	ok(same && place.least == least && (uint64_t) place.most - (uint64_t) place.least == range,
	   "type %d from %lld, range %llu, %u rows, one NULL of %d: width %d", (int) type,
	   (long long) least, (unsigned long long) range, nrows, nulls, place.width);
	free(plain.values);
	free(plain.validity);
}

static void
test_encodings(CpuKeptArea *area)
{
	static const struct
	{
		ValueType	type;
		int64_t		least;
		uint64_t	most_range;
	}			types[] = {
		{VT_BOOL, 0, 1}, {VT_CHAR, INT8_MIN, UINT8_MAX}, {VT_INT2, INT16_MIN, UINT16_MAX},
		{VT_INT4, INT32_MIN, UINT32_MAX}, {VT_INT8, INT64_MIN, UINT64_MAX},
	};
	static const uint64_t ranges[] = {1, 254, 255, 256, 65535, 65536, UINT32_MAX,
		UINT32_MAX + UINT64_C(1), UINT64_MAX};
	static const uint32_t rows[] = {2, 1023, 1024, 1025, 16384, 16385, 70000, 140000};

	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
		for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++)
			if (ranges[r] <= types[t].most_range)
			{
				uint32_t	n = rows[(t * 5 + r) % 8];

				test_range(area, types[t].type, types[t].least, ranges[r], n, 0);
				test_range(area, types[t].type,
						   (int64_t) ((uint64_t) types[t].least + (types[t].most_range - ranges[r])),
						   ranges[r], rows[(t + r) % 8], 3);
			}
}

/* All the same, all NULL, and values that are no integers. */
static void
test_others(CpuKeptArea *area)
{
	enum { N = 140000 };
	char	   *values = calloc(N, 16);
	uint8_t    *validity = calloc(N / 8 + 1, 1);
	CpuKeptPlace place;
	PlainColumn plain = {.type = VT_INT8,.values = values};

	for (int i = 0; i < N; i++)
		((int64_t *) values)[i] = -77;
	ok(is_same_again(area, &plain, N, &place) && place.width == 0 && place.npages == 0,
	   "equal integers take no page");
	plain.validity = validity;
	ok(is_same_again(area, &plain, N, &place) && place.nnulls == N && !place.has_range,
	   "all are NULL");
	for (int i = 0; i < N * 2; i++)
		((uint64_t *) values)[i] = random_u64();
	for (int i = 0; i < N / 8; i++)
		validity[i] = (uint8_t) random_u64();
	plain.type = VT_FLOAT8;
	ok(is_same_again(area, &plain, N, &place) && place.width == 8 && !place.has_range, "floats");
	plain.type = VT_UUID;
	ok(is_same_again(area, &plain, N, &place) && place.width == 16, "uuids");
	plain.type = VT_WIDE;
	ok(is_same_again(area, &plain, N, &place) && place.width == 16, "numerics of 128 bits");
	free(values);
	free(validity);
}

/* Texts of a number of distinct ones, of a length, or of up to that, one of `nulls` NULL. */
static void
test_texts(CpuKeptArea *area, uint32_t nrows, uint32_t distinct, uint32_t length, int nulls, int width)
{
	PlainColumn plain = {.type = VT_TEXT};
	PlainTexts *texts = &plain.texts;
	CpuKeptPlace place;
	uint32_t	at = 0;
	bool		same;

	texts->offsets = malloc((nrows + 1) * sizeof(uint32_t));
	texts->bytes = calloc(nrows + 1, length + 1);
	plain.validity = malloc(nrows / 8 + 1);
	memset(plain.validity, 0xff, nrows / 8 + 1);
	for (uint32_t i = 0; i < nrows; i++)
	{
		/* if the first row is the only NULL, no other has its number */
		uint32_t	first = nulls > 0 && (uint32_t) nulls >= nrows ? 1 : 0;
		uint32_t	number = i < distinct ? i : first + (uint32_t) (random_u64() % (distinct - first));
		uint32_t	len = length < 4 || number % 7 == 1 ? length : 4 + number % (length - 3);
		bool		isnull = nulls > 0 && i % (uint32_t) nulls == 0;

		if (isnull)
			len = 0;
		texts->offsets[i] = at;
		memset(texts->bytes + at, 'x', len);
		memcpy(texts->bytes + at, &number, len < 4 ? len : 4);
		at += len;
		if (isnull)
			plain.validity[i / 8] &= (uint8_t) ~(1 << i % 8);
	}
	texts->offsets[nrows] = at;
	same = is_same_again(area, &plain, nrows, &place);
	ok(same && place.coded == (width >= 0) && (width < 0 || place.width == width) &&
	   place.text_bytes == at,
	   "%u texts of up to %u bytes, %u distinct, NULLs %d: %u texts, width %d", nrows, length,
	   distinct, nulls, place.ntexts, place.coded ? place.width : -1);
	plain_free(&plain);
}

static void
test_all_texts(CpuKeptArea *area)
{
	test_texts(area, 50000, 1, 12, 0, 0);
	test_texts(area, 50000, 1, 12, 3, 1);
	test_texts(area, 50000, 1, 12, 1, 0);
	test_texts(area, 50000, 1, 0, 0, 0);
	test_texts(area, 50000, 1, 0, 5, 1);
	test_texts(area, 0, 1, 5, 0, -1);
	test_texts(area, 1, 1, 5, 0, -1);
	test_texts(area, 1023, 200, 9, 0, 1);
	test_texts(area, 1025, 200, 9, 4, 1);
	test_texts(area, 50000, 256, 40, 0, 1);
	test_texts(area, 50000, 255, 40, 3, 1);
	test_texts(area, 50000, 256, 40, 3, 2);
	test_texts(area, 50000, 257, 40, 0, 2);
	test_texts(area, 50000, 50000, 40, 0, -1);
	test_texts(area, 50000, 50000, 40, 7, -1);
	test_texts(area, 140000, 60000, 12, 9, 2);
	test_texts(area, 140000, 65536, 12, 0, 2);
	test_texts(area, 140000, 65536, 12, 140000, 2);
	test_texts(area, 140000, 65537, 12, 0, -1);
	test_texts(area, 140000, 70000, 12, 11, -1);
	test_texts(area, 700, 300, 8000, 0, 2);
	test_texts(area, 700, 700, 8000, 0, -1);
}

/* Rows whose values are elsewhere are listed. */
static void
test_left(CpuKeptArea *area)
{
	enum { N = 5000 };
	PlainColumn plain = {.type = VT_INT4,.values = calloc(N, 4),.left = calloc(N, sizeof(CpuKeptLeft)),.nleft = N};
	CpuKeptPlace place;
	uint32_t	nfree = area->nfree;
	bool		same = true;
	uint32_t	page;

	for (uint32_t i = 0; i < N; i++)
		plain.left[i] = (CpuKeptLeft) {i * 3, (uint16_t) (i / 9), (uint16_t) (i % 9 + 1)};
	encode_choose(&plain, N, &place);
	encode_take_pages(area, &place, N);
	encode_write(area, &place, &plain, N);
	page = place.left;
	for (uint32_t i = 0; i < N; i += 2048, page = cpu_kept_next(area, page))
		same = same && memcmp(cpu_kept_page(area, page), plain.left + i,
							  (N - i < 2048 ? N - i : 2048) * sizeof(CpuKeptLeft)) == 0;
	ok(same && page == 0 && place.nleft == N && place.npages == 3 && area->nfree == nfree - 3,
	   "rows whose values are elsewhere");
	cpu_kept_free_pages(area, place.left);
	plain_free(&plain);
}

static void
test_stripes(void)
{
	CpuKeptArea *area = make_area(AREA_SIZE);
	const uint32_t file[3] = {0, 0, 7};
	uint32_t	nfree = area->nfree;
	CpuKeptStripe *stripe;

	ok(publish(area, 7, 3, 1, 100, 5) && cpu_kept_stripe(area, file, 3) != NULL &&
	   cpu_kept_stripe(area, file, 4) == NULL, "a stripe is found by its number");
	ok(area->nfree == nfree - 6, "it takes its pages and one");
	ok(!publish(area, 7, 3, 1, 100, 5) && area->nfree == nfree - 6, "the same again is dropped");
	ok(publish(area, 7, 3, 2, 100, 4) && area->nfree == nfree - 10 &&
	   cpu_kept_stripe(area, file, 3)->nplaces == 2, "another column under the same stamp is added");
	ok(!publish(area, 7, 3, 3, 99, 4) && area->nfree == nfree - 10, "one under an older stamp is dropped");
	stripe = cpu_kept_stripe(area, file, 3);
	cpu_kept_pin(stripe);
	ok(publish(area, 7, 3, 3, 101, 4) && cpu_kept_stripe(area, file, 3) != stripe &&
	   area->nfree == nfree - 15, "one under a newer stamp takes its place, and a pinned one stays");
	cpu_kept_unpin(area, stripe);
	ok(area->nfree == nfree - 5, "until it is unpinned");
	ok(cpu_kept_evict(area, file, (const uint8_t[]) {1 << 2}) == 0 &&
	   cpu_kept_evict(area, file, (const uint8_t[]) {1 << 3}) == 5 * CPU_KEPT_PAGE &&
	   cpu_kept_stripe(area, file, 3) == NULL && area->nfree == nfree, "evicted by attribute");
	publish(area, 7, 0, 1, 1, 3);
	publish(area, 8, 0, 1, 1, 3);
	ok(cpu_kept_evict(area, file, NULL) == 4 * CPU_KEPT_PAGE && area->nfree == nfree - 4,
	   "of one file, not of others");
	free(area);
}

/* Warm columns stay, cold ones give way. */
/* A stripe that has as many columns as it can have takes a hotter one in a colder one's place. */
static void
test_full_stripe(void)
{
	CpuKeptArea *area = make_area(AREA_SIZE);
	CpuKeptName hot = name_of(5, CPU_KEPT_PLACES + 1);
	CpuKeptName cold = name_of(5, 7);
	uint32_t	nfree;
	CpuKeptStripe *stripe;
	bool		all = true;

	for (int i = 1; i <= CPU_KEPT_PLACES; i++)
	{
		CpuKeptName name = name_of(5, i);

		cpu_kept_heat(&area->columns[cpu_kept_column(area, &name, 1, -1)], i == 7 ? 1 : 2, 0);
		all = all && publish(area, 5, 0, i, 10, 1);
	}
	nfree = area->nfree;
	stripe = cpu_kept_stripe(area, hot.file, 0);
	ok(all && stripe->nplaces == CPU_KEPT_PLACES, "a stripe has all columns that it can have");
	cpu_kept_heat(&area->columns[cpu_kept_column(area, &hot, 1, -1)], 2, 0);
	ok(!publish(area, 5, 0, CPU_KEPT_PLACES + 1, 10, 1) && area->nfree == nfree,
	   "another one that is not hot enough does not become its");
	cpu_kept_heat(&area->columns[cpu_kept_column(area, &hot, 1, -1)], 1, 0);
	cpu_kept_pin(stripe);
	ok(!publish(area, 5, 0, CPU_KEPT_PLACES + 1, 10, 1) && area->nfree == nfree,
	   "nor one that is, while somebody reads the stripe");
	cpu_kept_unpin(area, stripe);
	ok(publish(area, 5, 0, CPU_KEPT_PLACES + 1, 10, 1) && area->nfree == nfree &&
	   stripe->nplaces == CPU_KEPT_PLACES, "then it does, and as much is free");
	ok(cpu_kept_place(stripe, cpu_kept_column(area, &hot, 1, -1)) != NULL &&
	   cpu_kept_place(stripe, cpu_kept_column(area, &cold, 1, -1)) == NULL, "the coldest is gone");
	free(area);
}

static void
test_room(void)
{
	CpuKeptArea *area = make_area(AREA_SIZE);
	CpuKeptName name = name_of(7, 1);
	uint64_t	evicted = 0;
	uint32_t	npages = area->npages;
	int			column = cpu_kept_column(area, &name, 1, -1);

	cpu_kept_heat(&area->columns[column], 4, 1000);
	for (uint32_t i = 0; (i + 1) * 11 <= npages; i++)
		publish(area, 7, i, 1, 1, 10);
	ok(!cpu_kept_make_room(area, 20, 4, 1000, &evicted) && evicted == 0, "equal heat stays");
	ok(!cpu_kept_make_room(area, 20, 8, 1000, &evicted) && evicted == 0, "half of it, too");
	ok(cpu_kept_make_room(area, 20, 8.1, 1000, &evicted) && evicted >= 1 && area->nfree >= 20,
	   "less than half gives way");
	evicted = 0;
	ok(cpu_kept_make_room(area, 40, 4, 1000 + 86400 * 2, &evicted) && evicted >= 1,
	   "and so does what was warm two days ago");
	ok(!cpu_kept_make_room(area, npages + 1, 16, 1000 + 86400 * 9, &evicted) &&
	   area->nfree == npages, "no more than all");
	ok(area->columns[column].stripes == 0 && area->columns[column].rows == 0 &&
	   area->columns[column].pages == 0, "the column has nothing any more");
	free(area);
}

/* Pages are handed out once, and all come back. */
static void
test_random(void)
{
	CpuKeptArea *area = make_area(AREA_SIZE);
	uint32_t	nfree = area->nfree;
	uint64_t	evicted = 0;
	uint32_t	pages = 0;

	for (int i = 0; i < 20000; i++)
	{
		uint32_t	n = 1 + (uint32_t) (random_u64() % 20);
		uint32_t	file = 1 + (uint32_t) (random_u64() % 3);
		int			attno = 1 + (int) (random_u64() % 4);
		CpuKeptName name = name_of(file, attno);
		int			column = cpu_kept_column(area, &name, file, -1);

		cpu_kept_heat(&area->columns[column], 1, i * INT64_C(4000));
		if (random_u64() % 50 == 0)
			cpu_kept_evict(area, (const uint32_t[]) {0, 0, file}, NULL);
		else if (cpu_kept_make_room(area, n + 1, area->columns[column].heat, i * INT64_C(4000), &evicted))
			publish(area, file, (uint32_t) (random_u64() % 30), attno, random_u64() % 5, n);
	}
	for (int i = 0; i < CPU_KEPT_COLUMNS; i++)
		pages += (uint32_t) area->columns[i].pages;
	ok(pages > 0 && evicted > 0 && area->nfree + pages < nfree, "%u pages are kept", pages);
	for (uint32_t file = 1; file <= 3; file++)
		cpu_kept_evict(area, (const uint32_t[]) {0, 0, file}, NULL);
	ok(area->nfree == nfree, "all pages come back");
	free(area);
}

/* The moments of maps: an LSN comes with each bit that is set, and none with one that is cleared. */
static void
test_maps(void)
{
	StripeMap	map = {.lsn = 5,.bits = {0x15}};
	StripeMap	cleared = {.lsn = 5,.bits = {0x11}};
	StripeMap	set = {.lsn = 6,.bits = {0x15}};

	ok(stripe_map_is_newer(&cleared, &map), "a block has been changed since");
	ok(!stripe_map_is_newer(&map, &cleared), "the map before that is older");
	ok(stripe_map_is_newer(&set, &cleared) && !stripe_map_is_newer(&cleared, &set), "by the LSN");
}

int
main(void)
{
	CpuKeptArea *area = make_area(AREA_SIZE);
	void	   *little = calloc(1, sizeof(CpuKeptArea));

	ok(!cpu_kept_create(little, sizeof(CpuKeptArea)), "too little memory");
	free(little);
	test_encodings(area);
	test_others(area);
	test_all_texts(area);
	test_left(area);
	free(area);
	test_stripes();
	test_full_stripe();
	test_room();
	test_random();
	test_maps();
	return done_testing();
}
