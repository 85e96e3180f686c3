/*
 * build_key.c
 *	  What a look-up is made of, in words that are the same in all queries.
 *
 * A look-up of plain tables can be kept for other queries: for those whose look-ups have the same
 * key, which has all that the rows depend on beside the tables' own.  Of a join these are its
 * relations' conditions, clauses that join them, and what the planner knows to be equal.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "plan/path/build_side.h"

/* A look-up of more tables is not kept. */
#define MOST_TABLES 16

/*
 * Is it not PostgreSQL's own, so that it can be replaced, or does it take a configuration or a
 * dictionary of text search, which can be altered?
 */
static bool
function_can_change(Oid function, void *context)
{
	Oid		   *types;
	int			ntypes;
	bool		takes_altered = false;

	if (function >= FirstNormalObjectId)
		return true;
	(void) get_func_signature(function, &types, &ntypes);
	for (int i = 0; i < ntypes; i++)
		takes_altered |= types[i] == REGCONFIGOID || types[i] == REGDICTIONARYOID;
	return takes_altered;
}

/* Parameters, subqueries, functions that can change, domains, which can get other constraints. */
static bool
can_change_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) || IsA(node, SubPlan) || IsA(node, PlaceHolderVar) ||
		IsA(node, CoerceToDomain) || check_functions_in_node(node, function_can_change, NULL))
		return true;
	return expression_tree_walker(node, can_change_walker, context);
}

/* A look-up's relations, in the order of the query's. */
typedef struct KeyRelations
{
	PlannerInfo *root;
	const RelOptInfo *rel;		/* all of them together; one alone can have other conditions than the
								 * query's */
	int			n;
	int			of[MOST_TABLES];	/* range table indexes */
} KeyRelations;

/* Number the relations in a copy of an expression, and forget how the query calls columns. */
static bool
number_relations(Node *node, void *context)
{
	const KeyRelations *relations = context;
	Var		   *var = (Var *) node;

	if (node == NULL)
		return false;
	if (!IsA(node, Var))
		return expression_tree_walker(node, number_relations, context);
	for (int i = 0; i < relations->n; i++)
		if (var->varno == relations->of[i])
		{
			var->varno = i + 1;
			break;
		}
	var->varnosyn = 0;
	var->varattnosyn = 0;
	return false;
}

/* Append a node's words without the places in the query's text, which they tell. */
static void
append_words(StringInfo key, const char *words)
{
	static const char label[] = ":location ";
	const char *next;

	while ((next = strstr(words, label)) != NULL)
	{
		next += strlen(label);
		appendBinaryStringInfo(key, words, (int) (next - words));
		words = next + strspn(next, "-0123456789");
	}
	appendStringInfo(key, "%s;", words);
}

/* Append expressions; false: their values can change though the tables do not. */
static bool
append_exprs(StringInfo key, KeyRelations *relations, const List *exprs)
{
	List	   *copies = copyObject((List *) exprs);

	if (contain_mutable_functions((Node *) copies) || can_change_walker((Node *) copies, NULL))
		return false;
	(void) number_relations((Node *) copies, relations);
	append_words(key, nodeToString(copies));
	return true;
}

/* How engines have the rows. */
static void
append_form(StringInfo key, const LookupInfo *info)
{
	const Column *columns = program_columns(info->program);

	appendStringInfo(key, "f%d;", info->condition);
	for (int i = 0; i < info->program->ncolumns; i++)
		appendStringInfo(key, "c%d,%d,%d,%d,%d;", columns[i].attno, columns[i].type,
						 columns[i].numeric, columns[i].scale, columns[i].presence);
	for (int i = 0; i < info->nkeys; i++)
		appendStringInfo(key, "k%d,%d,%d,%d,%d;", info->keys[i].column, info->keys[i].word,
						 info->keys[i].param >= 0, info->keys[i].pair_param >= 0, info->keys[i].trims);
	for (int i = 0; i < info->ncolumns; i++)
		appendStringInfo(key, "v%d,%d,%d;", info->columns[i].use, info->columns[i].place,
						 info->columns[i].by_row);
}

/* The relations, and their tables into LookupInfo; false: one is no plain table. */
static bool
find_tables(KeyRelations *relations, LookupInfo *info)
{
	int			relid = -1;

	while ((relid = bms_next_member(relations->rel->relids, relid)) >= 0)
	{
		const RelOptInfo *rel = relations->root->simple_rel_array[relid];
		const RangeTblEntry *rte = planner_rt_fetch(relid, relations->root);

		if (relations->n == MOST_TABLES || rel == NULL || rte->rtekind != RTE_RELATION ||
			rte->inh || rte->relkind != RELKIND_RELATION || rte->tablesample != NULL ||
			!bms_is_empty(rel->lateral_relids))
			return false;
		relations->of[relations->n++] = relid;
		info->tables = lappend_oid(info->tables, rte->relid);
	}
	return true;
}

/* Is an outer, semi or anti join made within the relations? */
static bool
has_special_join(const KeyRelations *relations)
{
	ListCell   *lc;

	foreach(lc, relations->root->join_info_list)
	{
		const SpecialJoinInfo *sjinfo = lfirst_node(SpecialJoinInfo, lc);

		if (bms_overlap(sjinfo->syn_lefthand, relations->rel->relids) &&
			bms_overlap(sjinfo->syn_righthand, relations->rel->relids))
			return true;
	}
	return false;
}

/* What a relation's rows fulfil, and what joins it to the others. */
static bool
append_relation(StringInfo key, KeyRelations *relations, int number)
{
	const RelOptInfo *rel = relations->n == 1 ? relations->rel :
		relations->root->simple_rel_array[relations->of[number]];
	ListCell   *lc;

	if (!append_exprs(key, relations, get_actual_clauses(rel->baserestrictinfo)))
		return false;
	foreach(lc, rel->joininfo)
	{
		const RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		/* in all relations' lists */
		if (bms_is_subset(rinfo->required_relids, relations->rel->relids) &&
			bms_next_member(rinfo->required_relids, -1) == relations->of[number] &&
			!append_exprs(key, relations, list_make1(rinfo->clause)))
			return false;
	}
	return true;
}

/*
 * Members of a class that are equal in all rows.  Of a broken one, only those are that clauses of the
 * query compare.
 */
static bool
append_class(StringInfo key, KeyRelations *relations, const EquivalenceClass *class)
{
	List	   *members = NIL;
	ListCell   *lc;

	foreach(lc, class->ec_members)
	{
		const EquivalenceMember *member = lfirst_node(EquivalenceMember, lc);

		if (!member->em_is_child && !bms_is_empty(member->em_relids) &&
			bms_is_subset(member->em_relids, relations->rel->relids))
			members = lappend(members, member->em_expr);
	}
	if (list_length(members) < 2)
		return true;
	if (class->ec_broken)
		return false;
	appendStringInfoString(key, "=");
	return append_exprs(key, relations, members);
}

/* All of it; false: the rows depend on something else. */
static bool
append_rows(StringInfo key, KeyRelations *relations, const List *target)
{
	const PlannerInfo *root = relations->root;
	ListCell   *lc;

	if (relations->n > 1 && has_special_join(relations))
		return false;
	for (int i = 0; i < relations->n; i++)
		if (!append_relation(key, relations, i))
			return false;
	foreach(lc, relations->n > 1 ? root->eq_classes : NIL)
		if (!append_class(key, relations, lfirst_node(EquivalenceClass, lc)))
			return false;
	return append_exprs(key, relations, target);
}

void
build_side_set_key(PlannerInfo *root, const Path *build, LookupInfo *info)
{
	KeyRelations relations = {.root = root,.rel = build->parent};
	StringInfoData key;

	/* planning asks for it several times */
	if (info->key != NULL)
		return;
	initStringInfo(&key);
	/* a key that is there twice is no fault of a semi join's */
	appendStringInfo(&key, "%d;", info->jointype == JOIN_INNER || info->jointype == JOIN_LEFT);
	append_form(&key, info);
	if (!find_tables(&relations, info) || !append_rows(&key, &relations, build->pathtarget->exprs))
		info->tables = NIL;
	info->key = key.data;
}
