/*
 * test_checked.c
 *	  Is each operation that can fail among those whose failures are tested
 *	  through SQL?
 */
#include <stdlib.h>

#include "program/program.h"
#include "tap.h"

#define TESTED "../regress/sql/checked_ops.sql"
#define TESTED_SPECIALS "../regress/sql/numeric_special.sql"

/* A whole file, malloc'd; NULL if there is none. */
static char *
read_text(const char *path)
{
	FILE	   *file = fopen(path, "rb");
	char	   *text = NULL;
	long		size;

	if (file == NULL)
		return NULL;
	if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0)
	{
		rewind(file);
		text = calloc(1, (size_t) size + 1);
		if (text != NULL && fread(text, 1, (size_t) size, file) != (size_t) size)
			text[0] = '\0';
	}
	fclose(file);
	return text;
}

int
main(void)
{
	char	   *text = read_text(TESTED);
	char	   *specials = read_text(TESTED_SPECIALS);

	ok(text != NULL && specials != NULL, "%s and %s can be read", TESTED, TESTED_SPECIALS);
	for (int op = 0; op < OP_COUNT && text != NULL && specials != NULL; op++)
	{
		char		line[100];

		if (!op_checked((OpCode) op))
			continue;
		snprintf(line, sizeof(line), "('%s', ", op_name((OpCode) op));
		ok(strstr(text, line) != NULL || strstr(specials, line) != NULL, "failures of %s are tested", op_name((OpCode) op));
	}
	free(text);
	free(specials);
	return done_testing();
}
