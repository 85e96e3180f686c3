/*
 * lower_lookup.c
 *	  Look-ups: joins to relations whose rows are found by a key.
 *
 * A look-up is an operation of the key, which gives the number of a row, or -1 (ops_lookup.h).
 * An inner or semi join lets rows pass that have found one, an anti join those that have not.
 * Columns of the relation are operations of that number.  Of an outer join's that has found
 * none they are NULL; what is more in its condition makes the number NULL where it does not
 * hold.
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "compat.h"
#include "plan/lower/lower_lookup_parts.h"
#include "plan/lower/lower_parts.h"

/* Clauses as one register; -1: there are none, or a reason. */
static int
lower_join_conditions(Lowering *l, List *clauses)
{
	int			reg = clauses == NIL ? -1 : lower_conditions(l, clauses);

	lookup_note_errors(l, reg);
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
	if (!lookup_lower_keys(l, lookup, keys))
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
