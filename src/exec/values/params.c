/*
 * params.c
 *	  The values of a Program's parameters.
 *
 * Constants and PostgreSQL's Params cannot fail.  Other expressions without columns could, and
 * the error must be set aside.  Arithmetic leaves nothing behind when it fails.  What
 * is more than that, such as now() - interval '1 day', is evaluated in a
 * subtransaction.  None can begin beside a parallel plan, which PostgreSQL's own often
 * is; so if there is one, those that no Param of the plan changes are evaluated when
 * execution is prepared, which is not yet parallel, and once for all runs.
 *
 * A Param may stand for an InitPlan that has not run yet.  It must not run
 * in that subtransaction, whose end would take buffers and relations from a plan
 * that stays open, so it is run before.  An error of its own is the query's,
 * even if no row of the input needed its value: as with PostgreSQL's index
 * scans, which compute their keys before they look for a row.  Where CASE and
 * the like guarantee that a row does not need it, there is no parameter (clauses.c).
 *
 * A time zone's parameter holds its rules as they are when execution begins: SET
 * TimeZone between two executions of one plan counts.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/nodeSubplan.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "exec/values/params.h"
#include "exec/values/value_parts.h"
#include "plan/value_type.h"
#include "set_aside.h"

static bool
exec_params_walker(Node *node, Bitmapset **exec_ids)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXEC)
		*exec_ids = bms_add_member(*exec_ids, ((Param *) node)->paramid);
	return expression_tree_walker(node, exec_params_walker, (void *) exec_ids);
}

Bitmapset *
params_exec_ids(List *exprs)
{
	Bitmapset  *exec_ids = NULL;

	exec_params_walker((Node *) exprs, &exec_ids);
	return exec_ids;
}

/* Is evaluating it sure to raise no error that PostgreSQL would not? */
static bool
is_simple(Expr *expr)
{
	ListCell   *lc;

	if (IsA(expr, RelabelType))
		return is_simple(((RelabelType *) expr)->arg);
	if (IsA(expr, ArrayExpr))
	{
		foreach(lc, ((ArrayExpr *) expr)->elements)
			if (!is_simple(lfirst(lc)))
				return false;
		return !((ArrayExpr *) expr)->multidims;
	}
	if (IsA(expr, FuncExpr))
		return ((FuncExpr *) expr)->args == NIL &&
			((FuncExpr *) expr)->funcid < FirstUnpinnedObjectId;	/* now() */
	return IsA(expr, Const) || IsA(expr, Param) || IsA(expr, SQLValueFunction);
}

/* Types whose operators compute, and do nothing else. */
static bool
is_number(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case INTERVALOID:
			return true;
		default:
			return false;
	}
}

/* Is it one of PostgreSQL's own functions, in C, whose result its arguments determine? */
static bool
is_computation(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Form_pg_proc proc;
	bool		result;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	proc = (Form_pg_proc) GETSTRUCT(tuple);
	result = function < FirstUnpinnedObjectId && proc->prolang == INTERNALlanguageId &&
		proc->provolatile == PROVOLATILE_IMMUTABLE;
	ReleaseSysCache(tuple);
	return result;
}

/* Is there anything in it but arithmetic? */
static bool
not_arithmetic_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, List))
		return expression_tree_walker(node, not_arithmetic_walker, context);
	if (!is_number(exprType(node)))
		return true;
	switch (nodeTag(node))
	{
		case T_Const:
		case T_Param:
		case T_RelabelType:
			break;
		case T_FuncExpr:
			if (!is_computation(((FuncExpr *) node)->funcid))
				return true;
			break;
		case T_OpExpr:
			if (!is_computation(((OpExpr *) node)->opfuncid))
				return true;
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, not_arithmetic_walker, context);
}

/*
 * An error of arithmetic leaves nothing behind, no lock, buffer, snapshot or reference,
 * that a subtransaction would have to clean up.
 */
static bool
is_arithmetic(Expr *expr)
{
	return !not_arithmetic_walker((Node *) expr, NULL);
}

bool
params_suit_parallel(List *exprs)
{
	ListCell   *lc;

	foreach(lc, exprs)
	{
		Expr	   *expr = lfirst(lc);

		if (!is_simple(expr) && !is_arithmetic(expr) &&
			params_exec_ids(list_make1(expr)) != NULL)
			return false;
	}
	return true;
}

/* An expression, and the value that it comes to. */
typedef struct Evaluation
{
	ExprState  *state;
	ExprContext *econtext;
	Datum		value;
	bool		isnull;
} Evaluation;

static void
evaluate(void *argument)
{
	Evaluation *evaluation = argument;

	evaluation->value = ExecEvalExprSwitchContext(evaluation->state, evaluation->econtext,
												  &evaluation->isnull);
}

/*
 * Evaluate, or return false and why, in the current context.  The error's message
 * is not told: it can have a value that PostgreSQL would not have come to.
 */
static bool
evaluate_safely(ExprState *state, ExprContext *econtext,
				Datum *value, bool *isnull, char **reason)
{
	Evaluation	evaluation = {.state = state,.econtext = econtext};
	const bool	subtransaction = !is_arithmetic(state->expr);
	int			sqlstate;

	if (subtransaction && IsInParallelMode())
	{
		*reason = pstrdup("an expression cannot be evaluated beside a parallel plan");
		return false;
	}
	sqlstate = set_errors_aside(evaluate, &evaluation, subtransaction);
	if (sqlstate != 0)
	{
		*reason = psprintf("an expression without columns raises error %s",
						   unpack_sql_state(sqlstate));
		return false;
	}
	*value = evaluation.value;
	*isnull = evaluation.isnull;
	return true;
}

ParamResult *
params_evaluate_early(List *exprs, ExprContext *econtext, bool *failed)
{
	ParamResult *results;
	ListCell   *lc;

	*failed = false;
	if (!econtext->ecxt_estate->es_plannedstmt->parallelModeNeeded || IsInParallelMode())
		return NULL;
	results = palloc0(sizeof(ParamResult) * (list_length(exprs) + 1));
	foreach(lc, exprs)
	{
		ExprState  *state = (ExprState *) lfirst(lc);
		ParamResult *result = &results[foreach_current_index(lc)];
		char	   *reason;
		int16		len;
		bool		byval;

		if (is_simple(state->expr) || params_exec_ids(list_make1(state->expr)) != NULL)
			continue;
		*failed = !evaluate_safely(state, econtext, &result->value, &result->isnull, &reason);
		if (*failed)
			return NULL;
		get_typlenbyval(exprType((Node *) state->expr), &len, &byval);
		if (!result->isnull)
			result->value = datumCopy(result->value, byval, len);
		result->known = true;
	}
	ResetExprContext(econtext);
	return results;
}

/* A varlena's bytes. */
static Bytes
copy_text(Datum value)
{
	struct varlena *text = PG_DETOAST_DATUM_COPY(value);
	Bytes		bytes = {VARDATA(text), VARSIZE(text) - VARHDRSZ};

	return bytes;
}

/* A varlena's bytes, which are numbers, where numbers can be. */
static Bytes
copy_numbers(Datum value)
{
	Bytes		numbers = copy_text(value);

	return (Bytes) {memcpy(palloc(numbers.len + 1), numbers.data, numbers.len), numbers.len};
}

/* The bytes that a Datum points to, and the zeros that make a type's size of them. */
static Bytes
copy_bytes(ValueType type, Datum value)
{
	char	   *data = palloc0(value_type_size(type));
	Bytes		bytes = {data, (uint32_t) value_type_size(type)};

	memcpy(data, DatumGetPointer(value), value_type_stored(type));
	return bytes;
}

/* Floats as their bits, integers sign-extended. */
static void
set_value(ParamValue *param, Datum value)
{
	ValueType	type = (ValueType) param->type;

	switch (type)
	{
#define SET_INTEGER(ctype) param->word = (ctype) value
#define SET_FLOAT(ctype) param->word = sizeof(ctype) == sizeof(int32) ? (int32) value : (int64) value
#define SET_BYTES(ctype) param->bytes = copy_bytes(type, value)
#define SET_WIDE(ctype)			/* no parameter is */
#define SET_TEXT(ctype) param->bytes = copy_text(value)
#define TYPE(name, ctype, size, stored, class, ...) \
		case VT_##name: \
			SET_##class(ctype); \
			break;
#include "program/types.def"
		case VT_COUNT:
			break;
	}
}

/* The rules of the zone that a parameter's value names; of the session's if NULL. */
static bool
set_zone(ParamValue *param, Datum value, char **reason)
{
	bool		named = !param->isnull;

	param->isnull = false;
	if (named)
		return zone_table_named(TextDatumGetCString(value), &param->bytes, reason);
	return zone_table(session_timezone, &param->bytes, reason);
}

bool
params_evaluate(List *exprs, const ParamResult *early, const Bitmapset *exec_ids,
				ExprContext *econtext, ParamValue **values, char **reason)
{
	ParamValue *params = palloc0(sizeof(ParamValue) * (list_length(exprs) + 1));
	ListCell   *lc;

	ExecSetParamPlanMulti(exec_ids, econtext);
	foreach(lc, exprs)
	{
		ExprState  *state = (ExprState *) lfirst(lc);
		const ParamResult *result = early ? &early[foreach_current_index(lc)] : NULL;
		ParamValue *param = &params[foreach_current_index(lc)];
		Datum		value;

		param->type = param_value_type(state->expr);
		if (result != NULL && result->known)
		{
			value = result->value;
			param->isnull = result->isnull;
		}
		else if (is_simple(state->expr))
			value = ExecEvalExprSwitchContext(state, econtext, &param->isnull);
		else if (!evaluate_safely(state, econtext, &value, &param->isnull, reason))
			return false;
		if (exprType((Node *) state->expr) == PARAM_ZONE_TYPE)
		{
			if (!set_zone(param, value, reason))
				return false;
		}
		else if (!param->isnull && exprType((Node *) state->expr) == PARAM_NUMBERS_TYPE)
			param->bytes = copy_numbers(value);
		else if (!param->isnull && type_is_array_domain(exprType((Node *) state->expr)))
			param->bytes = set_of_array(value);
		else if (!param->isnull && exprType((Node *) state->expr) != PARAM_LOOKUP_TYPE)
			set_value(param, value);
	}
	*values = params;
	return true;
}
