/*
 * area.c
 *	  Columns of tables in memory that all of a server's processes share: what there is, and how
 *	  it comes and goes.
 *
 * Columns that are to be kept push out only such as have less than half of their heat (heat.h).
 * So a scan of a large table, once, pushes out nothing that is read daily, and of a table that is
 * larger than the area some stripes stay, and do not push out each other.  Stripes give way in the
 * order of the hash table, from where the last search ended.
 *
 * A stripe that is pinned when another one takes its place is in no bucket any more, and goes with
 * the last pin.
 */
#include <string.h>

#include "engine/cpu/kept/area.h"
#include "engine/heat.h"

#define PAGES_OF_BUCKET 8		/* of the area, for each bucket */
#define ENTRY_PLACES 32			/* of a column, among the entries */

_Static_assert(sizeof(CpuKeptStripe) <= CPU_KEPT_PAGE, "a stripe's description must fit a page");

const CpuKeptHost *cpu_kept_host = NULL;

bool
cpu_kept_create(CpuKeptArea *area, size_t size)
{
	size_t		nbuckets = 64;
	size_t		fixed;
	size_t		npages;

	while (nbuckets * PAGES_OF_BUCKET * CPU_KEPT_PAGE < size)
		nbuckets *= 2;
	fixed = sizeof(*area) + nbuckets * sizeof(uint32_t) + CPU_KEPT_PAGE;
	if (size <= fixed)
		return false;
	npages = (size - fixed) / (CPU_KEPT_PAGE + sizeof(uint32_t));
	if (npages == 0 || npages >= UINT32_MAX)
		return false;
	area->npages = area->nfree = (uint32_t) npages;
	area->nbuckets = (uint32_t) nbuckets;
	area->free = 1;
	for (size_t i = 0; i + 1 < npages; i++)
		area->lists[nbuckets + i] = (uint32_t) i + 2;
	area->pages = (sizeof(*area) + (nbuckets + npages) * sizeof(uint32_t) + 63) / 64 * 64;
	return true;
}

/* FNV-1a, of words. */
static uint32_t
hash_bytes(const void *bytes, size_t size, uint32_t hash)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const uint8_t *) bytes)[i]) * UINT32_C(16777619);
	return hash;
}

static bool
is_free(const CpuKeptColumn *column)
{
	static const CpuKeptName none;

	return memcmp(&column->name, &none, sizeof(none)) == 0;
}

/* Of two entries without stripes, is the first the better one to be taken by another column? */
static bool
is_less_used(const CpuKeptColumn *a, const CpuKeptColumn *b)
{
	if (is_free(a) != is_free(b))
		return is_free(a);
	return a->heat_at < b->heat_at;
}

int
cpu_kept_column(CpuKeptArea *area, const CpuKeptName *name, uint32_t relation, int number)
{
	uint32_t	first = hash_bytes(name, sizeof(*name), 0x811C9DC5);
	CpuKeptColumn *best = NULL;

	if (number >= 0 && memcmp(&area->columns[number].name, name, sizeof(*name)) == 0)
		return number;
	for (uint32_t i = 0; i < ENTRY_PLACES; i++)
	{
		CpuKeptColumn *column = &area->columns[(first + i) % CPU_KEPT_COLUMNS];

		if (memcmp(&column->name, name, sizeof(*name)) == 0)
			return (int) (column - area->columns);
		if (column->stripes == 0 && (best == NULL || is_less_used(column, best)))
			best = column;
	}
	if (best == NULL)
		return -1;
	memset(best, 0, sizeof(*best));
	best->name = *name;
	best->relation = relation;
	return (int) (best - area->columns);
}

void
cpu_kept_heat(CpuKeptColumn *column, double heat, int64_t now)
{
	column->heat = fmin(heat_left(column->heat, column->heat_at, now) + heat, HEAT_MOST);
	column->heat_at = now;
}

/* The link to the first stripe of the bucket that the stripe is in. */
static uint32_t *
bucket_of(CpuKeptArea *area, const uint32_t *file, uint32_t number)
{
	uint32_t	hash = hash_bytes(file, 3 * sizeof(*file), 0x811C9DC5);

	return &area->lists[(hash + number) & (area->nbuckets - 1)];
}

static CpuKeptStripe *
stripe_in(CpuKeptArea *area, uint32_t page)
{
	return (CpuKeptStripe *) cpu_kept_page(area, page);
}

CpuKeptStripe *
cpu_kept_stripe(CpuKeptArea *area, const uint32_t *file, uint32_t number)
{
	uint32_t	page = *bucket_of(area, file, number);

	for (; page != 0; page = stripe_in(area, page)->next)
	{
		CpuKeptStripe *stripe = stripe_in(area, page);

		if (stripe->number == number && memcmp(stripe->file, file, sizeof(stripe->file)) == 0)
			return stripe;
	}
	return NULL;
}

const CpuKeptPlace *
cpu_kept_place(const CpuKeptStripe *stripe, int column)
{
	for (uint32_t i = 0; i < stripe->nplaces; i++)
		if (stripe->places[i].column == (uint32_t) column)
			return &stripe->places[i];
	return NULL;
}

void
cpu_kept_pin(CpuKeptStripe *stripe)
{
	stripe->pins++;
}

/* Its page's number. */
static uint32_t
page_of(const CpuKeptArea *area, const CpuKeptStripe *stripe)
{
	return (uint32_t) (((const char *) stripe - (const char *) area - area->pages) / CPU_KEPT_PAGE) + 1;
}

static uint32_t *
next_of(CpuKeptArea *area, uint32_t page)
{
	return &area->lists[area->nbuckets + page - 1];
}

uint32_t
cpu_kept_take_pages(CpuKeptArea *area, uint32_t n)
{
	uint32_t	first = area->free;
	uint32_t	last = first;

	if (n == 0)
		return 0;
	for (uint32_t i = 1; i < n; i++)
		last = *next_of(area, last);
	area->free = *next_of(area, last);
	*next_of(area, last) = 0;
	area->nfree -= n;
	return first;
}

void
cpu_kept_free_pages(CpuKeptArea *area, uint32_t first)
{
	while (first != 0)
	{
		uint32_t	next = *next_of(area, first);

		*next_of(area, first) = area->free;
		area->free = first;
		area->nfree++;
		first = next;
	}
}

static void
free_place(CpuKeptArea *area, const CpuKeptPlace *place)
{
	cpu_kept_free_pages(area, place->values);
	cpu_kept_free_pages(area, place->validity);
	cpu_kept_free_pages(area, place->texts);
	cpu_kept_free_pages(area, place->left);
}

/* The bytes of its values and NULLs as batches have them. */
static uint64_t
plain_bytes(const KeptKey *key, const CpuKeptPlace *place, uint32_t nrows)
{
	uint64_t	size = (uint64_t) value_type_size((ValueType) key->type);

	if (key->type == VT_TEXT)
		size = sizeof(uint32_t);
	return nrows * (size + key->nullable) + place->text_bytes;
}

/* Count a place among its column's, or no more. */
static void
count_place(CpuKeptArea *area, const CpuKeptStripe *stripe, const CpuKeptPlace *place, bool added)
{
	CpuKeptColumn *column = &area->columns[place->column];
	uint64_t	sign = added ? 1 : UINT64_MAX;

	column->stripes += (uint32_t) sign;
	column->rows += sign * stripe->nrows;
	column->blocks += sign * (stripe->nblocks + stripe->nlost);
	column->pages += sign * place->npages;
	column->plain_bytes += sign * plain_bytes(&column->name.key, place, stripe->nrows);
}

/* A stripe that no bucket has, and nobody has pinned. */
static void
free_stripe(CpuKeptArea *area, CpuKeptStripe *stripe)
{
	uint32_t	page = page_of(area, stripe);

	for (uint32_t i = 0; i < stripe->nplaces; i++)
		free_place(area, &stripe->places[i]);
	*next_of(area, page) = 0;
	cpu_kept_free_pages(area, page);
}

void
cpu_kept_unpin(CpuKeptArea *area, CpuKeptStripe *stripe)
{
	if (--stripe->pins == 0 && stripe->replaced)
		free_stripe(area, stripe);
}

/* Take a stripe out of its bucket. */
static void
drop_stripe(CpuKeptArea *area, CpuKeptStripe *stripe)
{
	uint32_t	page = page_of(area, stripe);
	uint32_t   *link = bucket_of(area, stripe->file, stripe->number);

	while (*link != page)
		link = &stripe_in(area, *link)->next;
	*link = stripe->next;
	for (uint32_t i = 0; i < stripe->nplaces; i++)
		count_place(area, stripe, &stripe->places[i], false);
	stripe->replaced = true;
	if (stripe->pins == 0)
		free_stripe(area, stripe);
}

void
cpu_kept_stamp(CpuKeptStripe *stripe, const StripeMap *map, const uint8_t *has, uint32_t nblocks)
{
	stripe->map = *map;
	memcpy(stripe->has, has, sizeof(stripe->has));
	stripe->nlost += stripe->nblocks - nblocks;
	stripe->nblocks = nblocks;
}

/* Take a column out of a stripe that nobody has pinned. */
static void
drop_place(CpuKeptArea *area, CpuKeptStripe *stripe, uint32_t i)
{
	CpuKeptPlace *place = &stripe->places[i];

	count_place(area, stripe, place, false);
	free_place(area, place);
	*place = stripe->places[--stripe->nplaces];
}

/* Evict a stripe's columns of less than that heat, which is that of now. */
static void
evict_cold(CpuKeptArea *area, CpuKeptStripe *stripe, double heat, uint64_t *evicted)
{
	if (stripe->pins > 0)
		return;
	for (uint32_t i = stripe->nplaces; i > 0; i--)
		if (area->columns[stripe->places[i - 1].column].heat < heat)
		{
			*evicted += stripe->nblocks;
			drop_place(area, stripe, i - 1);
		}
	if (stripe->nplaces == 0)
		drop_stripe(area, stripe);
}

bool
cpu_kept_make_room(CpuKeptArea *area, uint32_t npages, double heat, int64_t now, uint64_t *evicted)
{
	if (area->nfree >= npages)
		return true;
	for (int i = 0; i < CPU_KEPT_COLUMNS; i++)
		cpu_kept_heat(&area->columns[i], 0, now);
	for (uint32_t i = 0; i < area->nbuckets && area->nfree < npages; i++)
	{
		uint32_t	page = area->lists[area->hand];

		while (page != 0)
		{
			CpuKeptStripe *stripe = stripe_in(area, page);

			page = stripe->next;
			evict_cold(area, stripe, heat * HEAT_GIVES_WAY, evicted);
		}
		area->hand = (area->hand + 1) & (area->nbuckets - 1);
	}
	return area->nfree >= npages;
}

/* Have both the same rows, under the same stamp? */
static bool
is_same(const CpuKeptStripe *a, const CpuKeptStripe *b)
{
	return memcmp(&a->map, &b->map, sizeof(a->map)) == 0 &&
		memcmp(a->has, b->has, sizeof(a->has)) == 0 && a->nlost == 0 && b->nlost == 0 &&
		a->nrows == b->nrows && memcmp(a->rows, b->rows, sizeof(a->rows)) == 0;
}

/*
 * Has the stripe place for one more column, at that time?  If it has as many as it can have, and
 * nobody has pinned it, the coldest gives way to one that is hotter by as much as those that give
 * way for want of memory.
 */
static bool
has_place(CpuKeptArea *area, CpuKeptStripe *stripe, CpuKeptColumn *column, int64_t now)
{
	uint32_t	coldest = 0;

	if (stripe->nplaces < CPU_KEPT_PLACES)
		return true;
	if (stripe->pins > 0)
		return false;
	cpu_kept_heat(column, 0, now);
	for (uint32_t i = 0; i < stripe->nplaces; i++)
	{
		cpu_kept_heat(&area->columns[stripe->places[i].column], 0, now);
		if (area->columns[stripe->places[i].column].heat <
			area->columns[stripe->places[coldest].column].heat)
			coldest = i;
	}
	if (area->columns[stripe->places[coldest].column].heat >= column->heat * HEAT_GIVES_WAY)
		return false;
	drop_place(area, stripe, coldest);
	return true;
}

/* Give the stripe that is there the columns that it lacks; has it any now that it had not? */
static bool
add_places(CpuKeptArea *area, CpuKeptStripe *there, CpuKeptStripe *made, int64_t now)
{
	bool		added = false;

	for (uint32_t i = made->nplaces; i > 0; i--)
	{
		CpuKeptPlace *place = &made->places[i - 1];

		if (cpu_kept_place(there, (int) place->column) != NULL ||
			!has_place(area, there, &area->columns[place->column], now))
			continue;
		there->places[there->nplaces++] = *place;
		count_place(area, there, place, true);
		*place = made->places[--made->nplaces];
		added = true;
	}
	free_stripe(area, made);
	return added;
}

/*
 * Give the places entries of their columns; false: there is no room for one.  An entry that has
 * been found must not be taken by another of these columns, so all count a stripe meanwhile.
 */
static bool
find_entries(CpuKeptArea *area, CpuKeptStripe *made, const CpuKeptName *names, uint32_t relation)
{
	uint32_t	n = 0;

	for (; n < made->nplaces; n++)
	{
		int			number = cpu_kept_column(area, &names[n], relation, -1);

		if (number < 0)
			break;
		area->columns[number].stripes++;
		made->places[n].column = (uint32_t) number;
	}
	for (uint32_t i = 0; i < n; i++)
		area->columns[made->places[i].column].stripes--;
	return n == made->nplaces;
}

bool
cpu_kept_publish(CpuKeptArea *area, uint32_t page, const CpuKeptName *names, uint32_t relation,
				 int64_t now)
{
	CpuKeptStripe *made = stripe_in(area, page);
	CpuKeptStripe *there = cpu_kept_stripe(area, made->file, made->number);
	uint32_t   *link = bucket_of(area, made->file, made->number);

	if (!find_entries(area, made, names, relation))
	{
		free_stripe(area, made);
		return false;
	}
	if (there != NULL && is_same(there, made))
		return add_places(area, there, made, now);
	if (there != NULL && !stripe_map_is_newer(&made->map, &there->map))
	{
		free_stripe(area, made);
		return false;
	}
	if (there != NULL)
		drop_stripe(area, there);
	made->next = *link;
	*link = page;
	for (uint32_t i = 0; i < made->nplaces; i++)
		count_place(area, made, &made->places[i], true);
	return true;
}

/* Is the place's column of such an attribute?  That of a row's place is 0. */
static bool
is_among(const CpuKeptArea *area, const CpuKeptPlace *place, const uint8_t *attributes)
{
	int			attno = area->columns[place->column].name.key.attno;

	return attributes == NULL || (attributes[attno / 8] >> attno % 8 & 1) != 0;
}

/* Evict these columns of a stripe, of which runs may have some pinned. */
static void
evict_of_stripe(CpuKeptArea *area, CpuKeptStripe *stripe, const uint8_t *attributes)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < stripe->nplaces; i++)
		n += is_among(area, &stripe->places[i], attributes);
	/* without others, or with a run that reads some, it goes as a whole */
	if (n > 0 && (n == stripe->nplaces || stripe->pins > 0))
	{
		drop_stripe(area, stripe);
		return;
	}
	for (uint32_t i = stripe->nplaces; i > 0; i--)
		if (is_among(area, &stripe->places[i - 1], attributes))
			drop_place(area, stripe, i - 1);
}

uint64_t
cpu_kept_evict(CpuKeptArea *area, const uint32_t *file, const uint8_t *attributes)
{
	uint32_t	nfree = area->nfree;

	for (uint32_t i = 0; i < area->nbuckets; i++)
	{
		uint32_t	page = area->lists[i];

		while (page != 0)
		{
			CpuKeptStripe *stripe = stripe_in(area, page);

			page = stripe->next;
			if (memcmp(stripe->file, file, sizeof(stripe->file)) == 0)
				evict_of_stripe(area, stripe, attributes);
		}
	}
	return (uint64_t) (area->nfree - nfree) * CPU_KEPT_PAGE;
}
