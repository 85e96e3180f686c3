/*
 * seen_pages.c
 *	  What a session has seen of pages that it reads again in its next runs.
 *
 * Of a table whose columns stay with the engine, each run reads the blocks that have changed
 * since, until they are kept anew.  To find out which of a page's tuples a snapshot sees takes
 * a cache miss for nearly each tuple.  So the session remembers which ones they are, and where the
 * page is.  It is exact for a later run if
 *
 * - the page has the same LSN.  Whatever else than hint bits is changed on a page of such a table
 *	 is WAL-logged and gives it another one (visibility.c), so the page has the same tuples;
 *
 * - nothing is left to the snapshot: each tuple is visible or gone for all snapshots whose xmin
 *	 is not before that of the snapshot which saw it.  Of a visible one the inserter is known to
 *	 have committed and precedes that xmin, and nobody has deleted it.  Of one that is gone the
 *	 inserter has aborted, or the deleter is known to have committed and precedes that xmin.
 *	 All that precedes a snapshot's xmin is over for it (XidInMVCCSnapshot), its own
 *	 transaction's changes do not (GetSnapshotData).  heap.c decides it by hint bits, which
 *	 are never taken back;
 *
 * - the snapshot's xmin is not before that xmin.  So older snapshots, also those of REPEATABLE
 *	 READ and of cursors, look at the tuples.
 *
 * Files are known by their name, as engines know them (visibility.c).
 *
 * Each table has two arrays in the order of blocks, of the last run and of the one going on,
 * which change places at its end.  After an error the one of the last run is as it was.  The tables
 * that were read least lately go, if there are too many pages, or too many tables.
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "port/pg_bitutils.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "source/seen_pages.h"

/* Room for pages, of all tables together: 4 MB. */
#define MOST_PAGES 65536

/* A table itself takes about as much as so many pages. */
#define TABLE_PAGES 4

typedef struct SeenList
{
	SeenPage   *pages;
	uint64		n;
	uint64		room;
} SeenList;

struct SeenPages
{
	uint32		file[3];		/* the key */
	dlist_node	node;
	SeenList	last;			/* of the last run */
	SeenList	next;			/* of this one */
	uint64		found;			/* the last run's pages before this one are behind the run */
};

/* By file: a run may read thousands of partitions. */
static HTAB *tables_by_file = NULL;

/* The one read last comes first. */
static dlist_head tables = DLIST_STATIC_INIT(tables);
static uint64 room_of_all = 0;

/* Find the table, or make one without pages. */
static SeenPages *
find_table(const uint32 *file)
{
	SeenPages  *pages;
	bool		found;

	if (tables_by_file == NULL)
	{
		HASHCTL		info = {.keysize = sizeof(pages->file),.entrysize = sizeof(SeenPages)};

		tables_by_file = hash_create("gpuagg seen pages", 64, &info, HASH_ELEM | HASH_BLOBS);
	}
	pages = hash_search(tables_by_file, file, HASH_ENTER, &found);
	if (!found)
	{
		pages->last = (SeenList) {0};
		pages->next = (SeenList) {0};
		dlist_push_head(&tables, &pages->node);
		room_of_all += TABLE_PAGES;
	}
	return pages;
}

static void
free_list(SeenList *list)
{
	room_of_all -= list->room;
	if (list->pages != NULL)
		pfree(list->pages);
	*list = (SeenList) {0};
}

static void
forget_table(SeenPages *pages)
{
	free_list(&pages->last);
	free_list(&pages->next);
	dlist_delete(&pages->node);
	room_of_all -= TABLE_PAGES;
	hash_search(tables_by_file, pages->file, HASH_REMOVE, NULL);
}

/* Empty the list, and let it have room for n pages. */
static void
make_room(SeenList *list, uint64 n)
{
	list->n = 0;
	if (n <= list->room)
		return;
	free_list(list);
	list->pages = MemoryContextAlloc(TopMemoryContext, n * sizeof(SeenPage));
	list->room = n;
	room_of_all += n;
}

SeenPages *
seen_pages_begin(Relation relation, uint64 npages)
{
	const uint32 file[3] = COMPAT_FILE(relation->rd_locator);
	SeenPages  *pages;

	/* with those of its last run, the table must have room alone */
	if (npages == 0 || npages > (MOST_PAGES - TABLE_PAGES) / 2)
		return NULL;
	pages = find_table(file);
	dlist_move_head(&tables, &pages->node);
	pages->found = 0;
	make_room(&pages->next, npages);
	while (room_of_all > MOST_PAGES && dlist_tail_node(&tables) != &pages->node)
		forget_table(dlist_tail_element(SeenPages, node, &tables));
	return pages;
}

const SeenPage *
seen_pages_find(SeenPages *pages, BlockNumber block)
{
	const SeenList *last = &pages->last;

	while (pages->found < last->n && last->pages[pages->found].block < block)
		pages->found++;
	if (pages->found == last->n || last->pages[pages->found].block != block)
		return NULL;
	return &last->pages[pages->found];
}

void
seen_pages_add(SeenPages *pages, const SeenPage *page)
{
	if (pages->next.n < pages->next.room)
		pages->next.pages[pages->next.n++] = *page;
}

void
seen_pages_end(SeenPages *pages)
{
	SeenList	last = pages->last;

	pages->last = pages->next;
	pages->next = last;
}

void
seen_page_set_lines(SeenPage *page, const OffsetNumber *lines, uint32 n)
{
	memset(page->visible, 0, sizeof(page->visible));
	page->nvisible = n;
	for (uint32 i = 0; i < n; i++)
	{
		uint32		bit = lines != NULL ? (uint32) lines[i] - FirstOffsetNumber : i;

		page->visible[bit / 64] |= UINT64CONST(1) << bit % 64;
	}
}

/* By runs of neighbouring lines, of which nearly all pages have few. */
void
seen_page_lines(const SeenPage *page, OffsetNumber *lines)
{
	uint32		n = 0;

	for (int word = 0; word < SEEN_WORDS; word++)
	{
		uint64		bits = page->visible[word];

		while (bits != 0)
		{
			int			first = pg_rightmost_one_pos64(bits);
			uint64		gaps = ~(bits >> first);
			int			run = gaps == 0 ? 64 : pg_rightmost_one_pos64(gaps);
			OffsetNumber line = (OffsetNumber) (word * 64 + first + FirstOffsetNumber);

			for (int i = 0; i < run; i++)
				lines[n++] = line++;
			/* by two shifts: one by 64 means nothing in C */
			bits &= ~(UINT64_MAX >> (64 - run) << first);
		}
	}
}
