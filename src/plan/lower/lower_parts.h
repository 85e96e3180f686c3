/*
 * lower_parts.h
 *	  What the files of lowering give each other.
 *
 * Expressions of all kinds are nested in each other, so their files call each other.
 */
#ifndef GPUAGG_LOWER_PARTS_H
#define GPUAGG_LOWER_PARTS_H

#include "access/tupdesc_details.h"
#include "catalog/pg_attribute.h"
#include "datatype/timestamp.h"
#include "plan/lower/lowering.h"
#include "plan/lower/numeric/numeric_scale.h"
#include "plan/plan_info.h"

/*
 * collation.c: which collations compare texts as engines do: by their bytes.
 */

/*
 * Is equality under this collation that of the bytes?  It is so for types that
 * have none.
 */
extern bool check_collation(Lowering *l, Oid type, Oid collation);

/* Is the order of texts (or bytea) under this collation that of their bytes? */
extern bool check_order(Lowering *l, Oid type, Oid collation);

/* Are equal values of the expression the same bits, unlike 0 and -0? */
extern bool equal_is_identical(Node *expr);

/*
 * function_op.c: from functions of pg_proc to operations.
 */

/* The operation (OpCode) that a function lowers to, or -1. */
extern int	function_op(Oid function);

/*
 * lower_agg.c: from Aggrefs to accumulators.
 */

/* As lower_filter (lower.h). */
extern bool lower_aggref(Lowering *l, Aggref *aggref);

/* Find Lowering.added among a query's aggregates, before they are lowered. */
extern void lower_find_sums_added(Lowering *l, const List *aggrefs);

/*
 * Aggregates with DISTINCT that cannot do without it: a Program takes in each
 * value of their argument once if it is a key (lower_regroup.c).
 */
extern bool lower_needs_distinct(const Aggref *aggref);

/*
 * The values of such an aggregate, without its filter: what the filter leaves out
 * becomes NULL, which no aggregate takes in.
 */
extern Expr *lower_distinct_argument(const Aggref *aggref);

/* Such an aggregate as a list of its values, from which each is read once. */
extern bool lower_distinct_list(Lowering *l, const Aggref *aggref);

/* Such an aggregate over distinct values, which are a register's. */
extern bool lower_distinct_aggref(Lowering *l, const Aggref *aggref, int arg, int scale);

/* Is it an extreme of texts, in an order that is not that of their bytes but tells all apart? */
extern bool lower_needs_rank(const Aggref *aggref);

/* Do engines have an accumulator for it? */
extern bool is_engine_aggregate(Oid function);

/* Is the aggregate's result the same however often its input has a row? */
extern bool lower_ignores_repetitions(Oid function);

/*
 * lower_array.c: x op ANY (array), x op ALL (array), and with them IN lists.
 */

extern int	lower_array_op(Lowering *l, const ScalarArrayOpExpr *expr);

/*
 * lower_bucket.c: width_bucket and date_bin with constant bounds, thresholds, strides and
 * origins.
 */

/* Lower a call, if the function is one of those here, to *reg (or -1). */
extern bool lower_bucket_function(Lowering *l, Oid function, List *args, int *reg);

/*
 * lower_call.c: calls of functions and operators.
 */

/* A call of a function, or of an operator by its function. */
extern int	lower_function(Lowering *l, Oid function, List *args, Oid collation);

/*
 * lower_choice.c: CASE, COALESCE, NULLIF, GREATEST, LEAST and IS DISTINCT FROM.
 */

/* *info is set if the value is a numeric; it may be NULL if not. */
extern int	lower_choice(Lowering *l, Expr *expr, NumericInfo *info);

/*
 * lower_column.c: columns: attributes of a table, and inputs of a child plan.
 */

/* The column of an attribute of the table. */
extern int	lower_var(Lowering *l, const Var *var);

/* The column of the child plan that has the expression's value; -1: none has. */
extern int	lower_input(Lowering *l, Expr *expr);

/* The same where any expression can be a column, since no plan comes of it. */
extern int	lower_new_input(Lowering *l, Expr *expr);

/* Where the child plan has the expression's value, from 1; 0: nowhere. */
extern int	lower_input_number(Lowering *l, const Expr *expr);

/* An attribute of the table, or NULL if a Var is something else. */
extern Form_pg_attribute lower_attribute(Lowering *l, const Var *var);

/* A table's rows are hidden, and engines may not be able to hold a column. */
extern int	lower_reject_hidden(Lowering *l);

/*
 * The value that tuples have which were stored before an attribute was added;
 * NULL: there is none.
 */
extern const AttrMissing *lower_missing_value(Lowering *l, Form_pg_attribute attr);

/*
 * date_unit.c: what texts name.
 */

/*
 * What a constant text names, as PostgreSQL's date_trunc and extract take it: UNITS or RESERV,
 * *code being the one of utils/datetime.h; or another type.  *spelled: in lower case, palloc'd;
 * not set where `name` is no constant.
 */
extern int	date_unit(const Expr *name, int *code, char **spelled);

/* The same as a DateField, or -1. */
extern int	date_field(const Expr *name, char **spelled);

/*
 * lower_date.c: functions of dates and timestamps whose fields and intervals are constants.
 */

/* Lower a call, if the function is one of those here, to *reg (or -1). */
extern bool lower_date_function(Lowering *l, Oid function, List *args, int *reg);

/*
 * lower_date_compare.c: comparisons of a date with a constant timestamp.
 */

/* Lower a call, if it is such a comparison, to *reg (or -1). */
extern bool lower_date_comparison(Lowering *l, Oid function, List *args, int *reg);

/*
 * The field (DateField) that a constant names, from first to last, or -1.  What
 * PostgreSQL does not know, or not for the type, is left to its error.
 */
extern int	lower_date_field(Lowering *l, const Expr *name, int first, int last);

/* extract(), which returns a numeric: of *scale. */
extern bool is_extract(Oid function);
extern int	lower_extract(Lowering *l, Oid function, List *args, int *scale);

/*
 * The field that counts another one's units of 10^-*scale, as microseconds count seconds: extract()
 * gives numbers of these.
 */
extern int	field_in_units(int field, int *scale);

/* The scale of an extract() that only a child plan computes. */
extern bool scale_of_extract(const FuncExpr *call, int *scale);

/*
 * lower_expr.c: the recursion: any expression.  All files of lowering that expressions can
 * be nested in call back here, and only here.
 */

/* An expression of any type. */
extern int	lower_expr(Lowering *l, Expr *expr);

/* Is it computed of columns of the table that is read, which no outer join could make NULL? */
extern bool is_of_table(const Lowering *l, const PlaceHolderVar *var);

/* Can the expression's outermost part be an operation? */
extern bool is_operation(const Expr *expr);

/*
 * One of type numeric, with its scale; one that is to be computed even if the child
 * plan has it as a column.
 */
extern int	lower_numeric(Lowering *l, Expr *expr, NumericInfo *info);
extern int	lower_numeric_node(Lowering *l, Expr *expr, NumericInfo *info);

/*
 * lower_interval.c: fields of intervals, times of day, and dates and timestamps made of parts.
 */

/* extract() from an interval, a numeric of *scale. */
extern int	lower_interval_extract(Lowering *l, List *args, int *scale);

/* A sum or an average of intervals, over registers: their values' and a filter's, or -1. */
extern bool is_interval_sum(FinalKind final);
extern bool lower_interval_sum(Lowering *l, FinalKind final, Expr *expr, int filter);

/* An interval's length, which gives up at one that another interval of its length is written as, too. */
extern int	lower_interval_length(Lowering *l, Expr *expr);

/* The constant interval that an expression multiplies by a number; NULL: it is no such product. */
extern const Interval *multiplied_interval(const Expr *expr);

/* The microseconds of such a product whose interval is nothing but a time. */
extern int	lower_time_product(Lowering *l, const Expr *expr);

/* Lower a call, if the function is one of those here, to *reg (or -1). */
extern bool lower_interval_function(Lowering *l, Oid function, List *args, int *reg);

/*
 * lower_json.c: values of the keys of jsonb columns, and what input functions make of texts.
 */

/* Lower a call, if the function is one of those here, to *reg (or -1). */
extern bool lower_json_function(Lowering *l, Oid function, List *args, int *reg);

/* A cast of a text to a number or a truth value. */
extern int	lower_cast_through_text(Lowering *l, const CoerceViaIO *cast);

/*
 * lower_logic.c: AND, OR, NOT, IS NULL, IS TRUE and the like.
 */

extern int	lower_bool_expr(Lowering *l, const BoolExpr *expr);
extern int	lower_null_test(Lowering *l, const NullTest *test);
extern int	lower_boolean_test(Lowering *l, const BooleanTest *test);

/* AND or OR of a list, from its first member to its last. */
extern int	lower_chain(Lowering *l, OpCode op, List *args);

/* Conditions for a row, in their order. */
extern int	lower_conditions(Lowering *l, List *clauses);

/*
 * lower_moments.c: variances, covariances and regressions of floats.
 */

/* Of an aggregate's arguments; of the distinct values in a register. */
extern bool lower_moments(Lowering *l, FinalKind final, List *args, int filter);
extern bool lower_distinct_moments(Lowering *l, FinalKind final, int x);

/*
 * lower_operand.c: operands of the type that an operation takes.
 */

/* An operand of a function, promoted to a type if need be. */
extern int	lower_operand(Lowering *l, Oid function, Expr *expr, ValueType type);

/*
 * lower_presence.c: whether a value is NULL, where the value itself does not matter.
 */

/*
 * A register that is NULL where the expression is, whose value does not matter.
 * So the type of a column does not either, and a text need not be read.
 */
extern int	lower_presence(Lowering *l, Expr *expr);

/*
 * lower_param.c: values that are the same for all rows: parameters, and their registers.
 */

/* Is the value the same for all rows, to be computed once by PostgreSQL? */
extern bool same_for_all_rows(Expr *expr);

/* The parameter of an expression, an equal one's if there is; -1: none is free. */
extern int	lower_add_param(Lowering *l, Expr *expr, ValueType type);

/* The register of an expression's value, which is the same for all rows. */
extern int	lower_param_ref(Lowering *l, Expr *expr);

/* Of a parameter whose bytes are made of the value: see value_type.h. */
extern int	lower_made_param_ref(Lowering *l, Expr *expr);

/* Of a constant: a NULL of a type, numbers. */
extern int	lower_null(Lowering *l, Oid type);
extern int	lower_int4(Lowering *l, int32 value);
extern int	lower_int8(Lowering *l, int64 value);

/* The Const of a number, or of NULL. */
extern Const *int4_const(int32 value);
extern Const *int8_const(int64 value, bool isnull);

/*
 * lower_first_rows.c: the rows that come first in their groups.
 */

/* As lower_filter (lower.h): an accumulator. */
extern bool lower_first_rows(Lowering *l, const FirstRowsInfo *first);

/*
 * lower_ordered_array.c: array_agg of values in their own order.
 */

/* Is it one with ORDER BY its argument, or DISTINCT? */
extern bool is_ordered_array(const Aggref *aggref);
extern bool lower_ordered_array(Lowering *l, const Aggref *aggref);

/*
 * lower_ordered_aggregate.c: aggregates with ORDER BY or DISTINCT that engines do not have, percentiles
 * and modes of types without an order by numbers, and ORDER BY in aggregates that engines have.
 */

/* Is it one that PostgreSQL's session makes of a list of rows? */
extern bool is_ordered_aggregate(const Aggref *aggref);
extern bool lower_ordered_aggregate(Lowering *l, const Aggref *aggref);

/* As lower_filter (lower.h): an argument of such an aggregate, or what it is ordered by. */
extern bool lower_row_value(Lowering *l, Expr *expr);

/*
 * The result is the same in any order, but an error of what the order is by must be seen; filter:
 * a register, or -1.
 */
extern bool lower_unused_order(Lowering *l, const Aggref *aggref, int filter);

/*
 * lower_statistic.c: ordered-set aggregates.
 */

/* Is the order of the type's values that of their numbers in an engine? */
extern bool type_has_number_order(Oid type);

/*
 * The register of values whose order is that of their numbers, -1: rejected.  How such a
 * value is a result; the scale of a numeric, and what else is known of it.
 */
extern int	lower_ordered(Lowering *l, Expr *expr, FinalKind *final, NumericInfo *info);

/* Is the operator the type's < or >, and which? */
extern bool lower_direction(Lowering *l, Oid operator, Oid type, bool *descending);

/*
 * Is a fraction, or are those of an array, no constant that PostgreSQL would complain of, or that
 * makes all results NULL?  Of an array, nothing but a constant will do.
 */
extern bool check_fraction(Lowering *l, const Expr *fraction);

/* Is it a percentile or a mode of values that the session sorts (lower_ordered_aggregate.c)? */
extern bool is_row_statistic(const Aggref *aggref);

/* Is it an ordered-set aggregate that is read from a list of its values as numbers? */
extern bool is_statistic(const Aggref *aggref);
extern bool lower_statistic(Lowering *l, Aggref *aggref);

/*
 * Add the aggregates that arrays are made of, behind all that the node has.  ArrayInfo, one for
 * each aggregate that is an array.
 */
extern List *lower_arrays(Lowering *l);

/*
 * lower_hypothetical.c: hypothetical-set aggregates.
 */

extern bool is_hypothetical(const Aggref *aggref);

/* Is it the one of these that needs a list of values? */
extern bool is_dense_rank(const Aggref *aggref);

extern bool lower_hypothetical(Lowering *l, const Aggref *aggref);

/*
 * lower_regex.c: regular expressions that LIKE can say.
 */

/* Lower ~, or !~, to *reg (or -1); false: the regular expression is another one. */
extern bool lower_regex(Lowering *l, List *args, Oid collation, bool not, int *reg);

/*
 * lower_text.c: LIKE with constant patterns, lengths and parts of texts.
 */

/* Are characters counted, as only in UTF-8?  If not, a reason is noted. */
extern bool counts_characters(Lowering *l);

/* An expression whose values are texts; else -1, and a reason. */
extern int	lower_text_operand(Lowering *l, Expr *expr);

/* Lower a call, if the function is one of those here, to *reg (or -1). */
extern bool lower_text_function(Lowering *l, Oid function, List *args, Oid collation,
								int *reg);

/*
 * lower_made_text.c: texts that are made, where Lowering.may_need_cpu lets them.
 */

/* Lower a call, if the function is one of those here, to *reg (or -1). */
extern bool lower_made_text(Lowering *l, Oid function, List *args, Oid collation, int *reg);

/* The same of a cast of an integer to a text. */
extern bool lower_number_text(Lowering *l, const CoerceViaIO *cast, int *reg);

/*
 * lower_letters.c: lower, upper and ILIKE, which make texts.
 */
extern int	lower_letters(Lowering *l, OpCode op, Expr *arg, Oid collation);
extern int	lower_ilike(Lowering *l, List *args, Oid collation, bool not);

/*
 * lower_zone.c: what depends on a time zone.
 */

/*
 * The register of a zone's rules.  zone: an expression of its name; NULL: the
 * session's.
 */
extern int	lower_zone(Lowering *l, Expr *zone);

/* Between timestamptz and timestamp, of which either register may be -1. */
extern int	lower_to_local(Lowering *l, int reg, int zone);
extern int	lower_to_utc(Lowering *l, int reg, int zone);

/* Lower a call, if the function is one of those here, to *reg (or -1). */
extern bool lower_zone_function(Lowering *l, Oid function, List *args, int *reg);

#endif							/* GPUAGG_LOWER_PARTS_H */
