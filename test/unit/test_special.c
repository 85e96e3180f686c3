/*
 * test_special.c
 *	  NaN and the infinities among numerics: arithmetic, in both widths, against
 *	  the compiler's doubles, which have PostgreSQL's rules; stored ones; Programs.
 */
#include <math.h>
#include <stdlib.h>

#include "program/ops.h"
#include "program/program.h"
#include "tap.h"

#define NVALUES 6

static const double doubles[NVALUES] = {NAN, INFINITY, -INFINITY, 0, 3, -2};

static int64_t
number_of(double value)
{
	if (isnan(value))
		return special_number(SPECIAL_NAN);
	if (isinf(value))
		return special_number(value > 0 ? SPECIAL_PINF : SPECIAL_NINF);
	return (int64_t) value;
}

static Wide
wide_of(double value)
{
	return wide_of_special(number_of(value));
}

static bool
same_wide(Wide a, Wide b)
{
	return wide_eq(a, b) != 0;
}

/* PostgreSQL's order: NaN equals NaN and is above all. */
static int
order(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a > b) - (a < b);
}

static void
test_two_operands(void)
{
	bool		narrow = true;
	bool		wide = true;
	bool		ordered = true;
	bool		error = false;

	for (int i = 0; i < NVALUES; i++)
		for (int j = 0; j < NVALUES; j++)
		{
			double		x = doubles[i];
			double		y = doubles[j];
			int64_t		a = number_of(x);
			int64_t		b = number_of(y);
			Wide		c = wide_of(x);
			Wide		d = wide_of(y);

			narrow = narrow && special_add(a, b, &error) == number_of(x + y) &&
				special_sub(a, b, &error) == number_of(x - y) &&
				special_mul(a, b, &error) == number_of(x * y);
			wide = wide && same_wide(wide_special_add(c, d, &error), wide_of(x + y)) &&
				same_wide(wide_special_sub(c, d, &error), wide_of(x - y)) &&
				same_wide(wide_special_mul(c, d, &error), wide_of(x * y)) &&
				same_wide(wide_special_product(a, b), wide_of(x * y));
			ordered = ordered && int8_lt(a, b) == (order(x, y) < 0) &&
				int8_eq(a, b) == (order(x, y) == 0) && wide_gt(c, d) == (order(x, y) > 0);
		}
	ok(narrow && !error, "sums, differences and products");
	ok(wide && !error, "the same in 128 bits");
	ok(ordered, "NaN equals NaN and is above all, the infinities are at the ends");
}

static void
test_one_operand(void)
{
	bool		good = true;
	bool		error = false;

	for (int i = 0; i < NVALUES; i++)
	{
		double		x = doubles[i];
		int64_t		a = number_of(x);
		Wide		c = wide_of(x);
		bool		failed = false;
		bool		wide_failed = false;

		good = good && special_neg(a, &error) == number_of(-x) &&
			special_abs(a, &error) == number_of(fabs(x)) && special_round(a, 1) == a &&
			same_wide(wide_special_neg(c, &error), wide_of(-x)) &&
			same_wide(wide_special_abs(c, &error), wide_of(fabs(x))) &&
			same_wide(wide_special_round(c, 0), c) && wide_to_special(c, &error) == a &&
			special_mark(a) == wide_special_mark(c) &&
			special_addend(a) == (isfinite(x) ? (int64_t) x : 0) &&
			same_wide(wide_special_addend(c), wide_of(isfinite(x) ? x : 0));
		special_finite(a, &failed);
		wide_special_finite(c, &wide_failed);
		good = good && failed == !isfinite(x) && wide_failed == failed;
	}
	ok(good && !error, "operations over one of them");
}

/* Results that happen to be the numbers of specials. */
static void
test_collisions(void)
{
	bool		errors[4] = {false};

	special_add(INT64_MAX - 5, 5, &errors[0]);
	special_sub(INT64_MIN + 1, 1, &errors[1]);
	special_neg(INT64_MIN + 1, &errors[2]);
	wide_to_special(wide_of_int8(INT64_MAX - 1), &errors[3]);
	ok(errors[0] && errors[1] && errors[2] && errors[3], "no number is taken for a special");
}

static void
test_stored(void)
{
	static const uint16_t headers[] = {0xc000, 0xd000, 0xf000, 0xe000};
	static const uint32_t specials[] = {SPECIAL_NAN, SPECIAL_PINF, SPECIAL_NINF, 0};
	bool		good = true;
	int64_t		value;
	int32_t		shown;
	Wide		wide;

	for (int i = 0; i < 4; i++)
	{
		const uint8_t *data = (const uint8_t *) &headers[i];
		bool		admitted = specials[i] != 0;

		good = good && numeric_special(data, 2) == specials[i] &&
			!numeric_read_part(NUMERIC_UNITS, false, data, 2, 3, &value) &&
			numeric_is_not_admitted(NUMERIC_UNITS, data, 2) == admitted &&
			!numeric_is_not_admitted(NUMERIC_UNITS | NUMERIC_SPECIALS, data, 2) &&
			numeric_read_part(NUMERIC_EXACT | NUMERIC_SPECIALS, false, data, 2, 3, &value) == admitted &&
			numeric_read_part(NUMERIC_UNITS | NUMERIC_SPECIALS, true, data, 2, 3, &wide) == admitted &&
			numeric_read_part(NUMERIC_SHOWN | NUMERIC_SPECIALS, false, data, 2, 3, &shown) == admitted;
		if (admitted)
			good = good && special_class(value) == specials[i] &&
				wide_special_class(wide) == specials[i] && shown == 3;
	}
	ok(good, "stored specials are read where they are admitted");
	ok(numeric_special((const uint8_t *) "\0", 1) == 0 && numeric_special(NULL, 0) == 0,
	   "headers cut short are none");
}

/* Over the groups of a Program that has a numeric for its key. */
static void
test_merging(const Program *fine, ProgramBuilder *b, ProgramBuilder *to)
{
	Program    *p;
	int			key;
	int			distinct;

	program_begin(b, SOURCE_COLUMNS);
	key = program_add_column(b, 1, VT_INT8, true, -1);
	program_add_numeric_key(b, key, 2);
	/* all but the last accumulator, which is of specials */
	for (int i = 0; i < fine->naccs - 1; i++)
		program_add_merged_acc(b, &program_accs(fine)[i]);
	program_copy_agg(b, &program_aggs(fine)[0]);
	program_copy_agg(b, &program_aggs(fine)[1]);
	distinct = program_add_acc(b, ACC_SUM_INT128, key, -1);
	program_add_numeric_agg(b, FINAL_SUM_NUMERIC, distinct, program_add_acc(b, ACC_COUNT, key, -1), 2);
	p = malloc(program_size(b));
	program_finish(b, p);
	ok(program_admit_specials(p, fine, to) && to->head.naccs == p->naccs + 2,
	   "a Program that merges groups has their notes of specials, and its own");
	ok(to->accs[fine->naccs - 1].arg == ACC_MERGED && to->accs[fine->naccs - 1].kind == ACC_BIT_OR &&
	   memcmp(to->aggs, program_aggs(fine), 2 * sizeof(Aggregate)) == 0 &&
	   to->aggs[2].acc == fine->naccs && to->aggs[2].special == to->head.naccs - 1,
	   "and their aggregates, before its own");
	free(p);
}

static void
test_programs(void)
{
	ProgramBuilder *b = malloc(sizeof(ProgramBuilder));
	ProgramBuilder *to = malloc(sizeof(ProgramBuilder));
	Program    *p;
	Program    *special;
	int			number;
	int			sum;

	program_begin(b, SOURCE_COLUMNS);
	number = program_add_column(b, 1, VT_INT8, true, -1);
	program_add_agg(b, FINAL_SUM_NUMERIC, program_add_acc(b, ACC_SUM_INT128, number, -1),
					program_add_acc(b, ACC_COUNT, number, -1));
	p = malloc(program_size(b));
	program_finish(b, p);
	ok(!program_admit_specials(p, NULL, to), "a Program without numerics has no specials");
	free(p);

	number = program_add_numeric_column(b, 2, NUMERIC_EXACT, 2, true, -1);
	sum = program_add_acc(b, ACC_SUM_INT128, number, -1);
	program_add_numeric_agg(b, FINAL_SUM_NUMERIC, sum, program_add_acc(b, ACC_COUNT, number, -1), 2);
	program_add_numeric_key(b, number, 2);
	p = malloc(program_size(b));
	program_finish(b, p);
	ok(program_admit_specials(p, NULL, to), "one with numerics is made to admit them");
	special = malloc(program_size(to));
	program_finish(to, special);
	ok(special->specials && special->naccs == p->naccs + 1 && special->nparams == p->nparams &&
	   program_aggs(special)[0].special < 0 &&
	   program_aggs(special)[1].special == special->naccs - 1 &&
	   program_accs(special)[special->naccs - 1].kind == ACC_BIT_OR,
	   "sums of numerics, and no others, note which there were");
	ok(program_columns(special)[0].numeric == NUMERIC_NONE &&
	   program_columns(special)[1].numeric == (NUMERIC_EXACT | NUMERIC_SPECIALS),
	   "and only their columns hold specials");
	ok(!program_admit_specials(special, NULL, to), "it admits them once");
	free(p);

	program_add_merged_acc(b, &b->accs[0]);
	p = malloc(program_size(b));
	program_finish(b, p);
	ok(!program_admit_specials(p, NULL, to), "one that merges groups does not without theirs");
	free(p);
	test_merging(special, b, to);
	free(special);
	free(b);
	free(to);
}

int
main(void)
{
	test_two_operands();
	test_one_operand();
	test_collisions();
	test_stored();
	test_programs();
	return done_testing();
}
