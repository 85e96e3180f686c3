/*
 * explain.c
 *	  What EXPLAIN shows of a GpuAgg node.
 *
 * Keys and aggregates are deparsed from the node's scan target list.  The
 * filter's clauses are not part of the plan that setrefs adjusts; they are over
 * one table only and deparsed on their own.  Those of look-ups: show_clauses.
 * PostgreSQL shows HAVING itself, as the node's Filter.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/typcache.h"

#include "exec/node/node.h"
#include "handle/select.h"

/* Nobody has waited for device memory who has waited for less, in nanoseconds. */
#define MIN_QUEUE_NS 1000000

/* The keys of each set, as PostgreSQL shows them for its own nodes. */
static void
show_sets(const List *sets, const List *keys, ExplainState *es)
{
	ListCell   *lc;

	ExplainOpenGroup("Grouping Sets", "Grouping Sets", false, es);
	ExplainOpenGroup("Grouping Set", NULL, true, es);
	ExplainOpenGroup("Group Keys", "Group Keys", false, es);
	foreach(lc, sets)
	{
		List	   *names = NIL;
		ListCell   *key;

		foreach(key, (List *) lfirst(lc))
			names = lappend(names, list_nth(keys, lfirst_int(key)));
		if (names == NIL && es->format == EXPLAIN_FORMAT_TEXT)
			ExplainPropertyText("Group Key", "()", es);
		else
			ExplainPropertyListNested("Group Key", names, es);
	}
	ExplainCloseGroup("Group Keys", "Group Keys", false, es);
	ExplainCloseGroup("Grouping Set", NULL, true, es);
	ExplainCloseGroup("Grouping Sets", "Grouping Sets", false, es);
}

/* Has GROUP BY more than one way to group? */
static bool
has_sets(const PlanInfo *plan)
{
	return plan->sets != NIL &&
		(list_length(plan->sets) > 1 || list_length(linitial(plan->sets)) < plan->nkeys);
}

static void
show_group_keys_and_aggregates(GpuAggState *state, List *ancestors, ExplainState *es)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	const PlanInfo *plan = state->plan;
	List	   *context = set_deparse_context_plan(es->deparse_cxt, (Plan *) scan, ancestors);
	bool		prefix = compat_rtable_size(es) > 1 || es->verbose;
	List	   *keys = NIL;
	List	   *aggs = NIL;
	ListCell   *lc;

	foreach(lc, scan->custom_scan_tlist)
	{
		Node	   *expr = (Node *) lfirst_node(TargetEntry, lc)->expr;
		char	   *text = deparse_expression(expr, context, prefix, true);

		/* the keys come first; those of a DISTINCT can be aggregates, too */
		if (foreach_current_index(lc) < plan->nkeys)
			keys = lappend(keys, text);
		else if (foreach_current_index(lc) < plan->nkeys + plan->naggs)
			aggs = lappend(aggs, text);
	}
	if (has_sets(plan))
		show_sets(plan->sets, keys, es);
	else if (keys != NIL)
		ExplainPropertyList("Group Key", keys, es);
	if (aggs != NIL)
		ExplainPropertyList("Aggregates", aggs, es);
}

/*
 * The filter's clauses as EXPLAIN can show them.  Their context knows no plan, where
 * PostgreSQL looks from 17 on for the subquery that sets a parameter; a parameter
 * from outside is shown by its number.  Placeholders, which the planner puts around
 * what a subquery computes, are not in finished plans.
 */
static Node *
showable_mutator(Node *node, void *context)
{
	if (node != NULL && IsA(node, Param))
	{
		Param	   *param = copyObject((Param *) node);

		param->paramkind = PARAM_EXTERN;
		return (Node *) param;
	}
	if (node != NULL && IsA(node, PlaceHolderVar))
		return showable_mutator((Node *) ((PlaceHolderVar *) node)->phexpr, context);
	return expression_tree_mutator(node, showable_mutator, context);
}

/* An expression over the table that is read. */
static char *
deparse_over_table(const PlanInfo *plan, Node *expr)
{
	char	   *name = get_rel_name(plan->relid);

	expr = showable_mutator(expr, NULL);
	ChangeVarNodes(expr, plan->rti, 1, 0);
	return deparse_expression(expr, deparse_context_for(name, plan->relid), false, true);
}

static void
show_filter(GpuAggState *state, ExplainState *es)
{
	PlanInfo   *plan = state->plan;

	if (plan->filter != NIL)
		ExplainPropertyText("Input Filter",
							deparse_over_table(plan, (Node *) make_ands_explicit(plan->filter)),
							es);
}

/*
 * Clauses over the query's relations.  They are not part of the plan that setrefs adjusts, but
 * custom_relids is, whose only member says how far relations' numbers have been moved.
 */
static int
clauses_offset(const GpuAggState *state)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;

	return bms_singleton_member(scan->custom_relids) - (int) state->plan->rti;
}

/* An expression over the table that is read, and what is joined to it. */
static char *
deparse_over_join(const GpuAggState *state, Node *expr, List *ancestors, ExplainState *es)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	List	   *context;

	if (state->plan->lookups == NIL)
		return deparse_over_table(state->plan, expr);
	context = set_deparse_context_plan(es->deparse_cxt, (Plan *) scan, ancestors);
	expr = showable_mutator(expr, NULL);
	OffsetVarNodes(expr, clauses_offset(state), 0);
	return deparse_expression(expr, context, true, true);
}

/* A key of an order, as PostgreSQL shows one of a sort. */
static char *
order_text(const GpuAggState *state, int n, List *ancestors, ExplainState *es)
{
	const FirstRowsInfo *first = state->plan->first_rows;
	Node	   *key = list_nth(first->keys, n);
	TypeCacheEntry *cache = lookup_type_cache(getBaseType(exprType(key)), TYPECACHE_GT_OPR);
	bool		descending = list_nth_oid(first->operators, n) == cache->gt_opr;
	bool		nulls_first = list_nth_int(first->nulls_first, n) != 0;

	return psprintf("%s%s%s", deparse_over_join(state, key, ancestors, es), descending ? " DESC" : "",
					nulls_first == descending ? "" : nulls_first ? " NULLS FIRST" : " NULLS LAST");
}

static void
show_first_rows(const GpuAggState *state, List *ancestors, ExplainState *es)
{
	static const char *const of_groups[] = {
		[NUMBER_OF_ROW] = "Rows of Each Group",
		[NUMBER_OF_RANK] = "Ranks of Each Group",
		[NUMBER_OF_DENSE_RANK] = "Dense Ranks of Each Group",
	};
	static const char *const of_all[] = {
		[NUMBER_OF_ROW] = "First Rows",
		[NUMBER_OF_RANK] = "First Ranks",
		[NUMBER_OF_DENSE_RANK] = "First Dense Ranks",
	};
	const FirstRowsInfo *first = state->plan->first_rows;
	const char *const *labels = first->partition != NIL ? of_groups : of_all;
	List	   *keys = NIL;
	List	   *order = NIL;
	ListCell   *lc;

	if (first->numbering == EVERY_ROW)
	{
		ExplainPropertyText("Rows", "all that pass", es);
		return;
	}
	foreach(lc, first->partition)
		keys = lappend(keys, deparse_over_join(state, lfirst(lc), ancestors, es));
	for (int i = 0; i < list_length(first->keys); i++)
		order = lappend(order, order_text(state, i, ancestors, es));
	if (keys != NIL)
		ExplainPropertyList("Group Key", keys, es);
	ExplainPropertyInteger(labels[first->numbering], NULL, first->count, es);
	if (order != NIL)
		ExplainPropertyList("Order", order, es);
}

static void
append_tables(StringInfo text, const char *separator, List *relids)
{
	ListCell   *lc;

	foreach(lc, relids)
	{
		char	   *name = get_rel_name(lfirst_oid(lc));

		appendStringInfo(text, "%s%s", separator, quote_identifier(name));
		separator = ", ";
	}
}

static void
show_source(GpuAggState *state, ExplainState *es)
{
	PlanInfo   *plan = state->plan;
	StringInfoData text;

	if (!plan_reads_tables(plan))
	{
		ExplainPropertyText("Source", "child plan", es);
		return;
	}
	initStringInfo(&text);
	append_tables(&text, "heap pages of ", plan->page_tables);
	append_tables(&text, "; rows of ", plan->row_tables);
	ExplainPropertyText("Source", text.data, es);
	pfree(text.data);
}

/* In a line of text, or as PostgreSQL has it as a key's value. */
static const char *
join_name(JoinType jointype, bool key)
{
	switch (jointype)
	{
		case JOIN_LEFT:
			return key ? "Left" : "left";
		case JOIN_SEMI:
			return key ? "Semi" : "semi";
		case JOIN_ANTI:
			return key ? "Anti" : "anti";
		default:
			return key ? "Inner" : "inner";
	}
}

static void
show_clauses(const GpuAggState *state, const char *label, List *clauses, List *ancestors,
			 ExplainState *es)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	Node	   *shown;
	List	   *context;

	if (clauses == NIL)
		return;
	shown = showable_mutator((Node *) make_ands_explicit(clauses), NULL);
	OffsetVarNodes(shown, clauses_offset(state), 0);
	context = set_deparse_context_plan(es->deparse_cxt, (Plan *) scan, ancestors);
	ExplainPropertyText(label, deparse_expression(shown, context, true, true), es);
}

/* Expressions over the query's relations, likewise: those that are columns, or the others. */
static void
show_exprs(const GpuAggState *state, const char *label, List *exprs, bool columns, List *ancestors,
		   ExplainState *es)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	List	   *context = set_deparse_context_plan(es->deparse_cxt, (Plan *) scan, ancestors);
	List	   *texts = NIL;
	ListCell   *lc;

	foreach(lc, exprs)
	{
		Node	   *shown = showable_mutator(lfirst(lc), NULL);

		if (IsA(strip_implicit_coercions(shown), Var) != columns)
			continue;
		OffsetVarNodes(shown, clauses_offset(state), 0);
		texts = lappend(texts, deparse_expression(shown, context, true, false));
	}
	if (texts != NIL)
		ExplainPropertyList(label, texts, es);
}

/* What it is joined by, or what is computed. */
static void
show_join(const GpuAggState *state, const LookupInfo *lookup, List *ancestors, ExplainState *es)
{
	if (es->format == EXPLAIN_FORMAT_TEXT)
		es->indent++;
	show_clauses(state, "Look-up Cond", lookup->equalities, ancestors, es);
	show_clauses(state, "Build Filter", lookup->guarded, ancestors, es);
	show_clauses(state, "Join Filter", lookup->conditions, ancestors, es);
	show_exprs(state, "Computed", lookup->computed, false, ancestors, es);
	show_exprs(state, "Ranked", lookup->computed, true, ancestors, es);
	show_clauses(state, "Filter", lookup->filters, ancestors, es);
	if (es->format == EXPLAIN_FORMAT_TEXT)
		es->indent--;
}

static void
show_lookup(const LookupInfo *lookup, const LookupStats *stats, ExplainState *es)
{
	if (es->format != EXPLAIN_FORMAT_TEXT)
	{
		ExplainPropertyText("Relation", lookup->name, es);
		if (lookup->computed == NIL)
			ExplainPropertyText("Join Type", join_name(lookup->jointype, true), es);
		if (stats == NULL)
			return;
		ExplainPropertyText("Form", stats->form, es);
		ExplainPropertyUInteger("Keys", NULL, stats->keys, es);
		ExplainPropertyUInteger("Distinct Rows", NULL, stats->rows, es);
		ExplainPropertyUInteger("Memory Usage", "kB", (stats->bytes + 1023) / 1024, es);
		ExplainPropertyBool("Kept", stats->was_kept, es);
		return;
	}
	appendStringInfoSpaces(es->str, es->indent * 2);
	if (lookup->computed != NIL)
		appendStringInfo(es->str, "Look-up: distinct values of %s", lookup->name);
	else
		appendStringInfo(es->str, "Look-up: %s (%s)", lookup->name,
						 join_name(lookup->jointype, false));
	if (stats != NULL)
		appendStringInfo(es->str, "  Form: %s  Keys: " UINT64_FORMAT "  Distinct Rows: %u  Memory: "
						 UINT64_FORMAT "kB%s", stats->form, stats->keys, stats->rows,
						 (stats->bytes + 1023) / 1024, stats->was_kept ? "  Kept" : "");
	appendStringInfoChar(es->str, '\n');
}

/* Each look-up, with ANALYZE also what came of it. */
static void
show_lookups(const GpuAggState *state, List *ancestors, ExplainState *es)
{
	ListCell   *lc;

	if (state->plan->lookups == NIL)
		return;
	ExplainOpenGroup("Look-ups", "Look-ups", false, es);
	foreach(lc, state->plan->lookups)
	{
		ExplainOpenGroup("Look-up", NULL, true, es);
		show_lookup(lfirst(lc), es->analyze && state->lookups != NULL ?
					lookups_stats(state->lookups, foreach_current_index(lc)) : NULL, es);
		show_join(state, lfirst(lc), ancestors, es);
		ExplainCloseGroup("Look-up", NULL, true, es);
	}
	ExplainCloseGroup("Look-ups", "Look-ups", false, es);
}

static void
show_program(const char *label, const Program *program, ExplainState *es)
{
	char		line[256];
	List	   *lines = NIL;

	for (int i = 0; program_print_line(program, i, line, sizeof(line)); i++)
		lines = lappend(lines, pstrdup(line));
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		ListCell   *lc;

		/* a line each, where a list would be one line */
		foreach(lc, lines)
			ExplainPropertyText(label, lfirst(lc), es);
	}
	else
		ExplainPropertyList(label, lines, es);
}

/* Milliseconds by phase, where EXPLAIN's timing is wanted. */
static void
show_times(const EngineStats *stats, ExplainState *es)
{
	if (!es->timing)
		return;
	if (stats->queue_ns >= MIN_QUEUE_NS)
		ExplainPropertyFloat("Queue Time", "ms", stats->queue_ns / 1e6, 3, es);
	if (stats->compile_ns > 0)
	{
		ExplainPropertyFloat("Compile Time", "ms", stats->compile_ns / 1e6, 3, es);
		ExplainPropertyText("Kernels", stats->compile_cached ? "cached" : "compiled", es);
	}
	ExplainPropertyFloat("Input Time", "ms", stats->input_ns / 1e6, 3, es);
	ExplainPropertyFloat("Aggregate Time", "ms", stats->aggregate_ns / 1e6, 3, es);
	ExplainPropertyFloat("Output Time", "ms", stats->output_ns / 1e6, 3, es);
}

/*
 * Memory and a temporary file, in bytes, as PostgreSQL shows those of a hash aggregate;
 * what: whose, in front of each name.
 */
static void
show_usage(const char *what, uint64 batches, uint64 memory, uint64 disk, ExplainState *es)
{
	memory = (memory + 1023) / 1024;
	disk = (disk + 1023) / 1024;
	if (es->format != EXPLAIN_FORMAT_TEXT)
	{
		ExplainPropertyUInteger(psprintf("%sBatches", what), NULL, batches, es);
		ExplainPropertyUInteger(psprintf("%sPeak Memory Usage", what), "kB", memory, es);
		ExplainPropertyUInteger(psprintf("%sDisk Usage", what), "kB", disk, es);
		return;
	}
	appendStringInfoSpaces(es->str, es->indent * 2);
	appendStringInfo(es->str, "%sBatches: " UINT64_FORMAT "  Memory Usage: " UINT64_FORMAT "kB",
					 what, batches, memory);
	if (disk > 0)
		appendStringInfo(es->str, "  Disk Usage: " UINT64_FORMAT "kB", disk);
	appendStringInfoChar(es->str, '\n');
}

static void
show_memory(const NodeRun *run, const EngineStats *stats, ExplainState *es)
{
	uint64		disk = run->store ? temp_store_bytes(run->store) : run->disk;
	bool		device = engine_ops(run->engine)->traits->on_device;

	if (device)
		ExplainPropertyUInteger("Device Memory", "kB", (stats->memory + 1023) / 1024, es);
	/* groups of all processes come by partitions, of which memory may hold all */
	show_usage("", disk > 0 ? Max(stats->batches, 1) : 1,
			   device ? stats->host_memory : stats->memory, disk, es);
	if (run->regrouping)
	{
		RegroupingStats regrouping = regrouping_stats(run->regrouping);

		if (regrouping.batches > 0)
			show_usage("Regrouping ", regrouping.batches, regrouping.memory,
					   regrouping.disk, es);
	}
}

/* If several had a part of the rows. */
static void
show_devices(const EngineStats *stats, ExplainState *es)
{
	if (stats->devices > 0)
		ExplainPropertyUInteger("Devices", NULL, stats->devices, es);
	if (stats->groups_merged > 0)
		ExplainPropertyUInteger("Groups Merged by Host", NULL, stats->groups_merged, es);
}

/* What a device had of look-ups, and got of them. */
static void
show_lookup_tables(const EngineStats *stats, ExplainState *es)
{
	if (stats->lookups_resident > 0)
		ExplainPropertyUInteger("Look-up Tables Resident", NULL, stats->lookups_resident, es);
	if (stats->lookup_bytes > 0)
		ExplainPropertyUInteger("Look-up Tables Copied", "kB", (stats->lookup_bytes + 1023) / 1024,
								es);
}

/* Blocks whose rows are kept, or are now. */
static void
show_kept_blocks(const EngineStats *stats, ExplainState *es)
{
	if (stats->blocks_resident > 0)
		ExplainPropertyUInteger("Blocks Resident", NULL, stats->blocks_resident, es);
	if (stats->blocks_streamed > 0)
	{
		ExplainPropertyUInteger("Blocks Streamed", NULL, stats->blocks_streamed, es);
		ExplainPropertyUInteger("Streamed from Host Memory", "kB",
							   (stats->bytes_streamed + 1023) / 1024, es);
	}
	if (stats->blocks_masked > 0)
		ExplainPropertyUInteger("Blocks Masked", NULL, stats->blocks_masked, es);
	if (stats->blocks_skipped > 0)
		ExplainPropertyUInteger("Blocks Skipped", NULL, stats->blocks_skipped, es);
	if (stats->blocks_kept > 0)
		ExplainPropertyUInteger("Blocks Kept", NULL, stats->blocks_kept, es);
	if (stats->blocks_evicted > 0)
		ExplainPropertyUInteger("Blocks Evicted", NULL, stats->blocks_evicted, es);
}

/* What the last execution did; pages are of all executions. */
static void
show_run(GpuAggState *state, ExplainState *es)
{
	const NodeRun *own = state->own;
	const NodeRun *run = state->run;
	const EngineStats *stats = engine_stats(run->engine);

	if (own->failure != NULL)
		ExplainPropertyText("Fallback", own->failure, es);
	if (state->verdict != NULL)
		ExplainPropertyText("Verified", state->verdict, es);
	if (stats == NULL)
		return;
	if (run->program->level != EXACT_NARROW)
		ExplainPropertyText("Float Sums",
							run->program->level == EXACT_MEDIUM ? "wide" : "full range", es);
	if (stats->strategy[0] != '\0')
		ExplainPropertyText("Engine Strategy", stats->strategy, es);
	show_devices(stats, es);
	if (state->input.tables)
	{
		ExplainPropertyUInteger("Heap Pages", NULL, own->source.pages, es);
		if (stats->pages_in_place > 0)
			ExplainPropertyUInteger("Pages Read in Place", NULL, stats->pages_in_place, es);
		if (stats->rows_refused > 0)
			ExplainPropertyUInteger("Rows Refused in Place", NULL, stats->rows_refused, es);
		if (stats->pages_copied > 0)
			ExplainPropertyUInteger("Pages Copied", NULL, stats->pages_copied, es);
		ExplainPropertyUInteger("All-Visible Pages", NULL, own->source.all_visible, es);
		show_kept_blocks(stats, es);
		if (own->source.left_rows > 0)
			ExplainPropertyUInteger("Detoasted Rows", NULL, own->source.left_rows, es);
		if (state->plan->row_tables != NIL)
			ExplainPropertyUInteger("Scanned Rows", NULL, own->source.scanned_rows, es);
	}
	show_lookup_tables(stats, es);
	ExplainPropertyUInteger("Rows Read", NULL, stats->rows, es);
	if (state->plan->program->filter >= 0)
		ExplainPropertyUInteger("Rows Removed by Input Filter", NULL,
								stats->rows - stats->rows_passed, es);
	ExplainPropertyUInteger("Groups", NULL, stats->groups, es);
	if (state->top)
		ExplainPropertyUInteger("Groups Left Out", NULL,
								stats->groups_left_out + top_groups_left_out(state->top), es);
	if (state->groups_as_columns > 0)
		ExplainPropertyUInteger("Groups Given as Columns", NULL, state->groups_as_columns, es);
	if (program_has_values(run->program))
		ExplainPropertyUInteger("Ordered Values", NULL,
								stats->values_ordered + state->rows_ordered, es);
	if (state->first_rows)
		ExplainPropertyUInteger("Rows Fetched", NULL, first_rows_fetched(state->first_rows), es);
	ExplainPropertyUInteger("Input", "kB", (stats->bytes + 1023) / 1024, es);
	show_memory(run, stats, es);
	show_times(stats, es);
}

/* With plain EXPLAIN, the one that would be taken now. */
static void
show_engine(const GpuAggState *state, ExplainState *es)
{
	const EngineOps *ops = state->run ? engine_ops(state->run->engine) :
		engine_for_plan(state->plan->engine, state->plan->program);

	ExplainPropertyText("Engine", engine_id_name(ops->traits->id), es);
}

void
gpuagg_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	GpuAggState *state = (GpuAggState *) node;

	if (state->plan->first_rows)
		show_first_rows(state, ancestors, es);
	else
		show_group_keys_and_aggregates(state, ancestors, es);
	if (state->plan->top)
		ExplainPropertyInteger("Top Groups", NULL, state->plan->top->count, es);
	show_filter(state, es);
	show_source(state, es);
	show_lookups(state, ancestors, es);

	show_engine(state, es);
	if (es->verbose)
		show_program("Program", state->plan->program, es);
	if (es->verbose && state->plan->regrouping)
		show_program("Regrouping", state->plan->regrouping, es);
	if (es->analyze)
		show_run(state, es);
}
