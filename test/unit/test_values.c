/*
 * test_values.c
 *	  The filters of extremes that are kept by reference (cuda/values.cuh): a
 *	  better value's filter is never less, and an exact one is that of no other
 *	  value.  On the simulated device, or, with GPUAGG_TEST_ENGINE=cuda, on a GPU.
 */
#include <stdlib.h>
#include <string.h>

#include "one_device.h"
#include "program/accs.h"
#include "program/interval_order.h"
#include "program/ops_wide.h"
#include "program/text_order.h"
#include "tap.h"

#define MOST 1200
#define TEXT_ROOM 16

typedef struct FilterArgs
{
	DevicePtr	in;				/* texts: TEXT_ROOM bytes each; else two words */
	DevicePtr	lengths;		/* of texts */
	DevicePtr	out;			/* filters of max, filters of min, exact or not */
	uint64_t	n;
	uint64_t	order;
} FilterArgs;

static const char *const text =
"#include \"prelude.cuh\"\n"
"#include \"ops.h\"\n"
"#include \"text_order.h\"\n"
"#include \"interval_order.h\"\n"
"#include \"args.cuh\"\n"
"#include \"key.cuh\"\n"
"#include \"words.cuh\"\n"
"#define NVALUES 1\n"
"#define NWORDS 1\n"
"#define NHOT 1\n"
"#define PRESENCE_WORD 0\n"
"#define KEY_WORDS 1\n"
"#define STATE 1\n"
"#define STRIDE 4\n"
"#define TABLE_DIRECT 0\n"
"#define INTERPRETED 0\n"
"#define KERNEL_BEGIN(table)\n"
"#define HAS_WORD_KEYS 1\n"
"#define HAS_TAGGED_KEYS 0\n"
"#define HAS_VALUES 1\n"
"#define KEY_ROOM 1\n"
"#define STATE_ROOM 1\n"
"#define ROWS_AT_ONCE 1\n"
"typedef struct Raw { uint8_t unused; } Raw;\n"
"typedef struct Row { uint64_t key[1], words[1]; bool passes, error, widen; } Row;\n"
"DEVICE_FN void row_load(const RowBatch *batch, uint64_t row, Raw *raw) {}\n"
"DEVICE_FN void row_eval(const AggregateArgs *args, const Raw *raw, uint32_t index, Row *row) {}\n"
"DEVICE_FN void words_identity(uint64_t *words) { words[0] = 0; }\n"
"DEVICE_FN void words_merge(uint64_t *into, const uint64_t *from) { into[0] += from[0]; }\n"
"DEVICE_FN void words_add(uint64_t *state, uint64_t *cold, const uint64_t *words) { word_add(state, words[0]); }\n"
"#include \"table.cuh\"\n"
"#include \"rows.cuh\"\n"
"#include \"values.cuh\"\n"
"DEVICE_FN void row_values(const AggregateArgs *args, uint32_t slot, const Row *row) {}\n"
"typedef struct FilterArgs\n"
"{ const uint64_t *in, *lengths; uint64_t *out; uint64_t n, order; } FilterArgs;\n"
"KERNEL(filters, FilterArgs, args)\n"
"{\n"
"	for (uint64_t i = grid_index(); i < args.n; i += grid_size())\n"
"	{\n"
"		bool exact = false;\n"
"		Bytes value;\n"
"\n"
"		value.data = (const char *) (args.in + 2 * i);\n"
"		value.len = (uint32_t) args.lengths[i];\n"
"		args.out[i] = value_filter((AccForm) args.order, true, value, &exact);\n"
"		args.out[args.n + i] = value_filter((AccForm) args.order, false, value, &exact);\n"
"		args.out[2 * args.n + i] = exact;\n"
"	}\n"
"}\n";

/* The order of two values of a form. */
static int
compare(AccForm order, const uint64_t *a, uint64_t alen, const uint64_t *b, uint64_t blen)
{
	Bytes		x = {(const char *) a, (uint32_t) alen};
	Bytes		y = {(const char *) b, (uint32_t) blen};

	switch (order)
	{
		case FORM_TEXT:
			return text_order(x, y);
		case FORM_BPCHAR:
			return text_order(bpchar_trimmed(x), bpchar_trimmed(y));
		case FORM_WIDE:
			return wide_lt(wide_of_words(b[0], b[1]), wide_of_words(a[0], a[1])) -
				wide_lt(wide_of_words(a[0], a[1]), wide_of_words(b[0], b[1]));
		default:
			return interval_order(interval_of_words(a[0], a[1]),
								  interval_of_words(b[0], b[1]));
	}
}

static void
run_filters(DeviceModule *module, AccForm order, const uint64_t *in, const uint64_t *lengths,
			uint64_t n, uint64_t *out)
{
	FilterArgs	args = {.n = n,.order = (uint64_t) order};
	void	   *params[] = {&args};
	DeviceKernel *kernel;
	DeviceStream *stream;

	must(ops->stream_create(dev, &stream));
	must(ops->kernel(dev, module, "filters", &kernel));
	must(ops->alloc(dev, n * 16, &args.in));
	must(ops->alloc(dev, n * 8, &args.lengths));
	must(ops->alloc(dev, n * 24, &args.out));
	must(ops->upload(dev, stream, args.in, in, n * 16));
	must(ops->upload(dev, stream, args.lengths, lengths, n * 8));
	must(ops->launch(dev, stream, kernel, 4, 64, 0, params));
	must(ops->download(dev, stream, out, args.out, n * 24));
	must(ops->stream_wait(dev, stream));
	ops->free(dev, args.in);
	ops->free(dev, args.lengths);
	ops->free(dev, args.out);
	ops->stream_destroy(dev, stream);
}

/* All pairs of n values. */
static void
check(DeviceModule *module, const char *name, AccForm order, const uint64_t *in,
	  const uint64_t *lengths, uint64_t n)
{
	static uint64_t out[3 * MOST];
	const uint64_t *of_max = out;
	const uint64_t *of_min = out + n;
	const uint64_t *exact = out + 2 * n;
	bool		ordered = true;
	bool		told = true;
	uint64_t	nexact = 0;

	run_filters(module, order, in, lengths, n, out);
	for (uint64_t i = 0; i < n; i++)
	{
		nexact += exact[i];
		ordered &= of_max[i] != 0 && of_min[i] != 0;
		for (uint64_t j = 0; j < n; j++)
		{
			int			side = compare(order, in + 2 * i, lengths[i], in + 2 * j, lengths[j]);

			ordered &= side >= 0 || (of_max[i] <= of_max[j] && of_min[i] >= of_min[j]);
			ordered &= side != 0 || (of_max[i] == of_max[j] && of_min[i] == of_min[j]);
			told &= side == 0 || !exact[i] || of_max[i] != of_max[j];
		}
	}
	ok(ordered, "%s: filters of %d values are in their order", name, (int) n);
	ok(told && nexact < n && (order == FORM_INTERVAL) == (nexact == 0),
	   "%s: %d exact filters are those of no other value", name, (int) nexact);
}

static uint64_t
random_u64(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Around the powers of two, of both signs; of any length; the ends. */
static uint64_t
make_numbers(uint64_t *in, uint64_t *lengths)
{
	uint64_t	n = 0;

	for (uint32_t length = 0; length < 127; length++)
		for (int i = -1; i <= 2; i++)
		{
			Wide		power = wide_of_words(length < 64 ? UINT64_C(1) << length : 0,
											  length < 64 ? 0 : UINT64_C(1) << (length - 64));
			Wide		some = wide_of_words(random_u64(), random_u64());

			power = wide_plus(power, wide_of_int8(i));
			if (i == 2)
				for (uint32_t j = 0; j < length; j++)
					some = wide_of_words(some.w[0] >> 1 | some.w[1] << 63, some.w[1] >> 1);
			else
				some = wide_negated(power);
			memcpy(in + 2 * n++, power.w, sizeof(power.w));
			memcpy(in + 2 * n++, some.w, sizeof(some.w));
		}
	for (int i = 0; i < 2; i++, n++)
	{
		in[2 * n] = i ? UINT64_MAX : 0;
		in[2 * n + 1] = i ? UINT64_MAX >> 1 : UINT64_C(1) << 63;
	}
	for (uint64_t i = 0; i < n; i++)
		lengths[i] = 16;
	return n;
}

/* Few bytes, among them the greatest and blanks, at lengths around the filter's. */
static uint64_t
make_texts(uint64_t *in, uint64_t *lengths)
{
	static const char bytes[] = "a ab\t\xff\x01 ";
	uint64_t	n = 600;

	memset(in, 0, n * TEXT_ROOM);
	for (uint64_t i = 0; i < n; i++)
	{
		char	   *to = (char *) (in + 2 * i);
		uint64_t	same = random_u64() % 9;

		lengths[i] = random_u64() % 11;
		for (uint64_t j = 0; j < lengths[i]; j++)
			to[j] = j < same ? 'x' : bytes[random_u64() % (sizeof(bytes) - 1)];
	}
	return n;
}

static uint64_t
make_intervals(uint64_t *in, uint64_t *lengths)
{
	uint64_t	n = 600;

	for (uint64_t i = 0; i < n; i++)
	{
		TimeSpan	span;

		span.time = (int64_t) (random_u64() % 5) * INT64_C(43200000000) - (int64_t) (i % 2);
		span.day = (int32_t) (random_u64() % 61) - 30;
		span.month = (int32_t) (random_u64() % 5) - 2;
		if (i % 5 == 0)
			span = interval_of_words(random_u64(), random_u64());
		in[2 * i] = (uint64_t) span.time;
		in[2 * i + 1] = interval_days_word(span);
		lengths[i] = 16;
	}
	return n;
}

int
main(void)
{
	static uint64_t in[2 * MOST];
	static uint64_t lengths[MOST];
	DeviceModule *module = open_with_module(text);
	uint64_t	n;

	n = make_texts(in, lengths);
	check(module, "texts", FORM_TEXT, in, lengths, n);
	check(module, "char(n)", FORM_BPCHAR, in, lengths, n);
	n = make_numbers(in, lengths);
	check(module, "numbers", FORM_WIDE, in, lengths, n);
	n = make_intervals(in, lengths);
	check(module, "intervals", FORM_INTERVAL, in, lengths, n);
	ops->module_unload(dev, module);
	ops->close(dev);
	return done_testing();
}
