/*
 * test_contents.c
 *	  The table of contents of what is kept in device memory: files that are no such
 *	  table, or not whole, are not read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/wire/contents.h"
#include "tap.h"

#define CONTENTS SERVICE_DIRECTORY "/contents"

/* A file with this head, and bytes of rows behind it. */
static void
write_contents(uint32_t magic, uint32_t build, uint32_t nrows, uint32_t row_size, size_t bytes)
{
	uint32_t	head[4] = {magic, build, nrows, row_size};
	CacheRow	rows[2] = {{.relation = 7,.attno = 1,.blocks = 11}, {.relation = 8,.attno = 2}};
	FILE	   *file = fopen(CONTENTS, "w");

	if (file == NULL || fwrite(head, sizeof(head), 1, file) != 1 ||
		fwrite(rows, 1, bytes, file) != bytes || fclose(file) != 0)
		abort();
}

/* Is the file refused? */
static bool
is_refused(void)
{
	uint32_t	n = 99;
	CacheRow   *rows = contents_read(&n);
	bool		refused = rows == NULL && n == 0;

	free(rows);
	return refused;
}

int
main(void)
{
	const uint32_t build = protocol_build();
	const uint32_t size = sizeof(CacheRow);
	char		directory[] = "/tmp/gpuagg_test_XXXXXX";
	uint32_t	n;
	CacheRow   *rows;

	if (mkdtemp(directory) == NULL || chdir(directory) != 0)
		abort();
	ok(is_refused(), "no directory");
	contents_write();
	if (mkdir(SERVICE_DIRECTORY, 0700) != 0)
		abort();
	ok(is_refused(), "no file");

	contents_write();
	rows = contents_read(&n);
	ok(rows != NULL && n == 0, "nothing is kept");
	free(rows);

	write_contents(PROTOCOL_MAGIC, build, 2, size, 2 * size);
	rows = contents_read(&n);
	ok(rows != NULL && n == 2 && rows[0].blocks == 11 && rows[1].relation == 8, "two columns");
	free(rows);

	write_contents(PROTOCOL_MAGIC + 1, build, 2, size, 2 * size);
	ok(is_refused(), "another file");
	write_contents(PROTOCOL_MAGIC, build + 1, 2, size, 2 * size);
	ok(is_refused(), "another build's");
	write_contents(PROTOCOL_MAGIC, build, 2, size + 8, 2 * size);
	ok(is_refused(), "rows of another size");
	write_contents(PROTOCOL_MAGIC, build, 2, size, 2 * size - 1);
	ok(is_refused(), "too short");
	write_contents(PROTOCOL_MAGIC, build, 1, size, 2 * size);
	ok(is_refused(), "too long");
	write_contents(PROTOCOL_MAGIC, build, UINT32_MAX, size, 0);
	ok(is_refused(), "more rows than any file has");

	if (unlink(CONTENTS) != 0 || rmdir(SERVICE_DIRECTORY) != 0 || rmdir(directory) != 0)
		abort();
	return done_testing();
}
