/*
 * grouping.h
 *	  A query's grouping step, taken apart and lowered.
 */
#ifndef GPUAGG_GROUPING_H
#define GPUAGG_GROUPING_H

#include "nodes/pathnodes.h"

#include "plan/path/report.h"
#include "plan/path/source_tables.h"
#include "plan/plan_info.h"
#include "program/program.h"

/* How many groups the step has, by PostgreSQL's own rules. */
typedef struct GroupingEstimates
{
	double		groups;			/* the engine's */
	double		result_groups;	/* the step's */
	double		regrouped;		/* groups taken into coarser ones, by all sets, */
	double		made;			/* and groups that regrouping makes of them */
	QualCost	having_cost;
	double		having_selectivity; /* the share of the step's groups that HAVING lets pass */
} GroupingEstimates;

/* What the planner's grouping step, or its DISTINCT, has to compute. */
typedef struct Grouping
{
	PlannerInfo *root;
	RelOptInfo *input_rel;
	PathTarget *target;			/* the step's output */
	bool		distinct;		/* keys only: what grouping_examine_distinct and
								 * grouping_examine_columns make */
	bool		is_input;		/* of PostgreSQL's own aggregation above, or of a look-up */
	bool		reads_again;	/* another plan reads the same table just before: for costs */
	bool		rows_differ;	/* no two rows have the same keys */
	List	   *clause;			/* SortGroupClause, one a key but for those that
								 * depend on others */
	List	   *having;			/* implicitly ANDed clauses */
	List	   *keys;			/* Expr: the clause's, then what depends on them,
								 * as the step's output has them */
	List	   *input_keys;		/* the same, as its input has them */
	List	   *arguments;		/* Expr: further keys, which are in no set: those
								 * of aggregates with DISTINCT */
	bool		regroups;		/* the engine's groups are those of all keys and
								 * arguments; the step's are made of them: */
	List	   *sets;			/* a List of ints each, numbers of keys */
	bool		by_sets;		/* each set is a step of its own (grouping_of_set): */
	bool		of_set;			/* it is such a step */
	bool		may_need_cpu;	/* Lowering.may_need_cpu */
	bool		guards;			/* Lowering.guards */
	bool		lists_distinct; /* values of aggregates with DISTINCT are in lists, and not keys */
	List	   *groupings;		/* GroupingFunc: of target and HAVING */
	List	   *aggrefs;		/* Aggref: of target and HAVING, without repeats */
	List	   *junk;			/* Expr: of target, whose values are not used */
	FirstRowsInfo *first_rows;	/* the step's rows are the first ones of each group of its
								 * input's; NULL: they are groups */
	Index		row_rti;		/* with first_rows, of a join: the table whose rows they are */
	bool		ordered;		/* with first_rows: the step sorts them, and the query takes the
								 * first ones */
	bool		ranked_above;	/* with first_rows: PostgreSQL sorts the node's rows by keys that the
								 * node does not know, too, and takes those of them that come first */
	bool		ends_early;		/* with ordered: PostgreSQL reads them in that order, and comes to
								 * no error of rows behind them */
	List	   *rechecked;		/* with first_rows, of EVERY_ROW: RestrictInfo, of input_rel, which
								 * PostgreSQL evaluates of the rows that are fetched: having; */
	double		rows_selected;	/* with rechecked: an estimate of the rows that are fetched */
	List	   *checked;		/* with first_rows: Expr, of target, which PostgreSQL computes
								 * for all rows, and that may raise errors */

	/* what all paths of the step have in common */
	bool		is_estimated;	/* the members below are known (estimate_grouping) */
	GroupingEstimates estimates;
	TopInfo    *top;			/* the groups that the query takes, if no aggregate can fail;
								 * NULL: all of them */
} Grouping;

/* Of a join: are the rows that are put out, as far as is known yet, those of another table? */
static inline bool
grouping_puts_out_other(const Grouping *grouping, Index rti)
{
	return grouping->row_rti != 0 && grouping->row_rti != rti;
}

/* Does it take every row that passes, each of which is a group? */
static inline bool
grouping_takes_every_row(const Grouping *grouping)
{
	return grouping->first_rows != NULL && grouping->first_rows->numbering == EVERY_ROW;
}

/* A way to run it. */
typedef struct LoweredGrouping
{
	Program    *program;
	Program    *regrouping;		/* over its groups, or NULL */
	List	   *params;			/* Expr, one a parameter */
	List	   *arrays;			/* ArrayInfo: aggregates that are made of several */
	List	   *ordered;		/* OrderedInfo: aggregates that the session makes of rows */
	bool		reads_tables;	/* rows are those of tables; false: of a child plan */
	RelOptInfo *table;			/* if it reads tables: the relation that they are of */
	InputTables tables;			/* likewise */
	List	   *lookups;		/* LookupInfo: what is joined to the tables */
	List	   *builds;			/* Path, one a look-up: of its rows */
	Cost	   *build_costs;	/* of these: what it costs to make the look-ups (build_side_cost) */
	bool		guarded;		/* errors of the builds' rows are set aside in a subtransaction, which a
								 * parallel plan does not let begin */
	Bitmapset  *unique;			/* look-ups, by number, of whose rows no two have the same keys */
	Cost		calls;			/* look-ups have what PostgreSQL computes of distinct values: what
								 * it would take longer to compute of all rows than its costs
								 * say; 0: there are none of these */
	ColumnCode *codes;			/* of the grouping's keys and aggregates; NULL: all are values */
	Path	   *input;			/* of the child plan; NULL: it reads tables */
	Path	   *partial_input;	/* of a child plan for one of several processes, or NULL */
	double		rows;			/* that enter the node: an estimate */
	List	   *filter;			/* clauses that the Program's filter computes */
	Column	   *keep;			/* that the run keeps beside the Program's (keep.h) */
	int			nkeep;
	double		kept;			/* the share of the tables' blocks that a device has */
	double		kept_in_memory; /* the share of them that the CPU engine has in shared memory */
} LoweredGrouping;

/*
 * Take the grouping step apart.  Returns NULL, or why it can never be taken (a
 * phrase, palloc'd or constant).
 */
extern const char *grouping_examine(Grouping *grouping, PlannerInfo *root,
									RelOptInfo *input_rel, RelOptInfo *grouped_rel,
									List *having);

/*
 * The same step with the values of its aggregates with DISTINCT in lists, where they are keys.
 * False: they are not, or there are grouping sets.
 */
extern bool grouping_with_lists(const Grouping *grouping, Grouping *other);

/*
 * grouping_set.c: a grouping set as a step of its own.
 */

/* Can all sets of a step be taken so?  Returns NULL, or why not (a phrase). */
extern const char *grouping_examine_by_sets(const Grouping *grouping);

/* The nth set's groups, as the step puts them out. */
extern Grouping grouping_of_set(const Grouping *grouping, int n);

/*
 * Collect aggregates, further keys and GROUPING() from the output and HAVING, and make the keys
 * of the input.
 */
extern void grouping_collect(Grouping *grouping);

/* Has it aggregates with DISTINCT that depend on it? */
extern bool grouping_has_distinct(const Grouping *grouping);

/* Has it aggregates of ordered lists (lower_ordered_array.c, lower_ordered_aggregate.c)? */
extern bool grouping_has_ordered_lists(const Grouping *grouping);

/* The same for SELECT DISTINCT, whose output is that of its input. */
extern const char *grouping_examine_distinct(Grouping *grouping, PlannerInfo *root,
											 RelOptInfo *input_rel);

/*
 * The same for the input of a grouping step whose aggregates a repeated row
 * cannot change, such as those with DISTINCT: its distinct rows will do.
 */
extern const char *grouping_examine_input(Grouping *grouping, PlannerInfo *root,
										  RelOptInfo *input_rel,
										  RelOptInfo *grouped_rel, List *having);

/* The distinct rows of the columns in a table's target; rows_differ: no two of them are equal. */
extern const char *grouping_examine_columns(Grouping *grouping, PlannerInfo *root,
											RelOptInfo *table, bool rows_differ);

/*
 * equal_is_identical (lower_parts.h) of a table's column, whose values its type modifier can make
 * alike: those of numeric(p, s) have one display scale, unlike 1.0 and 1.00.
 */
extern bool column_is_identical(const Var *var);

/*
 * Equal keys are those that their type's own equality takes for equal.  ORDER BY
 * x USING an operator of another class makes GROUP BY and DISTINCT use that
 * one's: then why it is not taken, else NULL.
 */
extern const char *grouping_examine_equality(const Grouping *grouping);

/*
 * Has the query, or a subquery of its expressions, which are planned apart, a
 * volatile function?
 */
extern bool grouping_is_volatile(const PlannerInfo *root);

/* Key numbers of parts of GROUP BY, such as a GroupingFunc's. */
extern List *grouping_key_numbers(const Grouping *grouping, const List *sortgrouprefs);

/* All keys of the engine's groups, in the order of the Program: arguments last. */
extern List *grouping_engine_keys(const Grouping *grouping);

/*
 * Lower it over the heap pages of the table or tables that it reads, or over the
 * tuples of the input relation's cheapest path, which is made to compute the
 * aggregates' arguments that the engines cannot.  False: *rejection says why not.
 */
extern bool grouping_lower_pages(const Grouping *grouping,
								 LoweredGrouping *lowered, Rejection *rejection);
extern bool grouping_lower_child(const Grouping *grouping,
								 LoweredGrouping *lowered, Rejection *rejection);

/*
 * Over the pages of one table, and what is joined to it, where PostgreSQL computes what engines
 * cannot of the table's columns, once for each distinct value.  First find these look-ups; the
 * cheapest paths of their relations are to be made by the caller (computed.h), and then it can
 * be lowered.  truncates: what formats show is computed of truncated moments.  NULL: there are none.
 */
extern struct Star *grouping_find_computed(const Grouping *grouping, bool truncates);
extern bool grouping_lower_star(const Grouping *grouping, const struct Star *star,
								LoweredGrouping *lowered, Rejection *rejection);

/* Once for all paths of the step: its GroupingEstimates, and what the query takes of the groups. */
extern void estimate_grouping(Grouping *grouping);

/* Bytes of an expression's value, on an average, as the statistics or its type say. */
extern int	average_width(const PlannerInfo *root, const Expr *expr);

/*
 * key_values.c: how many values an expression can have, by its form and statistics' ranges.
 */

/* About so many at most; 0: its form tells nothing. */
extern double key_values(PlannerInfo *root, Node *key);

#endif							/* GPUAGG_GROUPING_H */
