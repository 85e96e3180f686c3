/*
 * date_unit.c
 *	  What texts name: fields of dates and timestamps, and units to truncate to.
 */
#include "postgres.h"

#include "parser/scansup.h"
#include "utils/builtins.h"
#include "utils/datetime.h"

#include "compat.h"
#include "plan/lower/lower_parts.h"
#include "program/date_field.h"

/* PostgreSQL's codes of fields. */
static const struct
{
	int			code;
	DateField	field;
}			date_fields[] = {
	{DTK_MICROSEC, FIELD_MICROSECONDS},
	{DTK_MILLISEC, FIELD_MILLISECONDS},
	{DTK_SECOND, FIELD_SECOND},
	{DTK_MINUTE, FIELD_MINUTE},
	{DTK_HOUR, FIELD_HOUR},
	{DTK_DAY, FIELD_DAY},
	{DTK_WEEK, FIELD_WEEK},
	{DTK_MONTH, FIELD_MONTH},
	{DTK_QUARTER, FIELD_QUARTER},
	{DTK_YEAR, FIELD_YEAR},
	{DTK_DECADE, FIELD_DECADE},
	{DTK_CENTURY, FIELD_CENTURY},
	{DTK_MILLENNIUM, FIELD_MILLENNIUM},
	{DTK_ISOYEAR, FIELD_ISOYEAR},
	{DTK_DOW, FIELD_DOW},
	{DTK_ISODOW, FIELD_ISODOW},
	{DTK_DOY, FIELD_DOY},
	{DTK_JULIAN, FIELD_JULIAN}
};

int
date_unit(const Expr *name, int *code, char **spelled)
{
	const Const *value = (const Const *) name;
	text	   *bytes;
	int			type;

	if (!IsA(name, Const) || value->constisnull)
		return UNKNOWN_FIELD;
	bytes = DatumGetTextPP(value->constvalue);
	*spelled = downcase_truncate_identifier(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), false);
	type = DecodeUnits(0, *spelled, code);
	return type == UNKNOWN_FIELD ? DecodeSpecial(0, *spelled, code) : type;
}

int
date_field(const Expr *name, char **spelled)
{
	int			code;
	int			type = date_unit(name, &code, spelled);

	if (type == RESERV && code == DTK_EPOCH)
		return FIELD_EPOCH;
	for (int i = 0; type == UNITS && i < (int) lengthof(date_fields); i++)
		if (date_fields[i].code == code)
			return (int) date_fields[i].field;
	return -1;
}
