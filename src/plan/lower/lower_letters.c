/*
 * lower_letters.c
 *	  Cases of letters: lower, upper, ILIKE.
 *
 * In the collation C only ASCII's letters have cases.  Nearly all other collations agree about
 * those, so texts of ASCII's characters are made in the same way; one that has another character
 * ends the run.  It is tried only if statistics have no such text.
 *
 * ILIKE is LIKE of both texts in lower case where characters can have several bytes, as
 * PostgreSQL has it (Generic_Text_IC_like in like.c).
 */
#include "postgres.h"

#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "plan/lower/lower.h"
#include "plan/lower/lower_parts.h"

#define LOWER_LETTERS "abcdefghijklmnopqrstuvwxyz"
#define UPPER_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Does a function of the letters give the others under the collation? */
static bool
gives_letters(PGFunction function, const char *letters, const char *others, Oid collation)
{
	Datum		given = DirectFunctionCall1Coll(function, collation,
												CStringGetTextDatum(letters));

	return strcmp(TextDatumGetCString(given), others) == 0;
}

/* Have ASCII's letters the cases that they have in the collation C? */
static bool
has_ascii_cases(Oid collation)
{
	return gives_letters(lower, UPPER_LETTERS, LOWER_LETTERS, collation) &&
		gives_letters(lower, LOWER_LETTERS, LOWER_LETTERS, collation) &&
		gives_letters(upper, LOWER_LETTERS, UPPER_LETTERS, collation) &&
		gives_letters(upper, UPPER_LETTERS, UPPER_LETTERS, collation);
}

static bool
is_ascii(const text *value)
{
	const char *bytes = VARDATA_ANY(value);

	for (int i = 0; i < (int) VARSIZE_ANY_EXHDR(value); i++)
		if (IS_HIGHBIT_SET(bytes[i]))
			return false;
	return true;
}

/* Are the texts that statistics of one kind have ASCII's? */
static bool
sample_is_ascii(HeapTuple statistics, int kind)
{
	AttStatsSlot slot;
	bool		ascii = true;

	if (!get_attstatsslot(&slot, statistics, kind, InvalidOid, ATTSTATSSLOT_VALUES))
		return true;
	for (int i = 0; i < slot.nvalues && ascii; i++)
		ascii = is_ascii(DatumGetTextPP(slot.values[i]));
	free_attstatsslot(&slot);
	return ascii;
}

/* Has the column statistics, which the user may see, with no text but ASCII's? */
static bool
column_is_ascii(PlannerInfo *root, Var *var)
{
	VariableStatData variable;
	bool		ascii = false;

	if (var->varlevelsup != 0 || IS_SPECIAL_VARNO(var->varno) || var->varattno <= 0)
		return false;
	examine_variable(root, (Node *) var, 0, &variable);
	if (statistics_are_readable(root, &variable))
		ascii = sample_is_ascii(variable.statsTuple, STATISTIC_KIND_MCV) &&
			sample_is_ascii(variable.statsTuple, STATISTIC_KIND_HISTOGRAM);
	ReleaseVariableStats(variable);
	return ascii;
}

/* The same of all columns of an expression that are texts. */
static bool
are_ascii(PlannerInfo *root, Expr *expr)
{
	ListCell   *lc;

	foreach(lc, pull_var_clause((Node *) expr, PVC_RECURSE_PLACEHOLDERS))
	{
		Var		   *var = lfirst_node(Var, lc);
		Oid			type = getBaseType(var->vartype);

		if ((type == TEXTOID || type == VARCHAROID || type == BPCHAROID) &&
			!column_is_ascii(root, var))
			return false;
	}
	return true;
}

int
lower_letters(Lowering *l, OpCode op, Expr *arg, Oid collation)
{
	bool		is_c;
	int			reg;

	if (!check_collation(l, TEXTOID, collation))
		return -1;
	is_c = compat_ctype_is_c(collation);
	if (!is_c && (l->root == NULL || !has_ascii_cases(collation) || !are_ascii(l->root, arg)))
		return lower_reject(l, REJECTED_COLLATION,
							_("the cases of other letters than ASCII's in collation \"%s\" are not supported"),
							get_collation_name(collation));
	reg = lower_text_operand(l, arg);
	if (reg >= 0 && !is_c)
		reg = program_add_op(l->builder, OP_text_ascii, reg, -1);
	return reg < 0 ? -1 : program_add_op(l->builder, op, reg, -1);
}

int
lower_ilike(Lowering *l, List *args, Oid collation, bool not)
{
	const Const *pattern = lsecond(args);
	Expr	   *text = (Expr *) makeFuncExpr(F_LOWER_TEXT, TEXTOID, list_make1(linitial(args)),
											 collation, collation, COERCE_EXPLICIT_CALL);
	Datum		lowered;

	if (!counts_characters(l) || !check_collation(l, TEXTOID, collation))
		return -1;
	if (!IsA(pattern, Const) || pattern->constisnull)
		return lower_reject(l, REJECTED_EXPRESSION,
							_("LIKE with a pattern that is not constant is not supported"));
	lowered = DirectFunctionCall1Coll(lower, collation, pattern->constvalue);
	return lower_function(l, not ? F_TEXTNLIKE : F_TEXTLIKE,
						  list_make2(text, makeConst(TEXTOID, -1, collation, -1, lowered, false,
													 false)),
						  collation);
}
