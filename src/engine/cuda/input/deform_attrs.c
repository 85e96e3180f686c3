/*
 * deform_attrs.c
 *	  What the deform kernel must know of a table's attributes, and of the columns that it
 *	  makes of them.
 */
#include <stdlib.h>

#include "engine/cuda/input/deform_attrs.h"

/* The attributes up to the last one needed; no column is made of them yet. */
static void
describe_attrs(const Program *program, DeformAttrs *attrs)
{
	for (uint32_t i = 0; i < attrs->nattrs; i++)
	{
		attrs->host[i].len = program_attrs(program)[i].len;
		attrs->host[i].align = program_attrs(program)[i].align;
		attrs->host[i].column = -1;
	}
}

static void
describe_column(const Column *column, const ColumnPlace *place, DeviceColumn *made)
{
	made->values = place->values;
	made->nulls = place->nulls;
	made->width = (uint32_t) layout_value_size((ValueType) column->type);
	made->is_text = column->type == VT_TEXT;
	made->numeric = column->numeric;
	made->scale = column->scale;
	made->presence = column->presence;
	made->missing = column->missing;
}

EngineStatus
deform_attrs_open(RunCore *run, const Column *const *columns, int ncolumns,
				  const ColumnPlace *places, DeformAttrs *attrs)
{
	DeviceColumn *made;
	size_t		size;
	EngineStatus status;

	attrs->ncolumns = (uint32_t) ncolumns;
	attrs->place_column = -1;
	for (int i = 0; i < ncolumns; i++)
		if (attrs->nattrs < (uint32_t) columns[i]->attno)
			attrs->nattrs = (uint32_t) columns[i]->attno;
	size = attrs->nattrs * sizeof(DeformAttr) + (size_t) ncolumns * sizeof(DeviceColumn);
	if (size == 0)
		return ENGINE_OK;
	attrs->host = calloc(1, size);
	if (attrs->host == NULL)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
	describe_attrs(run->program, attrs);
	made = (DeviceColumn *) (attrs->host + attrs->nattrs);
	for (int i = 0; i < ncolumns; i++)
	{
		DeformAttr *attr;

		describe_column(columns[i], &places[i], &made[i]);
		if (columns[i]->attno == COLUMN_PLACE)
		{
			attrs->place_column = i;
			continue;
		}
		attr = &attrs->host[columns[i]->attno - 1];
		made[i].next = attr->column;
		attr->column = (int16_t) i;
	}
	status = run_alloc(run, size, &attrs->device);
	if (status == ENGINE_OK)
		status = run_device(run, run->device_ops->upload(run->device, run->work,
														 attrs->device.ptr, attrs->host, size),
							"could not copy the table's layout");
	return status;
}

void
deform_attrs_close(RunCore *run, DeformAttrs *attrs)
{
	run_free(run, &attrs->device);
	free(attrs->host);
}

void
deform_attrs_tell(const DeformAttrs *attrs, DeformArgs *args)
{
	args->attrs = attrs->device.ptr;
	args->columns = attrs->device.ptr + attrs->nattrs * sizeof(DeformAttr);
	args->nattrs = attrs->nattrs;
	args->ncolumns = attrs->ncolumns;
	args->place_column = attrs->place_column;
}
