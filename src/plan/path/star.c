/*
 * star.c
 *	  A join as look-ups: one table that is read, and relations that are unique by a key.
 *
 * The relations of a join are taken apart into units: the fact; what an outer, semi or anti
 * join has on its right side, as a whole; and each other relation.  Units are attached to
 * the fact, and to what is attached already, one after the other, each by the clauses that
 * PostgreSQL would evaluate where these two are joined: those implied by equivalence
 * classes, and the others that need no further relation (build_joinrel_restrictlist in
 * relnode.c).  Which path of the join has won does not matter.
 *
 * A unit is attached if equalities among its clauses are the columns of a unique index of
 * it, or PostgreSQL can prove otherwise that it is unique by them, or it is likely (unique.c).
 * A unit that is joined to another one only, such as a nation to customers, becomes part of
 * it where PostgreSQL has planned the join of both, if that has few rows, or fewer than the
 * other one.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "plan/path/build_side.h"
#include "plan/path/star.h"

/* The most units: attaching them takes the square of their number. */
#define MAX_UNITS 24

/* A join of two units is one unit if it has no more rows, or so much fewer than the first. */
#define FEW_ROWS 100000
#define FEWER_ROWS 0.7

typedef struct StarUnit
{
	RelOptInfo *rel;
	RelOptInfo *seed;			/* the base relation by which it is unique, or NULL */
	SpecialJoinInfo *sjinfo;	/* the join that it is the right side of; NULL: inner joins */
	bool		attached;
	Relids		outer;			/* once attached: what its keys are over */
	bool		unique;			/* likewise: no two rows have the same keys; false: it may be so */
	bool		of_unique;		/* made of units that were unique */
} StarUnit;

/* The units of a join, and how far they are attached to its fact. */
typedef struct StarSearch
{
	PlannerInfo *root;
	RelOptInfo *fact;
	List	   *units;			/* StarUnit */
	Relids		joined;			/* the fact, and what is attached, outer joins among it */
	List	   *lookups;		/* StarLookup of units that are attached */
} StarSearch;

/* The base relations of a set, which can have outer joins as members, too. */
static Relids
base_relids(const PlannerInfo *root, Relids relids)
{
	Relids		result = NULL;
	int			relid = -1;

	while ((relid = bms_next_member(relids, relid)) >= 0)
		if (root->simple_rel_array[relid] != NULL)
			result = bms_add_member(result, relid);
	return result;
}

/* A relation that can be a fact. */
typedef struct StarFact
{
	RelOptInfo *rel;
	BlockNumber pages;			/* its partitions' among them */
} StarFact;

static int
compare_pages(const void *a, const void *b)
{
	BlockNumber x = ((const StarFact *) a)->pages;
	BlockNumber y = ((const StarFact *) b)->pages;

	return (x < y) - (x > y);
}

/* The pages of a partitioned table are those of its partitions. */
static BlockNumber
pages_of(const PlannerInfo *root, const RelOptInfo *rel)
{
	BlockNumber pages = rel->pages;
	ListCell   *lc;

	foreach(lc, root->append_rel_list)
	{
		AppendRelInfo *info = lfirst_node(AppendRelInfo, lc);

		if (info->parent_relid == rel->relid && root->simple_rel_array[info->child_relid] != NULL)
			pages += pages_of(root, root->simple_rel_array[info->child_relid]);
	}
	return pages;
}

List *
star_facts(PlannerInfo *root, const RelOptInfo *joinrel)
{
	Relids		relids = base_relids(root, joinrel->relids);
	StarFact   *facts = palloc(sizeof(StarFact) * bms_num_members(relids));
	List	   *result = NIL;
	int			n = 0;
	int			relid = -1;

	while ((relid = bms_next_member(relids, relid)) >= 0)
	{
		RelOptInfo *rel = root->simple_rel_array[relid];

		if (rel->reloptkind == RELOPT_BASEREL && rel->rtekind == RTE_RELATION)
			facts[n++] = (StarFact)
		{
			rel, pages_of(root, rel)
		};
	}
	qsort(facts, n, sizeof(StarFact), compare_pages);
	for (int i = 0; i < n; i++)
		result = lappend(result, facts[i].rel);
	pfree(facts);
	return result;
}

/* The relation of these relids, base or join, or NULL: PostgreSQL has not planned it. */
static RelOptInfo *
relation_of(PlannerInfo *root, Relids relids)
{
	int			relid;

	if (bms_get_singleton_member(relids, &relid))
		return root->simple_rel_array[relid];
	return find_join_rel(root, relids);
}

static const char *
add_unit(StarSearch *search, Relids relids, SpecialJoinInfo *sjinfo)
{
	RelOptInfo *rel = relation_of(search->root, relids);
	StarUnit   *unit;

	if (rel == NULL || rel->cheapest_total_path == NULL)
		return "PostgreSQL has not planned a part of the join by itself";
	if (rel->cheapest_total_path->param_info != NULL || !bms_is_empty(rel->lateral_relids))
		return "a joined relation depends on another one";
	if (list_length(search->units) == MAX_UNITS)
		return psprintf("more than %d relations are joined", MAX_UNITS);
	unit = palloc0(sizeof(StarUnit));
	unit->rel = rel;
	unit->seed = bms_membership(rel->relids) == BMS_SINGLETON ? rel : NULL;
	unit->sjinfo = sjinfo;
	search->units = lappend(search->units, unit);
	return NULL;
}

/* Is an outer, semi or anti join made within these relations? */
static bool
is_made_within(const RelOptInfo *joinrel, const SpecialJoinInfo *sjinfo)
{
	return bms_is_subset(sjinfo->min_lefthand, joinrel->relids) &&
		bms_is_subset(sjinfo->min_righthand, joinrel->relids);
}

/*
 * Is the right side of another outer or semi join that is made within the relations around this one?
 * *same: they are the same.
 */
static bool
is_within_another(const PlannerInfo *root, const RelOptInfo *joinrel,
				  const SpecialJoinInfo *sjinfo, bool *same)
{
	ListCell   *lc;

	*same = false;

	foreach(lc, root->join_info_list)
	{
		const SpecialJoinInfo *other = lfirst_node(SpecialJoinInfo, lc);

		if (other == sjinfo || !is_made_within(joinrel, other) ||
			!bms_is_subset(sjinfo->min_righthand, other->min_righthand))
			continue;
		*same = bms_equal(sjinfo->min_righthand, other->min_righthand);
		return true;
	}
	return false;
}

/*
 * The units of outer, semi and anti joins that are made within the relations; takes what is on
 * their right side out of *rest.
 */
static const char *
find_special_units(StarSearch *search, const RelOptInfo *joinrel, Relids *rest)
{
	PlannerInfo *root = search->root;
	ListCell   *lc;

	foreach(lc, root->join_info_list)
	{
		SpecialJoinInfo *sjinfo = lfirst_node(SpecialJoinInfo, lc);
		const char *reason;
		bool		same;

		if (!is_made_within(joinrel, sjinfo))
			continue;
		if (sjinfo->jointype != JOIN_LEFT && sjinfo->jointype != JOIN_SEMI &&
			sjinfo->jointype != JOIN_ANTI)
			return "a full join is not supported";
		if (bms_is_member(search->fact->relid, sjinfo->syn_righthand) ||
			bms_is_member(search->fact->relid, sjinfo->min_righthand))
			return "the largest table is on the right side of an outer or semi join";
		if (is_within_another(root, joinrel, sjinfo, &same) && !same)
			continue;
		if (same || !bms_is_subset(base_relids(root, sjinfo->min_righthand), *rest))
			return "outer joins overlap";
		if ((reason = add_unit(search, sjinfo->min_righthand, sjinfo)) != NULL)
			return reason;
		*rest = bms_del_members(*rest, sjinfo->min_righthand);
	}
	return NULL;
}

static const char *
find_units(StarSearch *search, const RelOptInfo *joinrel)
{
	Relids		rest = base_relids(search->root, joinrel->relids);
	const char *reason;
	int			relid = -1;

	rest = bms_del_member(rest, search->fact->relid);
	if ((reason = find_special_units(search, joinrel, &rest)) != NULL)
		return reason;
	while ((relid = bms_next_member(rest, relid)) >= 0)
		if ((reason = add_unit(search, bms_make_singleton(relid), NULL)) != NULL)
			return reason;
	return NULL;
}

/* What is joined once the unit is attached. */
static Relids
relids_with(const StarSearch *search, const StarUnit *unit)
{
	Relids		relids = bms_union(search->joined, unit->rel->relids);

	return unit->sjinfo ? compat_add_outer_join(relids, unit->sjinfo) : relids;
}

/* All clauses (RestrictInfo) that are evaluated where the unit is joined. */
static List *
clauses_of(const StarSearch *search, const StarUnit *unit)
{
	Relids		inputs = bms_union(search->joined, unit->rel->relids);
	Relids		relids = relids_with(search, unit);
	List	   *clauses = compat_join_implied_equalities(search->root, relids, search->joined,
														 unit->rel, unit->sjinfo);
	ListCell   *lc;

	foreach(lc, unit->rel->joininfo)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (bms_is_subset(rinfo->required_relids, relids) &&
			!bms_is_subset(rinfo->required_relids, unit->rel->relids) &&
			!compat_is_incompatible(rinfo, inputs))
			clauses = lappend(clauses, rinfo);
	}
	return clauses;
}

/* Is the clause an equality of the unit's columns with what is joined already? */
static bool
is_equality(const StarSearch *search, const StarUnit *unit, const RestrictInfo *rinfo,
			bool *inner_is_left)
{
	const OpExpr *expr = (const OpExpr *) rinfo->clause;

	if (!rinfo->can_join || rinfo->mergeopfamilies == NIL || !IsA(expr, OpExpr) ||
		list_length(expr->args) != 2)
		return false;
	*inner_is_left = bms_is_subset(rinfo->left_relids, unit->rel->relids);
	if (*inner_is_left)
		return bms_is_subset(rinfo->right_relids, search->joined);
	return bms_is_subset(rinfo->right_relids, unit->rel->relids) &&
		bms_is_subset(rinfo->left_relids, search->joined);
}

/* Is the clause evaluated above the unit's outer join, and not a part of its condition? */
static bool
is_above(const StarSearch *search, const StarUnit *unit, const RestrictInfo *rinfo)
{
	return unit->sjinfo && IS_OUTER_JOIN(unit->sjinfo->jointype) &&
		RINFO_IS_PUSHED_DOWN(rinfo, relids_with(search, unit));
}

/* The unit's side of an equality. */
static Node *
inner_side(const RestrictInfo *rinfo, bool inner_is_left)
{
	const OpExpr *expr = (const OpExpr *) rinfo->clause;

	return inner_is_left ? linitial(expr->args) : lsecond(expr->args);
}

/* The equality with a column of an index, or NULL. */
static RestrictInfo *
equality_of_column(const StarSearch *search, const StarUnit *unit, List *equalities,
				   IndexOptInfo *index, int column)
{
	ListCell   *lc;

	foreach(lc, equalities)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		bool		inner_is_left;

		if (is_equality(search, unit, rinfo, &inner_is_left) &&
			list_member_oid(rinfo->mergeopfamilies, index->opfamily[column]) &&
			match_index_to_operand(inner_side(rinfo, inner_is_left), column, index))
			return rinfo;
	}
	return NULL;
}

/* The equalities of all columns of a unique index, as few as there are; NIL: there is none. */
static List *
index_equalities(const StarSearch *search, const StarUnit *unit, List *equalities)
{
	List	   *best = NIL;
	ListCell   *lc;

	foreach(lc, unit->seed ? unit->seed->indexlist : NIL)
	{
		IndexOptInfo *index = lfirst_node(IndexOptInfo, lc);
		List	   *found = NIL;

		if (!index->unique || !index->immediate || (index->indpred != NIL && !index->predOK))
			continue;
		for (int i = 0; i < index->nkeycolumns; i++)
		{
			RestrictInfo *rinfo = equality_of_column(search, unit, equalities, index, i);

			if (rinfo == NULL)
			{
				found = NIL;
				break;
			}
			found = list_append_unique_ptr(found, rinfo);
		}
		if (found != NIL && (best == NIL || list_length(found) < list_length(best)))
			best = found;
	}
	return best;
}

/* Is it likely that no two rows of a unit agree in their sides of the equalities? */
static bool
is_probably_unique(const StarSearch *search, const StarUnit *unit, List *equalities)
{
	List	   *exprs = NIL;
	ListCell   *lc;

	if (unit->rel->reloptkind != RELOPT_BASEREL)
		return false;
	foreach(lc, equalities)
	{
		bool		inner_is_left;

		if (is_equality(search, unit, lfirst(lc), &inner_is_left))
			exprs = lappend(exprs, inner_side(lfirst(lc), inner_is_left));
	}
	return likely_unique(search->root, unit->rel, exprs);
}

/*
 * The equalities by which the unit is unique, or, of a semi or anti join, all; NIL: it is not
 * unique, or not joined yet.  Sets unit->unique.
 */
static List *
key_equalities(const StarSearch *search, StarUnit *unit, List *clauses)
{
	JoinType	jointype = unit->sjinfo ? unit->sjinfo->jointype : JOIN_INNER;
	List	   *equalities = NIL;
	List	   *found;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		bool		inner_is_left;

		if (is_equality(search, unit, rinfo, &inner_is_left) &&
			!is_above(search, unit, rinfo))
			equalities = lappend(equalities, rinfo);
	}
	if (equalities == NIL || jointype == JOIN_SEMI || jointype == JOIN_ANTI)
		return equalities;
	found = index_equalities(search, unit, equalities);
	if (bms_membership(unit->rel->relids) == BMS_MULTIPLE)
	{
		unit->unique = found != NIL && unit->of_unique;
		return found != NIL ? found : equalities;
	}
	unit->unique = found != NIL ||
		innerrel_is_unique(search->root, relids_with(search, unit), search->joined, unit->rel,
						   jointype, clauses, false);
	if (found != NIL)
		return found;
	return unit->unique || is_probably_unique(search, unit, equalities) ? equalities : NIL;
}

/* The equality with the unit's side on the right, where that is the same operation. */
static Expr *
shown_equality(const RestrictInfo *rinfo, bool inner_is_left)
{
	OpExpr	   *expr = copyObject((OpExpr *) rinfo->clause);

	if (inner_is_left && OidIsValid(get_commutator(expr->opno)))
		CommuteOpExpr(expr);
	return (Expr *) expr;
}

static JoinKey *
make_key(const StarSearch *search, const StarUnit *unit, const RestrictInfo *rinfo, Expr **shown)
{
	const OpExpr *expr = (const OpExpr *) rinfo->clause;
	JoinKey    *key = palloc(sizeof(JoinKey));
	bool		inner_is_left;

	is_equality(search, unit, rinfo, &inner_is_left);
	key->outer = inner_is_left ? lsecond(expr->args) : linitial(expr->args);
	key->inner = inner_is_left ? linitial(expr->args) : lsecond(expr->args);
	key->function = get_opcode(expr->opno);
	key->collation = expr->inputcollid;
	*shown = shown_equality(rinfo, inner_is_left);
	return key;
}

/* Attach a unit if its clauses allow it; *reason says why it never can be. */
static bool
attach(StarSearch *search, StarUnit *unit, const char **reason)
{
	List	   *clauses;
	List	   *equalities;
	StarLookup *lookup;
	ListCell   *lc;

	if (unit->sjinfo && !bms_is_subset(unit->sjinfo->min_lefthand, search->joined))
		return false;
	clauses = clauses_of(search, unit);
	equalities = key_equalities(search, unit, clauses);
	if (equalities == NIL)
		return false;

	lookup = palloc0(sizeof(StarLookup));
	lookup->rel = unit->rel;
	lookup->jointype = unit->sjinfo ? unit->sjinfo->jointype : JOIN_INNER;
	lookup->unique = unit->unique;
	foreach(lc, clauses)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (rinfo->pseudoconstant)
			*reason = "a condition is the same for all rows";
		if (list_member_ptr(equalities, rinfo))
		{
			Expr	   *shown;

			lookup->keys = lappend(lookup->keys, make_key(search, unit, rinfo, &shown));
			lookup->equalities = lappend(lookup->equalities, shown);
			unit->outer = bms_add_members(unit->outer,
										  bms_difference(rinfo->clause_relids, unit->rel->relids));
		}
		else if (is_above(search, unit, rinfo))
			lookup->filters = lappend(lookup->filters, rinfo->clause);
		else
			lookup->conditions = lappend(lookup->conditions, rinfo->clause);
	}
	if (lookup->conditions != NIL && (lookup->jointype == JOIN_SEMI || lookup->jointype == JOIN_ANTI))
		*reason = "a semi or anti join has a condition that is no equality";
	search->lookups = lappend(search->lookups, lookup);
	search->joined = relids_with(search, unit);
	unit->attached = true;
	return true;
}

/* Attach all units. */
static const char *
attach_all(StarSearch *search)
{
	const char *reason = NULL;
	bool		goes_on = true;
	ListCell   *lc;

	search->joined = bms_make_singleton(search->fact->relid);
	search->lookups = NIL;
	foreach(lc, search->units)
	{
		((StarUnit *) lfirst(lc))->attached = false;
		((StarUnit *) lfirst(lc))->unique = false;
		((StarUnit *) lfirst(lc))->outer = NULL;
	}
	while (goes_on && reason == NULL)
	{
		goes_on = false;
		foreach(lc, search->units)
		{
			StarUnit   *unit = lfirst(lc);

			if (!unit->attached)
				goes_on |= attach(search, unit, &reason);
		}
	}
	foreach(lc, search->units)
		if (reason == NULL && !((StarUnit *) lfirst(lc))->attached)
			reason = "a joined relation is not known to be unique by what it is joined by";
	return reason;
}

/*
 * The relation of a unit with one that is joined to it only; NULL: better two look-ups, of which
 * each can have conditions that raise errors.
 */
static RelOptInfo *
merged_relation(const StarSearch *search, const StarUnit *unit, const StarUnit *other)
{
	RelOptInfo *rel;

	if (unit == other || unit->sjinfo || other->sjinfo || bms_is_empty(other->outer) ||
		!bms_is_subset(other->outer, unit->rel->relids))
		return NULL;
	rel = find_join_rel(search->root, bms_union(unit->rel->relids, other->rel->relids));
	if (rel == NULL || rel->cheapest_total_path == NULL ||
		rel->cheapest_total_path->param_info != NULL || build_side_examine(search->root, rel) != NULL)
		return NULL;
	return rel->rows <= FEW_ROWS || rel->rows <= FEWER_ROWS * unit->rel->rows ? rel : NULL;
}

/* Make one unit of two; false: there are no such two. */
static bool
merge_units(StarSearch *search)
{
	ListCell   *lc;
	ListCell   *oc;

	foreach(lc, search->units)
	{
		StarUnit   *unit = lfirst(lc);

		foreach(oc, search->units)
		{
			StarUnit   *other = lfirst(oc);
			RelOptInfo *rel = merged_relation(search, unit, other);

			if (rel == NULL)
				continue;
			unit->rel = rel;
			unit->of_unique = unit->unique && other->unique;
			search->units = list_delete_ptr(search->units, other);
			return true;
		}
	}
	return false;
}

const char *
star_find(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *fact, Star *star)
{
	StarSearch	search = {.root = root,.fact = fact};
	const char *reason = find_units(&search, joinrel);

	if (reason == NULL)
		reason = attach_all(&search);
	while (reason == NULL && merge_units(&search))
		reason = attach_all(&search);
	star->fact = fact;
	star->lookups = search.lookups;
	return reason;
}
