/*
 * lookup_cache.c
 *	  Look-ups that a session keeps for its next queries.
 *
 * A look-up of plain tables can be used again while each of them has the same rows.  It has
 * if it is stored in the same file, has as many blocks, all of them are all-visible or have
 * never been written, now and when the rows were read, and no page of the visibility map has
 * been written with another LSN in between: whatever changes a row clears its block's bit, and
 * setting the bit again gives the page of the map a new LSN.  All snapshots see the rows of
 * such blocks, so that the rows are right for every query of the session.
 *
 * What PostgreSQL computes of the rows by functions that it takes to be immutable can depend on
 * settings: a look-up is used again only under those it was made under.
 *
 * What a column is can change, and change back with the transaction, though no row does: one
 * that is added has its value in the catalog.  So a look-up is not used again once the
 * table's entry in the relation cache has become invalid.
 *
 * Of tables whose columns may not stay with a device (visibility.c), nothing is kept here, either:
 * changes that are not logged have no such LSNs, and rows of catalogs can change in place.
 *
 * Memory: a context below TopMemoryContext for each look-up.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/visibilitymap.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "lib/stringinfo.h"
#include "storage/bufmgr.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "exec/lookup/lookup_cache.h"
#include "source/visibility.h"

/* Larger tables than of so many pages of the visibility map, 256 MB each, have no stamp. */
#define MAX_MAP_PAGES 256

/* How many blocks may be new: sessions that load a table together leave some at its end. */
#define MAX_NEW_BLOCKS 1024

/*
 * Of floats' and bytea's output functions, quote_ident(), AT TIME ZONE with an abbreviation, XML,
 * and age() of timestamps with time zone, which PostgreSQL takes for immutable.
 */
static const char *const settings[] = {
	"extra_float_digits", "bytea_output", "quote_all_identifiers", "timezone_abbreviations",
	"xmlbinary", "xmloption", "TimeZone"
};

struct TableStamp
{
	uint32		file[3];
	BlockNumber nblocks;
	BlockNumber nnew;			/* of these, such as have never been written */
	BlockNumber npages;			/* of the visibility map */
	XLogRecPtr	lsns[FLEXIBLE_ARRAY_MEMBER];
};

typedef struct KeptLookup
{
	List	   *tables;			/* Oids */
	char	   *key;
	char	   *settings;		/* their values when it was made */
	List	   *stamps;			/* TableStamp; NIL: a table may have been altered */
	LookupResult *result;
	uint64		size;			/* of the context */
	TimestampTz used;			/* when the last transaction began that has used it */
} KeptLookup;

static List *kept_lookups = NIL;	/* KeptLookup, last used first */
static uint64 kept_bytes = 0;	/* of all contexts */

static Size
stamp_size(BlockNumber npages)
{
	return offsetof(TableStamp, lsns) + npages * sizeof(XLogRecPtr);
}

/* A page's LSN, and whether it has never been written. */
static XLogRecPtr
page_lsn(Relation relation, ForkNumber fork, BlockNumber block, bool *is_new)
{
	Buffer		buffer = ReadBufferExtended(relation, fork, block, RBM_NORMAL, NULL);
	XLogRecPtr	lsn;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	lsn = PageGetLSN(BufferGetPage(buffer));
	*is_new = PageIsNew(BufferGetPage(buffer));
	UnlockReleaseBuffer(buffer);
	return lsn;
}

/* Are so many blocks, all that are not all-visible, new ones? */
static bool
others_are_new(Relation relation, BlockNumber nblocks, BlockNumber others)
{
	Buffer		map = InvalidBuffer;
	bool		result = others <= MAX_NEW_BLOCKS;

	for (BlockNumber block = nblocks; block > 0 && others > 0 && result; block--)
	{
		if (VM_ALL_VISIBLE(relation, block - 1, &map))
			continue;
		(void) page_lsn(relation, MAIN_FORKNUM, block - 1, &result);
		others--;
	}
	if (BufferIsValid(map))
		ReleaseBuffer(map);
	return result;
}

/* The LSNs are read before the bits: a bit that is cleared and set between is seen next time. */
static TableStamp *
stamp_of(Relation relation)
{
	const uint32 file[3] = COMPAT_FILE(relation->rd_locator);
	BlockNumber nblocks = RelationGetNumberOfBlocks(relation);
	BlockNumber npages = smgrexists(RelationGetSmgr(relation), VISIBILITYMAP_FORKNUM) ?
		smgrnblocks(RelationGetSmgr(relation), VISIBILITYMAP_FORKNUM) : 0;
	BlockNumber all_visible;
	TableStamp *stamp;
	bool		is_new;

	if (npages > MAX_MAP_PAGES)
		return NULL;
	stamp = palloc0(stamp_size(npages));
	memcpy(stamp->file, file, sizeof(stamp->file));
	stamp->nblocks = nblocks;
	stamp->npages = npages;
	for (BlockNumber i = 0; i < npages; i++)
		stamp->lsns[i] = page_lsn(relation, VISIBILITYMAP_FORKNUM, i, &is_new);
	visibilitymap_count(relation, &all_visible, NULL);
	stamp->nnew = nblocks - Min(nblocks, all_visible);
	if (others_are_new(relation, nblocks, stamp->nnew) &&
		RelationGetNumberOfBlocks(relation) == nblocks)
		return stamp;
	pfree(stamp);
	return NULL;
}

/* NULL: it has none. */
static TableStamp *
table_stamp(Oid table)
{
	Relation	relation = relation_open(table, NoLock);
	TableStamp *stamp = NULL;

	if (relation->rd_rel->relam == HEAP_TABLE_AM_OID && table_columns_may_stay(relation))
		stamp = stamp_of(relation);
	relation_close(relation, NoLock);
	return stamp;
}

static bool
table_stamp_holds(const TableStamp *stamp, Oid table)
{
	TableStamp *now = table_stamp(table);
	bool		holds = now != NULL && now->npages == stamp->npages &&
		memcmp(now, stamp, stamp_size(stamp->npages)) == 0;

	if (now != NULL)
		pfree(now);
	return holds;
}

List *
table_stamps(const List *tables)
{
	List	   *stamps = NIL;
	ListCell   *lc;

	foreach(lc, tables)
	{
		TableStamp *stamp = table_stamp(lfirst_oid(lc));

		if (stamp == NULL)
			return NIL;
		stamps = lappend(stamps, stamp);
	}
	return stamps;
}

bool
table_stamps_hold(const List *stamps, const List *tables)
{
	ListCell   *stamp;
	ListCell   *table;

	forboth(stamp, stamps, table, tables)
		if (!table_stamp_holds(lfirst(stamp), lfirst_oid(table)))
			return false;
	return stamps != NIL;
}

static void
forget(KeptLookup *kept)
{
	kept_lookups = list_delete_ptr(kept_lookups, kept);
	kept_bytes -= kept->size;
	MemoryContextDelete(kept->result->context);
}

/* The table, or if the oid is invalid each, may have been altered. */
static void
table_is_invalid(Datum arg, Oid table)
{
	ListCell   *lc;

	foreach(lc, kept_lookups)
	{
		KeptLookup *kept = lfirst(lc);

		if (list_member_oid(kept->tables, table) || !OidIsValid(table))
			kept->stamps = NIL;
	}
}

static void
watch_tables(void)
{
	static bool is_watching = false;

	if (!is_watching)
		CacheRegisterRelcacheCallback(table_is_invalid, (Datum) 0);
	is_watching = true;
}

/* Does the transaction that is going on use it? */
static bool
is_in_use(const KeptLookup *kept)
{
	return kept->used >= GetCurrentTransactionStartTimestamp();
}

/* The list's own memory must last, too. */
static void
put_first(KeptLookup *kept)
{
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

	kept_lookups = lcons(kept, list_delete_ptr(kept_lookups, kept));
	kept->used = GetCurrentTransactionStartTimestamp();
	MemoryContextSwitchTo(old);
}

/* The settings' values, palloc'd. */
static char *
settings_now(void)
{
	StringInfoData values;

	initStringInfo(&values);
	for (int i = 0; i < (int) lengthof(settings); i++)
		appendStringInfo(&values, "%s;", GetConfigOption(settings[i], false, false));
	return values.data;
}

/* What was kept for the look-up, or NULL. */
static KeptLookup *
kept_for(const LookupInfo *info)
{
	char	   *values = kept_lookups == NIL ? NULL : settings_now();
	KeptLookup *found = NULL;
	ListCell   *lc;

	foreach(lc, kept_lookups)
	{
		KeptLookup *kept = lfirst(lc);

		if (equal(kept->tables, info->tables) && strcmp(kept->key, info->key) == 0 &&
			strcmp(kept->settings, values) == 0)
		{
			found = kept;
			break;
		}
	}
	if (values != NULL)
		pfree(values);
	return found;
}

LookupResult *
lookup_cache_find(const LookupInfo *info)
{
	KeptLookup *kept = kept_for(info);

	if (kept == NULL)
		return NULL;
	if (!table_stamps_hold(kept->stamps, kept->tables))
	{
		if (!is_in_use(kept))
			forget(kept);
		return NULL;
	}
	put_first(kept);
	kept->result->stats.was_kept = true;
	return kept->result;
}

bool
lookup_cache_has_table(Oid table)
{
	ListCell   *lc;

	foreach(lc, kept_lookups)
		if (list_member_oid(((const KeptLookup *) lfirst(lc))->tables, table))
			return true;
	return false;
}

bool
lookup_cache_keeps(const LookupResult *result)
{
	return MemoryContextGetParent(result->context) == TopMemoryContext;
}

bool
lookup_cache_holds(const LookupInfo *info)
{
	const KeptLookup *kept = kept_for(info);

	return kept != NULL && table_stamps_hold(kept->stamps, kept->tables);
}

/*
 * Let go what nobody can use again, and then what has not been used for longest, until so many
 * bytes are left.
 */
static void
make_room(uint64 bytes)
{
	List	   *all = list_copy(kept_lookups);
	ListCell   *lc;

	foreach(lc, all)
	{
		KeptLookup *kept = lfirst(lc);

		if (kept->stamps == NIL && !is_in_use(kept))
			forget(kept);
	}
	list_free(all);
	while (kept_bytes > bytes && kept_lookups != NIL && !is_in_use(llast(kept_lookups)))
		forget(llast(kept_lookups));
}

/* Copies in the current context. */
static List *
copy_stamps(const List *stamps)
{
	List	   *copies = NIL;
	ListCell   *lc;

	foreach(lc, stamps)
	{
		const TableStamp *stamp = lfirst(lc);
		Size		size = stamp_size(stamp->npages);

		copies = lappend(copies, memcpy(palloc(size), stamp, size));
	}
	return copies;
}

void
lookup_cache_add(const LookupInfo *info, const List *stamps, LookupResult *result, uint64 limit)
{
	MemoryContext old = MemoryContextSwitchTo(result->context);
	KeptLookup *kept = palloc(sizeof(KeptLookup));
	uint64		bytes;

	*kept = (KeptLookup)
	{
		.tables = list_copy(info->tables),.key = pstrdup(info->key),.settings = settings_now(),
		.stamps = copy_stamps(stamps),.result = result
	};
	MemoryContextSwitchTo(old);
	bytes = MemoryContextMemAllocated(result->context, true);
	if (bytes > limit)
		return;
	make_room(limit - bytes);
	if (kept_bytes + bytes > limit)
		return;
	watch_tables();
	kept->size = bytes;
	MemoryContextSetParent(result->context, TopMemoryContext);
	kept_bytes += bytes;
	put_first(kept);
}
