/*
 * date_field.h
 *	  Fields of dates and timestamps, and units to truncate to.
 *
 * In parameters they are their numbers.  The order counts: from FIELD_DAY on they are
 * those that a date has, up to FIELD_MILLENNIUM those that can be truncated to.
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_DATE_FIELD_H
#define GPUAGG_DATE_FIELD_H

typedef enum DateField
{
	FIELD_MICROSECONDS,
	FIELD_MILLISECONDS,
	FIELD_SECOND,
	FIELD_MINUTE,
	FIELD_HOUR,
	FIELD_DAY,
	FIELD_WEEK,
	FIELD_MONTH,
	FIELD_QUARTER,
	FIELD_YEAR,
	FIELD_DECADE,
	FIELD_CENTURY,
	FIELD_MILLENNIUM,
	FIELD_ISOYEAR,
	FIELD_DOW,
	FIELD_ISODOW,
	FIELD_DOY,
	FIELD_JULIAN,
	FIELD_EPOCH,
	FIELD_EPOCH_MICROSECONDS	/* no field of SQL */
} DateField;

#endif							/* GPUAGG_DATE_FIELD_H */
