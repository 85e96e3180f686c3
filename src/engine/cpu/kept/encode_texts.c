/*
 * encode_texts.c
 *	  Texts as they stand in a stripe's pages.
 *
 * A page has the number of its texts, and then each with its length before it, all in 2 bytes.
 * None begins in one page and ends in another: a text comes from a heap page, so it is shorter.
 *
 * Each distinct text of the stripe stands there once, and rows have its number, the code, in 0, 1
 * or 2 bytes, if that takes less than the texts of all rows do, and there are no more of them than
 * 2 bytes tell apart.  Texts are the same if their bytes are.  The code of NULL is the one behind
 * the texts' codes.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/keys.h"
#include "engine/cpu/kept/encode_texts.h"
#include "program/heap_page.h"

#define LENGTH 2				/* bytes of a length, and of a page's number of texts */
#define MOST_CODES 65536
#define FIRST_FIRSTS 1024
#define HASH_HALF (~(uint64_t) UINT32_MAX)	/* of a slot; the other one is a code + 1 */

_Static_assert(HEAP_PAGE_SIZE + 2 * LENGTH <= CPU_KEPT_PAGE, "a page must have room for any text");

/* A hash table of texts, at most half full. */
typedef struct TextSlots
{
	uint64_t   *slots;
	uint64_t	mask;
} TextSlots;

void
texts_free(PlainTexts *texts)
{
	free(texts->bytes);
	free(texts->offsets);
	free(texts->codes);
	free(texts->firsts);
}

size_t
texts_memory(const PlainTexts *texts)
{
	return texts->codes_room * sizeof(*texts->codes) +
		texts->firsts_room * sizeof(*texts->firsts);
}

static inline Bytes
row_text(const PlainTexts *texts, uint32_t row)
{
	return (Bytes) {texts->bytes + texts->offsets[row],
		texts->offsets[row + 1] - texts->offsets[row]};
}

/* A text of those that the place has. */
static inline Bytes
place_text(const PlainTexts *texts, const CpuKeptPlace *place, uint32_t i)
{
	return row_text(texts, place->coded ? texts->firsts[i] : i);
}

static bool
have_codes(PlainTexts *texts, uint32_t nrows)
{
	uint16_t   *codes;

	if (nrows <= texts->codes_room)
		return true;
	codes = realloc(texts->codes, nrows * sizeof(*codes));
	if (codes == NULL)
		return false;
	texts->codes = codes;
	texts->codes_room = nrows;
	return true;
}

/* Room for one more text; false: no memory. */
static bool
have_firsts(PlainTexts *texts, uint32_t n)
{
	size_t		room = texts->firsts_room == 0 ? FIRST_FIRSTS : texts->firsts_room * 2;
	uint32_t   *firsts;

	if (n < texts->firsts_room)
		return true;
	firsts = realloc(texts->firsts, room * sizeof(*firsts));
	if (firsts == NULL)
		return false;
	texts->firsts = firsts;
	texts->firsts_room = room;
	return true;
}

/* The slot of a text: that of its code, or the empty one where it belongs. */
static uint64_t *
find_slot(const TextSlots *slots, const PlainTexts *texts, Bytes text, uint64_t hash)
{
	uint64_t	at = (hash >> 32) & slots->mask;

	for (;; at = (at + 1) & slots->mask)
	{
		uint64_t	slot = slots->slots[at];
		Bytes		other;

		if (slot == 0)
			break;
		if (((slot ^ hash) & HASH_HALF) != 0)
			continue;
		other = row_text(texts, texts->firsts[(uint32_t) slot - 1]);
		if (other.len == text.len && memcmp(other.data, text.data, text.len) == 0)
			break;
	}
	return &slots->slots[at];
}

/*
 * Number the distinct texts of the rows that are not NULL, at most so many; *n is `most` + 1 if
 * there are more.  False: no memory.
 */
static bool
number_texts(TextSlots *slots, PlainTexts *texts, const uint8_t *validity, uint32_t nrows,
			 uint32_t most, uint32_t *n)
{
	*n = 0;
	for (uint32_t row = 0; row < nrows; row++)
	{
		Bytes		text = row_text(texts, row);
		uint64_t	hash;
		uint64_t   *slot;

		if (validity != NULL && (validity[row / 8] >> row % 8 & 1) == 0)
			continue;
		hash = keys_hash_bytes(text);
		slot = find_slot(slots, texts, text, hash);
		if (*slot == 0)
		{
			if (*n == most)
			{
				(*n)++;
				return true;
			}
			if (!have_firsts(texts, *n))
				return false;
			texts->firsts[(*n)++] = row;
			*slot = (hash & HASH_HALF) | *n;
		}
		texts->codes[row] = (uint16_t) ((uint32_t) *slot - 1);
	}
	return true;
}

/* The bytes that texts take with their lengths. */
static uint64_t
size_of_texts(const PlainTexts *texts, uint32_t n)
{
	uint64_t	size = 0;

	for (uint32_t i = 0; i < n; i++)
		size += LENGTH + row_text(texts, texts->firsts[i]).len;
	return size;
}

static uint8_t
width_of_codes(uint32_t ncodes)
{
	if (ncodes <= 1)
		return 0;
	return ncodes <= UINT8_MAX + 1 ? 1 : 2;
}

/* Pages of the texts that the place has. */
static uint32_t
pages_of_texts(const PlainTexts *texts, const CpuKeptPlace *place)
{
	uint32_t	npages = place->ntexts > 0 ? 1 : 0;
	uint32_t	used = LENGTH;

	for (uint32_t i = 0; i < place->ntexts; i++)
	{
		uint32_t	size = LENGTH + place_text(texts, place, i).len;

		if (used + size > CPU_KEPT_PAGE)
		{
			npages++;
			used = LENGTH;
		}
		used += size;
	}
	return npages;
}

/* Write the code of NULL. */
static void
number_nulls(PlainTexts *texts, const uint8_t *validity, uint32_t nrows, uint32_t code)
{
	for (uint32_t row = 0; validity != NULL && row < nrows; row++)
		if ((validity[row / 8] >> row % 8 & 1) == 0)
			texts->codes[row] = (uint16_t) code;
}

bool
texts_choose(PlainTexts *texts, const uint8_t *validity, uint32_t nrows, CpuKeptPlace *place,
			 uint32_t *npages)
{
	uint32_t	most = MOST_CODES - (place->nnulls > 0);
	uint64_t	nslots = 64;
	TextSlots	slots;
	uint32_t	n;
	bool		numbered;

	while (nslots < UINT64_C(2) * (nrows < most ? nrows : most))
		nslots *= 2;
	slots = (TextSlots) {calloc(nslots, sizeof(uint64_t)), nslots - 1};
	numbered = slots.slots != NULL && have_codes(texts, nrows) &&
		number_texts(&slots, texts, validity, nrows, most, &n);
	free(slots.slots);
	if (!numbered)
		return false;
	place->text_bytes = texts->offsets[nrows] - texts->offsets[0];
	place->width = width_of_codes(n + (place->nnulls > 0));
	place->coded = n <= most && size_of_texts(texts, n) + (uint64_t) place->width * nrows <
		place->text_bytes + (uint64_t) LENGTH * nrows;
	place->ntexts = place->coded ? n : nrows;
	if (place->coded)
		number_nulls(texts, validity, nrows, n);
	else
		place->width = 0;
	*npages += pages_of_texts(texts, place);
	return true;
}

static void
write_number(char *to, uint32_t number)
{
	uint16_t	stored = (uint16_t) number;

	memcpy(to, &stored, LENGTH);
}

static inline uint32_t
read_number(const char *from)
{
	uint16_t	stored;

	memcpy(&stored, from, LENGTH);
	return stored;
}

void
texts_write(CpuKeptArea *area, const CpuKeptPlace *place, const PlainTexts *texts)
{
	uint32_t	page = place->texts;
	uint32_t	used = LENGTH;
	uint32_t	n = 0;

	for (uint32_t i = 0; i < place->ntexts; i++)
	{
		Bytes		text = place_text(texts, place, i);
		char	   *to;

		if (used + LENGTH + text.len > CPU_KEPT_PAGE)
		{
			write_number(cpu_kept_page(area, page), n);
			page = cpu_kept_next(area, page);
			used = LENGTH;
			n = 0;
		}
		to = cpu_kept_page(area, page) + used;
		write_number(to, text.len);
		if (text.len > 0)
			memcpy(to + LENGTH, text.data, text.len);
		used += LENGTH + text.len;
		n++;
	}
	if (n > 0)
		write_number(cpu_kept_page(area, page), n);
}

void
texts_begin(TextReader *reader, CpuKeptArea *area, const CpuKeptPlace *place)
{
	const char *page;

	memset(reader, 0, sizeof(*reader));
	if (place->texts == 0)
		return;
	page = cpu_kept_page(area, place->texts);
	*reader = (TextReader) {place->texts, read_number(page), page + LENGTH};
}

void
texts_read(TextReader *reader, CpuKeptArea *area, uint32_t n, Bytes *texts)
{
	while (n > 0)
	{
		uint32_t	part = reader->left < n ? reader->left : n;
		const char *next = reader->next;

		for (uint32_t i = 0; i < part; i++)
		{
			uint32_t	len = read_number(next);

			texts[i] = (Bytes) {next + LENGTH, len};
			next += LENGTH + len;
		}
		texts += part;
		n -= part;
		reader->left -= part;
		reader->next = next;
		if (reader->left == 0 && n > 0)
		{
			reader->page = cpu_kept_next(area, reader->page);
			next = cpu_kept_page(area, reader->page);
			reader->left = read_number(next);
			reader->next = next + LENGTH;
		}
	}
}
