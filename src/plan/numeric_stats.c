/*
 * numeric_stats.c
 *	  The scales of numerics that have no type modifier, from statistics.
 *
 * What ANALYZE has kept of a column, its most common values and its histogram, is
 * a sample of it: the largest display scale there is the one at which engines
 * will hold its values, if these fit, or else the least one that none has digits
 * beyond.  It is a guess: a value with more digits ends the run as inexact.  So it
 * has to be a good one, lest time be lost: where the sample has values that
 * engines cannot hold, the column is none for them.
 *
 * Of equal values with several display scales the sample may have one.
 */
#include "postgres.h"

#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/selfuncs.h"

#include "plan/numeric_stats.h"
#include "program/numeric_page.h"

/* What to assume of a table that has not been analyzed. */
#define DEFAULT_SCALE 6

/* What the values of a sample have in common. */
typedef struct NumericSample
{
	bool		any;
	bool		special;		/* NaN or an infinity among them */
	int			least;			/* display scales */
	int			largest;
	int			digits;			/* behind the point, without zeros at the end */
	int			scale;			/* to try */
	bool		fit;			/* all so far, at that */
} NumericSample;

typedef void (*SampleVisitor) (NumericSample *sample, const uint8 *data, uint32 len);

static void
note_scale(NumericSample *sample, const uint8 *data, uint32 len)
{
	NumericHeader header = numeric_header(data, len);

	sample->special |= header.special;
	sample->least = sample->any ? Min(sample->least, header.scale) : header.scale;
	sample->largest = Max(sample->largest, header.scale);
	sample->digits = Max(sample->digits, numeric_least_scale(header));
	sample->any = true;
}

static void
note_fit(NumericSample *sample, const uint8 *data, uint32 len)
{
	int64		number;

	sample->fit &= numeric_to_units(data, len, sample->scale, &number);
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

/* Do the values fit 64 bits at a scale? */
static bool
sample_fits(NumericSample *sample, HeapTuple statistics, int scale)
{
	if (scale > NUMERIC64_MAX_SCALE)
		return false;
	sample->scale = scale;
	sample->fit = true;
	visit_sample(sample, statistics, note_fit);
	return sample->fit;
}

static bool
statistics_scale(HeapTuple statistics, NumericSample *sample)
{
	visit_sample(sample, statistics, note_scale);
	return !sample->special &&
		(sample_fits(sample, statistics, sample->largest) ||
		 sample_fits(sample, statistics, sample->digits));
}

bool
numeric_column_scale(PlannerInfo *root, const Var *var, int *scale, bool *same)
{
	NumericSample sample = {0};
	VariableStatData variable;
	bool		fits = true;

	if (var->varlevelsup != 0 || IS_SPECIAL_VARNO(var->varno) || var->varattno <= 0)
		return false;
	examine_variable(root, (Node *) var, 0, &variable);
	if (HeapTupleIsValid(variable.statsTuple))
		fits = statistics_scale(variable.statsTuple, &sample);
	ReleaseVariableStats(variable);

	*scale = sample.any ? sample.scale : DEFAULT_SCALE;
	*same = sample.any && sample.least == sample.largest && sample.largest == *scale;
	/* what a subquery or a function returns can be anything */
	return fits && (sample.any || planner_rt_fetch(var->varno, root)->rtekind == RTE_RELATION);
}
