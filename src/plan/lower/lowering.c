/*
 * lowering.c
 *	  What the files of lowering have in common: one lowering, and why it fails.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "handle/select.h"
#include "plan/lower/lower.h"
#include "plan/lower/lowering.h"
#include "plan/value_type.h"

static Lowering *
lower_begin(PlannerInfo *root, RowSource source)
{
	Lowering   *l = palloc0(sizeof(Lowering));

	l->root = root;
	l->builder = palloc(sizeof(ProgramBuilder));
	program_begin(l->builder, source);
	l->case_value = -1;
	return l;
}

/* pg_attribute.attalign in bytes. */
static int
alignment_bytes(char attalign)
{
	switch (attalign)
	{
		case TYPALIGN_CHAR:
			return 1;
		case TYPALIGN_SHORT:
			return ALIGNOF_SHORT;
		case TYPALIGN_INT:
			return ALIGNOF_INT;
		default:
			return ALIGNOF_DOUBLE;
	}
}

Lowering *
lower_begin_pages(PlannerInfo *root, Index rti, TupleDesc desc, const AttrMap *map)
{
	Lowering   *l = lower_begin(root, SOURCE_PAGES);

	l->rti = rti;
	l->desc = desc;
	l->map = map;
	l->hides_rows = has_hidden_rows(root, rti);
	l->builder->head.hides_rows = l->hides_rows;

	for (int i = 0; i < l->desc->natts; i++)
	{
		Form_pg_attribute attr = TupleDescAttr(l->desc, i);

		if (attr->attlen < -1)
			lower_reject(l, REJECTED_INPUT, _("column \"%s\" is neither of fixed length nor a varlena"),
						 NameStr(attr->attname));
		program_add_attr(l->builder, attr->attlen, alignment_bytes(attr->attalign));
	}
	return l;
}

Lowering *
lower_begin_columns(PlannerInfo *root, List *inputs)
{
	Lowering   *l = lower_begin(root, SOURCE_COLUMNS);

	l->inputs = inputs;
	return l;
}

int
lower_reject(Lowering *l, RejectionClass reason_class, const char *format,...)
{
	if (l->reason == NULL)
	{
		StringInfoData buf;
		va_list		args;
		int			needed;

		initStringInfo(&buf);
		for (;;)
		{
			va_start(args, format);
			needed = appendStringInfoVA(&buf, format, args);
			va_end(args);
			if (needed == 0)
				break;
			enlargeStringInfo(&buf, needed);
		}
		l->reason = buf.data;
		l->reason_class = reason_class;
	}
	return -1;
}

void
lower_hint(Lowering *l, const char *hint)
{
	if (l->reason == NULL)
		l->hint = hint;
}

bool
lower_succeeded(Lowering *l)
{
	if (l->builder->overflow)
		lower_reject(l, REJECTED_SIZE, _("the query has too many columns, constants or expressions"));
	return l->reason == NULL;
}

int
lower_type(Lowering *l, Oid type)
{
	int			value_type = value_type_of(type);

	if (value_type < 0)
		lower_reject(l, REJECTED_TYPE, _("type %s is not supported"), format_type_be(type));
	return value_type;
}

int
lower_op(Lowering *l, OpCode op, int a, int b)
{
	return a < 0 || b < 0 ? -1 : program_add_op(l->builder, op, a, b);
}

bool
lower_may_need_cpu(const Lowering *l)
{
	return l->may_need_cpu && !lower_needs_device();
}

bool
lower_needs_device(void)
{
	const EngineOps *engine = engine_required();

	return engine != NULL && engine->traits->on_device;
}
