/*
 * program_print.c
 *	  Programs as text.  Plain C without postgres.h.
 */
#include "program.h"

#include <stdarg.h>
#include <stdio.h>

#include "first_rows.h"

static const char *const final_names[] = {
	[FINAL_COUNT] = "count",
	[FINAL_RANK] = "rank",
	[FINAL_DENSE_RANK] = "dense_rank",
	[FINAL_PERCENT_RANK] = "percent_rank",
	[FINAL_CUME_DIST] = "cume_dist",
	[FINAL_SUM_INT8] = "sum_int8",
	[FINAL_SUM_ADDED] = "sum_added",
	[FINAL_SUM_NUMERIC] = "sum_numeric",
	[FINAL_AVG_NUMERIC] = "avg_numeric",
	[FINAL_SUM_FLOAT4] = "sum_float4",
	[FINAL_SUM_FLOAT8] = "sum_float8",
	[FINAL_AVG_FLOAT8] = "avg_float8",
	[FINAL_EXTREME_INT2] = "extreme_int2",
	[FINAL_EXTREME_INT4] = "extreme_int4",
	[FINAL_EXTREME_INT8] = "extreme_int8",
	[FINAL_EXTREME_FLOAT4] = "extreme_float4",
	[FINAL_EXTREME_FLOAT8] = "extreme_float8",
	[FINAL_EXTREME_NUMERIC] = "extreme_numeric",
	[FINAL_EXTREME_TEXT] = "extreme_text",
	[FINAL_EXTREME_INTERVAL] = "extreme_interval",
	[FINAL_LENGTH] = "length",
	[FINAL_BOOL] = "bool",
	[FINAL_BITS_INT2] = "bits_int2",
	[FINAL_BITS_INT4] = "bits_int4",
	[FINAL_BITS_INT8] = "bits_int8",
	[FINAL_PERCENTILE_CONT] = "percentile_cont",
	[FINAL_PERCENTILE_LENGTH] = "percentile_length",
	[FINAL_SUM_MONEY] = "sum_money",
	[FINAL_SUM_INTERVAL] = "sum_interval",
	[FINAL_AVG_INTERVAL] = "avg_interval",
	[FINAL_VAR_POP] = "var_pop",
	[FINAL_VAR_SAMP] = "var_samp",
	[FINAL_STDDEV_POP] = "stddev_pop",
	[FINAL_STDDEV_SAMP] = "stddev_samp",
	[FINAL_FLOAT_VAR_POP] = "float_var_pop",
	[FINAL_FLOAT_VAR_SAMP] = "float_var_samp",
	[FINAL_FLOAT_STDDEV_POP] = "float_stddev_pop",
	[FINAL_FLOAT_STDDEV_SAMP] = "float_stddev_samp",
	[FINAL_REGR_SXX] = "regr_sxx",
	[FINAL_REGR_SYY] = "regr_syy",
	[FINAL_REGR_SXY] = "regr_sxy",
	[FINAL_REGR_AVGX] = "regr_avgx",
	[FINAL_REGR_AVGY] = "regr_avgy",
	[FINAL_REGR_R2] = "regr_r2",
	[FINAL_REGR_SLOPE] = "regr_slope",
	[FINAL_REGR_INTERCEPT] = "regr_intercept",
	[FINAL_COVAR_POP] = "covar_pop",
	[FINAL_COVAR_SAMP] = "covar_samp",
	[FINAL_CORR] = "corr",
	[FINAL_ORDERED] = "ordered",
};

/* Append to the text in buf, as far as there is room. */
static void append(char *buf, size_t len, const char *format,...)
			__attribute__((format(printf, 3, 4)));

static void
append(char *buf, size_t len, const char *format,...)
{
	size_t		used = strlen(buf);
	va_list		args;

	va_start(args, format);
	vsnprintf(buf + used, len - used, format, args);
	va_end(args);
}

static void
print_insn(const Program *p, int reg, char *buf, size_t len)
{
	const Insn *insn = &program_insns(p)[reg];
	const char *type = value_type_name((ValueType) insn->type);

	append(buf, len, "r%d = %s", reg, op_name((OpCode) insn->op));
	if (insn->op == OP_column)
	{
		const Column *column = &program_columns(p)[insn->index];

		if (column->attno == COLUMN_PLACE)
		{
			append(buf, len, " %d (the row's place)", insn->index);
			return;
		}
		append(buf, len, " %d (attribute %d, %s", insn->index, column->attno,
			   column->presence ? "whether NULL" : column->numeric == NUMERIC_NONE ? type :
			   column->type == VT_WIDE ? "numeric in 128 bits" : "numeric");
		if (NUMERIC_PART(column->numeric) == NUMERIC_SHOWN)
			append(buf, len, "'s display scale");
		else if (column->numeric)
			append(buf, len, " of scale %s%d",
				   NUMERIC_PART(column->numeric) == NUMERIC_UNITS ? "any, in units of 10^-" : "",
				   column->scale);
		if (column->numeric & NUMERIC_SPECIALS)
			append(buf, len, ", specials admitted");
		if (!column->nullable)
			append(buf, len, ", not null");
		if (column->missing >= 0)
			append(buf, len, ", missing: param %d", column->missing);
		append(buf, len, ")");
	}
	else if (insn->op == OP_param)
		append(buf, len, " %d (%s)", insn->index, type);
	else
		for (int i = 0; i < op_nargs((OpCode) insn->op); i++)
			append(buf, len, "%s r%d", i > 0 ? "," : "", insn->arg[i]);
}

/* Of the first rows: how many, by which keys, and the register of their places. */
static void
print_order(const Accumulator *acc, char *buf, size_t len)
{
	const int16_t keys[] = {acc->arg, acc->arg2};

	append(buf, len, ": %d at r%d", acc_first_rows(acc), acc->place);
	for (int i = 0; i < acc_order_keys(acc); i++)
		append(buf, len, "%s r%d%s, nulls %s", i == 0 ? " by" : ",", keys[i],
			   key_is_descending(acc->order, i) ? " descending" : "",
			   rank_of_null(acc->order, i) == RANK_NULL_FIRST ? "first" : "last");
}

static void
print_acc(const Program *p, int i, char *buf, size_t len)
{
	const Accumulator *acc = &program_accs(p)[i];

	append(buf, len, "%s", acc_name((AccKind) acc->kind));
	if (acc->arg >= 0 && acc->kind != ACC_FIRST_ROWS)
		append(buf, len, " r%d", acc->arg);
	if (acc->arg2 >= 0 && acc->kind != ACC_FIRST_ROWS)
		append(buf, len, ", r%d", acc->arg2);
	if (acc->kind == ACC_FIRST_ROWS)
		print_order(acc, buf, len);
	if (acc->arg == ACC_READ)
		append(buf, len, " of words %d to %d%s", program_accs(p)[acc->values].word,
			   program_accs(p)[acc->values].word + 1, acc->descending ? ", descending" : "");
	if (acc_has_fraction((AccKind) acc->kind) && acc_of_fraction(acc) >= 0)
		append(buf, len, ", fraction of word %d", program_accs(p)[acc_of_fraction(acc)].word);
	else if (acc_has_fraction((AccKind) acc->kind))
		append(buf, len, ", param %d", acc->param);
	if (acc->kind == ACC_ROW_COLUMN)
		append(buf, len, " of words %d to %d", program_accs(p)[acc->values].word,
			   program_accs(p)[acc->values].word + 1);
	else if (acc->nwords == 1)
		append(buf, len, " -> word %d", acc->word);
	else
		append(buf, len, " -> words %d to %d", acc->word,
			   acc->word + acc->nwords - 1);
	if (acc->filter >= 0)
		append(buf, len, " filter r%d", acc->filter);
	if (acc->arg == ACC_MERGED)
		append(buf, len, ", merged");
}

static void
print_key(const Program *p, int i, char *buf, size_t len)
{
	int			scale = program_key_scales(p)[i];

	append(buf, len, "key r%d", program_keys(p)[i]);
	if (scale != KEY_NOT_NUMERIC)
		append(buf, len, ", numeric of scale %d", scale);
}

static void
print_agg(const Program *p, int n, char *buf, size_t len)
{
	const Aggregate *agg = &program_aggs(p)[n];

	append(buf, len, "result %s of word %d", final_names[agg->final],
		   program_accs(p)[agg->acc].word);
	if (agg->scale > 0)
		append(buf, len, ", scale %d", agg->scale);
	for (int i = MOMENT_Y; i < MOMENT_COUNT; i++)
		if (agg->moments[i] >= 0)
			append(buf, len, ", word %d", program_accs(p)[agg->moments[i]].word);
	if (agg->count != agg->acc)
		append(buf, len, ", counted by word %d",
			   program_accs(p)[agg->count].word);
	if (agg->added != 0)
		append(buf, len, ", to each of which %d is added", agg->added);
	if (agg->high >= 0)
		append(buf, len, ", high parts in word %d", program_accs(p)[agg->high].word);
	if (agg->shown >= 0)
		append(buf, len, ", display scale in word %d", program_accs(p)[agg->shown].word);
	if (agg->special >= 0)
		append(buf, len, ", specials in word %d", program_accs(p)[agg->special].word);
	for (int i = 0; i < 2 && agg->squares[i] >= 0; i++)
		append(buf, len, ", squares in word %d",
			   program_accs(p)[agg->squares[i]].word);
}

/*
 * The lines: instructions, filter, keys, accumulators, aggregates.  Attributes
 * are left out: the instructions name those that matter.
 */
bool
program_print_line(const Program *p, int line, char *buf, size_t len)
{
	buf[0] = '\0';
	if (line < p->ninsns)
	{
		print_insn(p, line, buf, len);
		return true;
	}
	line -= p->ninsns;
	if (p->filter >= 0 && line-- == 0)
	{
		append(buf, len, "filter r%d", p->filter);
		return true;
	}
	if (line < p->nkeys)
	{
		print_key(p, line, buf, len);
		return true;
	}
	line -= p->nkeys;
	if (line < p->naccs)
	{
		print_acc(p, line, buf, len);
		return true;
	}
	line -= p->naccs;
	if (line >= p->naggs)
		return false;
	print_agg(p, line, buf, len);
	return true;
}
