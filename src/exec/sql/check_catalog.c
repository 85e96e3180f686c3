/*
 * check_catalog.c
 *	  Checks of what the catalogs say: gpuagg_check().
 *
 * Catalogs are read as the user who asks, in the query's snapshot.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "compat.h"
#include "exec/sql/gpuagg_check.h"
#include "stats/stats.h"

/* A table whose pages are mostly not all-visible is read slower (source/heap.c). */
#define ENOUGH_VISIBLE 0.9

/* Run a query; true: it has rows.  Ends with SPI_finish. */
static bool
begin_query(const char *query)
{
	SPI_connect();
	if (SPI_execute(query, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not execute \"%s\"", query);
	return SPI_processed > 0;
}

/* A column of a row of the query, from 1; NULL: it is. */
static const char *
query_value(uint64 row, int column)
{
	return SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column);
}

void
check_extension(ReturnSetInfo *result)
{
	const char *version = "";
	const char *seen;

	if (begin_query("SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'gpuagg'"))
		version = query_value(0, 1);
	seen = psprintf("extension %s, library %s", version, GPUAGG_VERSION);
	if (strcmp(version, GPUAGG_VERSION) == 0)
		check_put(result, "extension version", CHECK_OK, seen, NULL);
	else
		check_put(result, "extension version", CHECK_WARNING, seen,
				  "Restart the server if a new library is installed, then run ALTER EXTENSION gpuagg "
				  "UPDATE.");
	SPI_finish();
}

/*
 * Where session_preload_libraries is set for a database or a role, the server's value does not
 * count there.  With shared_preload_libraries it does not matter.
 */
void
check_session_libraries(ReturnSetInfo *result)
{
	const char *where = NULL;

	if (begin_query("SELECT string_agg(concat_ws(', ',"
					"     'database ' || d.datname, 'role ' || r.rolname), '; '"
					"     ORDER BY d.datname, r.rolname)"
					" FROM pg_catalog.pg_db_role_setting s"
					" CROSS JOIN LATERAL unnest(s.setconfig) c"
					" LEFT JOIN pg_catalog.pg_database d ON d.oid = s.setdatabase"
					" LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.setrole"
					" WHERE starts_with(c, 'session_preload_libraries=')"
					" AND c !~ '\\mgpuagg\\M'"))
		where = query_value(0, 1);
	if (where == NULL)
		check_put(result, "session_preload_libraries", CHECK_OK,
				  "not set without gpuagg for any database or role", NULL);
	else
		check_put(result, "session_preload_libraries", stats_are_kept() ? CHECK_OK : CHECK_NOTICE,
				  psprintf("set without gpuagg for %s", where),
				  stats_are_kept() ? NULL : "Add gpuagg there, or to shared_preload_libraries.");
	SPI_finish();
}

/*
 * Tables of 1,000 pages or more that the user may read, the largest five.  A table that nothing
 * has vacuumed or analyzed yet is known by the rows that statistics have counted.
 */
#define LARGE_TABLES \
	"SELECT format('%I.%I', n.nspname, c.relname)," \
	"     CASE WHEN c.relpages > 0" \
	"         THEN 1.0 * c.relallvisible / c.relpages ELSE 0 END" \
	" FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace," \
	"     LATERAL (SELECT CASE WHEN c.relpages > 0 THEN c.relpages" \
	"         ELSE pg_stat_get_live_tuples(c.oid) / 100 END AS pages) p" \
	" WHERE c.relkind IN ('r', 'm') AND p.pages >= 1000" \
	" AND n.nspname <> 'pg_catalog'" \
	" AND has_schema_privilege(n.oid, 'USAGE')" \
	" AND has_any_column_privilege(c.oid, 'SELECT')" \
	" ORDER BY p.pages DESC, c.oid LIMIT 5"

void
check_visibility(ReturnSetInfo *result)
{
	if (!begin_query(LARGE_TABLES))
		check_put(result, "visibility map", CHECK_OK, "no large tables", NULL);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		double		visible = strtod(query_value(i, 2), NULL);
		bool		enough = visible >= ENOUGH_VISIBLE;

		check_put(result, "visibility map", enough ? CHECK_OK : CHECK_NOTICE,
				  psprintf("%s: %.0f %% of the pages not all-visible", query_value(i, 1),
						   100 * (1 - visible)),
				  enough ? NULL : "Run VACUUM: such pages are read slower, and columns of them are not "
				  "kept on a device.");
	}
	SPI_finish();
}

void
check_default_collation(ReturnSetInfo *result)
{
	bool		bytes = compat_collates_as_c(DEFAULT_COLLATION_OID);

	begin_query("SELECT datcollate FROM pg_catalog.pg_database"
				" WHERE datname = current_database()");
	check_put(result, "collation", bytes ? CHECK_OK : CHECK_NOTICE,
			  psprintf("texts are ordered %s (%s, %s)", bytes ? "by their bytes" : "by a language's rules",
					   query_value(0, 1), GetDatabaseEncodingName()),
			  bytes ? NULL : "Use COLLATE \"C\" for columns whose order has no need of a language: "
			  "PostgreSQL computes <, >, min and max of other texts itself.");
	SPI_finish();
}
