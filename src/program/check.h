/*
 * check.h
 *	  Is a Program that somebody else has made one that an engine can run?
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_CHECK_H
#define GPUAGG_CHECK_H

#include "program.h"

/*
 * Are these bytes, aligned as a Program, one: do they hold together, so that no reader
 * comes to an index, a type or a size outside of what there is?  params: of the values
 * that it will run with, nparams of them, which are checked with it.  If not, why.
 */
extern bool program_check(const void *bytes, size_t size, const ParamValue *params,
						  size_t nparams, char *why, size_t len);

/*
 * Of a Program that is good but for the bytes of this parameter, a table, which were not there
 * then: can all operations that read them do so?
 */
extern bool program_check_table(const Program *program, const ParamValue *params, int param);

/* The same of columns that the Program, which is good, does not have. */
extern bool program_check_columns(const Program *program, const ParamValue *params,
								  const Column *columns, size_t ncolumns, char *why,
								  size_t len);

#endif							/* GPUAGG_CHECK_H */
