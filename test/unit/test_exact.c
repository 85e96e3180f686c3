/*
 * test_exact.c
 *	  Exact sums of floats against a plain oracle: digits of 32 bits in an array
 *	  that holds all doubles, and a search for the nearest double.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program/exact_result.h"
#include "tap.h"

/*----------
 * The oracle: units of 2^-2200, digits of base 2^32, signs of their own
 *----------
 */
#define DIGITS 160
#define ORACLE_UNIT (-2200)

typedef struct Big
{
	int64_t		digit[DIGITS];	/* any sign; big_settle makes all but the
								 * highest 0 .. 2^32 - 1 */
} Big;

static void
big_settle(Big *big)
{
	for (int i = 0; i + 1 < DIGITS; i++)
	{
		int64_t		low = big->digit[i] & 0xffffffff;

		big->digit[i + 1] += (big->digit[i] - low) / (INT64_C(1) << 32);
		big->digit[i] = low;
	}
}

/* One bit after another: slow, and plain. */
static void
big_add(Big *big, double value, int sign)
{
	int			exponent;
	double		fraction = frexp(fabs(value), &exponent);

	if (value < 0)
		sign = -sign;
	for (int place = exponent - 1 - ORACLE_UNIT; fraction > 0; place--)
	{
		fraction *= 2;
		if (fraction >= 1)
		{
			big->digit[place / 32] += sign * (INT64_C(1) << place % 32);
			fraction -= 1;
		}
	}
}

static void
big_add_big(Big *big, const Big *other, int factor)
{
	for (int i = 0; i < DIGITS; i++)
		big->digit[i] += factor * other->digit[i];
}

/* Adds a product, by parts of 26 bits, whose products are exact. */
static void
big_add_product(Big *big, double a, double b)
{
	double		parts[2][3];
	double		values[2] = {a, b};
	int			shift[2];

	for (int i = 0; i < 2; i++)
	{
		double		rest = frexp(values[i], &shift[i]);

		for (int j = 0; j < 3; j++)
		{
			parts[i][j] = trunc(ldexp(rest, 26 * (j + 1)));
			rest -= ldexp(parts[i][j], -26 * (j + 1));
		}
	}
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
		{
			int64_t		product = (int64_t) parts[0][i] * (int64_t) parts[1][j];
			int			place = shift[0] + shift[1] - 26 * (i + j + 2) - ORACLE_UNIT;
			int64_t		sign = product < 0 ? -1 : 1;

			if (product == 0)
				continue;
			product *= sign;
			/* below 2^52: two digits after a shift of less than 32 bits */
			big->digit[place / 32] += sign *
				(int64_t) (((uint64_t) product << place % 32) & 0xffffffff);
			big->digit[place / 32 + 1] += sign *
				(int64_t) (((unsigned __int128) product << place % 32) >> 32);
		}
	big_settle(big);
}

static int
big_sign(const Big *big)
{
	Big			copy = *big;

	big_settle(&copy);
	if (copy.digit[DIGITS - 1] < 0)
		return -1;
	for (int i = 0; i < DIGITS; i++)
		if (copy.digit[i] != 0)
			return 1;
	return 0;
}

/* The nonnegative doubles, or floats, by their numbers. */
static double
numbered(uint64_t number, bool single)
{
	uint32_t	bits = (uint32_t) number;
	float		f;
	double		d;

	if (!single)
	{
		memcpy(&d, &number, sizeof(d));
		return d;
	}
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static double
big_round(const Big *big, bool single)
{
	int			sign = big_sign(big);
	uint64_t	low = 0;
	uint64_t	high = single ? 0x7f800000 : UINT64_C(0x7ff0000000000000);
	Big			magnitude = {{0}};
	Big			rest;
	int			order;

	big_add_big(&magnitude, big, sign);
	while (high - low > 1)
	{
		uint64_t	middle = low + (high - low) / 2;

		rest = magnitude;
		big_add(&rest, numbered(middle, single), -1);
		if (big_sign(&rest) >= 0)
			low = middle;
		else
			high = middle;
	}
	/* twice the magnitude against the two neighbours' sum */
	rest = magnitude;
	big_add_big(&rest, &magnitude, 1);
	big_add(&rest, numbered(low, single), -1);
	if (isinf(numbered(high, single)))
		big_add(&rest, ldexp(1, single ? 128 : 1023), single ? -1 : -2);
	else
		big_add(&rest, numbered(high, single), -1);
	order = big_sign(&rest);
	if (order > 0 || (order == 0 && (low & 1)))
		low = high;
	return sign < 0 ? -numbered(low, single) : numbered(low, single);
}

/*----------
 * The code under test, as engines use it
 *----------
 */
typedef struct Sum
{
	uint64_t	placed[EXACT_MAX_WORDS];	/* by exact_place and exact_add */
	uint64_t	sparse[EXACT_MAX_WORDS];	/* by exact_accumulate */
	ExactSum	sum;
	uint32_t	problem;
} Sum;

static void
sum_begin(Sum *sum, ExactLevel level, bool product, uint32_t exponent)
{
	int			nwords = product ? EXACT_PRODUCT_WORDS(level) : EXACT_SUM_WORDS(level);

	memset(sum, 0, sizeof(*sum));
	sum->sum.words = sum->placed;
	sum->sum.nwords = nwords;
	sum->sum.level = level;
	sum->sum.unit = exact_unit(level, product, EXACT_NUMBER_WORDS(nwords, level), exponent,
							   product ? EXACT_LIMIT_SQUARES : EXACT_LIMIT_ANY);
}

static void
sum_number(Sum *sum, ExactNumber number)
{
	bool		narrow = sum->sum.level == EXACT_NARROW;
	int			n = EXACT_NUMBER_WORDS(sum->sum.nwords, sum->sum.level);
	uint64_t	words[EXACT_MAX_WORDS];

	sum->problem |= exact_place(number, sum->sum.unit, words, n, narrow);
	exact_add(sum->placed, words, n);
	if (!narrow)
		sum->placed[n] |= words[n];
	sum->problem |= exact_accumulate(&number, sum->sum.unit, sum->sparse, n, narrow);
}

static void
sum_value(Sum *sum, double value)
{
	uint64_t	words[3];

	if (sum->sum.level == EXACT_NARROW)
	{
		uint32_t	problem = exact_narrow(value, sum->sum.unit, &words[0], &words[1],
										   &words[2]);
		uint64_t	same[3];

		/* the short way and the long one */
		if (problem != exact_place(exact_number(value, EXACT_LIMIT_ANY), sum->sum.unit,
								   same, 3, true) ||
			(problem == 0 && memcmp(words, same, sizeof(words)) != 0))
			sum->problem |= 64;
	}
	sum_number(sum, exact_number(value, EXACT_LIMIT_ANY));
}

static bool
same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b));
}

static uint64_t
random64(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * UINT64_C(2685821657736338717);
}

static double
random_double(int least, int most)
{
	double		fraction = (double) (random64() >> 11) / 9007199254740992.0 + 0.5;
	double		value = ldexp(fraction, least + (int) (random64() % (uint64_t) (most - least + 1)));

	return random64() & 1 ? -value : value;
}

/* Values at a level: the oracle's sum, or what stands in the way. */
static bool
check_sum(ExactLevel level, const double *values, int n, bool single, uint32_t problem)
{
	Big			big = {{0}};
	uint32_t	exponent = 0;
	double		got;
	double		expected;
	Sum			sum;

	for (int i = 0; i < n; i++)
		if (exact_exponent(values[i]) > exponent)
			exponent = exact_exponent(values[i]);
	sum_begin(&sum, level, false, exponent);
	for (int i = 0; i < n; i++)
	{
		sum_value(&sum, values[i]);
		if (isfinite(values[i]))
			big_add(&big, values[i], 1);
		if (i % 64 == 0)
			big_settle(&big);
	}
	if (sum.problem != problem)
		printf("# problem %u\n", sum.problem);
	if (sum.problem != problem || problem != 0)
		return sum.problem == problem;
	expected = big_round(&big, single);
	got = exact_sum(&sum.sum, single);
	if (memcmp(sum.placed, sum.sparse, sizeof(sum.placed)) != 0)
	{
		printf("# the two ways to add differ\n");
		return false;
	}
	if (!same_bits(single ? (float) expected : expected, single ? (float) got : got))
		printf("# got %a, expected %a\n", got, expected);
	return same_bits(single ? (float) expected : expected, single ? (float) got : got);
}

static void
test_random_sums(void)
{
	static const struct
	{
		ExactLevel	level;
		int			least;
		int			most;
	}			ranges[] = {
		{EXACT_NARROW, 0, 0}, {EXACT_NARROW, -60, 0}, {EXACT_NARROW, 300, 330},
		{EXACT_NARROW, -1020, -1000}, {EXACT_NARROW, 1000, 1022},
		{EXACT_MEDIUM, -70, 70}, {EXACT_MEDIUM, -1074, -1000}, {EXACT_MEDIUM, 900, 1020},
		{EXACT_FULL, -1074, 1020}, {EXACT_FULL, -1074, -1060}, {EXACT_FULL, 900, 1020},
		{EXACT_FULL, -200, 120}
	};
	double		values[300];

	for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++)
		for (int single = 0; single < 2; single++)
		{
			bool		good = true;

			for (int round = 0; round < 40; round++)
			{
				int			n = 1 + (int) (random64() % 300);

				for (int i = 0; i < n; i++)
				{
					values[i] = random_double(ranges[r].least, ranges[r].most);
					/* half of them meet their opposite, but for a few bits */
					if (i > 0 && random64() % 2)
						values[i] = -values[i - 1] * (1 + (double) (random64() % 3) * 0x1p-52);
				}
				good = good && check_sum(ranges[r].level, values, n, single, 0);
			}
			ok(good, "random sums, level %d, exponents %d to %d, %s", ranges[r].level,
			   ranges[r].least, ranges[r].most, single ? "float" : "double");
		}
}

/* Sums whose value is known without any oracle. */
static void
test_known_sums(void)
{
	static const struct
	{
		const char *name;
		int			n;
		double		values[5];
		double		sum;
		float		single;
	}			cases[] = {
		{"1e300 + 1 - 1e300", 3, {1e300, 1, -1e300}, 1, 1},
		{"1e300 + 1 - 1e300 - 1", 4, {1e300, 1, -1e300, -1}, 0, 0},
		{"a tie to even, down", 2, {0x1p53, 1}, 0x1p53, 0x1p53f},
		{"a tie to even, up", 3, {0x1p53, 2, 1}, 0x1p53 + 4, 0x1p53f},
		{"just above a tie", 3, {0x1p53, 1, 0x1p-1074}, 0x1p53 + 2, 0x1p53f},
		{"just below a tie", 3, {0x1p53, 1, -0x1p-1074}, 0x1p53, 0x1p53f},
		{"the same, negative", 3, {-0x1p53, -1, 0x1p-1074}, -0x1p53, -0x1p53f},
		{"subnormals", 3, {0x1p-1074, 0x1p-1074, 0x1p-1073}, 0x1p-1072, 0},
		{"no subnormal is left", 2, {0x1p-1074, -0x1p-1074}, 0, 0},
		{"the least normal value", 2, {0x1p-1022, -0x1p-1074}, 0x0.fffffffffffffp-1022, 0},
		{"a float's tie", 2, {1, 0x1p-24}, 1 + 0x1p-24, 1},
		{"a float, rounded once", 3, {1, 0x1p-24, 0x1p-80}, 1 + 0x1p-24, 1 + 0x1p-23f},
		{"half of the least float", 1, {0x1p-150}, 0x1p-150, 0},
		{"more than half of it", 2, {0x1p-150, 0x1p-200}, 0x1p-150 + 0x1p-200, 0x1p-149f},
		{"larger than all floats", 1, {0x1.ffffffp127}, 0x1.ffffffp127, INFINITY},
		{"the largest float", 1, {0x1.fffffep127}, 0x1.fffffep127, 0x1.fffffep127f},
		{"larger than all doubles", 2, {0x1p1023, 0x1p1023}, INFINITY, INFINITY},
		{"the largest double", 2, {0x1.fffffffffffffp1023, 0x1p969}, 0x1.fffffffffffffp1023, INFINITY},
		{"half a bit beyond it", 2, {0x1.fffffffffffffp1023, 0x1p970}, INFINITY, INFINITY},
		{"infinity", 2, {INFINITY, -1e308}, INFINITY, INFINITY},
		{"-infinity", 2, {1, -INFINITY}, -INFINITY, -INFINITY},
		{"both infinities", 3, {1, -INFINITY, INFINITY}, NAN, NAN},
		{"NaN", 3, {1, NAN, INFINITY}, NAN, NAN},
		{"-0", 2, {-0.0, -0.0}, -0.0, -0.0f},
		{"-0 and 0", 3, {-0.0, 0.0, -0.0}, 0, 0},
		{"-0 and values that cancel", 3, {-0.0, 1, -1}, 0, 0}
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
	{
		Sum			sum;
		double		got;
		float		single;

		sum_begin(&sum, EXACT_FULL, false, 0);
		for (int i = 0; i < cases[c].n; i++)
			sum_value(&sum, cases[c].values[i]);
		got = exact_sum(&sum.sum, false);
		single = (float) exact_sum(&sum.sum, true);
		ok(sum.problem == 0 && same_bits(got, cases[c].sum) &&
		   same_bits(single, cases[c].single), "%s: %a, %a", cases[c].name, got, single);
	}
}

/* What each level takes in. */
static void
test_windows(void)
{
	double		wide[] = {1, 0x1p-80 / 3, -3};
	double		wider[] = {1, 0x1p-300, 0x1p300};
	double		integers[] = {0x1p50, 1, 3, -5};
	double		first[] = {1000, 1000.0 * 255};

	ok(check_sum(EXACT_NARROW, integers, 4, false, 0), "integers of 50 bits are narrow");
	ok(check_sum(EXACT_NARROW, first, 2, false, 0), "there is room for larger values");
	ok(check_sum(EXACT_NARROW, wide, 3, false, EXACT_WIDEN), "bits below the unit");
	ok(check_sum(EXACT_MEDIUM, wide, 3, false, 0), "the same in more words");
	ok(check_sum(EXACT_MEDIUM, wider, 3, false, EXACT_WIDEN), "more than these hold");
	ok(check_sum(EXACT_FULL, wider, 3, false, 0), "and the same in all words");
	for (int i = 0; i < 4; i++)
	{
		double		special = i == 0 ? NAN : i == 1 ? INFINITY : i == 2 ? -INFINITY : -0.0;

		ok(check_sum(EXACT_NARROW, &special, 1, false, EXACT_WIDEN), "%g is not narrow", special);
	}
	ok(exact_number(0x1p93, 93).beyond && !exact_number(nextafter(0x1p93, 0), 93).beyond &&
	   exact_number(-0x1p93, 93).beyond && !exact_number(INFINITY, 93).beyond,
	   "limits are for finite values");
}

/* The rows of a window's upper end leave room for as many as there may be. */
static void
test_many_rows(void)
{
	double		value = nextafter(0x1p154, 0);
	Sum			sum;
	Sum			all;

	sum_begin(&sum, EXACT_NARROW, false, exact_exponent(0x1p119));
	all = sum;
	all.sum.words = all.placed;
	sum_value(&sum, value);
	ok(sum.problem == 0, "the largest value of the window");
	/* double the sum instead of adding 2^34 - 1 values */
	for (int i = 0; i < EXACT_ROWS_BITS; i++)
	{
		exact_add(all.placed, sum.placed, 3);
		exact_add(sum.placed, sum.placed, 3);
	}
	ok(exact_sum(&all.sum, false) == value * (double) (EXACT_MAX_ROWS - 1), "2^34 - 1 rows of it");
}

static void
test_products(void)
{
	static const struct
	{
		ExactLevel	level;
		int			least;
		int			most;
	}			ranges[] = {
		{EXACT_NARROW, 0, 10}, {EXACT_NARROW, -300, -295}, {EXACT_MEDIUM, -40, 40},
		{EXACT_FULL, -1074, 460}, {EXACT_FULL, -500, -300}, {EXACT_FULL, 400, 460}
	};

	for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++)
	{
		bool		good = true;

		for (int round = 0; round < 30; round++)
		{
			int			n = 2 + (int) (random64() % 50);
			double		x[64];
			double		y[64];
			uint32_t	exponents[3] = {0};
			Sum			sx,
						sy,
						sxy;
			Big			big = {{0}};
			Big			total[2] = {{{0}}, {{0}}};
			double		got;

			for (int i = 0; i < n; i++)
			{
				uint32_t	e[3];

				x[i] = random_double(ranges[r].least, ranges[r].most);
				y[i] = random64() % 3 ? x[i] * 2 : random_double(ranges[r].least, ranges[r].most);
				e[0] = exact_exponent(x[i]);
				e[1] = exact_exponent(y[i]);
				e[2] = exact_product_exponent(x[i], y[i]);
				for (int j = 0; j < 3; j++)
					exponents[j] = e[j] > exponents[j] ? e[j] : exponents[j];
			}
			sum_begin(&sx, ranges[r].level, false, exponents[0]);
			sum_begin(&sy, ranges[r].level, false, exponents[1]);
			sum_begin(&sxy, ranges[r].level, true, exponents[2]);
			for (int i = 0; i < n; i++)
			{
				sum_value(&sx, x[i]);
				sum_value(&sy, y[i]);
				sum_number(&sxy, exact_product(x[i], y[i], EXACT_LIMIT_SQUARES));
				big_add_product(&big, x[i], y[i]);
				big_add(&total[0], x[i], 1);
				big_add(&total[1], y[i], 1);
			}
			good = good && (sx.problem | sy.problem | sxy.problem) == 0;
			good = good && same_bits(exact_sum(&sxy.sum, false), big_round(&big, false));

			/* n * sum(xy) - sum(x) * sum(y), pair by pair */
			got = exact_deviations((uint64_t) n, &sxy.sum, &sx.sum, &sy.sum);
			memset(&big, 0, sizeof(big));
			for (int i = 0; i < n; i++)
				for (int j = 0; j < n; j++)
				{
					big_add_product(&big, x[i], y[i]);
					big_add_product(&big, -x[i], y[j]);
				}
			good = good && same_bits(got, big_round(&big, false));
		}
		ok(good, "products, level %d, exponents %d to %d", ranges[r].level, ranges[r].least,
		   ranges[r].most);
	}
}

/* Of 2 * big: is it above, or below, n times the sum of two neighbours? */
static int
compare_mean(const Big *big, double n, double mean, double neighbour)
{
	Big			twice = {{0}};

	big_add_big(&twice, big, 2);
	big_add_product(&twice, -mean, n);
	big_add_product(&twice, -neighbour, n);
	return big_sign(&twice);
}

/* The mean of n values, of equal ones if `equal`, is the double next to the exact one. */
static bool
check_mean(int n, bool equal)
{
	Big			big = {{0}};
	Sum			sum;
	double		value = 0;
	double		mean;

	sum_begin(&sum, EXACT_FULL, false, 0);
	for (int i = 0; i < n; i++)
	{
		if (i == 0 || !equal)
			value = random_double(-300, 300);
		sum_value(&sum, value);
		big_add(&big, value, 1);
	}
	mean = exact_mean((uint64_t) n, &sum.sum);
	return sum.problem == 0 && (!equal || same_bits(mean, value)) &&
		compare_mean(&big, n, mean, nextafter(mean, INFINITY)) <= 0 &&
		compare_mean(&big, n, mean, nextafter(mean, -INFINITY)) >= 0;
}

static void
test_means(void)
{
	for (int equal = 0; equal < 2; equal++)
	{
		bool		good = true;

		for (int n = 1; n < 300; n++)
			good = good && check_mean(n, equal == 1);
		ok(good, "means of %s values", equal ? "equal" : "random");
	}
}

/* Three words, of which one or two may hold all of the number: rounded as more words are. */
static void
test_few_words(void)
{
	static const uint64_t edges[] = {
		0, 1, 2, (UINT64_C(1) << 53) - 1, (UINT64_C(1) << 53) + 1, (UINT64_C(1) << 53) + 3,
		(UINT64_C(1) << 24) + 1, (UINT64_C(1) << 24) + 3, UINT64_C(0x7fffffffffffffff),
		UINT64_C(0x7fffffbfffffffff), UINT64_C(0x7ffffffffffffc00), UINT64_C(0x7ffffffffffffe00)
	};
	int			nedges = sizeof(edges) / sizeof(edges[0]);
	long		wrong = 0;
	long		one_word = 0;

	for (int i = 0; i < 400000; i++)
	{
		double		value;
		int			unit = i % 2 ? (int) (random64() % 2300) - 1250 : (int) (random64() % 300) - 220;
		bool		single = random64() & 1;
		uint64_t	words[4] = {0};

		words[1] = i % 4 == 0 ? edges[random64() % nedges] : random64() >> (1 + random64() % 63);
		if (random64() & 1)
			words[1] = -words[1];
		words[2] = words[3] = (int64_t) words[1] < 0 ? UINT64_MAX : 0;
		if (i % 8 == 1)
			words[0] = random64() >> random64() % 64;
		if (i % 8 == 3)
			words[0] = (random64() % 4 << 62) + random64() % 3 - 1;
		if (i % 16 == 2)
			words[2] ^= 1;
		wrong += !same_bits(exact_round(words, 3, unit, single), exact_round(words, 4, unit, single));
		if (exact_word_sum(words, exact_word_scale(unit, false), &value))
		{
			one_word++;
			wrong += !same_bits(value, exact_round(words, 4, unit, false));
		}
	}
	ok(wrong == 0 && one_word > 100000, "sums of few words: %ld are rounded differently, %ld are of one", wrong, one_word);
}

int
main(void)
{
	test_known_sums();
	test_few_words();
	test_random_sums();
	test_windows();
	test_many_rows();
	test_products();
	test_means();
	return done_testing();
}
