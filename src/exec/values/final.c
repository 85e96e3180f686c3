/*
 * final.c
 *	  From an engine's groups to PostgreSQL's values.
 *
 * Where PostgreSQL's own final function does arithmetic (numeric sums and
 * averages, variances), the same functions of PostgreSQL do it here, so that
 * results have the same digits and scale.
 *
 * Float sums are exact and rounded here, once (exact_result.h).  Where they can
 * be infinite though no value was, that is an overflow, as in PostgreSQL.
 *
 * Memory: results by reference, and numeric's intermediate values, are in the
 * current context, which callers reset often.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "exec/values/final.h"
#include "exec/values/moments.h"
#include "exec/values/value_parts.h"
#include "program/exact_result.h"
#include "program/interval_order.h"
#include "program/special.h"
#include "program/state.h"

static Datum make_varlena(const char *bytes, uint32 len);
static Datum wide_numeric(const Program *program, const Wide *wide, int scale);

static bool
is_sum128(const Accumulator *acc)
{
	return acc_is_sum128((AccKind) acc->kind);
}

/* The sum that SUM_INT128's two words hold, if it is an int64. */
static bool
sum128_to_int64(const uint64_t *words, int64 *number)
{
	uint64_t	sum[2] = {words[0], words[1]};
	int64		high;

	sum128_normalize(sum);
	high = (int64) sum[1];
	*number = (int64) ((sum[1] << 32) | sum[0]);
	return high >= PG_INT32_MIN && high <= PG_INT32_MAX;
}

/* The same, high * 2^32 + low, as numeric. */
static Numeric
sum128_to_numeric(const uint64_t *words)
{
	uint64_t	sum[2] = {words[0], words[1]};
	int64		high;
	Datum		product;

	if (sum128_to_int64(words, &high))
		return int64_to_numeric(high);
	sum128_normalize(sum);
	high = (int64) sum[1];
	product = DirectFunctionCall2(numeric_mul,
								  NumericGetDatum(int64_to_numeric(high)),
								  NumericGetDatum(int64_to_numeric(INT64CONST(1) << 32)));
	return DatumGetNumeric(DirectFunctionCall2(numeric_add, product,
											   NumericGetDatum(int64_to_numeric((int64) sum[0]))));
}

/* A number of units of 10^-scale, which has no digits beyond the display scale. */
static Datum
scaled_numeric(Numeric number, int scale, int shown)
{
	Datum		result = NumericGetDatum(number);

	if (scale > 0)
		result = DirectFunctionCall2(numeric_mul, result,
									 NumericGetDatum(int64_div_fast_to_numeric(1, scale)));
	if (scale != shown)
		result = DirectFunctionCall2(numeric_round, result, Int32GetDatum(shown));
	return result;
}

/* NaN or an infinity. */
static Datum
special_numeric(uint32_t special)
{
	const char *name = special == SPECIAL_NAN ? "NaN" :
		special == SPECIAL_PINF ? "Infinity" : "-Infinity";

	return DirectFunctionCall3(numeric_in, CStringGetDatum(name),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

/* Which specials are among an aggregate's values? */
static uint32_t
specials_of(const Accumulator *accs, const Aggregate *agg, const uint64_t *words)
{
	return agg->special < 0 ? 0 : (uint32_t) words[accs[agg->special].word];
}

/* The display scale of an aggregate's values: the largest one of them. */
static int
shown_scale(const Accumulator *accs, const Aggregate *agg, const uint64_t *words)
{
	return agg->shown < 0 ? agg->scale : (int) (int64) words[accs[agg->shown].word];
}

/* high * 2^64 + low. */
static Numeric
two_part_numeric(Numeric low, Numeric high)
{
	Datum		two32 = NumericGetDatum(int64_to_numeric(INT64CONST(1) << 32));
	Datum		product = DirectFunctionCall2(numeric_mul, NumericGetDatum(high), two32);

	product = DirectFunctionCall2(numeric_mul, product, two32);
	return DatumGetNumeric(DirectFunctionCall2(numeric_add, product, NumericGetDatum(low)));
}

int
final_column_type(FinalKind final)
{
	switch (final)
	{
		case FINAL_COUNT:
		case FINAL_SUM_INT8:
		case FINAL_EXTREME_INT8:
		case FINAL_BITS_INT8:
			return VT_INT8;
		case FINAL_EXTREME_INT4:
		case FINAL_BITS_INT4:
			return VT_INT4;
		case FINAL_SUM_FLOAT8:
			return VT_FLOAT8;
		default:
			return -1;
	}
}

bool
final_sum_units(const Program *program, const Aggregate *agg, const uint64_t *words, int64 *units)
{
	const Accumulator *acc = &program_accs(program)[agg->acc];

	*units = (int64) words[acc->word];
	return agg->high < 0 && (!is_sum128(acc) || sum128_to_int64(words + acc->word, units));
}

/* A sum of integers, or of numerics. */
static Datum
sum_numeric(const Accumulator *accs, const Aggregate *agg, const uint64_t *words)
{
	const Accumulator *acc = &accs[agg->acc];
	uint32_t	specials = specials_of(accs, agg, words);
	int			shown = shown_scale(accs, agg, words);
	int64		number = (int64) words[acc->word];
	Numeric		sum;

	if (specials)
		return special_numeric(special_sum_class(specials));
	/* the usual case: without arithmetic of numerics */
	if (agg->high < 0 && agg->scale == shown &&
		(!is_sum128(acc) || sum128_to_int64(words + acc->word, &number)))
		return NumericGetDatum(int64_div_fast_to_numeric(number, shown));
	sum = is_sum128(acc)
		? sum128_to_numeric(words + acc->word)
		: int64_to_numeric((int64) words[acc->word]);

	if (agg->high >= 0)
		sum = two_part_numeric(sum, sum128_to_numeric(words + accs[agg->high].word));
	return scaled_numeric(sum, agg->scale, shown);
}

/*
 * The sum in numeric divided by the count in numeric, as PostgreSQL's avg; so is
 * a special sum.
 */
static Datum
average_numeric(Datum sum, uint64_t count)
{
	return DirectFunctionCall2(numeric_div, sum,
							   NumericGetDatum(int64_to_numeric((int64) count)));
}

/* The squares' sum: that of low parts, and that of high parts times 2^64. */
static Numeric
squares_numeric(const Accumulator *accs, const Aggregate *agg, const uint64_t *words)
{
	Numeric		low = sum128_to_numeric(words + accs[agg->squares[0]].word);

	if (agg->squares[1] < 0)
		return low;
	return two_part_numeric(low, sum128_to_numeric(words + accs[agg->squares[1]].word));
}

/* Variances and standard deviations; a sample of one value has none. */
static Datum
variance_numeric(const Accumulator *accs, const Aggregate *agg, const uint64_t *words,
				 uint64_t count, bool *isnull)
{
	bool		sample = agg->final == FINAL_VAR_SAMP || agg->final == FINAL_STDDEV_SAMP;
	bool		root = agg->final == FINAL_STDDEV_POP || agg->final == FINAL_STDDEV_SAMP;
	int			scale = shown_scale(accs, agg, words);
	Datum		squares;

	if (sample && count == 1)
	{
		*isnull = true;
		return (Datum) 0;
	}
	/* infinities too make it NaN, as variances of floats are */
	if (specials_of(accs, agg, words))
		return special_numeric(SPECIAL_NAN);
	squares = scaled_numeric(squares_numeric(accs, agg, words), 2 * agg->scale, 2 * scale);
	return NumericGetDatum(exact_variance((int64) count,
										  DatumGetNumeric(sum_numeric(accs, agg, words)),
										  DatumGetNumeric(squares), sample, root));
}

/* The sum that SUM_INT128's two words hold, as an exact sum of floats; its words into number. */
static ExactSum
exact_sum128(const uint64_t *words, uint64_t number[2])
{
	ExactSum	sum = {number, 2, EXACT_NARROW, 0};
	uint64_t	halves[2] = {words[0], words[1]};

	sum128_normalize(halves);
	number[0] = halves[1] << 32 | halves[0];
	number[1] = (uint64_t) ((int64_t) halves[1] >> 32);
	return sum;
}

ExactSum
final_exact_sum(const Program *program, int acc, const uint64_t *words, const int32_t *units)
{
	const Accumulator *accumulator = &program_accs(program)[acc];
	ExactSum	sum = {words + accumulator->word, accumulator->nwords,
		(ExactLevel) program->level, units[acc]};

	return sum;
}

double
final_float_sum(const ExactSum *sum, bool single)
{
	double		value = exact_sum(sum, single);

	if (isinf(single ? (float4) value : value) && !exact_has_infinity(sum))
		float_overflow_error();
	return value;
}

static double
sum_float(const Program *program, const Aggregate *agg, const uint64_t *words,
		  const int32_t *units, bool single)
{
	ExactSum	sum = final_exact_sum(program, agg->acc, words, units);

	return final_float_sum(&sum, single);
}

/* Variances, covariances and regressions of floats, or of integers as floats. */
static Datum
moments_float(const Program *program, const Aggregate *agg, const uint64_t *words,
			  const int32_t *units, uint64_t count, bool *isnull)
{
	const Accumulator *accs = program_accs(program);
	ExactSum	sums[MOMENT_COUNT] = {{0}};
	uint64_t	numbers[MOMENT_COUNT][2];

	for (int i = 0; i < MOMENT_COUNT; i++)
	{
		int			acc = agg->moments[i];

		if (acc < 0)
			continue;
		sums[i] = is_sum128(&accs[acc]) ?
			exact_sum128(words + accs[acc].word, numbers[i]) :
			final_exact_sum(program, acc, words, units);
	}
	return Float8GetDatum(float_moments((FinalKind) agg->final, count, sums,
										compat_guarded_moments, isnull));
}

Datum
number_numeric(const Program *program, int64 number, int scale)
{
	uint32_t	special = program->specials ? special_class(number) : 0;

	return special ? special_numeric(special) :
		NumericGetDatum(int64_div_fast_to_numeric(number, scale));
}

static Datum
extreme_numeric(const Program *program, AccKind kind, const uint64_t *value, int scale)
{
	Wide		wide;

	if (acc_form(kind) != FORM_WIDE)
		return number_numeric(program, (int64) value[0], scale);
	wide = wide_of_words(value[0], value[1]);
	return wide_numeric(program, &wide, scale);
}

/* The words of ACC_PERCENTILE_CONT; computed as PostgreSQL does it. */
static double
value_between(const uint64_t *words)
{
	double		low;
	double		high;
	double		share;

	memcpy(&low, &words[0], sizeof(low));
	memcpy(&high, &words[1], sizeof(high));
	memcpy(&share, &words[2], sizeof(share));
	return share == 0 ? low : low + (share * (high - low));
}

static Datum
interval_datum(TimeSpan span)
{
	Interval   *interval = palloc(sizeof(Interval));

	interval->time = span.time;
	interval->day = span.day;
	interval->month = span.month;
	return IntervalPGetDatum(interval);
}

/* The words of ACC_PERCENTILE_CONT over lengths, likewise. */
static Datum
interval_between(const uint64_t *words)
{
	Datum		low = interval_datum(interval_of_length((int64) words[0]));
	Datum		high = interval_datum(interval_of_length((int64) words[1]));
	double		share;

	memcpy(&share, &words[2], sizeof(share));
	if (share == 0)
		return low;
	high = DirectFunctionCall2(interval_mul, DirectFunctionCall2(interval_mi, high, low),
							   Float8GetDatum(share));
	return DirectFunctionCall2(interval_pl, high, low);
}

/* A sum of intervals, whose parts are in range (SIZE_LIMIT). */
static Datum
sum_interval(const Accumulator *accs, const Aggregate *agg, const uint64_t *words)
{
	int64		months_and_days = (int64) words[accs[agg->high].word];
	TimeSpan	span = {.time = (int64) words[accs[agg->acc].word]};

	span.day = (int32) (uint32) months_and_days;
	span.month = (int32) ((months_and_days - span.day) >> 32);
	return interval_datum(span);
}

/* What is made of the two counts that an aggregate over a hypothetical row has. */
static Datum
rank_datum(FinalKind final, uint64_t before, uint64_t count)
{
	switch (final)
	{
		case FINAL_DENSE_RANK:
			return Int64GetDatum((int64) before + 1 + (count > 0));
		case FINAL_PERCENT_RANK:
			return Float8GetDatum(count == 0 ? 0 : (double) before / (double) count);
		case FINAL_CUME_DIST:
			return Float8GetDatum((double) (before + 1) / (double) (count + 1));
		default:
			return Int64GetDatum((int64) before + 1);
	}
}

Datum
final_value(const Program *program, const Aggregate *agg, const uint64_t *words,
			const int32_t *units, bool *isnull)
{
	const Accumulator *accs = program_accs(program);
	const Accumulator *acc = &accs[agg->acc];
	const uint64_t *value = words + acc->word;
	bool		greatest = acc_is_greatest((AccKind) acc->kind);
	uint64_t	count;

	*isnull = false;
	if (agg->final == FINAL_COUNT)
		return Int64GetDatum((int64) value[0]);

	count = words[accs[agg->count].word];
	if (agg->final <= FINAL_CUME_DIST)
		return rank_datum((FinalKind) agg->final, value[0], count);
	if (count == 0)
	{
		*isnull = true;
		return (Datum) 0;
	}

	switch ((FinalKind) agg->final)
	{
		case FINAL_SUM_INT8:
		case FINAL_SUM_MONEY:
		case FINAL_EXTREME_INT8:
		case FINAL_BITS_INT8:
			return Int64GetDatum((int64) value[0]);
		case FINAL_SUM_ADDED:
			return Int64GetDatum((int64) (value[0] + count * (uint64_t) (int64) agg->added));
		case FINAL_SUM_NUMERIC:
			return sum_numeric(accs, agg, words);
		case FINAL_AVG_NUMERIC:
			return average_numeric(sum_numeric(accs, agg, words), count);
		case FINAL_PERCENTILE_CONT:
			return Float8GetDatum(value_between(value));
		case FINAL_PERCENTILE_LENGTH:
			return interval_between(value);
		case FINAL_LENGTH:
			return interval_datum(interval_of_length((int64) value[0]));
		case FINAL_SUM_INTERVAL:
			return sum_interval(accs, agg, words);
		case FINAL_AVG_INTERVAL:
			return DirectFunctionCall2(interval_div, sum_interval(accs, agg, words),
									   Float8GetDatum((double) count));
		case FINAL_EXTREME_NUMERIC:
			return extreme_numeric(program, (AccKind) acc->kind, value, agg->scale);
		case FINAL_EXTREME_TEXT:
			return make_varlena(extreme_text(value).data, extreme_text(value).len);
		case FINAL_EXTREME_INTERVAL:
			return interval_datum(interval_of_words(value[0], value[1]));
		case FINAL_SUM_FLOAT4:
			return Float4GetDatum((float4) sum_float(program, agg, words, units, true));
		case FINAL_SUM_FLOAT8:
			return Float8GetDatum(sum_float(program, agg, words, units, false));
		case FINAL_AVG_FLOAT8:
			/* PostgreSQL's sum begins with 0, so that it is never -0 */
			return Float8GetDatum((sum_float(program, agg, words, units, false) + 0.0) /
								  (double) count);
		case FINAL_BOOL:
			return BoolGetDatum(value[0] != 0);
		case FINAL_EXTREME_INT2:
		case FINAL_BITS_INT2:
			return Int16GetDatum((int16) (int64) value[0]);
		case FINAL_EXTREME_INT4:
		case FINAL_BITS_INT4:
			return Int32GetDatum((int32) (int64) value[0]);
		case FINAL_EXTREME_FLOAT4:
			return Float4GetDatum((float4) float_from_ordered(value[0], greatest));
		case FINAL_EXTREME_FLOAT8:
			return Float8GetDatum(float_from_ordered(value[0], greatest));
		case FINAL_VAR_POP:
		case FINAL_VAR_SAMP:
		case FINAL_STDDEV_POP:
		case FINAL_STDDEV_SAMP:
			return variance_numeric(accs, agg, words, count, isnull);
		case FINAL_FLOAT_VAR_POP:
		case FINAL_FLOAT_VAR_SAMP:
		case FINAL_FLOAT_STDDEV_POP:
		case FINAL_FLOAT_STDDEV_SAMP:
		case FINAL_REGR_SXX:
		case FINAL_REGR_SYY:
		case FINAL_REGR_SXY:
		case FINAL_REGR_AVGX:
		case FINAL_REGR_AVGY:
		case FINAL_REGR_R2:
		case FINAL_REGR_SLOPE:
		case FINAL_REGR_INTERCEPT:
		case FINAL_COVAR_POP:
		case FINAL_COVAR_SAMP:
		case FINAL_CORR:
			return moments_float(program, agg, words, units, count, isnull);
		case FINAL_COUNT:
		case FINAL_RANK:
		case FINAL_DENSE_RANK:
		case FINAL_PERCENT_RANK:
		case FINAL_CUME_DIST:
		case FINAL_ORDERED:		/* the node makes it of rows */
			break;
	}
	elog(ERROR, "unknown kind of aggregate result: %d", agg->final);
}

/*
 * Of floats, squares and products of sums can leave their range, and sums of money and intervals
 * theirs; functions of rows may do anything.
 */
bool
final_can_fail(const Program *program)
{
	for (int i = 0; i < program->naggs; i++)
	{
		int			final = program_aggs(program)[i].final;

		if (final >= FINAL_FLOAT_VAR_POP || final == FINAL_SUM_MONEY ||
			final == FINAL_SUM_INTERVAL || final == FINAL_AVG_INTERVAL)
			return true;
	}
	return false;
}

bool
final_is_exact(const Program *program)
{
	for (int i = 0; i < program->naggs; i++)
	{
		int			final = program_aggs(program)[i].final;

		if ((final >= FINAL_FLOAT_VAR_POP && final <= FINAL_CORR) || final == FINAL_SUM_FLOAT4 ||
			final == FINAL_SUM_FLOAT8 || final == FINAL_AVG_FLOAT8)
			return false;
	}
	return true;
}

/*
 * A varlena of these bytes.  Its header is short where it can be, as in the
 * tuples of PostgreSQL's own groups: pg_column_size shows it.
 */
static Datum
make_varlena(const char *bytes, uint32 len)
{
	struct varlena *value;

	if (len + VARHDRSZ_SHORT > VARATT_SHORT_MAX)
		return PointerGetDatum(cstring_to_text_with_len(bytes, (int) len));
	value = palloc(VARHDRSZ_SHORT + len);
	SET_VARSIZE_SHORT(value, VARHDRSZ_SHORT + len);
	memcpy(VARDATA_SHORT(value), bytes, len);
	return PointerGetDatum(value);
}

static Datum
vector_float(const ColumnVector *vector, ValueType type, uint32_t row)
{
	return type == VT_FLOAT4 ? Float4GetDatum(((const float4 *) vector->values)[row]) :
		Float8GetDatum(((const float8 *) vector->values)[row]);
}

/* Text, varchar and char(n) alike. */
static Datum
vector_text(const ColumnVector *vector, uint32_t row)
{
	uint32		begin = vector->offsets[row];

	return make_varlena((const char *) vector->values + begin,
						vector->offsets[row + 1] - begin);
}

/* Of a type that a Datum points to. */
static Datum
vector_bytes(const ColumnVector *vector, ValueType type, uint32_t row)
{
	Size		size = (Size) value_type_size(type);

	return PointerGetDatum(memcpy(palloc(size), (const char *) vector->values + row * size, size));
}

/*
 * The same of 128 bits: the low word counts from -2^63 on, and the high one may
 * then be one more than its 64 bits hold.
 */
static Datum
wide_numeric(const Program *program, const Wide *wide, int scale)
{
	uint32_t	special = program->specials ? wide_special_class(*wide) : 0;
	Numeric		low = int64_to_numeric((int64) wide->w[0]);
	Numeric		high = int64_to_numeric((int64) wide->w[1]);

	if (special)
		return special_numeric(special);
	if (wide->w[0] >> 63)
		high = DatumGetNumeric(DirectFunctionCall2(numeric_add, NumericGetDatum(high),
												   NumericGetDatum(int64_to_numeric(1))));
	return scaled_numeric(two_part_numeric(low, high), scale, scale);
}

static bool
vector_isnull(const ColumnVector *vector, uint32_t row)
{
	return vector->validity && !(vector->validity[row / 8] & (1 << (row % 8)));
}

Datum
vector_datum(const ColumnVector *vector, ValueType type, uint32_t row,
			 bool *isnull)
{
	const void *values = vector->values;

	*isnull = vector_isnull(vector, row);
	if (*isnull)
		return (Datum) 0;

	switch (type)
	{
#define DATUM_INTEGER(ctype) return Int64GetDatum(((const ctype *) values)[row])
#define DATUM_FLOAT(ctype) return vector_float(vector, type, row)
#define DATUM_BYTES(ctype) return vector_bytes(vector, type, row)
#define DATUM_WIDE(ctype) break	/* only keys of numeric are: key_value */
#define DATUM_TEXT(ctype) return vector_text(vector, row)
#define TYPE(name, ctype, size, stored, class, ...) \
		case VT_##name: \
			DATUM_##class(ctype);
#include "program/types.def"
		case VT_COUNT:
			break;
	}
	elog(ERROR, "vector with unknown value type: %d", (int) type);
}

Datum
key_value(const Program *program, int key, const ColumnVector *vector,
		  uint32_t group, bool *isnull)
{
	int			scale = program_key_scales(program)[key];
	ValueType	type = program_key_type(program, key);
	Numeric		numeric;

	if (scale == KEY_NOT_NUMERIC)
		return vector_datum(vector, type, group, isnull);
	*isnull = vector_isnull(vector, group);
	if (*isnull)
		return (Datum) 0;
	if (type == VT_WIDE)
		numeric = DatumGetNumeric(wide_numeric(program,
											   &((const Wide *) vector->values)[group], scale));
	else
		numeric = DatumGetNumeric(number_numeric(program,
												 ((const int64 *) vector->values)[group], scale));
	return make_varlena(VARDATA(numeric), VARSIZE(numeric) - VARHDRSZ);
}
