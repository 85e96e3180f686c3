/*
 * codegen_types.c
 *	  The C types of values in kernels.
 */
#include "engine/cuda/codegen/codegen_parts.h"

const char *
codegen_type(ValueType type)
{
	static const char *const names[VT_COUNT] = {
#define TYPE(name, ctype, ...) #ctype,
#include "program/types.def"
	};

	return names[type];
}

const char *
codegen_column_type(ValueType type)
{
	return type == VT_TEXT ? "TextRef" : codegen_type(type);
}
