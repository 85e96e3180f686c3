/*
 * takes_rows.c
 *	  Queries whose rows are those of their FROM that pass WHERE.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"

#include "plan/query/grouped_subquery.h"
#include "plan/query/takes_rows.h"

/* A constant number of rows, or one more than `most`; -1: it is none. */
static int64
constant_rows(const Node *count, int64 most)
{
	const Const *value = (const Const *) folded_safely(count);

	if (count == NULL)
		return 0;
	if (value == NULL || !IsA(value, Const) || value->constisnull || DatumGetInt64(value->constvalue) < 0)
		return -1;
	return Min(DatumGetInt64(value->constvalue), most + 1);
}

int64
query_rows_reached(const Query *query, int64 most)
{
	int64		count = constant_rows(query->limitCount, most);
	int64		offset = constant_rows(query->limitOffset, most);

	if (count <= 0 || offset < 0 || count + offset > most ||
		query->limitOption == LIMIT_OPTION_WITH_TIES)
		return 0;
	return count + offset;
}

Const *
make_count(int64 count)
{
	return makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(count), false,
					 FLOAT8PASSBYVAL);
}
