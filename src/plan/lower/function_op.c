/*
 * function_op.c
 *	  From functions of pg_proc to operations.
 *
 * ops.def names the functions that an operation stands for.  They are sorted by
 * Oid once per process, and found by binary search.
 */
#include "postgres.h"

#include "utils/fmgroids.h"
#include "utils/memutils.h"

#include "plan/lower/lower_parts.h"
#include "program/program.h"

typedef struct FunctionOp
{
	Oid			function;
	OpCode		op;
} FunctionOp;

/* An operation's functions, behind an InvalidOid (there may be none). */
typedef struct OpFunctions
{
	OpCode		op;
	int			count;
	const Oid  *functions;
} OpFunctions;

#define OP_FUNCTIONS(name, ...) \
	{OP_##name, lengthof(((Oid[]) {InvalidOid, ##__VA_ARGS__})), \
		(const Oid[]) {InvalidOid, ##__VA_ARGS__}},

static const OpFunctions op_functions[] = {
#define OP1(name, r, a, checked, ...) OP_FUNCTIONS(name, ##__VA_ARGS__)
#define OP2(name, r, a, b, checked, ...) OP_FUNCTIONS(name, ##__VA_ARGS__)
#include "program/ops.def"
#undef OP1
#undef OP2
};

static FunctionOp *function_ops = NULL; /* sorted; as long as the process */
static int	nfunction_ops = 0;

static int
compare_function_ops(const void *a, const void *b)
{
	Oid			x = ((const FunctionOp *) a)->function;
	Oid			y = ((const FunctionOp *) b)->function;

	return (x > y) - (x < y);
}

static void
build_function_ops(void)
{
	FunctionOp *table;
	int			n = 0;

	for (int i = 0; i < (int) lengthof(op_functions); i++)
		n += op_functions[i].count - 1;
	table = MemoryContextAlloc(TopMemoryContext, n * sizeof(FunctionOp));
	n = 0;
	for (int i = 0; i < (int) lengthof(op_functions); i++)
	{
		for (int j = 1; j < op_functions[i].count; j++)
		{
			table[n].function = op_functions[i].functions[j];
			table[n++].op = op_functions[i].op;
		}
	}
	qsort(table, n, sizeof(FunctionOp), compare_function_ops);
	nfunction_ops = n;
	function_ops = table;
}

int
function_op(Oid function)
{
	FunctionOp	key = {.function = function};
	FunctionOp *found;

	if (function_ops == NULL)
		build_function_ops();
	found = bsearch(&key, function_ops, nfunction_ops, sizeof(FunctionOp),
					compare_function_ops);
	return found ? (int) found->op : -1;
}
