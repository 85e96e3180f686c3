/*
 * verify.c
 *	  Rows as sets, to compare an engine's answer with PostgreSQL's.
 *
 * Each row's values are hashed to 128 bits, and a set's rows are added up.  So sets that
 * are equal have equal sums, whatever order their rows come in, and no difference is
 * reported that is none.  Sets that differ have equal sums once in 2^128 cases at most, if
 * the hash is a good one; its seeds are random.  Nothing is sorted, and no row is kept.
 *
 * Values are equal if their bytes are, once they are detoasted, as for record_image_eq.
 * Floats that are equal can look different, and which of them a group shows depends on the
 * order of its rows: 0 and -0, and NaNs.  These are made the same before.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "common/pg_prng.h"
#include "fmgr.h"
#include "utils/float.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "exec/node/verify.h"
#include "guc.h"
#include "service/client/session.h"

struct Verifier
{
	uint64		seeds[2];
	TupleDesc	type;
	bool	   *compared;		/* by column */
	MemoryContext row;			/* detoasted values */
};

bool
verify_is_wanted(void)
{
	return gpuagg_verify > 0 && pg_prng_double(&pg_global_prng_state) < gpuagg_verify;
}

Verifier *
verifier_create(TupleDesc rows, const Bitmapset *ignored)
{
	Verifier   *verifier = palloc(sizeof(Verifier));

	verifier->seeds[0] = pg_prng_uint64(&pg_global_prng_state);
	verifier->seeds[1] = pg_prng_uint64(&pg_global_prng_state);
	verifier->type = rows;
	verifier->compared = palloc(sizeof(bool) * rows->natts);
	for (int i = 0; i < rows->natts; i++)
		verifier->compared[i] = !bms_is_member(i + 1, ignored);
	verifier->row = AllocSetContextCreate(CurrentMemoryContext, "GpuAgg verified row",
										  ALLOCSET_SMALL_SIZES);
	return verifier;
}

static void
hash_bytes_into(uint64 *hash, const void *bytes, int len)
{
	for (int i = 0; i < 2; i++)
		hash[i] = hash_bytes_extended(bytes, len, hash[i]);
}

static void
hash_float(uint64 *hash, double value)
{
	if (isnan(value))
		value = get_float8_nan();
	value += 0.0;				/* -0 to 0 */
	hash_bytes_into(hash, &value, sizeof(value));
}

static void
hash_varlena(uint64 *hash, Datum value)
{
	struct varlena *bytes = PG_DETOAST_DATUM_PACKED(value);

	hash_bytes_into(hash, VARDATA_ANY(bytes), (int) VARSIZE_ANY_EXHDR(bytes));
}

static void
hash_value(uint64 *hash, Datum value, Form_pg_attribute attribute)
{
	if (attribute->atttypid == FLOAT4OID)
		hash_float(hash, DatumGetFloat4(value));
	else if (attribute->atttypid == FLOAT8OID)
		hash_float(hash, DatumGetFloat8(value));
	else if (attribute->attbyval)
		hash_bytes_into(hash, &value, sizeof(value));
	else if (attribute->attlen == -1)
		hash_varlena(hash, value);
	else
		hash_bytes_into(hash, DatumGetPointer(value),
						attribute->attlen > 0 ? attribute->attlen :
						(int) strlen(DatumGetCString(value)));
}

void
verifier_add(Verifier *verifier, RowSet *set, TupleTableSlot *row)
{
	MemoryContext old = MemoryContextSwitchTo(verifier->row);
	uint64		hash[2] = {verifier->seeds[0], verifier->seeds[1]};

	slot_getallattrs(row);
	for (int i = 0; i < verifier->type->natts; i++)
	{
		if (!verifier->compared[i])
			continue;
		hash_bytes_into(hash, &row->tts_isnull[i], sizeof(bool));
		if (!row->tts_isnull[i])
			hash_value(hash, row->tts_values[i],
					   (Form_pg_attribute) TupleDescAttr(verifier->type, i));
	}
	set->rows++;
	for (int i = 0; i < 2; i++)
		set->sums[i] += hash[i];
	MemoryContextSwitchTo(old);
	MemoryContextReset(verifier->row);
}

/* How much there was of them does not matter. */
static void
ignore_answer(Message *answer, void *argument)
{
}

void
verify_distrust(const SourceTable *tables, int ntables)
{
	char		why[256];

	for (int i = 0; i < ntables; i++)
		(void) session_ask(QUESTION_DISTRUST, RelationGetRelid(tables[i].relation),
						   ignore_answer, NULL, why);
}

bool
row_sets_are_equal(const RowSet *a, const RowSet *b)
{
	return a->rows == b->rows && a->sums[0] == b->sums[0] && a->sums[1] == b->sums[1];
}
