/*
 * ops.h
 *	  The scalar functions of all operations in ops.def.
 *
 * Every function gives the value and the error that PostgreSQL's function
 * gives; see fn.h for how they are called.  Compile what includes this with
 * -ffp-contract=off (NVRTC: -fmad=false), and never with -ffast-math: a product
 * that is fused with the sum it goes into is not PostgreSQL's.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_H
#define GPUAGG_OPS_H

#include "ops_bool.h"
#include "ops_int.h"
#include "ops_bits.h"
#include "ops_float.h"
#include "ops_libm.h"
#include "ops_date.h"
#include "ops_calendar.h"
#include "ops_bucket.h"
#include "ops_zone.h"
#include "ops_numeric.h"
#include "ops_text.h"
#include "ops_json.h"
#include "ops_made.h"
#include "ops_set.h"
#include "ops_lookup.h"
#include "ops_wide.h"
#include "ops_quotient.h"
#include "ops_special.h"
#include "ops_interval.h"

#endif							/* GPUAGG_OPS_H */
