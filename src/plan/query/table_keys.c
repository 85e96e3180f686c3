/*
 * table_keys.c
 *	  Which columns of a table are a key of it.
 *
 * An index whose collation or operators tell values apart that the column's own do not proves
 * nothing, and neither does one on a table with children of its own.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "plan/query/table_keys.h"

/* Is the index one of columns among these, by which no two rows are equal? */
static bool
index_is_key(Oid oid, TupleDesc desc, const Bitmapset *columns, bool not_null)
{
	Relation	index = index_open(oid, AccessShareLock);
	Form_pg_index form = index->rd_index;
	bool		result = form->indisunique && form->indimmediate && form->indisvalid &&
		index->rd_rel->relam == BTREE_AM_OID &&
		heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL);

	for (int i = 0; i < form->indnkeyatts && result; i++)
	{
		AttrNumber	attno = form->indkey.values[i];
		Form_pg_attribute attr = attno > 0 ? TupleDescAttr(desc, attno - 1) : NULL;

		result = attr != NULL && bms_is_member(attno, columns) &&
			(!not_null || compat_is_not_null(desc, attno - 1)) &&
			index->rd_indcollation[i] == attr->attcollation &&
			index->rd_opfamily[i] == lookup_type_cache(attr->atttypid,
													   TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	}
	index_close(index, NoLock);
	return result;
}

bool
columns_are_key(const RangeTblEntry *rte, const Bitmapset *columns, bool not_null)
{
	Relation	relation;
	bool		result = false;
	ListCell   *lc;

	if (rte->rtekind != RTE_RELATION || rte->tablesample != NULL ||
		(rte->inh && rte->relkind != RELKIND_PARTITIONED_TABLE && has_subclass(rte->relid)))
		return false;
	relation = relation_open(rte->relid, NoLock);
	foreach(lc, RelationGetIndexList(relation))
		result |= index_is_key(lfirst_oid(lc), RelationGetDescr(relation), columns, not_null);
	relation_close(relation, NoLock);
	return result;
}
