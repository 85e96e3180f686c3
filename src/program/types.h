/*
 * types.h
 *	  How values stand in column batches and in registers, as types.def has it.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_TYPES_H
#define GPUAGG_TYPES_H

#include "fn.h"

typedef enum ValueType
{
#define TYPE(name, ...) VT_##name,
#include "types.def"
	VT_COUNT
} ValueType;

typedef enum ValueClass
{
	CLASS_INTEGER,
	CLASS_FLOAT,
	CLASS_BYTES,
	CLASS_WIDE,
	CLASS_TEXT,
	CLASS_NONE					/* of VT_COUNT, which is no type */
} ValueClass;

GA_FN ValueClass
value_class(ValueType type)
{
	switch (type)
	{
#define TYPE(name, ctype, size, stored, class, ...) case VT_##name: return CLASS_##class;
#include "types.def"
		case VT_COUNT:
			break;
	}
	return CLASS_NONE;
}

/* Bytes of a value in a column vector; 0: TEXT. */
GA_FN int
value_type_size(ValueType type)
{
	switch (type)
	{
#define TYPE(name, ctype, size, ...) case VT_##name: return size;
#include "types.def"
		case VT_COUNT:
			break;
	}
	return 0;
}

/* Bytes of a value in a tuple; 0: a varlena. */
GA_FN int
value_type_stored(ValueType type)
{
	switch (type)
	{
#define TYPE(name, ctype, size, stored, ...) case VT_##name: return stored;
#include "types.def"
		case VT_COUNT:
			break;
	}
	return 0;
}

/* Can groups have it as a key? */
GA_FN bool
value_is_key(ValueType type)
{
	switch (type)
	{
#define TYPE(name, ctype, size, stored, class, key, ...) case VT_##name: return key;
#include "types.def"
		case VT_COUNT:
			break;
	}
	return false;
}

/* Is it a number in one word?  BOOL is one. */
GA_FN bool
value_is_integer(ValueType type)
{
	return value_class(type) == CLASS_INTEGER;
}

GA_FN bool
value_is_float(ValueType type)
{
	return value_class(type) == CLASS_FLOAT;
}

/* Is its parameter's value bytes of the type's size? */
GA_FN bool
value_is_bytes(ValueType type)
{
	return value_class(type) == CLASS_BYTES;
}

/* Do its bits take whole words of a key, as many as they are? */
GA_FN bool
value_is_words(ValueType type)
{
	return value_class(type) == CLASS_BYTES || value_class(type) == CLASS_WIDE;
}

#endif							/* GPUAGG_TYPES_H */
