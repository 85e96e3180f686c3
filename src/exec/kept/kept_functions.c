/*
 * kept_functions.c
 *	  Columns that are kept, in device memory or for the CPU engine, for SQL: what there is, to
 *	  have more there, and to have less.
 *
 * gpuagg_prewarm reads the table (prewarm.c), and looks, or asks the device process, what came of
 * it.
 *
 * Who may read a column may see what is kept of it, have it kept and have it evicted, as a query
 * may read it: by the table that is named, those that inherit from it are read, too.  What is kept
 * tells of the values: in how few bits they fit, how many different texts there are.  So, as
 * pg_stats does, it is not told to whom a policy may hide rows of the table.
 *
 * Only what is kept of the table's present file counts.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/visibilitymap.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "exec/kept/prewarm.h"
#include "guc.h"
#include "handle/cpu_cache.h"
#include "handle/select.h"
#include "service/client/session.h"
#include "source/visibility.h"

PG_FUNCTION_INFO_V1(gpuagg_cache_list);
PG_FUNCTION_INFO_V1(gpuagg_evict);
PG_FUNCTION_INFO_V1(gpuagg_prewarm);

/* False also if the table, or the column, is gone. */
static bool
may_read_column(Oid relid, AttrNumber attno)
{
	bool		missing = false;

	return pg_class_aclcheck_ext(relid, GetUserId(), ACL_SELECT, &missing) == ACLCHECK_OK ||
		pg_attribute_aclcheck_ext(relid, attno, GetUserId(), ACL_SELECT, &missing) == ACLCHECK_OK;
}

static bool
may_read_any_column(Oid relid)
{
	return pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck_all(relid, GetUserId(), ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK;
}

static bool
hides_rows(Oid relid)
{
	return check_enable_rls(relid, InvalidOid, true) == RLS_ENABLED;
}

/* A column's name, of rows' places that of ctid; NULL: the table, or the column, is gone. */
static char *
column_name(Oid relid, AttrNumber attno)
{
	HeapTuple	tuple = SearchSysCacheAttNum(relid, attno == COLUMN_PLACE ?
											 SelfItemPointerAttributeNumber : attno);
	char	   *name;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	name = pstrdup(NameStr(((Form_pg_attribute) GETSTRUCT(tuple))->attname));
	ReleaseSysCache(tuple);
	return name;
}

/* Is it of a table of this database, and of the file that this has now? */
static bool
is_of_present_file(const CacheRow *row)
{
	HeapTuple	tuple;
	Form_pg_class class;
	Oid			tablespace;
	bool		present;

	if (row->file[1] != MyDatabaseId)
		return false;
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(row->relation));
	if (!HeapTupleIsValid(tuple))
		return false;
	class = (Form_pg_class) GETSTRUCT(tuple);
	tablespace = OidIsValid(class->reltablespace) ? class->reltablespace : MyDatabaseTableSpace;
	present = row->file[0] == tablespace && row->file[2] == class->relfilenode;
	ReleaseSysCache(tuple);
	return present;
}

/* A column that the user may be told of, or NULL: its name. */
static char *
visible_column(const CacheRow *row)
{
	if (!is_of_present_file(row) || !may_read_column(row->relation, row->attno) ||
		hides_rows(row->relation))
		return NULL;
	return column_name(row->relation, row->attno);
}

/* Of what is kept of an open table, the share that a query would take now, at most. */
static double
share_of_table(Relation relation, const CacheRow *row)
{
	const uint32 file[3] = COMPAT_FILE(relation->rd_locator);
	BlockNumber all_visible;

	if (memcmp(file, row->file, sizeof(file)) != 0 || !table_columns_may_stay(relation))
		return 0;
	visibilitymap_count(relation, &all_visible, NULL);
	return row->blocks == 0 ? 0 : Min(1.0, (double) all_visible / row->blocks);
}

/* The same; *isnull: nobody knows, since the table is locked.  Does not wait for it. */
static double
valid_share(const CacheRow *row, bool *isnull)
{
	double		share = 0;
	Relation	relation;

	*isnull = !ConditionalLockRelationOid(row->relation, AccessShareLock);
	if (*isnull)
		return 0;
	relation = try_relation_open(row->relation, NoLock);
	if (relation != NULL)
	{
		share = share_of_table(relation, row);
		relation_close(relation, NoLock);
	}
	UnlockRelationOid(row->relation, AccessShareLock);
	return share;
}

/* One row, unless the user may not be told of the column. */
static void
put_column(ReturnSetInfo *result, const CacheRow *row, bool on_device)
{
	char	   *name = visible_column(row);
	Datum		values[11];
	bool		isnull[11] = {false};

	if (name == NULL)
		return;
	values[0] = ObjectIdGetDatum(row->relation);
	values[1] = CStringGetTextDatum(name);
	values[2] = Int64GetDatum((int64) row->rows);
	values[3] = Int64GetDatum((int64) row->bytes);
	values[4] = Int64GetDatum((int64) row->plain_bytes);
	values[5] = Int64GetDatum((int64) row->blocks);
	values[6] = Int64GetDatum((int64) row->hits);
	values[7] = TimestampTzGetDatum(time_t_to_timestamptz((pg_time_t) row->last_used));
	isnull[7] = row->last_used == 0;
	values[8] = Float8GetDatum(valid_share(row, &isnull[8]));
	values[9] = Int32GetDatum((int32) row->device);
	values[10] = Int64GetDatum((int64) row->host_bytes);
	isnull[9] = isnull[10] = !on_device;
	tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
}

static void
put_cache(Message *answer, void *argument)
{
	for (uint32 i = 0; i < answer->cache.nrows; i++)
		put_column(argument, &message_cache(answer)[i], true);
}

/* A column that the CPU engine keeps, as one of a device. */
static CacheRow
cache_row(const CpuCacheColumn *column)
{
	return (CacheRow)
	{
		.file = {column->file[0], column->file[1], column->file[2]},
			.relation = column->relation,.attno = column->attno,.rows = column->rows,
			.bytes = column->bytes,.plain_bytes = column->plain_bytes,.blocks = column->blocks,
			.hits = column->hits,.last_used = column->last_used
	};
}

static void
put_cpu_cache(ReturnSetInfo *result)
{
	int			n;
	const CpuCacheColumn *columns = cpu_cache_columns(&n);

	for (int i = 0; i < n; i++)
	{
		CacheRow	row = cache_row(&columns[i]);

		put_column(result, &row, false);
	}
}

/*
 * One row for each way in which a column is kept, in device memory, as a device process tells, or
 * in shared memory.
 */
Datum
gpuagg_cache_list(PG_FUNCTION_ARGS)
{
	char		why[256];

	InitMaterializedSRF(fcinfo, 0);
	put_cpu_cache((ReturnSetInfo *) fcinfo->resultinfo);
	(void) session_ask(QUESTION_CACHE, InvalidOid, put_cache, fcinfo->resultinfo, why);
	return (Datum) 0;
}

static void
check_may_read(Oid relid, bool may)
{
	if (!may)
		aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(get_rel_relkind(relid)),
					   get_rel_name(relid));
}

/*
 * May the user read a column of a table, which is the named one or inherits from it?  A query of
 * the named one needs privileges for that only.
 */
static bool
may_read_inherited(Oid named, Oid relid, AttrNumber attno)
{
	char	   *name = column_name(relid, attno);
	AttrNumber	inherited = name != NULL ? get_attnum(named, name) : InvalidAttrNumber;

	return (inherited > 0 && may_read_column(named, inherited)) || may_read_column(relid, attno);
}

/* Attributes of a table, dropped ones included; 0: it is gone. */
static int
count_attributes(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	int			n;

	if (!HeapTupleIsValid(tuple))
		return 0;
	n = ((Form_pg_class) GETSTRUCT(tuple))->relnatts;
	ReleaseSysCache(tuple);
	return n;
}

/* Those of a table's attributes that the user may read; who may read all, also dropped ones. */
static void
find_readable(Oid named, Oid relid, uint8 *attributes)
{
	int			natts = count_attributes(relid);
	bool		missing = false;

	memset(attributes, 0, ATTRIBUTE_BITS);
	if (pg_class_aclcheck_ext(relid, GetUserId(), ACL_SELECT, &missing) == ACLCHECK_OK)
		memset(attributes, 0xff, ATTRIBUTE_BITS);
	else
		for (int i = 1; i <= natts; i++)
			if (may_read_inherited(named, relid, i))
				attributes[i / 8] |= 1 << i % 8;
}

/* The same of what the CPU engine keeps; the table is locked, and may be gone. */
static int64
evict_cpu_cache(Oid relid, const uint8 *attributes)
{
	Relation	relation = try_relation_open(relid, AccessShareLock);
	int64		bytes = 0;

	if (relation == NULL)
		return 0;
	if (RELKIND_HAS_STORAGE(relation->rd_rel->relkind))
		bytes = cpu_cache_evict(relation, attributes);
	relation_close(relation, NoLock);
	return bytes;
}

/*
 * The bytes that have been given back, of the columns that the user may read, of a table and of
 * all that inherit from it.
 */
Datum
gpuagg_evict(PG_FUNCTION_ARGS)
{
	Oid			relid = PG_GETARG_OID(0);
	int64		bytes = 0;
	uint8		attributes[ATTRIBUTE_BITS];
	ListCell   *lc;

	check_may_read(relid, may_read_any_column(relid));
	foreach(lc, find_all_inheritors(relid, AccessShareLock, NULL))
	{
		find_readable(relid, lfirst_oid(lc), attributes);
		bytes += session_evict(lfirst_oid(lc), attributes);
		bytes += evict_cpu_cache(lfirst_oid(lc), attributes);
	}
	if (hides_rows(relid))
		PG_RETURN_NULL();
	PG_RETURN_INT64(bytes);
}

static Relation
open_table(Oid relid, bool in_memory)
{
	Relation	relation = relation_open(relid, AccessShareLock);
	char		relkind = relation->rd_rel->relkind;

	if (relkind != RELKIND_RELATION && relkind != RELKIND_MATVIEW &&
		relkind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a table or materialized view",
						RelationGetRelationName(relation))));
	/* partitions are looked at when they are read */
	if (relkind != RELKIND_PARTITIONED_TABLE && !table_columns_may_stay(relation))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("columns of table \"%s\" cannot be kept in %s",
						RelationGetRelationName(relation), prewarm_place(in_memory)),
				 errdetail("The table is not WAL-logged, a system catalog, or new in this transaction, or old_snapshot_threshold is set.")));
	return relation;
}

/* All columns that the user may read. */
static Bitmapset *
readable_columns(Relation relation)
{
	TupleDesc	desc = RelationGetDescr(relation);
	Bitmapset  *attnos = NULL;

	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped &&
			may_read_column(RelationGetRelid(relation), i + 1))
			attnos = bms_add_member(attnos, i + 1);
	check_may_read(RelationGetRelid(relation), attnos != NULL);
	return attnos;
}

static Bitmapset *
named_columns(Relation relation, ArrayType *names)
{
	Oid			relid = RelationGetRelid(relation);
	Bitmapset  *attnos = NULL;
	Datum	   *values;
	bool	   *isnull;
	int			n;

	deconstruct_array(names, TEXTOID, -1, false, TYPALIGN_INT, &values, &isnull, &n);
	for (int i = 0; i < n; i++)
	{
		char	   *name = isnull[i] ? "" : TextDatumGetCString(values[i]);
		AttrNumber	attno = get_attnum(relid, name);

		if (attno <= 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of relation \"%s\" does not exist",
							name, RelationGetRelationName(relation))));
		check_may_read(relid, may_read_column(relid, attno));
		attnos = bms_add_member(attnos, attno);
	}
	return attnos;
}

/* What is kept of a table and of those that inherit from it. */
typedef struct Kept
{
	List	   *relids;
	Relation	relation;		/* the table itself */
	Bitmapset  *attnos;			/* of its columns, all that are kept of any table */
	int64		bytes;			/* of columns that the user may read */
} Kept;

static void
take_column(Kept *kept, const CacheRow *row)
{
	Oid			relid = RelationGetRelid(kept->relation);
	char	   *name;

	if (!list_member_oid(kept->relids, row->relation) || !is_of_present_file(row) ||
		!may_read_inherited(relid, row->relation, row->attno))
		return;
	kept->bytes += (int64) row->bytes;
	name = column_name(row->relation, row->attno);
	if (name != NULL)
		kept->attnos = bms_add_member(kept->attnos, Max(get_attnum(relid, name), 0));
}

static void
take_kept(Message *answer, void *argument)
{
	for (uint32 i = 0; i < answer->cache.nrows; i++)
		take_column(argument, &message_cache(answer)[i]);
}

static void
find_kept(Kept *kept, bool in_memory)
{
	CpuCacheColumn *columns;
	char		why[256];
	int			n;

	if (!in_memory)
	{
		(void) session_ask(QUESTION_CACHE, InvalidOid, take_kept, kept, why);
		return;
	}
	columns = cpu_cache_columns(&n);
	for (int i = 0; i < n; i++)
	{
		CacheRow	row = cache_row(&columns[i]);

		take_column(kept, &row);
	}
}

/*
 * Tell of the columns that were asked for, and are not there; where rows are hidden, only if it is
 * no matter of their values.
 */
static void
report_missing(const KeepRequest *request, const Kept *kept)
{
	bool		hidden = hides_rows(request->relid);
	int			attno = -1;

	while ((attno = bms_next_member(request->attnos, attno)) >= 0)
	{
		const char *reason = request->reasons[attno];

		if (bms_is_member(attno, kept->attnos) || (hidden && reason == NULL))
			continue;
		ereport(NOTICE,
				(errmsg("column \"%s\" of table \"%s\" is not kept in %s",
						get_attname(request->relid, attno, false),
						RelationGetRelationName(kept->relation),
						prewarm_place(request->in_memory)),
				 reason != NULL ? errdetail_internal("%s", reason) :
				 request->in_memory ?
				 errhint("What is kept are numbers, dates, texts and the like, of blocks that VACUUM has found all-visible, as gpuagg.cpu_cache_size allows.") :
				 errhint("What is kept are numbers, dates, texts and the like, but no texts that are nearly all different or stored compressed or out of line, of blocks that VACUUM has found all-visible, as gpuagg.cache_size allows.")));
	}
}

/* Does gpuagg.engine have queries run by the CPU engine? */
static bool
uses_cpu_engine(void)
{
	const EngineOps *ops = engine_chosen(gpuagg_engine);

	if (ops != NULL)
		return ops->stripes != NULL;
	return cpu_cache_is_on() && !engine_device_answers();
}

static void
check_cache_is_on(bool in_memory)
{
	if (in_memory ? !cpu_cache_is_on() : gpuagg_cache_size == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("no columns are kept in %s", prewarm_place(in_memory)),
				 in_memory ?
				 errhint("Set gpuagg.cpu_cache_size, with gpuagg in shared_preload_libraries, and restart the server.") :
				 errhint("Set gpuagg.cache_size.")));
}

static Datum
prewarm_result(FunctionCallInfo fcinfo, int64 rows, const Kept *kept, instr_time begin)
{
	TupleDesc	desc;
	Datum		values[3];
	bool		isnull[3] = {false};
	instr_time	duration;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	INSTR_TIME_SET_CURRENT(duration);
	INSTR_TIME_SUBTRACT(duration, begin);
	values[0] = Int64GetDatum(rows);
	values[1] = Int64GetDatum(kept->bytes);
	isnull[1] = hides_rows(RelationGetRelid(kept->relation));
	values[2] = Float8GetDatum(INSTR_TIME_GET_DOUBLE(duration));
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, isnull));
}

/*
 * Have columns of a table kept, all by default: its rows, what is kept of it now in bytes,
 * and how long it took.
 */
Datum
gpuagg_prewarm(PG_FUNCTION_ARGS)
{
	KeepRequest request = {0};
	Kept		kept = {0};
	instr_time	begin;
	int64		rows;
	Datum		result;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	INSTR_TIME_SET_CURRENT(begin);
	request.in_memory = uses_cpu_engine();
	check_cache_is_on(request.in_memory);
	request.relid = PG_GETARG_OID(0);
	/* who may read nothing of the table does not wait for it, nor lock it */
	check_may_read(request.relid, may_read_any_column(request.relid));
	kept.relation = open_table(request.relid, request.in_memory);
	request.attnos = PG_ARGISNULL(1) ? readable_columns(kept.relation) :
		named_columns(kept.relation, PG_GETARG_ARRAYTYPE_P(1));
	rows = prewarm_columns(kept.relation, true, &request);
	kept.relids = find_all_inheritors(request.relid, AccessShareLock, NULL);
	find_kept(&kept, request.in_memory);
	report_missing(&request, &kept);
	result = prewarm_result(fcinfo, rows, &kept, begin);
	relation_close(kept.relation, NoLock);
	return result;
}
