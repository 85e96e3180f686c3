/*
 * prewarm_columns.c
 *	  Columns that a run keeps beside those that it needs: gpuagg_prewarm's.
 *
 * Other queries shall find them, so they are lowered as those queries lower them, with
 * statistics and all.  That can be done only while a query of the table is planned.
 *
 * A column that cannot be lowered is not kept, and the request says why.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

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
	l->expects_specials = expects_specials;
	l->needs_specials = needs_specials;
	return lower_succeeded(l);
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

		/* what other files say of the table is not undone */
		if (!lower_succeeded(l))
			break;
		if (*n == PROGRAM_MAX_COLUMNS)
			break;
		if (lower_one(l, var))
			*n += take_columns(l->builder, columns + *n, PROGRAM_MAX_COLUMNS - *n);
		else
		{
			current->reasons[var->varattno] = MemoryContextStrdup(current->context, l->reason);
			(void) take_columns(l->builder, columns, 0);
			l->reason = NULL;
			l->hint = NULL;
		}
	}
	return columns;
}
