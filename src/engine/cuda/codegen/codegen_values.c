/*
 * codegen_values.c
 *	  Generates row_values: a row's values into its group's extremes.
 *
 * They are those extremes that are kept by reference: see values.cuh.
 */
#include "engine/cuda/codegen/codegen_parts.h"

/* The functions that take values, and the names of their orders. */
static const char *const functions[FORM_KINDS] = {
#define REFERENCE(name, words, checked, text, take) [FORM_##name] = "value_take_" #take,
#include "program/accs.def"
};

static const char *const orders[FORM_KINDS] = {
#define REFERENCE(name, ...) [FORM_##name] = "FORM_" #name,
#include "program/accs.def"
};

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
		AccKind		kind = (AccKind) layout->values[i].acc;
		AccForm		form = acc_form(kind);

		text_append(text, "\tif (row->takes[%d])\n\t\t%s(args, extremes + %d, %s, %s, "
					"row->values + %d);\n", i, functions[form], LAYOUT_VALUE_WORDS * i,
					orders[form], acc_is_greatest(kind) ? "true" : "false",
					LAYOUT_VALUE_WORDS * i);
	}
	text_append(text, "}\n\n");
}
