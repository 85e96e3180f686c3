/*
 * lower_lookup_columns.c
 *	  Expressions over the rows of one look-up: values, whether there is one, and numbers of values.
 *
 * The largest expressions over one look-up are computed by PostgreSQL, once a row of the
 * relation, if that can raise no error, which rows might that are not found, or if errors are set
 * aside (Lowering.guards); and if the join is an outer or anti join, if the function is strict, so
 * that it is NULL where nothing is found.
 *
 * As a key of groups, such an expression is the number of its value, among those of all the
 * relation's rows.  So it can be of any type that can be hashed, and results are made of
 * the value itself.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "compat.h"
#include "plan/lower/lower.h"
#include "plan/lower/lower_lookup_parts.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/numeric_guess.h"
#include "plan/lower/time_format.h"
#include "plan/value_type.h"

/* The same column of a relation, whatever outer joins it has passed. */
static bool
is_same_column(const Expr *a, const Expr *b)
{
	if (IsA(a, Var) && IsA(b, Var))
		return ((const Var *) a)->varno == ((const Var *) b)->varno &&
			((const Var *) a)->varattno == ((const Var *) b)->varattno &&
			((const Var *) a)->varlevelsup == ((const Var *) b)->varlevelsup;
	if (IsA(a, PlaceHolderVar) && IsA(b, PlaceHolderVar))
		return ((const PlaceHolderVar *) a)->phid == ((const PlaceHolderVar *) b)->phid;
	return equal(a, b);
}

static int
place_of(const List *exprs, const Expr *expr)
{
	ListCell   *lc;

	foreach(lc, exprs)
		if (is_same_column(lfirst(lc), expr))
			return foreach_current_index(lc) + 1;
	return 0;
}

int
lookup_plan_number(const Lookup *lookup, Expr *expr)
{
	int			number = place_of(lookup->target, expr);

	if (number == 0 && lookup->relids == NULL && time_formats_can_truncate((Node *) expr))
		number = place_of(lookup->target, (Expr *) time_formats_truncate((Node *) expr));
	return number;
}

/* The same of what is looked up: the table has its own columns, and what they are found by. */
static int
target_number(const Lookup *lookup, Expr *expr)
{
	int			number = lookup->relids == NULL && IsA(expr, Var) ? 0 :
		lookup_plan_number(lookup, expr);

	return number <= lookup->ninputs ? 0 : number;
}

/* The look-up over whose columns alone the expression is, or NULL. */
static Lookup *
find_lookup(const Lowering *l, Expr *expr)
{
	Relids		relids;
	ListCell   *lc;

	foreach(lc, l->lookups)
		if (target_number(lfirst(lc), expr) > 0)
			return lfirst(lc);
	if (l->lookups == NIL || IsA(expr, Const) || IsA(expr, Var) || IsA(expr, PlaceHolderVar))
		return NULL;
	relids = pull_varnos(l->root, (Node *) expr);
	foreach(lc, l->lookups)
	{
		Lookup	   *lookup = lfirst(lc);

		if (!bms_is_empty(relids) &&
			bms_is_subset(compat_without_outer_joins(l->root, relids), lookup->relids))
			return lookup;
	}
	return NULL;
}

/* Is a part of the expression what a subquery computes? */
static bool
has_placeholder(Node *expr)
{
	ListCell   *lc;

	foreach(lc, pull_var_clause(expr, PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS |
								PVC_INCLUDE_PLACEHOLDERS))
		if (IsA(lfirst(lc), PlaceHolderVar))
			return true;
	return false;
}

/* Can PostgreSQL compute the expression for each row of the relation? */
static bool
can_be_computed(const Lowering *l, const Lookup *lookup, Expr *expr)
{
	Node	   *node = (Node *) expr;

	if (IsA(expr, RelabelType) || has_placeholder(node) || (!l->guards && !cannot_fail(node)) ||
		has_case_test(node) || contain_volatile_functions(node) ||
		contain_subplans(node) || expression_returns_set(node))
		return false;
	return !IS_OUTER_JOIN(lookup->jointype) || !contain_nonstrict_functions(node);
}

/*
 * What a cast is of that leaves an engine's values as they are, such as of varchar to text.
 * They may not equal the same ones: see lower_code_key.
 */
static Expr *
without_relabel(Expr *expr)
{
	while (IsA(expr, RelabelType))
	{
		Expr	   *arg = ((RelabelType *) expr)->arg;
		int			type = value_type_of(exprType((Node *) expr));

		if (type < 0 || value_type_of(exprType((Node *) arg)) != type)
			break;
		expr = arg;
	}
	return expr;
}

int
lookup_attribute(const Lowering *l, Lookup *lookup, Expr *expr)
{
	int			attno;

	expr = without_relabel(expr);
	attno = target_number(lookup, expr);
	if (attno > 0)
		return attno;
	if (IsA(expr, Var) || IsA(expr, PlaceHolderVar) || !can_be_computed(l, lookup, expr))
		return 0;
	/* outer joins that it has passed are above the plan */
	expr = (Expr *) compat_below_outer_joins(l->root, (Node *) expr);
	attno = target_number(lookup, expr);
	if (attno > 0)
		return attno;
	lookup->target = lappend(lookup->target, expr);
	return list_length(lookup->target);
}

int
lookup_add_param(Lowering *l)
{
	int			param = program_add_param(l->builder, VT_TEXT);

	if (param >= 0)
		l->params = lappend(l->params, makeConst(PARAM_LOOKUP_TYPE, -1, InvalidOid, sizeof(int32),
												 Int32GetDatum(param), false, true));
	return param;
}

/* A column of the look-up's rows; a new one if there is none like it yet. */
static const LookupColumn *
add_column(Lowering *l, Lookup *lookup, LookupUse use, int place)
{
	LookupColumn *column;
	ListCell   *lc;

	foreach(lc, lookup->columns)
	{
		column = lfirst(lc);
		if (column->use == use && column->place == place)
			return column;
	}
	column = palloc(sizeof(LookupColumn));
	*column = (LookupColumn)
	{
		.use = use,.place = place,.param = lookup_add_param(l)
	};
	lookup->columns = lappend(lookup->columns, column);
	return column->param < 0 ? NULL : column;
}

int
lookup_column_number(const Lookup *lookup, int reg)
{
	return reg < 0 ? -1 : lookup->builder->insns[reg].index;
}

/* The number of the row, NULL where that has no value in the column. */
static int
present_row(Lowering *l, const Lookup *lookup, int table)
{
	int			has = program_add_op(l->builder, OP_row_has, lookup->row, table);
	int			null = lower_null(l, INT4OID);

	return null < 0 ? -1 : program_add_select(l->builder, has, lookup->row, null);
}

/* Is a column of the plan never NULL, once a row has been found? */
static bool
is_never_null(const Lowering *l, const Lookup *lookup, const Expr *expr)
{
	const Var  *var = (const Var *) expr;
	RangeTblEntry *rte;
	Relation	relation;
	bool		result;

	if (lookup->jointype != JOIN_INNER || bms_membership(lookup->relids) != BMS_SINGLETON ||
		!IsA(expr, Var) || var->varattno <= 0)
		return false;
	rte = planner_rt_fetch(var->varno, l->root);
	if (rte->rtekind != RTE_RELATION || rte->inh)
		return false;
	relation = relation_open(rte->relid, NoLock);
	result = compat_is_not_null(RelationGetDescr(relation), var->varattno - 1);
	relation_close(relation, NoLock);
	return result;
}

/* The operation that takes a value of a type from a row. */
static OpCode
value_op(ValueType type)
{
	switch (type)
	{
		case VT_BOOL:
			return OP_row_bool;
		case VT_CHAR:
			return OP_row_char;
		case VT_INT2:
			return OP_row_int2;
		case VT_INT4:
			return OP_row_int4;
		case VT_INT8:
			return OP_row_int8;
		case VT_FLOAT4:
			return OP_row_float4;
		case VT_FLOAT8:
			return OP_row_float8;
		case VT_UUID:
			return OP_row_uuid;
		case VT_MACADDR:
			return OP_row_macaddr;
		case VT_WIDE:
			return OP_row_wide;
		case VT_INTERVAL:
			return OP_row_interval;
		case VT_TEXT:
			return OP_row_text;
		case VT_COUNT:
			break;
	}
	elog(ERROR, "no such type of values: %d", type);
}

/* The value, by its register in the look-up's Program. */
static int
lower_value(Lowering *l, Lookup *lookup, const Expr *expr, int reg)
{
	const LookupColumn *column;
	ValueType	type;
	int			table;
	int			row = lookup->row;

	if (reg < 0 || row < 0)
		return -1;
	column = add_column(l, lookup, LOOKUP_VALUE, lookup_column_number(lookup, reg));
	if (column == NULL)
		return -1;
	type = (ValueType) lookup->builder->insns[reg].type;
	/* a text's bytes are the parameter's */
	table = type == VT_TEXT ? program_add_param_ref(l->builder, column->param) :
		program_add_table_ref(l->builder, column->param);
	if (!is_never_null(l, lookup, expr))
		row = present_row(l, lookup, table);
	return row < 0 || table < 0 ? -1 : program_add_op(l->builder, value_op(type), row, table);
}

int
lower_looked_up(Lowering *l, Expr *expr)
{
	Lookup	   *lookup = find_lookup(l, expr);
	int			attno = lookup ? lookup_attribute(l, lookup, expr) : 0;
	int			type = attno > 0 ? lower_type(l, exprType((Node *) expr)) : -1;

	if (type < 0)
		return -1;
	return lower_value(l, lookup, expr,
					   program_add_column(lookup->builder, attno, type, true, -1));
}

int
lower_looked_up_numeric(Lowering *l, Expr *expr, NumericInfo *info)
{
	Lookup	   *lookup = find_lookup(l, expr);
	int			attno = lookup ? target_number(lookup, expr) : 0;
	NumericGuess guess;
	const char *reason;
	bool		wide;

	if (attno == 0)
		return -1;
	if (!numeric_guess(l->root, expr, &guess, &reason))
		return lower_reject(l, REJECTED_NUMERIC, "%s", reason);
	if (!guess.fixed)
		return lower_reject(l, REJECTED_NUMERIC, _("a numeric of a joined relation has no fixed scale"));
	fixed_scale(info, guess.scale, guess.most);
	wide = guess.wide || guess.scale > NUMERIC64_MAX_SCALE || guess.most >= NUMERIC64_MOST;
	return lower_value(l, lookup, expr, wide ?
					   program_add_wide_column(lookup->builder, attno, NUMERIC_EXACT,
											   guess.scale, true) :
					   program_add_numeric_column(lookup->builder, attno, NUMERIC_EXACT,
												  guess.scale, true, -1));
}

int
lower_looked_up_presence(Lowering *l, Expr *expr)
{
	Lookup	   *lookup = find_lookup(l, expr);
	int			attno = lookup ? target_number(lookup, expr) : 0;
	const LookupColumn *column;
	int			reg;

	if (attno == 0)
		return -1;
	reg = program_add_presence(lookup->builder, attno, true, -1);
	column = reg < 0 ? NULL :
		add_column(l, lookup, LOOKUP_PRESENCE, lookup_column_number(lookup, reg));
	if (column == NULL)
		return -1;
	return present_row(l, lookup, program_add_table_ref(l->builder, column->param));
}

/* The place of a pointer in a list that has it, from 0. */
static int
place_in(const List *list, const void *pointer)
{
	int			place = 0;

	while (list_nth(list, place) != pointer)
		place++;
	return place;
}

/*
 * Can values of the type be told apart, and numbered?  They are those that the plan puts out:
 * a cast to another type, such as of varchar to char(n), or collation can make others equal.
 */
static bool
can_be_coded(Expr *expr)
{
	Node	   *own = (Node *) without_relabel(expr);
	const int	flags = TYPECACHE_EQ_OPR | TYPECACHE_HASH_PROC;
	TypeCacheEntry *type = lookup_type_cache(exprType((Node *) expr), flags);

	return OidIsValid(type->eq_opr) && OidIsValid(type->hash_proc) &&
		lookup_type_cache(exprType(own), flags)->eq_opr == type->eq_opr &&
		exprCollation(own) == exprCollation((Node *) expr);
}

/* The register of a column's number of the value, NULL where there is none. */
static int
lower_number_of(Lowering *l, Lookup *lookup, const Expr *expr, const LookupColumn *column,
				ColumnCode *code)
{
	ProgramBuilder *b = l->builder;
	int			reg = program_add_op(b, OP_row_code, lookup->row,
									 program_add_table_ref(b, column->param));

	*code = (ColumnCode)
	{
		.lookup = place_in(l->lookups, lookup),.column = place_in(lookup->columns, column)
	};
	if (is_never_null(l, lookup, expr))
		return reg;
	return program_add_select(b, program_add_op(b, OP_int4_ge, reg, lower_int4(l, 0)), reg,
							  lower_null(l, INT4OID));
}

bool
lower_code_key(Lowering *l, Expr *expr, ColumnCode *code)
{
	Lookup	   *lookup = lower_succeeded(l) ? find_lookup(l, expr) : NULL;
	int			attno = lookup && can_be_coded(expr) ? lookup_attribute(l, lookup, expr) : 0;
	const LookupColumn *column = attno == 0 ? NULL :
		add_column(l, lookup, LOOKUP_CODE, attno);

	if (column == NULL)
		return false;
	program_add_key(l->builder, lower_number_of(l, lookup, expr, column, code));
	return lower_succeeded(l);
}

/*
 * Where the plan that computes of the table's columns has the expression, 0: nowhere.  A column
 * is not asked for where others are keys, too: no row is found where one of these is NULL.
 */
static int
computed_number(const Lookup *lookup, Expr *expr)
{
	return IsA(expr, Var) && list_length(lookup->keys) > 1 ? 0 : lookup_plan_number(lookup, expr);
}

/* The look-up that has ranks of the expression, and where; NULL: none. */
static Lookup *
find_ranked(Lowering *l, Expr *expr, int *attno)
{
	Lookup	   *lookup;
	ListCell   *lc;

	foreach(lc, l->lookups)
	{
		lookup = lfirst(lc);
		*attno = lookup->relids == NULL ? computed_number(lookup, expr) : 0;
		if (*attno > 0)
			return lookup;
	}
	lookup = find_lookup(l, expr);
	*attno = lookup != NULL ? lookup_attribute(l, lookup, expr) : 0;
	return *attno > 0 ? lookup : NULL;
}

int
lower_rank(Lowering *l, Expr *expr, Oid collation, ColumnCode *code)
{
	int			attno;
	Lookup	   *lookup = find_ranked(l, expr, &attno);
	const LookupColumn *column;

	/* what is computed of the table's columns is in the plan as it is, casts among it */
	if (lookup == NULL || exprCollation((Node *) expr) != collation ||
		(lookup->relids != NULL && !can_be_coded(expr)))
		return -1;
	column = add_column(l, lookup, LOOKUP_RANK, attno);
	return column == NULL ? -1 : lower_number_of(l, lookup, expr, column, code);
}
