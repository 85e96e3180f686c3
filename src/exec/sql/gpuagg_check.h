/*
 * gpuagg_check.h
 *	  What checks of settings and of the machine have in common.
 */
#ifndef GPUAGG_CHECK_ROWS_H
#define GPUAGG_CHECK_ROWS_H

#include "nodes/execnodes.h"

typedef enum CheckStatus
{
	CHECK_OK,
	CHECK_NOTICE,				/* works; something else would be better for some */
	CHECK_WARNING				/* something does not work as it is set */
} CheckStatus;

/* A row of the result.  advice: what to do; NULL: nothing. */
extern void check_put(ReturnSetInfo *result, const char *name, CheckStatus status,
					  const char *seen, const char *advice);

/* May the user see what pg_settings hides from others? */
extern bool check_may_see_all(void);

/* PostgreSQL's settings and gpuagg's; check_settings.c. */
extern void check_server(ReturnSetInfo *result);
extern void check_shared_libraries(ReturnSetInfo *result);
extern void check_mode(ReturnSetInfo *result);
extern void check_memory(ReturnSetInfo *result);
extern void check_workers(ReturnSetInfo *result);
extern void check_jit(ReturnSetInfo *result);

/* The engines and devices, and what of the machine matters to them; check_machine.c. */
extern void check_engine(ReturnSetInfo *result);
extern void check_devices(ReturnSetInfo *result);
extern void check_cpu_cache(ReturnSetInfo *result);
extern void check_locked_memory(ReturnSetInfo *result);
extern void check_shared_memory(ReturnSetInfo *result);
extern void check_huge_pages(ReturnSetInfo *result);

/* What catalogs say: of the extension, databases and tables; check_catalog.c. */
extern void check_extension(ReturnSetInfo *result);
extern void check_session_libraries(ReturnSetInfo *result);
extern void check_visibility(ReturnSetInfo *result);
extern void check_default_collation(ReturnSetInfo *result);

#endif							/* GPUAGG_CHECK_ROWS_H */
