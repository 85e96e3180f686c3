/*
 * lower_made_text.c
 *	  Texts that are made of others, and of integers: ||, lower, upper, reverse, replace, lpad, rpad,
 *	  repeat, casts; ILIKE.
 *
 * Only the CPU engine has memory for them (ops_made.h), and what has few distinct values is sooner
 * computed once for each of these (plan/path/computed.c).  So they are lowered where a grouping is
 * tried so, after all else (Lowering.may_need_cpu).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

#include "compat.h"
#include "plan/lower/lower_parts.h"

/* Of longer texts a batch's would not fit (MOST_BYTES of engine/cpu/made_texts.c). */
#define MOST_MADE 1000

/* Bytes of a text that others are filled with: so many times over, it takes memory for each row. */
#define MOST_FILL 64

/* An operation of one text. */
static int
lower_of_text(Lowering *l, OpCode op, List *args)
{
	int			reg = lower_text_operand(l, linitial(args));

	return reg < 0 ? -1 : program_add_op(l->builder, op, reg, -1);
}

static int
lower_reverse(Lowering *l, List *args)
{
	return counts_characters(l) ? lower_of_text(l, OP_text_reversed, args) : -1;
}

/* A constant text; NULL, and a reason, if it is none. */
static text *
constant_text(Lowering *l, const Expr *expr)
{
	if (IsA(expr, Const) && !((const Const *) expr)->constisnull)
		return DatumGetTextPP(((const Const *) expr)->constvalue);
	lower_reject(l, REJECTED_EXPRESSION,
				 _("a function with texts that are not constant is not supported"));
	return NULL;
}

/* A number and texts in one parameter (NumberedText of ops_made.h). */
static Expr *
make_numbered_text(uint32 number, const text *first, const text *second)
{
	StringInfoData bytes;

	initStringInfo(&bytes);
	for (int i = 0; i < 4; i++)
		appendStringInfoChar(&bytes, (char) (number >> (8 * i) & 0xff));
	if (first != NULL)
		appendBinaryStringInfo(&bytes, VARDATA_ANY(first), VARSIZE_ANY_EXHDR(first));
	if (second != NULL)
		appendBinaryStringInfo(&bytes, VARDATA_ANY(second), VARSIZE_ANY_EXHDR(second));
	return (Expr *) makeConst(BYTEAOID, -1, InvalidOid, -1,
							  PointerGetDatum(cstring_to_text_with_len(bytes.data, bytes.len)),
							  false, false);
}

/* replace(t, from, to) of constants */
static int
lower_replace(Lowering *l, List *args, Oid collation)
{
	text	   *from;
	text	   *to;

	if (!counts_characters(l) || !check_collation(l, TEXTOID, collation))
		return -1;
	from = constant_text(l, lsecond(args));
	to = from == NULL ? NULL : constant_text(l, lthird(args));
	if (to == NULL)
		return -1;
	return lower_op(l, OP_text_replaced, lower_text_operand(l, linitial(args)),
					lower_param_ref(l, make_numbered_text(VARSIZE_ANY_EXHDR(from), from, to)));
}

/* lpad and rpad(t, length, fill), repeat(t, times): of constants. */
static int
lower_numbered(Lowering *l, OpCode op, List *args)
{
	const Const *number = lsecond(args);
	text	   *fill = NULL;

	if (op != OP_text_repeated)
	{
		fill = counts_characters(l) ? constant_text(l, lthird(args)) : NULL;
		if (fill == NULL)
			return -1;
		if (VARSIZE_ANY_EXHDR(fill) > MOST_FILL)
			return lower_reject(l, REJECTED_EXPRESSION, _("a text of this length is not supported"));
	}
	if (!IsA(number, Const) || number->constisnull || DatumGetInt32(number->constvalue) > MOST_MADE)
		return lower_reject(l, REJECTED_EXPRESSION, _("a text of this length is not supported"));
	return lower_op(l, op, lower_text_operand(l, linitial(args)),
					lower_param_ref(l, make_numbered_text(Max(DatumGetInt32(number->constvalue), 0),
														  fill, NULL)));
}

bool
lower_made_text(Lowering *l, Oid function, List *args, Oid collation, int *reg)
{
	if (!lower_may_need_cpu(l))
		return false;
	switch (function)
	{
		case F_TEXTCAT:
			*reg = lower_text_operand(l, linitial(args));
			if (*reg >= 0)
				*reg = lower_op(l, OP_text_concat, *reg, lower_text_operand(l, lsecond(args)));
			return true;
		case F_LOWER_TEXT:
			*reg = lower_letters(l, OP_text_lower, linitial(args), collation);
			return true;
		case F_UPPER_TEXT:
			*reg = lower_letters(l, OP_text_upper, linitial(args), collation);
			return true;
		case F_TEXTICLIKE:
		case F_TEXTICNLIKE:
			*reg = lower_ilike(l, args, collation, function == F_TEXTICNLIKE);
			return true;
		case F_REVERSE_TEXT:
			*reg = lower_reverse(l, args);
			return true;
		case F_REPLACE:
			*reg = lower_replace(l, args, collation);
			return true;
		case F_LPAD_TEXT_INT4_TEXT:
			*reg = lower_numbered(l, OP_text_left_padded, args);
			return true;
		case F_RPAD_TEXT_INT4_TEXT:
			*reg = lower_numbered(l, OP_text_right_padded, args);
			return true;
		case F_REPEAT:
			*reg = lower_numbered(l, OP_text_repeated, args);
			return true;
		default:
			return false;
	}
}

bool
lower_number_text(Lowering *l, const CoerceViaIO *cast, int *reg)
{
	Oid			type = exprType((Node *) cast->arg);

	if (!lower_may_need_cpu(l) ||
		(cast->resulttype != TEXTOID && cast->resulttype != VARCHAROID) ||
		(type != INT2OID && type != INT4OID && type != INT8OID))
		return false;
	*reg = lower_expr(l, cast->arg);
	if (*reg >= 0 && type != INT8OID)
		*reg = program_add_op(l->builder,
							  type == INT2OID ? OP_int2_to_int8 : OP_int4_to_int8, *reg, -1);
	if (*reg >= 0)
		*reg = program_add_op(l->builder, OP_int8_text, *reg, -1);
	return true;
}
