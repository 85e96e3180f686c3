/*
 * lower_regex.c
 *	  Regular expressions that LIKE can say.
 *
 * Of PostgreSQL's advanced regular expressions those are, that have literal characters, the dot,
 * alone or with * or +, alternatives, and anchors at the ends of the whole or of its alternatives:
 * each way through the alternatives is a pattern, and a text matches if one of these does.  By
 * default the dot takes any character, and $ is the end of the text only.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"

#include "plan/lower/lower_parts.h"

/* With more patterns, a text is compared too often. */
#define MAX_PATTERNS 8

/* What is left of the regular expression; NUL is its end. */
typedef struct RegexScan
{
	const char *at;
	bool		failed;			/* LIKE cannot say what has been read */
} RegexScan;

static List *scan_alternatives(RegexScan *scan);

static List *
fail(RegexScan *scan)
{
	scan->failed = true;
	return NIL;
}

static bool
accept(RegexScan *scan, const char *text)
{
	bool		there = strncmp(scan->at, text, strlen(text)) == 0;

	scan->at += there ? strlen(text) : 0;
	return there;
}

/* A character that stands for itself, as LIKE has it. */
static char *
literal(char c)
{
	return c == '%' || c == '_' || c == '\\' ? psprintf("\\%c", c) : psprintf("%c", c);
}

static bool
is_punctuation(char c)
{
	return c > ' ' && (unsigned char) c < 0x7f && !((c >= '0' && c <= '9') ||
													(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
}

/* An atom that is no group, as LIKE has it; NULL: LIKE cannot say it. */
static char *
scan_atom(RegexScan *scan)
{
	char		c = *scan->at++;

	if (c == '.')
		return accept(scan, "*") ? "%" : accept(scan, "+") ? "_%" : "_";
	if (c == '\\' && is_punctuation(*scan->at))
		return literal(*scan->at++);
	if (c == '[' && is_punctuation(scan->at[0]) && strchr("^]\\[", scan->at[0]) == NULL &&
		scan->at[1] == ']')
	{
		scan->at += 2;
		return literal(scan->at[-2]);
	}
	return strchr("\\[]{}*+?^", c) != NULL ? NULL : literal(c);
}

/* Each text of one list before each of another. */
static List *
combine(const List *first, const List *second)
{
	List	   *result = NIL;
	ListCell   *a;
	ListCell   *b;

	foreach(a, first)
		foreach(b, second)
			result = lappend(result, psprintf("%s%s", (char *) lfirst(a), (char *) lfirst(b)));
	return result;
}

/* The alternatives in parentheses, of which the first has been read. */
static List *
scan_group(RegexScan *scan)
{
	List	   *result;

	check_stack_depth();
	(void) accept(scan, "?:");
	result = scan_alternatives(scan);
	return scan->failed || !accept(scan, ")") ? fail(scan) : result;
}

/* The patterns of a branch, up to an anchor, an alternative or the end. */
static List *
scan_branch(RegexScan *scan)
{
	List	   *result = list_make1("");

	while (*scan->at != '\0' && strchr("|)$", *scan->at) == NULL)
	{
		bool		group = accept(scan, "(");
		char	   *atom = group ? NULL : scan_atom(scan);
		List	   *next = group ? scan_group(scan) : list_make1(atom);

		/* behind a quantifier stands no other one */
		if (scan->failed || (!group && atom == NULL) ||
			(*scan->at != '\0' && strchr("*+?{", *scan->at) != NULL))
			return fail(scan);
		result = combine(result, next);
		if (list_length(result) > MAX_PATTERNS)
			return fail(scan);
	}
	return result;
}

/* The patterns of branches, which have no anchors. */
static List *
scan_alternatives(RegexScan *scan)
{
	List	   *result = NIL;

	do
	{
		result = list_concat(result, scan_branch(scan));
	} while (!scan->failed && accept(scan, "|"));
	return result;
}

/* The patterns of LIKE, one of which a text matches if it matches the regular expression; NIL: none are. */
static List *
regex_patterns(const char *regex)
{
	RegexScan	scan = {regex, false};
	List	   *result = NIL;

	do
	{
		List	   *begin = list_make1(accept(&scan, "^") ? "" : "%");
		List	   *branches = scan_branch(&scan);
		List	   *end = list_make1(accept(&scan, "$") ? "" : "%");

		result = list_concat(result, combine(combine(begin, branches), end));
	} while (!scan.failed && accept(&scan, "|"));
	return scan.failed || *scan.at != '\0' || list_length(result) > MAX_PATTERNS ? NIL : result;
}

bool
lower_regex(Lowering *l, List *args, Oid collation, bool not, int *reg)
{
	const Const *regex = lsecond(args);
	List	   *clauses = NIL;
	Expr	   *expr;
	ListCell   *lc;

	if (!IsA(regex, Const) || regex->constisnull)
		return false;
	foreach(lc, regex_patterns(TextDatumGetCString(regex->constvalue)))
	{
		Const	   *pattern = makeConst(TEXTOID, -1, collation, -1,
										CStringGetTextDatum(lfirst(lc)), false, false);
		Expr	   *like = make_opclause(OID_TEXT_LIKE_OP, BOOLOID, false, linitial(args),
										 (Expr *) pattern, InvalidOid, collation);

		set_opfuncid((OpExpr *) like);
		clauses = lappend(clauses, like);
	}
	if (clauses == NIL)
		return false;
	expr = list_length(clauses) == 1 ? linitial(clauses) : make_orclause(clauses);
	*reg = lower_expr(l, not ? make_notclause(expr) : expr);
	return true;
}
