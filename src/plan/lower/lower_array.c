/*
 * lower_array.c
 *	  x op ANY (array), x op ALL (array), and with them IN lists.
 *
 * A few known elements are compared one after the other.  Equality with more of
 * them, or with an array that is known only when execution begins, is a search
 * in the sorted set of its elements, which is a parameter.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower_parts.h"
#include "plan/value_type.h"

/*
 * The longest list that is always a chain of comparisons, and that can be one.  A
 * chain has an instruction or more for each element and becomes part of the
 * kernel's text, so that long ones fill a Program (PROGRAM_MAX_INSNS) and compile
 * slowly; where one ends was chosen and not measured.
 */
#define MAX_SHORT_CHAIN 16
#define MAX_CHAIN 64

/* A constant array's elements as Consts. */
static List *
const_elements(const Const *array)
{
	ArrayType  *arr = DatumGetArrayTypeP(array->constvalue);
	Oid			type = ARR_ELEMTYPE(arr);
	int16		len;
	bool		byval;
	char		align;
	Datum	   *values;
	bool	   *nulls;
	int			n;
	List	   *elements = NIL;

	get_typlenbyvalalign(type, &len, &byval, &align);
	deconstruct_array(arr, type, len, byval, align, &values, &nulls, &n);
	for (int i = 0; i < n; i++)
		elements = lappend(elements,
						   makeConst(type, -1, get_typcollation(type), len,
									 nulls[i] ? (Datum) 0 : values[i],
									 nulls[i], byval));
	return elements;
}

/* The elements of an array that is written down; false: it is not. */
static bool
array_elements(const Expr *array, List **elements)
{
	if (IsA(array, Const) && !((const Const *) array)->constisnull)
		*elements = const_elements((const Const *) array);
	else if (IsA(array, ArrayExpr) && !((const ArrayExpr *) array)->multidims)
		*elements = ((const ArrayExpr *) array)->elements;
	else
		return false;
	return true;
}

/*
 * PostgreSQL computes all elements before it compares any, so an element that
 * raises an error must not stand where a chain may stop before it.
 */
static bool
check_element(Lowering *l, Expr *element)
{
	int			reg;

	if (IsA(element, Const))
		return true;
	reg = lower_expr(l, element);
	if (reg >= 0 && l->builder->insns[reg].fallible)
		lower_reject(l, REJECTED_EXPRESSION, _("an array element that can raise an error is not supported"));
	return lower_succeeded(l);
}

/* x op ANY of nothing is false, ALL is true, whatever x is: but for its error. */
static int
lower_empty_array_op(Lowering *l, const ScalarArrayOpExpr *expr)
{
	int			reg = lower_expr(l, linitial(expr->args));

	if (reg < 0)
		return -1;
	if (l->builder->insns[reg].fallible)
		return lower_reject(l, REJECTED_EXPRESSION, _("a comparison with an empty array is not supported"));
	return lower_param_ref(l, (Expr *) makeBoolConst(!expr->useOr, false));
}

/*
 * x op ANY (array) is an OR of comparisons, x op ALL (array) an AND: a NULL
 * element, or a NULL x, gives the same answer there.  x is lowered for each,
 * and found again.
 */
static int
lower_comparison_chain(Lowering *l, const ScalarArrayOpExpr *expr, List *elements)
{
	OpCode		chain = expr->useOr ? OP_or : OP_and;
	int			result = -1;
	ListCell   *lc;

	if (elements == NIL)
		return lower_empty_array_op(l, expr);
	foreach(lc, elements)
	{
		int			reg;

		if (!check_element(l, lfirst(lc)))
			return -1;
		reg = lower_function(l, get_opcode(expr->opno),
							 list_make2(linitial(expr->args), lfirst(lc)),
							 expr->inputcollid);
		if (reg < 0)
			return -1;
		result = result < 0 ? reg : program_add_op(l->builder, chain, result, reg);
	}
	return result;
}

/* The operation that finds x in a set, for = ANY or <> ALL, or -1. */
static int
membership_op(const ScalarArrayOpExpr *expr)
{
	Oid			array = exprType(lsecond(expr->args));
	int			element = value_type_of(get_element_type(getBaseType(array)));
	int			op = function_op(get_opcode(expr->opno));

	switch (op)
	{
		case OP_int4_eq:
		case OP_int8_eq:
		case OP_int4_ne:
		case OP_int8_ne:
			if ((op == OP_int4_eq || op == OP_int8_eq) != expr->useOr)
				return -1;
			return element == VT_INT2 || element == VT_INT4 || element == VT_INT8 ?
				OP_int8_in : -1;
		case OP_text_eq:
		case OP_bpchar_eq:
			return expr->useOr && element == VT_TEXT ? OP_text_in : -1;
		case OP_text_ne:
		case OP_bpchar_ne:
			return !expr->useOr && element == VT_TEXT ? OP_text_in : -1;
		default:
			return -1;
	}
}

/* x as what is looked for in the set. */
static int
lower_sought(Lowering *l, const ScalarArrayOpExpr *expr, OpCode op)
{
	Oid			function = get_opcode(expr->opno);
	int			reg;

	if (op == OP_int8_in)
		return lower_operand(l, function, linitial(expr->args), VT_INT8);
	if (!check_collation(l, exprType(linitial(expr->args)), expr->inputcollid))
		return -1;
	reg = lower_operand(l, function, linitial(expr->args), VT_TEXT);
	if (reg >= 0 && (function_op(function) == OP_bpchar_eq || function_op(function) == OP_bpchar_ne))
		reg = program_add_op(l->builder, OP_bpchar_trimmed, reg, -1);
	return reg;
}

/*
 * x = ANY (array): true if x is found; else NULL if the array has a NULL, and
 * false if it has no element at all, even if x is NULL.  A NULL array makes all
 * of it NULL.  x <> ALL (array) is its negation.
 */
static int
lower_membership(Lowering *l, const ScalarArrayOpExpr *expr, OpCode op)
{
	ProgramBuilder *b = l->builder;
	int			sought = lower_sought(l, expr, op);
	int			set = sought < 0 ? -1 : lower_made_param_ref(l, lsecond(expr->args));
	int			null = set < 0 ? -1 : lower_null(l, BOOLOID);
	int			found;

	if (null < 0)
		return -1;
	found = program_add_op(b, op, sought, set);
	found = program_add_select(b, program_add_op(b, OP_set_has_null, set, -1),
							   program_add_op(b, OP_or, found, null), found);
	found = program_add_op(b, OP_and, found, program_add_op(b, OP_set_has_element, set, -1));
	return expr->useOr ? found : program_add_op(b, OP_bool_not, found, -1);
}

int
lower_array_op(Lowering *l, const ScalarArrayOpExpr *expr)
{
	Expr	   *array = lsecond(expr->args);
	List	   *elements = NIL;
	bool		known = array_elements(array, &elements);
	int			op;

	if (known && list_length(elements) <= MAX_SHORT_CHAIN)
		return lower_comparison_chain(l, expr, elements);
	op = same_for_all_rows(array) ? membership_op(expr) : -1;
	if (op >= 0)
		return lower_membership(l, expr, (OpCode) op);
	if (!known)
		return lower_reject(l, REJECTED_EXPRESSION, _("this comparison with an array that is not constant is not supported"));
	if (list_length(elements) > MAX_CHAIN)
		return lower_reject(l, REJECTED_EXPRESSION, _("this comparison with an array of more than %d elements is not supported"),
							MAX_CHAIN);
	return lower_comparison_chain(l, expr, elements);
}
