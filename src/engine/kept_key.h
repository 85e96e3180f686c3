/*
 * kept_key.h
 *	  What decides a kept column's values.
 */
#ifndef GPUAGG_KEPT_KEY_H
#define GPUAGG_KEPT_KEY_H

#include "program/program.h"

/* All that decides what a column's values are; compared as bytes. */
typedef struct KeptKey
{
	int16_t		attno;			/* as in Column: */
	uint8_t		type;
	uint8_t		nullable;
	uint8_t		numeric;
	uint8_t		scale;
	uint8_t		presence;
	uint8_t		has_missing;	/* tuples that are too short have a value: */
	uint64_t	missing[2];
} KeptKey;

/* Of a Program's column; false: what decides its values is too long for a key. */
extern bool kept_key(const Column *column, const ParamValue *params, KeptKey *key);

#endif							/* GPUAGG_KEPT_KEY_H */
