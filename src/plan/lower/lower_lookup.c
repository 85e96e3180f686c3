/*
 * lower_lookup.c
 *	  Look-ups: joins to relations whose rows are found by a key.
 *
 * A look-up is an operation of the key, which gives the number of a row, or -1 (ops_lookup.h).
 * An inner or semi join lets rows pass that have found one, an anti join those that have not.
 * Columns of the relation are operations of that number.  Of an outer join's that has found
 * none they are NULL; what is more in its condition makes the number NULL where it does not
 * hold.
 *
 * The largest expressions over one look-up are computed by PostgreSQL, once a row of the
 * relation, if that can raise no error, which rows might that are not found; and if the
 * join is an outer or anti join, if the function is strict, so that it is NULL where nothing
 * is found.
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
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "compat.h"
#include "plan/lower/lower.h"
#include "plan/lower/lower_lookup.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/numeric_guess.h"
#include "plan/lower/time_format.h"
#include "plan/plan_info.h"
#include "plan/value_type.h"

struct Lookup
{
	Relids		relids;			/* of its relation, without outer joins; NULL: what its plan
								 * computes of the table's own columns, which are its keys */
	const char *name;
	JoinType	jointype;
	List	   *target;			/* Expr: what its plan puts out; first, if it computes of the table's
								 * own columns, these, or what they are truncated to: */
	int			ninputs;		/* so many */
	ProgramBuilder *builder;	/* its columns are those that engines need */
	List	   *keys;			/* LookupKey */
	int			param;
	int			row;			/* register: the number of the row that is found */
	List	   *columns;		/* LookupColumn */
};

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

/*
 * Where the look-up's plan has the expression, from 1; 0: nowhere.  What is computed for formats may
 * be computed of truncated moments.
 */
static int
plan_number(const Lookup *lookup, Expr *expr)
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
	int			number = lookup->relids == NULL && IsA(expr, Var) ? 0 : plan_number(lookup, expr);

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
can_be_computed(const Lookup *lookup, Expr *expr)
{
	Node	   *node = (Node *) expr;

	if (IsA(expr, RelabelType) || has_placeholder(node) || !cannot_fail(node) ||
		contain_volatile_functions(node) ||
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

/* The attribute of the look-up's plan that has the expression's value; 0: it cannot have it. */
static int
attribute_of(const Lowering *l, Lookup *lookup, Expr *expr)
{
	int			attno;

	expr = without_relabel(expr);
	attno = target_number(lookup, expr);
	if (attno > 0)
		return attno;
	if (IsA(expr, Var) || IsA(expr, PlaceHolderVar) || !can_be_computed(lookup, expr))
		return 0;
	/* outer joins that it has passed are above the plan */
	expr = (Expr *) compat_below_outer_joins(l->root, (Node *) expr);
	attno = target_number(lookup, expr);
	if (attno > 0)
		return attno;
	lookup->target = lappend(lookup->target, expr);
	return list_length(lookup->target);
}

/* A new parameter, whose bytes are made of rows; -1: there is none. */
static int
add_table_param(Lowering *l)
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
		.use = use,.place = place,.param = add_table_param(l)
	};
	lookup->columns = lappend(lookup->columns, column);
	return column->param < 0 ? NULL : column;
}

/* The number of a column of the look-up's Program, by its register there. */
static int
column_number(const Lookup *lookup, int reg)
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
	column = add_column(l, lookup, LOOKUP_VALUE, column_number(lookup, reg));
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
	int			attno = lookup ? attribute_of(l, lookup, expr) : 0;
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
	column = reg < 0 ? NULL : add_column(l, lookup, LOOKUP_PRESENCE, column_number(lookup, reg));
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
	int			attno = lookup && can_be_coded(expr) ? attribute_of(l, lookup, expr) : 0;
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
	return IsA(expr, Var) && list_length(lookup->keys) > 1 ? 0 : plan_number(lookup, expr);
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
	*attno = lookup != NULL ? attribute_of(l, lookup, expr) : 0;
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

/* The operation that a join's equality is, or -1: the look-up has no such keys. */
static int
key_op(Lowering *l, const Lookup *lookup, const JoinKey *key)
{
	int			op = function_op(key->function);

	switch (op)
	{
		case OP_int4_eq:
		case OP_int8_eq:
		case OP_text_eq:
		case OP_bpchar_eq:
			return op;
		case OP_bool_eq:
		case OP_uuid_eq:
			if (lookup->relids == NULL)
				return op;
			break;
		default:
			if (lookup->relids == NULL && key->function == F_NUMERIC_EQ)
				return OP_int8_eq;
			break;
	}
	return lower_reject(l, REJECTED_TYPE, _("a join by values of type %s is not supported"),
						format_type_be(exprType((const Node *) key->inner)));
}

static bool
is_text_op(int op)
{
	return op == OP_text_eq || op == OP_bpchar_eq;
}

/* One of several keys has as many words; of each there are numbers. */
static int
key_words(int op)
{
	return op == OP_uuid_eq ? 2 : 1;
}

/* The type of a key: TEXT, INT8, or INT4, which is the number of its value; alone it is INT8. */
static ValueType
key_type(int op)
{
	if (is_text_op(op))
		return VT_TEXT;
	return op == OP_int4_eq || op == OP_bool_eq ? VT_INT4 : VT_INT8;
}

/* A truth value as an integer. */
static int
lower_truth(Lowering *l, Expr *expr, ValueType type)
{
	int			reg = lower_expr(l, expr);

	if (reg >= 0)
		reg = program_add_op(l->builder, OP_bool_to_int4, reg, -1);
	return reg < 0 || type == VT_INT4 ? reg :
		program_add_op(l->builder, OP_int4_to_int8, reg, -1);
}

/* A numeric as its units, which the other side has, too. */
static int
lower_units(Lowering *l, Expr *expr)
{
	NumericInfo info;
	int			reg = lower_numeric(l, expr, &info);

	if (reg >= 0 && l->builder->insns[reg].type != VT_INT8)
		return lower_reject(l, REJECTED_NUMERIC, _("a numeric of 128 bits is not looked up"));
	return reg;
}

/* The table's side of an equality, as INT4, INT8 or TEXT. */
static int
lower_outer_key(Lowering *l, const JoinKey *key, int op, ValueType type, int word)
{
	int			reg;

	if (is_text_op(op) &&
		!check_collation(l, exprType((const Node *) key->outer), key->collation))
		return -1;
	if (key->function == F_NUMERIC_EQ)
		return lower_units(l, key->outer);
	if (op == OP_bool_eq)
		return lower_truth(l, key->outer, type);
	if (op == OP_uuid_eq)
	{
		reg = lower_expr(l, key->outer);
		return reg < 0 ? -1 :
			program_add_op(l->builder, word == 0 ? OP_uuid_first : OP_uuid_second, reg, -1);
	}
	reg = lower_operand(l, key->function, key->outer, type);
	return reg >= 0 && op == OP_bpchar_eq ?
		program_add_op(l->builder, OP_bpchar_trimmed, reg, -1) : reg;
}

/* The units of a numeric that the look-up's plan puts out; -1: they have not 64 bits. */
static int
inner_units_column(Lowering *l, Lookup *lookup, const JoinKey *key, int attno)
{
	NumericGuess guess;
	const char *reason;

	if (!numeric_guess(l->root, key->inner, &guess, &reason))
		return lower_reject(l, REJECTED_NUMERIC, "%s", reason);
	if (!guess.fixed)
		return lower_reject(l, REJECTED_NUMERIC, _("a numeric of a joined relation has no fixed scale"));
	if (guess.special)
		return lower_reject(l, REJECTED_NUMERIC, _("NaN is not looked up"));
	return column_number(lookup, program_add_numeric_column(lookup->builder, attno, NUMERIC_EXACT,
															guess.scale, true, -1));
}

/* Has a look-up's column values of such keys? */
static bool
suits_key(int op, int type)
{
	if (is_text_op(op))
		return type == VT_TEXT;
	if (op == OP_uuid_eq)
		return type == VT_UUID;
	return type == VT_INT2 || type == VT_INT4 || type == VT_INT8 || type == VT_CHAR ||
		type == VT_BOOL;
}

/* The look-up's side: a column of its Program; or -1. */
static int
inner_key_column(Lowering *l, Lookup *lookup, const JoinKey *key, int op)
{
	int			attno = lookup->relids == NULL ? plan_number(lookup, key->inner) :
		attribute_of(l, lookup, key->inner);
	int			type;

	if (attno > 0 && key->function == F_NUMERIC_EQ)
		return inner_units_column(l, lookup, key, attno);
	type = attno > 0 ? lower_type(l, exprType((const Node *) key->inner)) : -1;
	if (attno == 0 || (type >= 0 && !suits_key(op, type)))
		return lower_reject(l, REJECTED_EXPRESSION, _("what a relation is joined by can raise errors"));
	if (type < 0)
		return -1;
	return column_number(lookup, program_add_column(lookup->builder, attno, type, true, -1));
}

/* The number of a value by a look-up of its own, as INT4. */
static int
lower_number(Lowering *l, int reg, int param)
{
	OpCode		op = l->builder->insns[reg].type == VT_TEXT ? OP_text_lookup : OP_int8_lookup;

	return param < 0 ? -1 :
		program_add_op(l->builder, op, reg, program_add_table_ref(l->builder, param));
}

/* One of several keys, as INT4; *part says how its numbers are made. */
static int
lower_key_part(Lowering *l, const JoinKey *key, int op, LookupKey *part)
{
	ValueType	type = key_type(op);
	int			reg = lower_outer_key(l, key, op, type, part->word);

	if (reg < 0 || type == VT_INT4)
		return reg;
	part->param = add_table_param(l);
	return lower_number(l, reg, part->param);
}

/*
 * A register of a join's condition, if it is an error in a row that passes the table's own
 * filter, ends the run: for which of these rows PostgreSQL evaluates it depends on the order
 * of its joins.
 */
static void
note_errors(Lowering *l, int reg)
{
	if (reg >= 0 && l->builder->insns[reg].fallible)
		l->checked = lappend_int(l->checked, reg);
}

/* A key's word joins those before it, of which *pair is the register; false: it cannot. */
static bool
add_key_word(Lowering *l, Lookup *lookup, const JoinKey *key, int op, int word, bool alone,
			 int *pair)
{
	LookupKey  *part = palloc(sizeof(LookupKey));
	int			reg;

	*part = (LookupKey)
	{
		.column = inner_key_column(l, lookup, key, op),.word = word,.param = -1,.pair_param = -1,
			.trims = op == OP_bpchar_eq
	};
	if (part->column < 0)
		return false;
	lookup->keys = lappend(lookup->keys, part);
	if (alone)
		reg = lower_outer_key(l, key, op, is_text_op(op) ? VT_TEXT : VT_INT8, word);
	else
		reg = lower_key_part(l, key, op, part);
	if (reg < 0)
		return false;
	if (list_length(lookup->keys) > 2)
	{
		part->pair_param = add_table_param(l);
		*pair = lower_number(l, *pair, part->pair_param);
	}
	*pair = *pair < 0 ? reg : program_add_op(l->builder, OP_key_pair, *pair, reg);
	return true;
}

/* The number of the row that the keys find: Lookup.row. */
static bool
lower_keys(Lowering *l, Lookup *lookup, List *keys)
{
	int			pair = -1;
	ListCell   *lc;

	foreach(lc, keys)
	{
		const JoinKey *key = lfirst(lc);
		int			op = key_op(l, lookup, key);
		bool		alone = list_length(keys) == 1 && key_words(op) == 1;

		for (int word = 0; op >= 0 && word < key_words(op); word++)
			if (!add_key_word(l, lookup, key, op, word, alone, &pair))
				return false;
		if (op < 0)
			return false;
	}
	lookup->param = add_table_param(l);
	lookup->row = lower_number(l, pair, lookup->param);
	note_errors(l, lookup->row);
	return lower_succeeded(l);
}

/* Clauses as one register; -1: there are none, or a reason. */
static int
lower_join_conditions(Lowering *l, List *clauses)
{
	int			reg = clauses == NIL ? -1 : lower_conditions(l, clauses);

	note_errors(l, reg);
	return reg;
}

/* Let only rows pass for which the register is true. */
static void
add_filter(Lowering *l, int reg)
{
	if (reg >= 0)
		l->required = lappend_int(l->required, reg);
}

/* True, unless the register is an error. */
static int
is_no_error(Lowering *l, int reg)
{
	ProgramBuilder *b = l->builder;

	return program_add_op(b, OP_or, program_add_op(b, OP_isnull, reg, -1),
						  program_add_op(b, OP_isnotnull, reg, -1));
}

static void
join_filter(Lowering *l, int reg)
{
	int			filter = l->builder->head.filter;

	program_set_filter(l->builder, filter < 0 ? reg :
					   program_add_op(l->builder, OP_and, filter, reg));
}

bool
lower_lookup_filters(Lowering *l)
{
	ListCell   *lc;

	if (!lower_succeeded(l))
		return false;
	foreach(lc, l->checked)
		join_filter(l, is_no_error(l, lfirst_int(lc)));
	foreach(lc, l->required)
		join_filter(l, lfirst_int(lc));
	return lower_succeeded(l);
}

/* Which rows a look-up lets pass, or in which its columns are NULL. */
static bool
lower_match(Lowering *l, Lookup *lookup, List *conditions)
{
	ProgramBuilder *b = l->builder;
	int			zero = lower_int4(l, 0);
	int			found = zero < 0 ? -1 : program_add_op(b, OP_int4_ge, lookup->row, zero);
	int			holds;

	if (found < 0)
		return false;
	switch (lookup->jointype)
	{
		case JOIN_ANTI:
			add_filter(l, program_add_op(b, OP_or, program_add_op(b, OP_isnull, lookup->row, -1),
										 program_add_op(b, OP_int4_lt, lookup->row, zero)));
			break;
		case JOIN_LEFT:
			holds = lower_join_conditions(l, conditions);
			if (holds >= 0)
				lookup->row = program_add_select(b, holds, lookup->row, lower_null(l, INT4OID));
			break;
		default:
			add_filter(l, found);
			add_filter(l, lower_join_conditions(l, conditions));
			break;
	}
	return lower_succeeded(l);
}

bool
lower_lookup(Lowering *l, Relids relids, const char *name, JoinType jointype, List *target,
			 List *keys, List *conditions, List *filters)
{
	Lookup	   *lookup = palloc0(sizeof(Lookup));

	if (!lower_succeeded(l))
		return false;
	lookup->relids = relids;
	lookup->name = name;
	lookup->jointype = jointype;
	lookup->target = list_copy(target);
	lookup->ninputs = relids == NULL ? list_length(keys) : 0;
	lookup->row = -1;
	lookup->builder = palloc(sizeof(ProgramBuilder));
	program_begin(lookup->builder, SOURCE_COLUMNS);
	if (!lower_keys(l, lookup, keys))
		return false;
	l->lookups = lappend(l->lookups, lookup);
	if (!lower_match(l, lookup, conditions))
		return false;
	add_filter(l, lower_join_conditions(l, filters));
	return lower_succeeded(l);
}

static LookupInfo *
make_info(const Lookup *lookup)
{
	LookupInfo *info = palloc0(sizeof(LookupInfo));
	ListCell   *lc;

	info->name = pstrdup(lookup->name);
	info->jointype = lookup->jointype;
	info->program = make_program(lookup->builder);
	info->param = lookup->param;
	info->keys = palloc(sizeof(LookupKey) * list_length(lookup->keys));
	foreach(lc, lookup->keys)
		info->keys[info->nkeys++] = *(const LookupKey *) lfirst(lc);
	info->columns = palloc(sizeof(LookupColumn) * (list_length(lookup->columns) + 1));
	foreach(lc, lookup->columns)
		info->columns[info->ncolumns++] = *(const LookupColumn *) lfirst(lc);
	return info;
}

/* The attributes of the plan's rows, from 1, that its keys and columns are made of. */
static Bitmapset *
used_attributes(const Lookup *lookup)
{
	const ProgramBuilder *builder = lookup->builder;
	Bitmapset  *used = NULL;
	ListCell   *lc;

	for (int i = 0; i < builder->head.ncolumns; i++)
		used = bms_add_member(used, builder->columns[i].attno);
	foreach(lc, lookup->columns)
	{
		const LookupColumn *column = lfirst(lc);

		if (lookup_use_is_code(column->use))
			used = bms_add_member(used, column->place);
	}
	return used;
}

/* Let the plan put out only what is used: of some columns, only what is computed of them is. */
static void
drop_unused(Lookup *lookup)
{
	ProgramBuilder *builder = lookup->builder;
	Bitmapset  *used = used_attributes(lookup);
	List	   *target = NIL;
	ListCell   *lc;
	int			attno = -1;

	while ((attno = bms_next_member(used, attno)) >= 0)
		target = lappend(target, list_nth(lookup->target, attno - 1));
	lookup->target = target;
	for (int i = 0; i < builder->head.ncolumns; i++)
		builder->columns[i].attno = (int16) bms_member_index(used, builder->columns[i].attno) + 1;
	foreach(lc, lookup->columns)
	{
		LookupColumn *column = lfirst(lc);

		if (lookup_use_is_code(column->use))
			column->place = bms_member_index(used, column->place) + 1;
	}
}

List *
lower_lookup_infos(Lowering *l)
{
	List	   *infos = NIL;
	ListCell   *lc;

	foreach(lc, l->lookups)
	{
		Lookup	   *lookup = lfirst(lc);

		if (lookup->relids != NULL)
			drop_unused(lookup);
		infos = lappend(infos, make_info(lookup));
	}
	return infos;
}

List *
lower_lookup_target(const Lowering *l, int number)
{
	return ((const Lookup *) list_nth(l->lookups, number))->target;
}
