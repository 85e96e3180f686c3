/*
 * prewarm_columns.c
 *	  Columns that a run keeps which its query does not need: gpuagg_prewarm's.
 *
 * Other queries shall find them, so they are lowered as those queries lower them, with
 * statistics and all.  That can be done only while a query of the table is planned.
 *
 * A device is told of the Columns beside the Program.  The CPU engine keeps those of the Program
 * that it runs, so there they become the Program's.
 *
 * A column that cannot be lowered is not kept, and the request says why.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "engine/cpu/kept/area.h"
#include "plan/lower/lower_parts.h"
#include "plan/path/prewarm_columns.h"

static KeepRequest *current = NULL;

void
keep_columns_of(KeepRequest *request)
{
	current = request;
}

List *
keep_vars(PlannerInfo *root, RelOptInfo *rel)
{
	List	   *vars = NIL;
	int			attno = -1;

	if (current == NULL || planner_rt_fetch(rel->relid, root)->relid != current->relid)
		return NIL;
	while ((attno = bms_next_member(current->attnos, attno)) >= 0)
	{
		Oid			type;
		int32		typmod;
		Oid			collation;

		get_atttypetypmodcoll(current->relid, attno, &type, &typmod, &collation);
		vars = lappend(vars, makeVar(rel->relid, attno, type, typmod, collation, 0));
	}
	return vars;
}

void
keep_refuse(const List *vars, const char *reason)
{
	if (vars != NIL)
		current->refused = MemoryContextStrdup(current->context, reason);
}

/* Lower a Var, for the Columns that its value is made of. */
static bool
lower_one(Lowering *l, Var *var)
{
	NumericInfo info;
	bool		expects_specials = l->expects_specials;
	bool		needs_specials = l->needs_specials;

	if (is_numeric((Expr *) var))
		(void) lower_numeric(l, (Expr *) var, &info);
	else
		(void) lower_expr(l, (Expr *) var);
	if (!current->in_memory || !lower_succeeded(l))
	{
		l->expects_specials = expects_specials;
		l->needs_specials = needs_specials;
	}
	return lower_succeeded(l);
}

/*
 * Why the CPU engine cannot keep the Columns that have been lowered beside n others, or NULL.  A
 * NaN would end the run, and so keep others from being kept: the Program knows of none, since it
 * only counts.
 */
static const char *
refusal_in_memory(const Lowering *l, int n)
{
	if (l->expects_specials)
		return "Statistics have NaN or infinities among its values: queries have it kept.";
	if (n + l->builder->head.ncolumns > CPU_KEPT_PLACES)
		return "The CPU engine keeps no more columns of a run.";
	return NULL;
}

/* The Columns that have been lowered, `most` of them, and no register, leave the Program. */
static int
take_columns(ProgramBuilder *b, Column *columns, int most)
{
	int			n = Min(b->head.ncolumns, most);

	memcpy(columns, b->columns, n * sizeof(Column));
	b->head.ncolumns = 0;
	b->head.ninsns = 0;
	return n;
}

/* A column cannot be kept. */
static void
refuse_column(Lowering *l, const Var *var, const char *reason)
{
	current->reasons[var->varattno] = MemoryContextStrdup(current->context, reason);
	l->builder->head.ncolumns = 0;
	l->builder->head.ninsns = 0;
	l->expects_specials = false;
}

/* The Columns become the Program's, which has no others yet. */
static void
put_columns(ProgramBuilder *b, const Column *columns, int n)
{
	memcpy(b->columns, columns, n * sizeof(Column));
	b->head.ncolumns = n;
}

Column *
keep_lower(Lowering *l, List *vars, int *n)
{
	Column	   *columns = palloc(sizeof(Column) * PROGRAM_MAX_COLUMNS);
	ListCell   *lc;

	*n = 0;
	if (vars != NIL)
		current->taken = true;
	foreach(lc, vars)
	{
		Var		   *var = lfirst_node(Var, lc);
		const char *reason = NULL;

		/* what other files say of the table is not undone */
		if (!lower_succeeded(l))
			break;
		if (*n == PROGRAM_MAX_COLUMNS)
			break;
		if (!lower_one(l, var))
			reason = l->reason;
		else if (current->in_memory)
			reason = refusal_in_memory(l, *n);
		if (reason == NULL)
			*n += take_columns(l->builder, columns + *n, PROGRAM_MAX_COLUMNS - *n);
		else
			refuse_column(l, var, reason);
		l->reason = NULL;
		l->hint = NULL;
	}
	if (vars != NIL && current->in_memory)
		put_columns(l->builder, columns, *n);
	return columns;
}
