/*
 * lower_text.c
 *	  LIKE with constant patterns, lengths and parts of texts.
 *
 * The operations that count characters know UTF-8 only.  In single-byte
 * encodings a character is a byte; what can be done with bytes is done there
 * too, and nothing in other encodings, where a character's second byte may look
 * like the first of another.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

#include "compat.h"
#include "plan/lower/lower_parts.h"

/* A LIKE pattern's kinds of parts. */
typedef struct Pattern
{
	const char *data;
	int			len;
	bool		open_start;		/* begins with % */
	bool		open_end;		/* ends with % */
	bool		plain;			/* has nothing special in between */
	bool		broken;			/* ends with an escape character */
} Pattern;

bool
counts_characters(Lowering *l)
{
	if (GetDatabaseEncoding() != PG_UTF8)
		lower_reject(l, REJECTED_EXPRESSION, _("counting characters is not supported in encoding %s"),
					 GetDatabaseEncodingName());
	return lower_succeeded(l);
}

int
lower_text_operand(Lowering *l, Expr *expr)
{
	int			reg = lower_expr(l, expr);

	if (reg >= 0 && l->builder->insns[reg].type != VT_TEXT)
		return lower_reject(l, REJECTED_TYPE, _("a text of another type is not supported"));
	return reg;
}

static Pattern
examine_pattern(const text *value)
{
	Pattern		pattern = {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value),.plain = true};

	for (int i = 0; i < pattern.len; i++)
	{
		char		c = pattern.data[i];

		if (c == '%' && i == 0)
			pattern.open_start = true;
		else if (c == '%' && i == pattern.len - 1)
			pattern.open_end = true;
		else if (c == '%' || c == '_' || c == '\\')
			pattern.plain = false;
		if (c == '\\' && ++i == pattern.len)
			pattern.broken = true;
	}
	return pattern;
}

/* The operation for a pattern, and the text that it takes. */
static OpCode
pattern_op(const Pattern *pattern, const char **data, int *len)
{
	*data = pattern->data;
	*len = pattern->len;
	if (!pattern->plain)
		return OP_text_like;
	*data += pattern->open_start;
	*len -= pattern->open_start + pattern->open_end;
	if (pattern->open_start && (pattern->open_end || *len == 0))
		return OP_text_contains;
	if (pattern->open_start)
		return OP_text_ends_with;
	return pattern->open_end ? OP_text_starts_with : OP_text_eq;
}

static int
lower_like(Lowering *l, List *args, Oid collation, bool not)
{
	const Const *constant = lsecond(args);
	Pattern		pattern;
	const char *data;
	int			len;
	OpCode		op;
	int			reg;
	int			part;

	if (!check_collation(l, TEXTOID, collation))
		return -1;
	if (!IsA(constant, Const) || constant->constisnull)
		return lower_reject(l, REJECTED_EXPRESSION, _("LIKE with a pattern that is not constant is not supported"));
	pattern = examine_pattern(DatumGetTextPP(constant->constvalue));
	if (pattern.broken)
		return lower_reject(l, REJECTED_EXPRESSION, _("a LIKE pattern that ends with an escape character is not supported"));
	op = pattern_op(&pattern, &data, &len);
	if ((op == OP_text_like || pg_database_encoding_max_length() > 1) &&
		!counts_characters(l))
		return -1;

	reg = lower_text_operand(l, linitial(args));
	if (reg < 0)
		return -1;
	part = lower_param_ref(l, (Expr *)
					  makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
								PointerGetDatum(cstring_to_text_with_len(data, len)),
								false, false));
	if (part < 0)
		return -1;
	reg = program_add_op(l->builder, op, reg, part);
	return not ? program_add_op(l->builder, OP_bool_not, reg, -1) : reg;
}

static int
lower_length(Lowering *l, Expr *arg, OpCode op)
{
	int			reg;

	if (!counts_characters(l))
		return -1;
	reg = lower_text_operand(l, arg);
	return reg < 0 ? -1 : program_add_op(l->builder, op, reg, -1);
}

/* The value of a constant integer; false, and a reason, if it is none. */
static bool
constant_int4(Lowering *l, const Expr *expr, int32 *value)
{
	if (!IsA(expr, Const) || ((const Const *) expr)->constisnull)
	{
		lower_reject(l, REJECTED_EXPRESSION, _("a part of a text whose place is not constant is not supported"));
		return false;
	}
	*value = DatumGetInt32(((const Const *) expr)->constvalue);
	return true;
}

static int
add_part(Lowering *l, OpCode op, int reg, int32 chars)
{
	return reg < 0 ? -1 : lower_op(l, op, reg, lower_int4(l, chars));
}

/* A part whose place or length is no constant. */
static int
add_variable_part(Lowering *l, OpCode op, int reg, Expr *chars)
{
	return reg < 0 ? -1 : lower_op(l, op, reg, lower_expr(l, chars));
}

/* left(t, n); right(t, n): the last n, or all but the first -n, characters */
static int
lower_side(Lowering *l, List *args, bool right)
{
	int32		n;

	if (!counts_characters(l))
		return -1;
	if (!IsA(lsecond(args), Const))
		return add_variable_part(l, right ? OP_text_last : OP_text_first,
								 lower_text_operand(l, linitial(args)), lsecond(args));
	if (!constant_int4(l, lsecond(args), &n))
		return -1;
	if (n == PG_INT32_MIN)
		return lower_reject(l, REJECTED_EXPRESSION, _("a part of a text of that length is not supported"));
	if (right && n == 0)		/* after all characters, not after none */
		return add_part(l, OP_text_first, lower_text_operand(l, linitial(args)), 0);
	return add_part(l, right ? OP_text_after : OP_text_first,
					lower_text_operand(l, linitial(args)), right ? -n : n);
}

/*
 * substr(t, start[, length]): characters count from 1, and those that a start
 * before that leaves out count for the length.
 */
static int
lower_substr(Lowering *l, List *args)
{
	bool		limited = list_length(args) > 2;
	int32		start;
	int32		length = 0;
	int32		end;
	int			reg;

	if (!counts_characters(l))
		return -1;
	if (!IsA(lsecond(args), Const) && !limited)
		return add_variable_part(l, OP_text_from, lower_text_operand(l, linitial(args)),
								 lsecond(args));
	if (!constant_int4(l, lsecond(args), &start))
		return -1;
	/* what a start before the first character leaves out counts for the length */
	if (limited && !IsA(lthird(args), Const) && start > 0)
	{
		reg = lower_text_operand(l, linitial(args));
		if (start > 1)
			reg = add_part(l, OP_text_after, reg, start - 1);
		return add_variable_part(l, OP_text_limited, reg, lthird(args));
	}
	if (limited && !constant_int4(l, lthird(args), &length))
		return -1;
	if (length < 0)
		return lower_reject(l, REJECTED_EXPRESSION, _("a negative length is not supported"));
	if (limited && pg_add_s32_overflow(start, length, &end))
		limited = false;

	reg = lower_text_operand(l, linitial(args));
	start = Max(start, 1);
	if (start > 1)
		reg = add_part(l, OP_text_after, reg, start - 1);
	if (limited)
		reg = add_part(l, OP_text_first, reg, end > start ? end - start : 0);
	return reg;
}

/* strpos(t, part) */
static int
lower_position(Lowering *l, List *args, Oid collation)
{
	int			reg;
	int			part;

	if (!counts_characters(l) || !check_collation(l, TEXTOID, collation))
		return -1;
	reg = lower_text_operand(l, linitial(args));
	part = reg < 0 ? -1 : lower_text_operand(l, lsecond(args));
	return part < 0 ? -1 : program_add_op(l->builder, OP_text_position, reg, part);
}

/* So many operations at most for the number of a field. */
#define MAX_SPLITS 16

/*
 * split_part(t, separator, n): what is before the next separator behind n - 1 of them, or
 * behind the last.  Nothing is found behind what is not there.
 */
static int
lower_split(Lowering *l, List *args, Oid collation)
{
	const Const *separator = lsecond(args);
	int32		n;
	int			reg;
	int			part;

	if (!counts_characters(l) || !check_collation(l, TEXTOID, collation) ||
		!constant_int4(l, lthird(args), &n))
		return -1;
	if (!IsA(separator, Const) || separator->constisnull || n == 0 || n < -1 || n > MAX_SPLITS ||
		VARSIZE_ANY_EXHDR(DatumGetTextPP(separator->constvalue)) == 0)
		return lower_reject(l, REJECTED_EXPRESSION, _("split_part() of this field or separator is not supported"));
	reg = lower_text_operand(l, linitial(args));
	part = reg < 0 ? -1 : lower_text_operand(l, lsecond(args));
	if (part < 0)
		return -1;
	if (n == -1)
		return program_add_op(l->builder, OP_text_behind_last, reg, part);
	while (--n > 0)
		reg = program_add_op(l->builder, OP_text_behind, reg, part);
	return program_add_op(l->builder, OP_text_before, reg, part);
}

bool
lower_text_function(Lowering *l, Oid function, List *args, Oid collation, int *reg)
{
	switch (function)
	{
		case F_TEXTLIKE:
		case F_BPCHARLIKE:
		case F_LIKE_TEXT_TEXT:
			*reg = lower_like(l, args, collation, false);
			return true;
		case F_TEXTNLIKE:
		case F_BPCHARNLIKE:
		case F_NOTLIKE_TEXT_TEXT:
			*reg = lower_like(l, args, collation, true);
			return true;
		case F_TEXTREGEXEQ:
		case F_TEXTREGEXNE:
			return lower_regex(l, args, collation, function == F_TEXTREGEXNE, reg);
		case F_LENGTH_TEXT:
		case F_CHAR_LENGTH_TEXT:
		case F_CHARACTER_LENGTH_TEXT:
			*reg = lower_length(l, linitial(args), OP_text_chars);
			return true;
		case F_LENGTH_BPCHAR:
		case F_CHAR_LENGTH_BPCHAR:
		case F_CHARACTER_LENGTH_BPCHAR:
			*reg = lower_length(l, linitial(args), OP_bpchar_chars);
			return true;
		case F_ASCII:
			*reg = lower_length(l, linitial(args), OP_text_code);
			return true;
		case F_SPLIT_PART:
			*reg = lower_split(l, args, collation);
			return true;
		case F_STRPOS:
		case F_POSITION_TEXT_TEXT:
			*reg = lower_position(l, args, collation);
			return true;
		case F_LEFT:
		case F_RIGHT:
			*reg = lower_side(l, args, function == F_RIGHT);
			return true;
		case F_SUBSTR_TEXT_INT4:
		case F_SUBSTR_TEXT_INT4_INT4:
		case F_SUBSTRING_TEXT_INT4:
		case F_SUBSTRING_TEXT_INT4_INT4:
			*reg = lower_substr(l, args);
			return true;
		default:
			return false;
	}
}
