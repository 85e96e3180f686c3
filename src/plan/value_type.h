/*
 * value_type.h
 *	  From PostgreSQL's types to those of values in a Program.
 */
#ifndef GPUAGG_VALUE_TYPE_H
#define GPUAGG_VALUE_TYPE_H

#include "nodes/primnodes.h"

#include "program/program.h"

/* The ValueType of values of a PostgreSQL type, or -1 if it has none. */
extern int	value_type_of(Oid type);

/*
 * The type of parameters that are no values of their expressions but made of them: a
 * text relabelled so stands for the rules of the time zone that it names, NULL
 * for those of the session's.  An array stands for the set of its elements.
 */
#define PARAM_ZONE_TYPE PG_NODE_TREEOID

/* Of parameters that are an array of numbers of 8 bytes: a bytea relabelled so has them. */
#define PARAM_NUMBERS_TYPE PG_MCV_LISTOID

/* Of parameters that are made of a look-up's rows: a constant, which says which parameter it is. */
#define PARAM_LOOKUP_TYPE PG_DEPENDENCIESOID

/* The ValueType of a parameter with that expression. */
extern ValueType param_value_type(const Expr *expr);

#endif							/* GPUAGG_VALUE_TYPE_H */
