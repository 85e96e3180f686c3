/*
 * hidden_rows.c
 *	  Rows that the user may not see.
 *
 * Row security and views that are security barriers hide rows from a user, who
 * writes the rest of the query.  Nothing that he is told may depend on them: not
 * the plan, so that statistics are not looked at (numeric_stats.c); and not
 * EXPLAIN ANALYZE, which shows whether the engine has fallen back, so that
 * neither a value nor an expression of a hidden row may make it do so.
 *
 * An engine reads all rows of a page before the conditions are evaluated that
 * hide some.  So of a table with hidden rows it reads values that it can hold
 * whatever they are: those of fixed length, and numerics whose type leaves them
 * no more digits than 64 bits hold, with NaN admitted from the start.  Others
 * come from the child plan, which has removed those rows.  Of expressions, the
 * conditions' order keeps those of the user from hidden rows (clauses.c), whose
 * errors are not seen then.
 */
#include "postgres.h"

#include "parser/parsetree.h"
#include "utils/selfuncs.h"

#include "plan/lower/lower.h"

/*
 * A subquery's PlannerInfo is not known to the query around it before it has been
 * planned.  So a barrier anywhere in the queries around is taken for one around.
 */
bool
is_behind_barrier(const PlannerInfo *root)
{
	while ((root = root->parent_root) != NULL)
	{
		ListCell   *lc;

		foreach(lc, root->parse->rtable)
			if (lfirst_node(RangeTblEntry, lc)->security_barrier)
				return true;
	}
	return false;
}

bool
has_hidden_rows(PlannerInfo *root, Index rti)
{
	return planner_rt_fetch(rti, root)->securityQuals != NIL || is_behind_barrier(root);
}

bool
statistics_are_readable(const PlannerInfo *root, const VariableStatData *variable)
{
	return HeapTupleIsValid(variable->statsTuple) && variable->acl_ok && !is_behind_barrier(root);
}
