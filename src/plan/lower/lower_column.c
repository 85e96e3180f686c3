/*
 * lower_column.c
 *	  What expressions end in: attributes, inputs of a child plan, and values
 *	  that are the same for all rows.
 *
 * Columns are added when an expression first needs them, so a table may have
 * attributes of any type as long as they are not looked at: those are only
 * laid out (ProgramBuilder.attrs), to be stepped over.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupdesc_details.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower_internal.h"
#include "plan/lower/numeric/numeric_guess.h"
#include "plan/value_type.h"

static Lowering *
lower_begin(PlannerInfo *root, RowSource source)
{
	Lowering   *l = palloc0(sizeof(Lowering));

	l->root = root;
	l->builder = palloc(sizeof(ProgramBuilder));
	program_begin(l->builder, source);
	l->case_value = -1;
	return l;
}

/* pg_attribute.attalign in bytes. */
static int
alignment_bytes(char attalign)
{
	switch (attalign)
	{
		case TYPALIGN_CHAR:
			return 1;
		case TYPALIGN_SHORT:
			return ALIGNOF_SHORT;
		case TYPALIGN_INT:
			return ALIGNOF_INT;
		default:
			return ALIGNOF_DOUBLE;
	}
}

Lowering *
lower_begin_pages(PlannerInfo *root, Index rti, TupleDesc desc, const AttrMap *map)
{
	Lowering   *l = lower_begin(root, SOURCE_PAGES);

	l->rti = rti;
	l->desc = desc;
	l->map = map;

	for (int i = 0; i < l->desc->natts; i++)
	{
		Form_pg_attribute attr = TupleDescAttr(l->desc, i);

		if (attr->attlen < -1)
			lower_reject(l, _("column \"%s\" is neither of fixed length nor a varlena"),
						 NameStr(attr->attname));
		program_add_attr(l->builder, attr->attlen, alignment_bytes(attr->attalign));
	}
	return l;
}

Lowering *
lower_begin_columns(PlannerInfo *root, List *inputs)
{
	Lowering   *l = lower_begin(root, SOURCE_COLUMNS);

	l->inputs = inputs;
	return l;
}

static int
supported_type(Lowering *l, Oid type)
{
	int			value_type = value_type_of(type);

	if (value_type < 0)
		lower_reject(l, _("type %s is not supported"), format_type_be(type));
	return value_type;
}

/* The slot of an expression, an equal one's if there is; -1: none is free. */
int
lower_add_slot(Lowering *l, Expr *expr, ValueType type)
{
	ListCell   *lc;
	int			slot;

	foreach(lc, l->slots)
	{
		if (equal(lfirst(lc), expr))
			return foreach_current_index(lc);
	}
	slot = program_add_slot(l->builder, type);
	if (slot >= 0)
		l->slots = lappend(l->slots, expr);
	return slot;
}

/* The value that tuples have which were stored before an attribute was added. */
const AttrMissing *
lower_missing_value(Lowering *l, Form_pg_attribute attr)
{
	const AttrMissing *missing;

	if (!attr->atthasmissing || !l->desc->constr || !l->desc->constr->missing)
		return NULL;
	missing = &l->desc->constr->missing[attr->attnum - 1];
	return missing->am_present ? missing : NULL;
}

/* Its slot, or -1: they have NULL. */
static int
missing_slot(Lowering *l, Form_pg_attribute attr, ValueType type)
{
	const AttrMissing *missing = lower_missing_value(l, attr);
	Const	   *value;

	if (missing == NULL)
		return -1;
	value = makeConst(attr->atttypid, attr->atttypmod, attr->attcollation,
					  attr->attlen,
					  datumCopy(missing->am_value, attr->attbyval, attr->attlen),
					  false, attr->attbyval);
	return lower_add_slot(l, (Expr *) value, type);
}

/* An attribute of the table, or NULL if a Var is something else. */
Form_pg_attribute
lower_attribute(Lowering *l, const Var *var)
{
	if (var->varlevelsup != 0 || (Index) var->varno != l->rti)
		lower_reject(l, _("a column of another table is used"));
	else if (var->varattno == 0)
		lower_reject(l, _("whole-row references are not supported"));
	else if (var->varattno < 0)
		lower_reject(l, _("system columns are not supported"));
	else
		return TupleDescAttr(l->desc, l->map->attnums[var->varattno - 1] - 1);
	return NULL;
}

int
lower_var(Lowering *l, const Var *var)
{
	Form_pg_attribute attr = lower_attribute(l, var);
	int			type = attr == NULL ? -1 : supported_type(l, var->vartype);

	if (type < 0)
		return -1;
	return program_add_column(l->builder, attr->attnum, type, !attr->attnotnull,
							  missing_slot(l, attr, type));
}

/* Where the child plan has the expression's value, from 1; 0: nowhere. */
int
lower_input_number(Lowering *l, const Expr *expr)
{
	ListCell   *lc;

	foreach(lc, l->inputs)
	{
		if (equal(lfirst(lc), expr))
			return foreach_current_index(lc) + 1;
	}
	return 0;
}

bool
lower_can_input(PlannerInfo *root, const Aggref *aggref, Expr *expr)
{
	NumericGuess guess;
	const char *reason;

	/* it is only asked whether it is NULL */
	if (aggref->aggfnoid == F_COUNT_ANY && aggref->aggdistinct == NIL)
		return true;
	if (is_numeric(expr))
		return numeric_guess(root, expr, &guess, &reason);
	return value_type_of(exprType((const Node *) expr)) >= 0;
}

/* The column of the child plan that has the expression's value; -1: none has. */
int
lower_input(Lowering *l, Expr *expr)
{
	int			attno = lower_input_number(l, expr);
	int			type = attno == 0 ? -1 : supported_type(l, exprType((Node *) expr));

	return type < 0 ? -1 : program_add_column(l->builder, attno, type, true, -1);
}

/* The same where any expression can be a column, since no plan comes of it. */
int
lower_new_input(Lowering *l, Expr *expr)
{
	if (lower_input_number(l, expr) == 0)
		l->inputs = lappend(l->inputs, expr);
	return lower_input(l, expr);
}

/*
 * Is the value itself as good as its presence?  Other aggregates may use it, too.
 * But a text is long, and not every numeric can be read.
 */
static bool
is_read_easily(Lowering *l, Expr *expr)
{
	int			type = value_type_of(exprType((Node *) expr));
	NumericGuess guess;
	const char *reason;

	if (is_numeric(expr))
		return numeric_guess(l->root, expr, &guess, &reason);
	return type >= 0 && type != VT_TEXT;
}

/*
 * A register that is NULL where the expression is, whose value does not matter.
 * So the type of a column does not either, and a text need not be read.
 */
int
lower_presence(Lowering *l, Expr *expr)
{
	Form_pg_attribute attr;
	int			missing = -1;
	int			attno;

	if (is_read_easily(l, expr))
		return lower_expr(l, expr);
	attno = lower_input_number(l, expr);
	if (attno > 0)
		return program_add_presence(l->builder, attno, true, -1);
	if (IsA(expr, RelabelType))
		return lower_presence(l, ((RelabelType *) expr)->arg);
	if (!IsA(expr, Var) || l->builder->head.source != SOURCE_PAGES)
		return lower_expr(l, expr);
	attr = lower_attribute(l, (Var *) expr);
	if (attr == NULL)
		return -1;
	if (lower_missing_value(l, attr) != NULL)
		missing = lower_add_slot(l, (Expr *) makeBoolConst(true, false), VT_BOOL);
	return program_add_presence(l->builder, attr->attnum, !attr->attnotnull, missing);
}

/*
 * Whose value can differ between rows, or cannot be had before the first row.
 * context: not NULL inside of what gives a CaseTestExpr its value.
 */
static bool
varies_walker(Node *node, void *context)
{
	Node	   *tested = NULL;

	if (node == NULL)
		return false;
	if (IsA(node, CaseExpr))
		tested = (Node *) ((CaseExpr *) node)->arg;
	else if (IsA(node, ArrayCoerceExpr))
		tested = (Node *) ((ArrayCoerceExpr *) node)->arg;
	if (tested != NULL)
		return varies_walker(tested, context) ||
			expression_tree_walker(node, varies_walker, node);
	switch (nodeTag(node))
	{
		case T_CaseTestExpr:
			return context == NULL;
		case T_Var:
		case T_PlaceHolderVar:
		case T_CurrentOfExpr:
		case T_Aggref:
		case T_GroupingFunc:
		case T_WindowFunc:
		case T_SubLink:
		case T_SubPlan:
		case T_AlternativeSubPlan:
			return true;
		case T_Param:
			return ((Param *) node)->paramkind != PARAM_EXTERN &&
				((Param *) node)->paramkind != PARAM_EXEC;
		default:
			return expression_tree_walker(node, varies_walker, context);
	}
}

/* Is the value the same for all rows, to be computed once by PostgreSQL? */
bool
is_slot(Expr *expr)
{
	return !varies_walker((Node *) expr, NULL) &&
		!contain_volatile_functions((Node *) expr) &&
		!expression_returns_set((Node *) expr);
}

int
lower_slot(Lowering *l, Expr *expr)
{
	int			type = supported_type(l, exprType((Node *) expr));
	int			slot;

	if (type < 0)
		return -1;
	slot = lower_add_slot(l, expr, type);
	return slot < 0 ? -1 : program_add_slot_ref(l->builder, slot);
}

/* A slot whose bytes are made of the expression's value: see SLOT_ZONE_TYPE. */
int
lower_made_slot(Lowering *l, Expr *expr)
{
	int			slot = lower_add_slot(l, expr, VT_TEXT);

	return slot < 0 ? -1 : program_add_slot_ref(l->builder, slot);
}
