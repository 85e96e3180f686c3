/*
 * lower_regroup.c
 *	  A Program over the groups of another one, for coarser groups.
 *
 * Its columns are the other Program's keys, and so are its keys; which of them
 * are kept for which set regroup.c decides.  It has all accumulators of the
 * other one, which it merges, and those of the aggregates with DISTINCT, whose
 * arguments are columns.
 */
#include "postgres.h"

#include "plan/lower/lower.h"
#include "plan/lower/lower_parts.h"

/* A column for each key.  In a coarser group any key may be NULL. */
static void
add_keys(ProgramBuilder *b, const Program *fine)
{
	for (int i = 0; i < fine->nkeys; i++)
	{
		int			reg = program_add_column(b, i + 1, program_key_type(fine, i), true, -1);

		program_add_numeric_key(b, reg, program_key_scales(fine)[i]);
	}
}

/* The key that an aggregate with DISTINCT takes in: they have been made for it. */
static int
argument_key(List *keys, const Aggref *aggref)
{
	Expr	   *argument = lower_distinct_argument(aggref);
	ListCell   *lc;

	foreach(lc, keys)
	{
		if (equal(lfirst(lc), argument))
			return foreach_current_index(lc);
	}
	elog(ERROR, "argument of an aggregate with DISTINCT is not a key");
}

Program *
lower_regrouping(const Program *fine, List *keys, List *aggrefs, const char **reason)
{
	Lowering   *l = lower_begin_columns(NULL, NIL);
	const Aggregate *plain = program_aggs(fine);
	Program    *program;
	ListCell   *lc;

	add_keys(l->builder, fine);
	for (int i = 0; i < fine->naccs; i++)
		program_add_merged_acc(l->builder, &program_accs(fine)[i]);
	foreach(lc, aggrefs)
	{
		Aggref	   *aggref = lfirst_node(Aggref, lc);

		if (lower_needs_distinct(aggref))
		{
			int			key = argument_key(keys, aggref);
			int			scale = program_key_scales(fine)[key];

			lower_distinct_aggref(l, aggref, l->builder->keys[key],
								  scale == KEY_NOT_NUMERIC ? 0 : scale);
		}
		else
			program_copy_agg(l->builder, plain++);
	}
	program = lower_finish(l);
	*reason = l->reason;
	return program;
}
