/*
 * display_scale.c
 *	  The display scale of a numeric that is being lowered.
 *
 * How many digits behind the point a result shows is part of PostgreSQL's
 * answer.  For most expressions planning knows the number: by type modifiers and
 * constants.  It does not where a column has no type modifier, so that each value
 * has its own, and where CASE and the like take one of several.
 *
 * So an expression's display scale is an expression itself, over those of its
 * operands.  It becomes instructions, and columns, only where a result depends
 * on it: a filter does not.
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/display_scale.h"

typedef enum DisplayScaleKind
{
	SCALE_ANY,					/* of a NULL or special constant */
	SCALE_CONST,
	SCALE_COLUMN,
	SCALE_LARGER,
	SCALE_ADDED,
	SCALE_SELECTED,
	SCALE_COMPUTED
} DisplayScaleKind;

struct DisplayScale
{
	DisplayScaleKind kind;
	int			value;			/* CONST: it; COLUMN: the one expected, or -1;
								 * a special, which has none, may show that */
	int			reg;			/* SELECTED: the condition's; COMPUTED: its own */
	int			attno;			/* COLUMN: its definition */
	int			missing;
	bool		nullable;
	const DisplayScale *first;	/* operands */
	const DisplayScale *second;
};

static DisplayScale *
make(DisplayScaleKind kind, const DisplayScale *first, const DisplayScale *second)
{
	DisplayScale *shown = palloc0(sizeof(DisplayScale));

	shown->kind = kind;
	shown->first = first;
	shown->second = second;
	return shown;
}

const DisplayScale *
display_scale_const(int scale)
{
	DisplayScale *shown = make(SCALE_CONST, NULL, NULL);

	shown->value = scale;
	return shown;
}

const DisplayScale *
display_scale_of_null(void)
{
	return make(SCALE_ANY, NULL, NULL);
}

const DisplayScale *
display_scale_column(int attno, bool nullable, int missing, int expected)
{
	DisplayScale *shown = make(SCALE_COLUMN, NULL, NULL);

	shown->attno = attno;
	shown->nullable = nullable;
	shown->missing = missing;
	shown->value = expected;
	return shown;
}

const DisplayScale *
display_scale_larger(const DisplayScale *a, const DisplayScale *b)
{
	/* a NULL operand makes a NULL, a special one a special */
	if (a->kind == SCALE_ANY || b->kind == SCALE_ANY)
		return display_scale_of_null();
	if (a->kind == SCALE_CONST && b->kind == SCALE_CONST)
		return a->value > b->value ? a : b;
	return make(SCALE_LARGER, a, b);
}

const DisplayScale *
display_scale_added(const DisplayScale *a, const DisplayScale *b)
{
	if (a->kind == SCALE_ANY || b->kind == SCALE_ANY)
		return display_scale_of_null();
	if (a->kind == SCALE_CONST && b->kind == SCALE_CONST)
		return display_scale_const(a->value + b->value);
	return make(SCALE_ADDED, a, b);
}

const DisplayScale *
display_scale_selected(int when, const DisplayScale *then, const DisplayScale *otherwise)
{
	DisplayScale *shown;

	if (then->kind == SCALE_ANY || then == otherwise)
		return otherwise;
	if (otherwise->kind == SCALE_ANY)
		return then;
	if (then->kind == SCALE_CONST && otherwise->kind == SCALE_CONST &&
		then->value == otherwise->value)
		return then;
	shown = make(SCALE_SELECTED, then, otherwise);
	shown->reg = when;
	return shown;
}

const DisplayScale *
display_scale_computed(int reg)
{
	DisplayScale *shown = make(SCALE_COMPUTED, NULL, NULL);

	shown->reg = reg;
	return shown;
}

bool
display_scale_has_none(const DisplayScale *shown)
{
	return shown->kind == SCALE_ANY;
}

bool
display_scale_fixed(const DisplayScale *shown, int *scale)
{
	if (shown->kind == SCALE_CONST)
		*scale = shown->value;
	return shown->kind == SCALE_CONST || shown->kind == SCALE_ANY;
}

bool
display_scale_expected(const DisplayScale *shown, int *scale)
{
	int			first = -1;
	int			second = -1;

	if (shown->kind == SCALE_CONST || shown->kind == SCALE_COLUMN)
	{
		*scale = shown->value;
		return *scale >= 0;
	}
	if (shown->kind == SCALE_ANY || shown->kind == SCALE_COMPUTED)
		return shown->kind == SCALE_ANY;
	if (!display_scale_expected(shown->first, &first) ||
		!display_scale_expected(shown->second, &second))
		return false;
	if (shown->kind == SCALE_SELECTED && first != second)
		return false;
	*scale = shown->kind == SCALE_ADDED ? first + second : Max(first, second);
	return true;
}

int
display_scale_register(Lowering *l, const DisplayScale *shown)
{
	int			first;
	int			second;

	switch (shown->kind)
	{
		case SCALE_ANY:
			return lower_null(l, INT4OID);
		case SCALE_CONST:
			return lower_int4(l, shown->value);
		case SCALE_COLUMN:
			return program_add_numeric_column(l->builder, shown->attno, NUMERIC_SHOWN,
											  Max(shown->value, 0), shown->nullable,
											  shown->missing < 0 ? -1 :
											  lower_add_param(l, (Expr *) int4_const(shown->missing),
															  VT_INT4));
		case SCALE_COMPUTED:
			return shown->reg;
		default:
			break;
	}
	first = display_scale_register(l, shown->first);
	second = first < 0 ? -1 : display_scale_register(l, shown->second);
	if (second < 0)
		return -1;
	if (shown->kind == SCALE_SELECTED)
		return program_add_select(l->builder, shown->reg, first, second);
	return program_add_op(l->builder,
						  shown->kind == SCALE_ADDED ? OP_display_scale_sum : OP_display_scale_max,
						  first, second);
}
