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
#define TESTED_READING "../regress/sql/errors.sql"	/* fails where its argument is read */

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
	char	   *texts[] = {read_text(TESTED), read_text(TESTED_SPECIALS), read_text(TESTED_READING)};
	bool		all = texts[0] != NULL && texts[1] != NULL && texts[2] != NULL;

	ok(all, "%s, %s and %s can be read", TESTED, TESTED_SPECIALS, TESTED_READING);
	for (int op = 0; op < OP_COUNT && all; op++)
	{
		char		line[100];

		/* a number's text fails where malloc does, and never by its length */
		if (!op_checked((OpCode) op) || op == OP_int8_text)
			continue;
		snprintf(line, sizeof(line), "('%s', ", op_name((OpCode) op));
		ok(strstr(texts[0], line) != NULL || strstr(texts[1], line) != NULL ||
		   strstr(texts[2], line) != NULL, "failures of %s are tested", op_name((OpCode) op));
	}
	for (int i = 0; i < 3; i++)
		free(texts[i]);
	return done_testing();
}
