/*
 * codegen_values.c
 *	  Generates row_values: a row's values into its group's extremes.
 *
 * They are those extremes that are kept by reference: see values.cuh.
 */
#include "engine/cuda/codegen/codegen_values.h"

typedef struct ValueKind
{
	const char *function;
	const char *order;
	const char *max;
} ValueKind;

static ValueKind
value_kind(AccKind acc)
{
	switch (acc)
	{
		case ACC_MIN_TEXT:
			return (ValueKind) {"value_take_text", "VALUE_TEXT", "false"};
		case ACC_MAX_TEXT:
			return (ValueKind) {"value_take_text", "VALUE_TEXT", "true"};
		case ACC_MIN_BPCHAR:
			return (ValueKind) {"value_take_text", "VALUE_BPCHAR", "false"};
		case ACC_MAX_BPCHAR:
			return (ValueKind) {"value_take_text", "VALUE_BPCHAR", "true"};
		case ACC_MIN_WIDE:
			return (ValueKind) {"value_take_words", "VALUE_WIDE", "false"};
		case ACC_MAX_WIDE:
			return (ValueKind) {"value_take_words", "VALUE_WIDE", "true"};
		case ACC_MIN_INTERVAL:
			return (ValueKind) {"value_take_interval", "VALUE_INTERVAL", "false"};
		default:
			return (ValueKind) {"value_take_interval", "VALUE_INTERVAL", "true"};
	}
}

void
codegen_values(const KernelLayout *layout, Text *text)
{
	if (layout->nvalues == 0)
		return;
	text_append(text, "\nDEVICE_FN void\nrow_values(const AggregateArgs *args, uint32_t slot, "
				"const Row *row)\n{\n"
				"\tuint64_t *extremes = group_values(&args->table, slot);\n\n");
	for (int i = 0; i < layout->nvalues; i++)
	{
		ValueKind	kind = value_kind((AccKind) layout->values[i].acc);

		text_append(text, "\tif (row->takes[%d])\n\t\t%s(args, extremes + %d, %s, %s, "
					"row->values + %d);\n", i, kind.function, LAYOUT_VALUE_WORDS * i,
					kind.order, kind.max, LAYOUT_VALUE_WORDS * i);
	}
	text_append(text, "}\n\n");
}
