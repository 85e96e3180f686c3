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
#include "access/relation.h"
#include "access/tupdesc_details.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "plan/lower_internal.h"

static Lowering *
lower_begin(RowSource source)
{
	Lowering   *l = palloc0(sizeof(Lowering));

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
lower_begin_pages(Index rti, Oid relid)
{
	Lowering   *l = lower_begin(SOURCE_PAGES);
	Relation	rel = relation_open(relid, NoLock);

	l->rti = rti;
	l->relid = relid;
	l->desc = CreateTupleDescCopyConstr(RelationGetDescr(rel));
	relation_close(rel, NoLock);

	for (int i = 0; i < l->desc->natts; i++)
	{
		Form_pg_attribute attr = TupleDescAttr(l->desc, i);

		if (attr->attlen < -1)
			lower_reject(l, _("column \"%s\" is neither of fixed length nor a varlena"),
						 NameStr(attr->attname));
		program_add_attr(l->builder, attr->attlen, alignment_bytes(attr->attalign),
						 attr->attnotnull && !attr->atthasmissing && !attr->attisdropped);
	}
	return l;
}

Lowering *
lower_begin_columns(List *inputs)
{
	Lowering   *l = lower_begin(SOURCE_COLUMNS);

	l->inputs = inputs;
	return l;
}

int
value_type_of(Oid type)
{
	switch (getBaseType(type))
	{
		case BOOLOID:
			return VT_BOOL;
		case CHAROID:
			return VT_CHAR;
		case INT2OID:
			return VT_INT2;
		case INT4OID:
		case DATEOID:
		case OIDOID:
			return VT_INT4;
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return VT_INT8;
		case FLOAT4OID:
			return VT_FLOAT4;
		case FLOAT8OID:
			return VT_FLOAT8;
		case UUIDOID:
			return VT_UUID;
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
			return VT_TEXT;
		default:
			return -1;
	}
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
static int
add_slot(Lowering *l, Expr *expr, ValueType type)
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

/*
 * The slot with an attribute's value in tuples that were stored before the
 * column was added, or -1: they have NULL there.  scale: of a numeric, or -1.
 */
static int
missing_slot(Lowering *l, Form_pg_attribute attr, ValueType type, int scale)
{
	AttrMissing *missing;
	Const	   *value;

	if (!attr->atthasmissing || !l->desc->constr || !l->desc->constr->missing)
		return -1;
	missing = &l->desc->constr->missing[attr->attnum - 1];
	if (!missing->am_present)
		return -1;
	if (scale >= 0)
	{
		value = scaled_const(missing->am_value, false, scale);
		if (value == NULL)
			return lower_reject(l, _("the default of column \"%s\" does not fit into 64 bits"),
								NameStr(attr->attname));
		return add_slot(l, (Expr *) value, type);
	}
	value = makeConst(attr->atttypid, attr->atttypmod, attr->attcollation,
					  attr->attlen,
					  datumCopy(missing->am_value, attr->attbyval, attr->attlen),
					  false, attr->attbyval);
	return add_slot(l, (Expr *) value, type);
}

int
lower_var(Lowering *l, const Var *var)
{
	Form_pg_attribute attr;
	int			type;
	int			scale;

	if (var->varlevelsup != 0 || (Index) var->varno != l->rti)
		return lower_reject(l, _("a column of another table is used"));
	if (var->varattno == 0)
		return lower_reject(l, _("whole-row references are not supported"));
	if (var->varattno < 0)
		return lower_reject(l, _("system columns are not supported"));
	attr = TupleDescAttr(l->desc, var->varattno - 1);
	if (known_scale((const Expr *) var, &scale))
		return program_add_numeric_column(l->builder, var->varattno, scale, !attr->attnotnull,
										  missing_slot(l, attr, VT_INT8, scale));
	type = supported_type(l, var->vartype);
	if (type < 0)
		return -1;
	return program_add_column(l->builder, var->varattno, type, !attr->attnotnull,
							  missing_slot(l, attr, type, -1));
}

/* The column of the child plan that has the expression's value; -1: none has. */
int
lower_input(Lowering *l, Expr *expr)
{
	ListCell   *lc;
	int			type;
	int			scale;

	foreach(lc, l->inputs)
	{
		int			attno = foreach_current_index(lc) + 1;

		if (!equal(lfirst(lc), expr))
			continue;
		if (known_scale(expr, &scale))
			return program_add_numeric_column(l->builder, attno, scale, true, -1);
		type = supported_type(l, exprType((Node *) expr));
		if (type < 0)
			return -1;
		return program_add_column(l->builder, attno, type, true, -1);
	}
	return -1;
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
	slot = add_slot(l, expr, type);
	return slot < 0 ? -1 : program_add_slot_ref(l->builder, slot);
}

ValueType
lower_slot_type(const Expr *expr)
{
	int			type = value_type_of(exprType((const Node *) expr));

	return type < 0 ? VT_TEXT : (ValueType) type;
}

/* A slot whose bytes are made of the expression's value: see SLOT_ZONE_TYPE. */
int
lower_made_slot(Lowering *l, Expr *expr)
{
	int			slot = add_slot(l, expr, VT_TEXT);

	return slot < 0 ? -1 : program_add_slot_ref(l->builder, slot);
}
