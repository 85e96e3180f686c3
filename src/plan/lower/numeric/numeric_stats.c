/*
 * numeric_stats.c
 *	  The scales and sizes of a column's numerics, from statistics.
 *
 * What ANALYZE has kept of a column, its most common values and its histogram, is
 * a sample of it: the largest display scale there is the one at which engines
 * will hold its values, if these fit, or else the least one that none has digits
 * beyond.  It is a guess: a value with more digits ends the run as inexact.  So it
 * has to be a good one, lest time be lost: where the sample has values that
 * engines cannot hold, the column is none for them.
 *
 * Of equal values with several display scales the sample may have one.  NaN and
 * the infinities have none.
 *
 * What is learned can be seen: EXPLAIN (VERBOSE) shows scales.  So the sample is
 * looked at only if the user may select all rows of the column.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "plan/lower/lower.h"
#include "plan/lower/numeric/numeric_guess.h"
#include "plan/lower/numeric/numeric_scale.h"
#include "program/numeric_page.h"

/* What to assume of a table that has not been analyzed, or not for the user. */
#define DEFAULT_SCALE 6

/* What the values of a sample have in common. */
typedef struct NumericSample
{
	bool		any;
	bool		special;		/* NaN or an infinity among them */
	int			least;			/* display scales */
	int			largest;
	int			digits;			/* behind the point, without zeros at the end */
	double		most;			/* magnitude */
	int			scale;			/* to try */
	bool		fit;			/* all so far, at that */
} NumericSample;

typedef void (*SampleVisitor) (NumericSample *sample, const uint8 *data, uint32 len);

static double
magnitude(NumericHeader header)
{
	double		result = 0;

	for (int i = 0; i < header.ndigits; i++)
		result += numeric_u16(header.digits + 2 * i) * pow(NUMERIC_BASE, header.weight - i);
	return result;
}

static void
note_scale(NumericSample *sample, const uint8 *data, uint32 len)
{
	NumericHeader header = numeric_header(data, len);

	if (numeric_special(data, len) != 0)
	{
		sample->special = true;
		return;
	}
	sample->least = sample->any ? Min(sample->least, header.scale) : header.scale;
	sample->largest = Max(sample->largest, header.scale);
	sample->digits = Max(sample->digits, numeric_least_scale(header));
	sample->most = Max(sample->most, magnitude(header));
	sample->any = true;
}

static void
note_fit(NumericSample *sample, const uint8 *data, uint32 len)
{
	Wide		number;

	sample->fit &= numeric_special(data, len) != 0 ||
		numeric_to_wide(data, len, sample->scale, true, &number);
}

/* Look at the values of one kind of statistics. */
static void
visit_kind(NumericSample *sample, HeapTuple statistics, int kind, SampleVisitor visit)
{
	AttStatsSlot slot;

	if (!get_attstatsslot(&slot, statistics, kind, InvalidOid, ATTSTATSSLOT_VALUES))
		return;
	for (int i = 0; i < slot.nvalues && slot.valuetype == NUMERICOID; i++)
	{
		struct varlena *value = PG_DETOAST_DATUM_PACKED(slot.values[i]);

		visit(sample, (const uint8 *) VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	}
	free_attstatsslot(&slot);
}

static void
visit_sample(NumericSample *sample, HeapTuple statistics, SampleVisitor visit)
{
	visit_kind(sample, statistics, STATISTIC_KIND_MCV, visit);
	visit_kind(sample, statistics, STATISTIC_KIND_HISTOGRAM, visit);
}

/* Do the values fit 128 bits at a scale? */
static bool
sample_fits(NumericSample *sample, HeapTuple statistics, int scale)
{
	if (scale > NUMERIC128_MAX_SCALE)
		return false;
	sample->scale = scale;
	sample->fit = true;
	visit_sample(sample, statistics, note_fit);
	return sample->fit;
}

/*
 * The display scale unless 64 bits would not do for it; there the digits decide,
 * and 64 bits if they can.
 */
static bool
choose_scale(HeapTuple statistics, NumericSample *sample)
{
	if (sample->most * pow(10, sample->largest) < NUMERIC64_MOST &&
		sample->largest <= NUMERIC64_MAX_SCALE)
		return sample_fits(sample, statistics, sample->largest);
	return sample_fits(sample, statistics, sample->digits);
}

bool
numeric_column_guess(PlannerInfo *root, const Var *var, bool known, NumericGuess *guess)
{
	NumericSample sample = {0};
	VariableStatData variable;
	bool		fits = true;

	if (var->varlevelsup != 0 || IS_SPECIAL_VARNO(var->varno) || var->varattno <= 0)
		return false;
	examine_variable(root, (Node *) var, 0, &variable);
	if (statistics_are_readable(root, &variable))
	{
		visit_sample(&sample, variable.statsTuple, note_scale);
		fits = !known && sample.any && choose_scale(variable.statsTuple, &sample);
		guess->special = sample.special;
	}
	ReleaseVariableStats(variable);

	if (!known)
	{
		guess->scale = sample.any ? sample.scale : DEFAULT_SCALE;
		guess->same = sample.any && sample.least == sample.largest &&
			sample.largest == guess->scale;
	}
	guess->most = sample.most * pow(10, guess->scale);
	/* what a subquery or a function returns can be anything */
	if (!sample.any)
		return known || planner_rt_fetch(var->varno, root)->rtekind == RTE_RELATION;
	return known || fits;
}
