/*
 * lower_json.c
 *	  Values of the keys of jsonb columns, and what input functions make of texts.
 *
 * Engines have a jsonb as the bytes that are stored, and look for a key in them: a place, or a
 * negative number where there is no value.  Its value is a text (->>), or what is inside of it
 * is looked at further (-> and #>>).  Lowered so are columns of tables only; what else gives a
 * jsonb is computed by PostgreSQL.
 *
 * Devices compute no values of a jsonb and no floats of texts (cuda_supports), so where only a
 * device may run, PostgreSQL computes them.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower_parts.h"

/* So many keys of a path at most. */
#define MAX_PATH 16

static int
reject_json(Lowering *l)
{
	return lower_reject(l, REJECTED_TYPE, _("type %s is not supported"), format_type_be(JSONBOID));
}

/* The column of a jsonb's bytes. */
static int
lower_json_column(Lowering *l, const Var *var)
{
	Form_pg_attribute attr;

	if (l->builder->head.source != SOURCE_PAGES || lower_needs_device())
		return reject_json(l);
	attr = lower_attribute(l, var);
	if (attr == NULL)
		return -1;
	if (l->hides_rows)
		return lower_reject_hidden(l);
	/* a default that the column was added with would be a parameter */
	if (attr->atttypid != JSONBOID || lower_missing_value(l, attr) != NULL)
		return reject_json(l);
	return program_add_column(l->builder, attr->attnum, VT_TEXT, !attr->attnotnull, -1);
}

/* The place of a key in a document. */
static int
lower_place(Lowering *l, int document, Expr *key)
{
	int			reg;

	if (document < 0)
		return -1;
	if (!same_for_all_rows(key))
		return lower_reject(l, REJECTED_EXPRESSION, _("a key of a jsonb that is not constant is not supported"));
	reg = lower_param_ref(l, key);
	return reg < 0 ? -1 : program_add_op(l->builder, OP_jsonb_place, document, reg);
}

/* A document: a column, or what is inside of one by a key. */
static int
lower_document(Lowering *l, Expr *expr)
{
	List	   *args = NIL;
	Oid			function = InvalidOid;
	int			document;

	check_stack_depth();
	if (IsA(expr, Var))
		return lower_json_column(l, (Var *) expr);
	if (IsA(expr, OpExpr))
	{
		function = get_opcode(((OpExpr *) expr)->opno);
		args = ((OpExpr *) expr)->args;
	}
	else if (IsA(expr, FuncExpr))
	{
		function = ((FuncExpr *) expr)->funcid;
		args = ((FuncExpr *) expr)->args;
	}
	if (function != F_JSONB_OBJECT_FIELD)
		return reject_json(l);
	document = lower_document(l, linitial(args));
	return lower_op(l, OP_jsonb_inside, document, lower_place(l, document, lsecond(args)));
}

/* The text at a place, NULL where there is no value. */
static int
lower_value_text(Lowering *l, int document, int place)
{
	int			text = lower_op(l, OP_jsonb_text, document, place);
	int			found = text < 0 ? -1 : lower_op(l, OP_int4_ge, place, lower_int4(l, 0));
	int			null = found < 0 ? -1 : lower_null(l, TEXTOID);

	return null < 0 ? -1 : program_add_select(l->builder, found, text, null);
}

/* j ->> key */
static int
lower_field_text(Lowering *l, List *args)
{
	int			document = lower_document(l, linitial(args));

	return lower_value_text(l, document, lower_place(l, document, lsecond(args)));
}

/* Could it be the number of an array's element? */
static bool
is_index(const char *key)
{
	return *key == '\0' || strchr("+-0123456789 \t\n\v\f\r", *key) != NULL;
}

/* The keys of a path (Const); NIL: it is no constant, or one that may lead through arrays. */
static List *
path_keys(const Const *path)
{
	List	   *keys = NIL;
	Datum	   *values;
	bool	   *nulls;
	int			n;

	if (!IsA(path, Const) || path->constisnull)
		return NIL;
	deconstruct_array(DatumGetArrayTypeP(path->constvalue), TEXTOID, -1, false, TYPALIGN_INT,
					  &values, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		if (n > MAX_PATH || nulls[i] || is_index(TextDatumGetCString(values[i])))
			return NIL;
		keys = lappend(keys, makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, values[i],
									   false, false));
	}
	return keys;
}

/* j #>> path */
static int
lower_path_text(Lowering *l, List *args)
{
	List	   *keys = path_keys(lsecond(args));
	int			document = keys == NIL ? -1 : lower_document(l, linitial(args));
	int			place = -1;
	ListCell   *lc;

	if (keys == NIL)
		return lower_reject(l, REJECTED_EXPRESSION, _("this path in a jsonb is not supported"));
	foreach(lc, keys)
	{
		if (foreach_current_index(lc) > 0)
			document = lower_op(l, OP_jsonb_inside, document, place);
		place = lower_place(l, document, lfirst(lc));
	}
	return lower_value_text(l, document, place);
}

/* j ? key: of a column only, since what is inside of one may be missing */
static int
lower_has(Lowering *l, List *args)
{
	Expr	   *document = linitial(args);
	Expr	   *key = lsecond(args);
	int			reg;

	if (!IsA(document, Var) || !same_for_all_rows(key))
		return reject_json(l);
	reg = lower_json_column(l, (Var *) document);
	return reg < 0 ? -1 : lower_op(l, OP_jsonb_has, reg, lower_param_ref(l, key));
}

bool
lower_json_function(Lowering *l, Oid function, List *args, int *reg)
{
	switch (function)
	{
		case F_JSONB_OBJECT_FIELD_TEXT:
			*reg = lower_field_text(l, args);
			return true;
		case F_JSONB_EXTRACT_PATH_TEXT:
			*reg = lower_path_text(l, args);
			return true;
		case F_JSONB_EXISTS:
			*reg = lower_has(l, args);
			return true;
		default:
			return false;
	}
}

/* The operation that reads values of a type, or -1. */
static int
input_op(Oid type)
{
	switch (type)
	{
		case INT2OID:
			return OP_text_int2;
		case INT4OID:
			return OP_text_int4;
		case INT8OID:
			return OP_text_int8;
		case FLOAT8OID:
			return OP_text_float8;
		case BOOLOID:
			return OP_text_bool;
		default:
			return -1;
	}
}

int
lower_cast_through_text(Lowering *l, const CoerceViaIO *cast)
{
	int			op = input_op(cast->resulttype);
	int			reg;

	if (op < 0 || exprType((Node *) cast->arg) != TEXTOID ||
		(op == OP_text_float8 && lower_needs_device()))
		return lower_reject(l, REJECTED_EXPRESSION, _("%s is not supported"),
							_("a cast through text"));
	reg = lower_expr(l, cast->arg);
	return reg < 0 ? -1 : program_add_op(l->builder, (OpCode) op, reg, -1);
}
