/*
 * numbering.c
 *	  Distinct values, each with a number.
 *
 * The values are an array.  One that comes is put behind its end and then looked for in a
 * hash table of numbers (lib/simplehash.h), whose entries are compared by what the array
 * has there; it stays if it is new.  Where all values are taken to be new there is no hash table.
 *
 * Datums are compared by their type's functions.  Where there are few of them, their bytes are
 * numbered, too, and a Datum whose bytes have been there is not compared any more.  Where words
 * stand for them, these are, and a Datum whose word has been there is not even made.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

#include "compat.h"
#include "exec/lookup/numbering.h"
#include "program/ops_text.h"

/*
 * Bytes of texts are allocated by as many as there are, within these bounds, or as many as one
 * text has: they count as memory that the look-up takes.
 */
#define LEAST_CHUNK 1024
#define MOST_CHUNK 65536

/* So many values have room in a hash table at first. */
#define FIRST_VALUES 256

/* 2^64 by the golden ratio: one word is hashed by multiplication. */
#define WORD_MULTIPLIER UINT64CONST(0x9E3779B97F4A7C15)

/* Datums' bytes, or words, are numbered as long as there are so few, of so many bytes each at most. */
#define MOST_IMAGES 4096
#define MOST_IMAGE_SIZE 64

/* So many values are looked for together: what one needs is fetched while others are looked for. */
#define FOUND_AT_ONCE 64

/* The share of a hash table's entries that is expected to be taken, at most. */
#define HASH_FILL 0.7

typedef enum NumberedKind
{
	NUMBERED_WORDS,
	NUMBERED_TEXTS,
	NUMBERED_DATUMS
} NumberedKind;

/* Of 8 bytes: there is one for each value, and more. */
typedef struct NumberEntry
{
	uint32		hash;
	uint32		number:31;
	uint32		status:1;
} NumberEntry;

struct Numbering
{
	NumberedKind kind;
	Size		size;			/* of a value in `values` */
	Array		values;			/* words, Bytes or Datums: fewer than 2^31 */
	uint32		count;
	struct numbers_hash *numbers;	/* NULL: no two values are the same, so that none is looked for */
	MemoryContext context;
	char	   *chunk;			/* bytes of texts and Datums go here */
	Size		chunk_left;
	Size		copied;			/* of all chunks */
	TypeCacheEntry *type;		/* of Datums */
	MemoryContext scratch;		/* of its functions, until the next Datum */
	Oid			collation;
	int16		typlen;
	bool		typbyval;
	Numbering  *images;			/* of Datums: their bytes; NULL: these are not numbered */
	Array		of_images;		/* uint32: the number of the Datum that has these bytes */
	Numbering  *words;			/* that stand for Datums; NULL: none has been numbered */
	Array		of_words;		/* uint32: the number of the Datum that a word stands for */
};

static inline uint32 hash_value(const Numbering *numbering, uint32 number);
static inline bool values_equal(const Numbering *numbering, uint32 a, uint32 b);

#define SH_PREFIX numbers
#define SH_ELEMENT_TYPE NumberEntry
#define SH_KEY_TYPE uint32
#define SH_KEY number
#define SH_HASH_KEY(tb, key) hash_value((tb)->private_data, key)
#define SH_EQUAL(tb, a, b) values_equal((tb)->private_data, a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, entry) (entry)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

static inline const void *
value_at(const Numbering *numbering, uint32 number)
{
	return numbering->values.data + number * numbering->size;
}

/* A few words are hashed and compared here: a call would take longer. */
static inline uint32
hash_words(const uint64 *words, Size n)
{
	uint64		hash = words[0] * WORD_MULTIPLIER;

	for (Size i = 1; i < n; i++)
		hash = ((hash ^ hash >> 32) + words[i]) * WORD_MULTIPLIER;
	return (uint32) (hash >> 32);
}

static inline bool
words_equal(const uint64 *a, const uint64 *b, Size n)
{
	for (Size i = 0; i < n; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

static inline uint32
hash_value(const Numbering *numbering, uint32 number)
{
	const void *value = value_at(numbering, number);
	MemoryContext old;
	uint32		hash;

	switch (numbering->kind)
	{
		case NUMBERED_TEXTS:
			return hash_bytes((const unsigned char *) ((const Bytes *) value)->data,
							  (int) ((const Bytes *) value)->len);
		case NUMBERED_DATUMS:
			old = MemoryContextSwitchTo(numbering->scratch);
			hash = DatumGetUInt32(FunctionCall1Coll(&numbering->type->hash_proc_finfo,
													numbering->collation, *(const Datum *) value));
			MemoryContextSwitchTo(old);
			return hash;
		default:
			return hash_words(value, numbering->size / sizeof(uint64));
	}
}

static inline bool
values_equal(const Numbering *numbering, uint32 a, uint32 b)
{
	const void *x = value_at(numbering, a);
	const void *y = value_at(numbering, b);
	MemoryContext old;
	bool		equal;

	switch (numbering->kind)
	{
		case NUMBERED_TEXTS:
			return text_eq(*(const Bytes *) x, *(const Bytes *) y);
		case NUMBERED_DATUMS:
			old = MemoryContextSwitchTo(numbering->scratch);
			equal = DatumGetBool(FunctionCall2Coll(&numbering->type->eq_opr_finfo,
												   numbering->collation, *(const Datum *) x,
												   *(const Datum *) y));
			MemoryContextSwitchTo(old);
			return equal;
		default:
			return words_equal(x, y, numbering->size / sizeof(uint64));
	}
}

static Numbering *
create(NumberedKind kind, Size size)
{
	Numbering  *numbering = palloc0(sizeof(Numbering));

	numbering->kind = kind;
	numbering->size = size;
	numbering->context = CurrentMemoryContext;
	numbering->numbers = numbers_create(CurrentMemoryContext, FIRST_VALUES, numbering);
	return numbering;
}

Numbering *
numbering_of_words(int nwords)
{
	return create(NUMBERED_WORDS, nwords * sizeof(uint64));
}

Numbering *
numbering_of_texts(void)
{
	return create(NUMBERED_TEXTS, sizeof(Bytes));
}

void
numbering_expect_distinct(Numbering *numbering)
{
	if (numbering->numbers != NULL)
		numbers_destroy(numbering->numbers);
	numbering->numbers = NULL;
	numbering->images = NULL;
	numbering->words = NULL;
}

Numbering *
numbering_of_datums(Oid type, Oid collation)
{
	Numbering  *numbering = create(NUMBERED_DATUMS, sizeof(Datum));

	numbering->type = lookup_type_cache(type, TYPECACHE_EQ_OPR_FINFO | TYPECACHE_HASH_PROC_FINFO);
	numbering->collation = collation;
	numbering->scratch = AllocSetContextCreate(CurrentMemoryContext, "GpuAgg look-up's values",
											   ALLOCSET_SMALL_SIZES);
	get_typlenbyval(type, &numbering->typlen, &numbering->typbyval);
	if (numbering->typbyval)
		numbering->images = numbering_of_words(1);
	else if (numbering->typlen == -1)
		numbering->images = numbering_of_texts();
	return numbering;
}

/* The number of the value that stands behind the others; *is_new: it stays. */
static uint32
number_last(Numbering *numbering, bool *is_new)
{
	NumberEntry *entry;
	bool		found;

	Assert(numbering->count < PG_INT32_MAX);
	*is_new = true;
	if (numbering->numbers == NULL)
		return numbering->count++;
	entry = numbers_insert(numbering->numbers, numbering->count, &found);
	*is_new = !found;
	if (found)
		numbering->values.size -= numbering->size;
	else
		numbering->count++;
	return entry->number;
}

uint32
numbering_add_words(Numbering *numbering, const uint64 *words)
{
	bool		is_new;

	memcpy(array_extend(&numbering->values, numbering->size), words, numbering->size);
	return number_last(numbering, &is_new);
}

/* Look for words whose hashes are known. */
static void
number_hashed(Numbering *numbering, const uint64 *words, const uint32 *hashes, uint32 n,
			  uint32 *numbers)
{
	Size		size = numbering->size / sizeof(uint64);

	for (uint32 i = 0; i < n; i++)
	{
		NumberEntry *entry;
		bool		found;

		memcpy(array_extend(&numbering->values, numbering->size), words + i * size, numbering->size);
		entry = numbers_insert_hash(numbering->numbers, numbering->count, hashes[i], &found);
		if (found)
			numbering->values.size -= numbering->size;
		else
			numbering->count++;
		numbers[i] = entry->number;
	}
}

void
numbering_add_all_words(Numbering *numbering, const uint64 *words, uint32 n, uint32 *numbers)
{
	Size		size = numbering->size / sizeof(uint64);
	uint32		hashes[FOUND_AT_ONCE];

	Assert((uint64) numbering->count + n <= PG_INT32_MAX);
	if (numbering->numbers == NULL)
	{
		memcpy(array_extend(&numbering->values, n * numbering->size), words, n * numbering->size);
		for (uint32 i = 0; i < n; i++)
			numbers[i] = numbering->count++;
		return;
	}
	for (uint32 begin = 0; begin < n; begin += FOUND_AT_ONCE)
	{
		const numbers_hash *table = numbering->numbers;
		uint32		m = Min(n - begin, FOUND_AT_ONCE);

		for (uint32 i = 0; i < m; i++)
		{
			hashes[i] = hash_words(words + (begin + i) * size, size);
			__builtin_prefetch(&table->data[hashes[i] & table->sizemask]);
		}
		for (uint32 i = 0; i < m; i++)
			__builtin_prefetch(value_at(numbering, table->data[hashes[i] & table->sizemask].number));
		number_hashed(numbering, words + begin * size, hashes, m, numbers + begin);
	}
}

/* A copy of some bytes. */
static const char *
copy_bytes(Numbering *numbering, const char *bytes, Size size)
{
	char	   *copy;

	if (size > numbering->chunk_left)
	{
		Size		chunk = Min(MOST_CHUNK, Max(LEAST_CHUNK, numbering->copied));

		numbering->chunk_left = Max(chunk, size);
		numbering->chunk = MemoryContextAllocHuge(numbering->context, numbering->chunk_left);
		numbering->copied += numbering->chunk_left;
	}
	copy = numbering->chunk;
	memcpy(copy, bytes, size);
	numbering->chunk += size;
	numbering->chunk_left -= size;
	return copy;
}

/* A copy of a Datum that is a pointer, neither toasted nor compressed; Datums stay aligned. */
static Datum
copy_datum(Numbering *numbering, Datum value)
{
	MemoryContext old = MemoryContextSwitchTo(numbering->scratch);
	Datum		flat = numbering->typlen == -1 ? PointerGetDatum(PG_DETOAST_DATUM_PACKED(value)) : value;
	Size		size = datumGetSize(flat, false, numbering->typlen);
	const char *copy = copy_bytes(numbering, DatumGetPointer(flat), size);
	Size		gap = Min(MAXALIGN(size) - size, numbering->chunk_left);

	numbering->chunk += gap;
	numbering->chunk_left -= gap;
	MemoryContextSwitchTo(old);
	return PointerGetDatum(copy);
}

uint32
numbering_add_text(Numbering *numbering, Bytes text)
{
	uint32		number;
	bool		is_new;

	*(Bytes *) array_extend(&numbering->values, sizeof(Bytes)) = text;
	number = number_last(numbering, &is_new);
	if (is_new)
		((Bytes *) numbering->values.data)[number].data = copy_bytes(numbering, text.data, text.len);
	return number;
}

/* The number of a Datum by its type's functions. */
static uint32
number_datum(Numbering *numbering, Datum value, bool *ambiguous)
{
	Datum	   *values;
	uint32		number;
	bool		is_new;

	*(Datum *) array_extend(&numbering->values, sizeof(Datum)) = value;
	number = number_last(numbering, &is_new);
	values = (Datum *) numbering->values.data;
	MemoryContextReset(numbering->scratch);
	if (!is_new)
		*ambiguous |= !datum_image_eq(values[number], value, numbering->typbyval, numbering->typlen);
	else if (!numbering->typbyval)
		values[number] = copy_datum(numbering, value);
	return number;
}

/* Are the Datum's bytes numbered? */
static bool
has_image(const Numbering *numbering, Datum value)
{
	return numbering->images != NULL && numbering->images->count < MOST_IMAGES &&
		(numbering->typbyval ||
		 (!VARATT_IS_EXTERNAL(DatumGetPointer(value)) &&
		  !VARATT_IS_COMPRESSED(DatumGetPointer(value)) &&
		  VARSIZE_ANY_EXHDR(DatumGetPointer(value)) <= MOST_IMAGE_SIZE));
}

uint32
numbering_add_datum(Numbering *numbering, Datum value, bool *ambiguous)
{
	uint32		image;
	uint64		word = value;

	if (!has_image(numbering, value))
		return number_datum(numbering, value, ambiguous);
	if (numbering->typbyval)
		image = numbering_add_words(numbering->images, &word);
	else
		image = numbering_add_text(numbering->images, (Bytes)
								   {
									   VARDATA_ANY(DatumGetPointer(value)),
									   (uint32) VARSIZE_ANY_EXHDR(DatumGetPointer(value))
								   });
	if (image == numbering->of_images.size / sizeof(uint32))
		*(uint32 *) array_extend(&numbering->of_images, sizeof(uint32)) =
			number_datum(numbering, value, ambiguous);
	return ((const uint32 *) numbering->of_images.data)[image];
}

/* The words' own numbers; false: there are too many. */
static bool
number_datums_words(Numbering *numbering, const uint64 *words, uint32 n, uint32 *numbers)
{
	MemoryContext old;

	if (numbering->numbers == NULL ||
		(numbering->words != NULL && numbering->words->count >= MOST_IMAGES))
		return false;
	old = MemoryContextSwitchTo(numbering->context);
	if (numbering->words == NULL)
		numbering->words = numbering_of_words(1);
	numbering_add_all_words(numbering->words, words, n, numbers);
	MemoryContextSwitchTo(old);
	return true;
}

bool
numbering_add_datums(Numbering *numbering, const uint64 *words, uint32 n, NumberedDatum datum,
					 void *caller, uint32 *numbers, bool *ambiguous)
{
	if (!number_datums_words(numbering, words, n, numbers))
		return false;
	for (uint32 i = 0; i < n; i++)
	{
		if (numbers[i] == numbering->of_words.size / sizeof(uint32))
		{
			uint32		number = number_datum(numbering, datum(caller, i), ambiguous);

			*(uint32 *) array_extend(&numbering->of_words, sizeof(uint32)) = number;
		}
		numbers[i] = ((const uint32 *) numbering->of_words.data)[numbers[i]];
	}
	return true;
}

uint32
numbering_count(const Numbering *numbering)
{
	return numbering->count;
}

const uint64 *
numbering_words(const Numbering *numbering)
{
	return (const uint64 *) numbering->values.data;
}

const Bytes *
numbering_texts(const Numbering *numbering)
{
	return (const Bytes *) numbering->values.data;
}

/* The bytes of a Datum that is a pointer, up to where the next one begins. */
static Size
datum_room(const Numbering *numbering, Datum value)
{
	return MAXALIGN(datumGetSize(value, false, numbering->typlen));
}

Datum *
numbering_copy_datums(const Numbering *numbering)
{
	const Datum *values = (const Datum *) numbering->values.data;
	Datum	   *copies = palloc_extended(sizeof(Datum) * (numbering->count + 1), MCXT_ALLOC_HUGE);
	Size		size = 0;
	char	   *bytes;

	if (numbering->count > 0)
		memcpy(copies, values, sizeof(Datum) * numbering->count);
	if (numbering->typbyval)
		return copies;
	for (uint32 i = 0; i < numbering->count; i++)
		size += datum_room(numbering, values[i]);
	bytes = palloc_extended(size + 1, MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < numbering->count; i++)
	{
		memcpy(bytes, DatumGetPointer(values[i]), datumGetSize(values[i], false, numbering->typlen));
		copies[i] = PointerGetDatum(bytes);
		bytes += datum_room(numbering, values[i]);
	}
	return copies;
}

/* A Datum and the number that it had. */
typedef struct RankedDatum
{
	Datum		value;
	uint32		number;
} RankedDatum;

static int
compare_datums(const void *a, const void *b, void *sort)
{
	CHECK_FOR_INTERRUPTS();
	return ApplySortComparator(((const RankedDatum *) a)->value, false,
							   ((const RankedDatum *) b)->value, false, sort);
}

uint32 *
numbering_sort(Numbering *numbering)
{
	Datum	   *values = (Datum *) numbering->values.data;
	Size		n = numbering->count;
	RankedDatum *sorted = palloc_extended(sizeof(RankedDatum) * (n + 1), MCXT_ALLOC_HUGE);
	uint32	   *numbers = palloc_extended(sizeof(uint32) * (n + 1), MCXT_ALLOC_HUGE);
	SortSupportData sort = {
		.ssup_cxt = CurrentMemoryContext,.ssup_collation = numbering->collation
	};

	for (uint32 i = 0; i < n; i++)
		sorted[i] = (RankedDatum) {values[i], i};
	PrepareSortSupportFromOrderingOp(lookup_type_cache(numbering->type->type_id,
													   TYPECACHE_LT_OPR)->lt_opr, &sort);
	qsort_arg(sorted, n, sizeof(RankedDatum), compare_datums, &sort);
	for (uint32 i = 0; i < n; i++)
	{
		values[i] = sorted[i].value;
		numbers[sorted[i].number] = i;
	}
	pfree(sorted);
	return numbers;
}

Size
numbering_memory(const Numbering *numbering)
{
	return numbering->values.capacity + numbering->copied +
		(numbering->images == NULL ? 0 : numbering_memory(numbering->images)) +
		(numbering->words == NULL ? 0 : numbering_memory(numbering->words)) +
		(numbering->numbers == NULL ? 0 : numbering->numbers->size * sizeof(NumberEntry));
}

/*
 * The memory of a hash table of so many entries (simplehash.h): a power of two.  It grows when it
 * is full to nine tenths, or sooner, where many entries stand in a row.
 */
static double
hash_memory(double n)
{
	double		size = 2 * FIRST_VALUES;

	while (size * HASH_FILL < n)
		size *= 2;
	return size * sizeof(NumberEntry);
}

double
numbering_expected_memory(double n, double size, double copied, bool distinct)
{
	return array_expected_capacity(n * size) + n * copied + (distinct ? 0 : hash_memory(n));
}

double
numbering_expected_images(double n, double copied)
{
	double		images = Min(n, MOST_IMAGES);

	return numbering_expected_memory(images, copied > 0 ? sizeof(Bytes) : sizeof(uint64),
									 Min(copied, MOST_IMAGE_SIZE), false) +
		array_expected_capacity(images * sizeof(uint32));
}
