/*
 * tap.h
 *	  Test results in the Test Anything Protocol, as prove reads them.
 */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int	tap_count;
static int	tap_failed;

/* Report one test under a name that is a format. */
static inline void __attribute__((format(printf, 2, 3)))
ok(bool passed, const char *format,...)
{
	va_list		args;

	tap_count++;
	tap_failed += !passed;
	printf("%sok %d - ", passed ? "" : "not ", tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

/*
 * Is the next piece of a long program's tests this process's to run?  With
 * GPUAGG_TEST_PART=1/3 the first of every three pieces is; without it all are.
 */
static inline bool
in_part(void)
{
	static int	piece = 0;
	const char *setting = getenv("GPUAGG_TEST_PART");
	int			part;
	int			parts;

	if (setting == NULL || sscanf(setting, "%d/%d", &part, &parts) != 2 || parts < 1)
		return true;
	return piece++ % parts == part - 1;
}

/* What main returns: after the plan, whether all tests passed. */
static inline int
done_testing(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed > 0;
}

#endif							/* TAP_H */
