/*
 * test_fixed.c
 *	  Floats as fixed-point numbers (cuda/fixed.cuh): a value has a number if and only
 *	  if it is one, and it is that one.  On the simulated device, or, with
 *	  GPUAGG_TEST_ENGINE=cuda, on a GPU.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "one_device.h"
#include "tap.h"

#define RANDOM 2000
#define MOST (RANDOM + 100)

typedef struct Fixed
{
	int64_t		whole;
	uint32_t	rest;
	uint32_t	has;			/* is it a number? */
	uint32_t	same;			/* do the narrow sum's words hold it? */
	uint32_t	unused;
} Fixed;

typedef struct FixedArgs
{
	DevicePtr	values;
	DevicePtr	out;
	uint64_t	n;
	int64_t		unit;
} FixedArgs;

static const char *const text =
"#include \"prelude.cuh\"\n"
"#include \"fixed.cuh\"\n"
"typedef struct Fixed\n"
"{ uint64_t whole; uint32_t rest, has, same, unused; } Fixed;\n"
"typedef struct FixedArgs\n"
"{ const double *values; Fixed *out; uint64_t n; int64_t unit; } FixedArgs;\n"
"KERNEL(fixed, FixedArgs, args)\n"
"{\n"
"	for (uint64_t i = grid_index(); i < args.n; i += grid_size())\n"
"	{\n"
"		Fixed *out = &args.out[i];\n"
"		int32_t unit = (int32_t) args.unit;\n"
"		uint64_t bits, low, middle, high;\n"
"\n"
"		fixed_value(args.values[i], unit, &bits, &out->whole);\n"
"		out->rest = 0;\n"
"		out->has = fixed_differs(bits, out->whole, unit) == 0 ||\n"
"			fixed_rest(bits, out->whole, unit, &out->rest);\n"
"		low = out->rest;\n"
"		middle = out->whole;\n"
"		high = (uint64_t) ((int64_t) middle >> 63);\n"
"		fixed_to_words(&low, &middle, &high);\n"
"		out->same = fixed_possible(low, middle, high, 1) &&\n"
"			!fixed_possible(low | 1, middle, high, 1);\n"
"		fixed_from_words(&low, &middle, &high);\n"
"		out->same = out->same && low == out->rest && middle == out->whole &&\n"
"			high == (uint64_t) ((int64_t) middle >> 63);\n"
"	}\n"
"}\n";

static void
run_fixed(DeviceModule *module, int unit, const double *values, uint64_t n, Fixed *out)
{
	FixedArgs	args = {.n = n,.unit = unit};
	void	   *params[] = {&args};
	DeviceKernel *kernel;
	DeviceStream *stream;

	must(ops->stream_create(dev, &stream));
	must(ops->kernel(dev, module, "fixed", &kernel));
	must(ops->alloc(dev, n * sizeof(*values), &args.values));
	must(ops->alloc(dev, n * sizeof(*out), &args.out));
	must(ops->upload(dev, stream, args.values, values, n * sizeof(*values)));
	must(ops->launch(dev, stream, kernel, 4, 64, 0, params));
	must(ops->download(dev, stream, out, args.out, n * sizeof(*out)));
	must(ops->stream_wait(dev, stream));
	ops->free(dev, args.values);
	ops->free(dev, args.out);
	ops->stream_destroy(dev, stream);
}

/* What is expected: numbers count 2^(unit + 29), and are below 2^95. */
static bool
is_right(double value, int unit, const Fixed *fixed)
{
	long double scaled = ldexpl(value, -unit - 29);
	bool		negative_zero = value == 0 && signbit(value);
	bool		has = isfinite(value) && !negative_zero && scaled == floorl(scaled) &&
		scaled >= -0x1p95L && scaled < 0x1p95L;

	if (!has)
		return !fixed->has;
	return fixed->has && fixed->same &&
		(__int128) scaled == (__int128) fixed->whole * ((__int128) 1 << 32) + fixed->rest;
}

static uint64_t
make_values(int unit, double *values)
{
	static const double scaled[] = {
		0.0, -0.0, 1, -1, 1.5, -1.5, 0x1p63, -0x1p63, 0x1p64, -0x1p64, 0x1.fffffffffffffp62,
		-0x1.fffffffffffffp62, 0x1.0000000000001p63, -0x1.0000000000001p63,
		0x1.fffffffffffffp63, 0x1p53, -0x1p53, 0x1p-32, -0x1p-32, 0x1p-33, -0x1p-33, 0x1p-60,
		-0x1p-60, 0x1.00000001p0, -0x1.00000001p0, 0x1.000000008p0, -0x1.000000008p0,
		0x1.fffffffffffffp20, 0x1.fffffffffffffp19, -0x1.fffffffffffffp20
	};
	static const double plain[] = {
		INFINITY, -INFINITY, NAN, 0x1p-1074, -0x1p-1074, 0x1.8p-1073, 0x1p-1022, -0x1p-1022,
		0x1.fffffffffffffp-1023, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023
	};
	uint64_t	n = 0;
	uint64_t	random = 1;

	for (size_t i = 0; i < sizeof(scaled) / sizeof(scaled[0]); i++)
		values[n++] = ldexp(scaled[i], unit + 61);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		values[n++] = plain[i];
	for (int i = 0; i < RANDOM; i++)
	{
		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		values[n++] = ldexp((double) ((int64_t) random >> 11 >> i % 40), unit + 61 - 40 + i % 57);
	}
	return n;
}

static void
check(DeviceModule *module, int unit)
{
	static double values[MOST];
	static Fixed out[MOST];
	uint64_t	n = make_values(unit, values);
	uint64_t	wrong = 0;
	uint64_t	has = 0;

	run_fixed(module, unit, values, n, out);
	for (uint64_t i = 0; i < n; i++)
	{
		has += out[i].has;
		if (is_right(values[i], unit, &out[i]))
			continue;
		if (wrong++ < 5)
			printf("# %a: %s, whole %lld, rest %u\n", values[i], out[i].has ? "has" : "has not",
				   (long long) out[i].whole, out[i].rest);
	}
	ok(wrong == 0 && has > n / 4 && has < n, "unit %d: %d of %d values have numbers", unit,
	   (int) has, (int) n);
}

int
main(void)
{
	static const int units[] = {-1000, -200, -61, 0, 700};
	DeviceModule *module = open_with_module(text);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		check(module, units[i]);
	ops->module_unload(dev, module);
	ops->close(dev);
	return done_testing();
}
