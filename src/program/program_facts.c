/*
 * program_facts.c
 *	  Facts about types, operations and accumulators.  Plain C without postgres.h.
 */
#include "program.h"

typedef struct OpFacts
{
	const char *name;
	uint8_t		nargs;
	uint8_t		result;
	uint8_t		args[3];
	bool		checked;
} OpFacts;

/* The types of the first few are those of their operands, or of no matter. */
static const OpFacts op_facts[OP_COUNT] = {
	[OP_column] = {"column", 0, VT_COUNT, {VT_COUNT, VT_COUNT}, false},
	[OP_param] = {"param", 0, VT_COUNT, {VT_COUNT, VT_COUNT}, false},
	[OP_and] = {"and", 2, VT_BOOL, {VT_BOOL, VT_BOOL}, false},
	[OP_or] = {"or", 2, VT_BOOL, {VT_BOOL, VT_BOOL}, false},
	[OP_isnull] = {"isnull", 1, VT_BOOL, {VT_COUNT, VT_COUNT}, false},
	[OP_isnotnull] = {"isnotnull", 1, VT_BOOL, {VT_COUNT, VT_COUNT}, false},
	[OP_select] = {"select", 3, VT_COUNT, {VT_BOOL, VT_COUNT, VT_COUNT}, false},
#define OP1(name, r, a, checked, ...) \
	[OP_##name] = {#name, 1, VT_##r, {VT_##a, VT_COUNT}, checked},
#define OP2(name, r, a, b, checked, ...) \
	[OP_##name] = {#name, 2, VT_##r, {VT_##a, VT_##b}, checked},
#include "ops.def"
#undef OP1
#undef OP2
};

static const char *const type_names[] = {
#define TYPE(name, ctype, size, stored, class, key, shown, ...) [VT_##name] = shown,
#include "types.def"
};

static const char *const acc_names[] = {
#define ACC(name, shown, ...) [ACC_##name] = #shown,
#include "accs.def"
};

const char *
value_type_name(ValueType type)
{
	return type_names[type];
}

const char *
op_name(OpCode op)
{
	return op_facts[op].name;
}

int
op_nargs(OpCode op)
{
	return op_facts[op].nargs;
}

ValueType
op_result(OpCode op)
{
	return (ValueType) op_facts[op].result;
}

ValueType
op_arg(OpCode op, int n)
{
	return (ValueType) op_facts[op].args[n];
}

bool
op_checked(OpCode op)
{
	return op_facts[op].checked;
}

const char *
acc_name(AccKind kind)
{
	return acc_names[kind];
}
