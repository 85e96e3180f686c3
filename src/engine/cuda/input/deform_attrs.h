/*
 * deform_attrs.h
 *	  What the deform kernel must know of a table's attributes, and of the columns that it
 *	  makes of them.
 */
#ifndef GPUAGG_DEFORM_ATTRS_H
#define GPUAGG_DEFORM_ATTRS_H

#include "engine/cuda/core/run_core.h"

/* Begins as zeros. */
typedef struct DeformAttrs
{
	DeformAttr *host;			/* what is uploaded; freed by close */
	DeviceBuffer device;		/* DeformAttr, then DeviceColumn */
	uint32_t	nattrs;			/* up to the last one needed */
	uint32_t	ncolumns;
	int32_t		place_column;	/* that of rows' places, or -1 */
} DeformAttrs;

/*
 * For these columns, at these places.  Whatever a failure leaves, deform_attrs_close
 * takes.
 */
extern EngineStatus deform_attrs_open(RunCore *run, const Column *const *columns, int ncolumns,
									  const ColumnPlace *places, DeformAttrs *attrs);
extern void deform_attrs_close(RunCore *run, DeformAttrs *attrs);

/* The deform kernel's parameters that tell it. */
extern void deform_attrs_tell(const DeformAttrs *attrs, DeformArgs *args);

#endif							/* GPUAGG_DEFORM_ATTRS_H */
