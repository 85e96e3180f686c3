/*
 * time_format.c
 *	  What formats show of moments.
 *
 * A month as to_char(moment, 'YYYY-MM') shows it is that of the moment's day.  So the text can be
 * made of the moment truncated to the smallest unit that the format shows, of which there are few
 * values.  Units are days at most: the first days of months and years can be before the least
 * timestamp that there is.  Where nothing of the date is shown, such as by 'HH24:MI', that time of
 * any day will do.
 *
 * Templates are found as PostgreSQL finds them: at each place the longest one, in upper or in lower
 * case.  A format is left alone that has letters which are none, quoted text with a backslash,
 * TM and FX, or templates of time zones and of smaller units than seconds.  A timestamp with time
 * zone is first made the timestamp that it is in the session's time zone: the same is shown of both.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"

#include "plan/lower/time_format.h"

typedef enum TimeUnit
{
	UNIT_NONE,					/* nothing of the moment is shown */
	UNIT_DAY,
	UNIT_HOUR,
	UNIT_MINUTE,
	UNIT_SECOND
} TimeUnit;

/* As date_trunc() has them. */
static const char *const unit_names[] = {"day", "day", "hour", "minute", "second"};

/* Those that begin with the same letters: the longer ones first. */
static const struct
{
	const char *text;
	TimeUnit	unit;
}			templates[] = {
	{"A.D.", UNIT_DAY}, {"A.M.", UNIT_HOUR}, {"AD", UNIT_DAY}, {"AM", UNIT_HOUR},
	{"B.C.", UNIT_DAY}, {"BC", UNIT_DAY}, {"CC", UNIT_DAY},
	{"DAY", UNIT_DAY}, {"DDD", UNIT_DAY}, {"DD", UNIT_DAY}, {"DY", UNIT_DAY}, {"D", UNIT_DAY},
	{"FM", UNIT_NONE}, {"HH24", UNIT_HOUR}, {"HH12", UNIT_HOUR}, {"HH", UNIT_HOUR},
	{"IDDD", UNIT_DAY}, {"ID", UNIT_DAY}, {"IW", UNIT_DAY}, {"IYYY", UNIT_DAY}, {"IYY", UNIT_DAY},
	{"IY", UNIT_DAY}, {"I", UNIT_DAY}, {"J", UNIT_DAY},
	{"MI", UNIT_MINUTE}, {"MM", UNIT_DAY}, {"MONTH", UNIT_DAY}, {"MON", UNIT_DAY},
	{"P.M.", UNIT_HOUR}, {"PM", UNIT_HOUR}, {"Q", UNIT_DAY}, {"RM", UNIT_DAY},
	{"SSSSS", UNIT_SECOND}, {"SSSS", UNIT_SECOND}, {"SS", UNIT_SECOND}, {"TH", UNIT_NONE},
	{"WW", UNIT_DAY}, {"W", UNIT_DAY},
	{"Y,YYY", UNIT_DAY}, {"YYYY", UNIT_DAY}, {"YYY", UNIT_DAY}, {"YY", UNIT_DAY}, {"Y", UNIT_DAY},
};

static const char *const names[] = {"Day", "Dy", "Month", "Mon"};

/* Is that text there, in one case or the other? */
static bool
begins_with(const char *format, const char *text)
{
	bool		upper = true;
	bool		lower = true;

	for (; *text != '\0'; format++, text++)
	{
		upper = upper && *format == *text;
		lower = lower && *format == (char) pg_ascii_tolower((unsigned char) *text);
	}
	return upper || lower;
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What a format shows. */
typedef struct Shown
{
	TimeUnit	unit;			/* the smallest one */
	bool		date;			/* anything of the date? */
} Shown;

static void
add_unit(Shown *shown, TimeUnit unit)
{
	shown->unit = Max(shown->unit, unit);
	shown->date |= unit == UNIT_DAY;
}

/* How long the template is that is there, and what it shows; 0: there is none. */
static size_t
template_at(const char *format, Shown *shown)
{
	for (int i = 0; i < (int) lengthof(names); i++)
		if (strncmp(format, names[i], strlen(names[i])) == 0)
		{
			add_unit(shown, UNIT_DAY);
			return strlen(names[i]);
		}
	for (int i = 0; i < (int) lengthof(templates); i++)
		if (begins_with(format, templates[i].text))
		{
			add_unit(shown, templates[i].unit);
			return strlen(templates[i].text);
		}
	return 0;
}

/* What the format shows; false: not known. */
static bool
read_format(const char *format, Shown *shown)
{
	while (*format != '\0')
	{
		size_t		length = 1;

		if (*format == '\\')
			return false;
		if (*format == '"')
		{
			const char *end = strchr(format + 1, '"');

			if (end == NULL || memchr(format, '\\', end - format) != NULL)
				return false;
			length = end + 1 - format;
		}
		else if (is_letter(*format))
		{
			length = template_at(format, shown);
			if (length == 0)
				return false;
		}
		format += length;
	}
	return true;
}

static Expr *
call(Oid function, Oid type, List *args)
{
	return (Expr *) makeFuncExpr(function, type, args, InvalidOid, DEFAULT_COLLATION_OID,
								 COERCE_EXPLICIT_CALL);
}

/* The moment truncated to a unit. */
static Expr *
truncated(Expr *moment, TimeUnit unit)
{
	Expr	   *name = (Expr *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
										  CStringGetTextDatum(unit_names[unit]), false, false);

	return call(F_DATE_TRUNC_TEXT_TIMESTAMP, TIMESTAMPOID, list_make2(name, moment));
}

/* Its time on the first day of 2000. */
static Expr *
on_one_day(Expr *moment)
{
	Expr	   *day = (Expr *) makeConst(DATEOID, -1, InvalidOid, sizeof(DateADT),
										 DateADTGetDatum(0), false, true);

	return call(F_DATETIME_PL, TIMESTAMPOID,
				list_make2(day, call(F_TIME_TIMESTAMP, TIMEOID, list_make1(moment))));
}

Expr *
time_format_moment(Oid function, const List *args)
{
	const Const *format;
	Expr	   *moment;
	Shown		shown = {0};

	if (function != F_TO_CHAR_TIMESTAMP_TEXT && function != F_TO_CHAR_TIMESTAMPTZ_TEXT)
		return NULL;
	format = (const Const *) lsecond(args);
	if (!IsA(format, Const) || format->constisnull ||
		!read_format(TextDatumGetCString(format->constvalue), &shown))
		return NULL;
	moment = linitial(args);
	if (function == F_TO_CHAR_TIMESTAMPTZ_TEXT)
		moment = call(F_TIMESTAMP_TIMESTAMPTZ, TIMESTAMPOID, list_make1(moment));
	moment = truncated(moment, shown.unit);
	return shown.date ? moment : on_one_day(moment);
}

static Node *
truncate_mutator(Node *node, void *context)
{
	FuncExpr   *shown;
	Expr	   *moment;

	if (node == NULL)
		return NULL;
	node = expression_tree_mutator(node, truncate_mutator, context);
	if (!IsA(node, FuncExpr))
		return node;
	shown = (FuncExpr *) node;
	moment = time_format_moment(shown->funcid, shown->args);
	if (moment != NULL)
	{
		shown->funcid = F_TO_CHAR_TIMESTAMP_TEXT;
		shown->args = list_make2(moment, lsecond(shown->args));
	}
	return node;
}

Node *
time_formats_truncate(Node *node)
{
	return truncate_mutator(node, NULL);
}

static bool
can_truncate_walker(Node *node, void *context)
{
	const FuncExpr *function = (const FuncExpr *) node;

	if (node == NULL)
		return false;
	return (IsA(node, FuncExpr) && time_format_moment(function->funcid, function->args) != NULL) ||
		expression_tree_walker(node, can_truncate_walker, context);
}

bool
time_formats_can_truncate(Node *node)
{
	return can_truncate_walker(node, NULL);
}

/* The call, if it is one of that function. */
static const FuncExpr *
call_of(const Node *node, Oid function)
{
	return IsA(node, FuncExpr) && ((const FuncExpr *) node)->funcid == function ?
		(const FuncExpr *) node : NULL;
}

Node *
time_format_input(const Node *node)
{
	const FuncExpr *text = call_of(node, F_TO_CHAR_TIMESTAMP_TEXT);
	const FuncExpr *sum = text == NULL ? NULL : call_of(linitial(text->args), F_DATETIME_PL);
	Node	   *time = sum == NULL || !IsA(linitial(sum->args), Const) ? NULL : lsecond(sum->args);

	if (text != NULL && call_of(linitial(text->args), F_DATE_TRUNC_TEXT_TIMESTAMP) != NULL)
		return linitial(text->args);
	return time != NULL && call_of(time, F_TIME_TIMESTAMP) != NULL ? time : NULL;
}
