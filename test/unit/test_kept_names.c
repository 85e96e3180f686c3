/*
 * test_kept_names.c
 *	  The names of columns that were kept: a file is read as it was written, and one that is not
 *	  such a file is refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/program.h"
#include "service/wire/kept_names.h"
#include "tap.h"

#define HEAD "gpuagg kept columns 1\n"
#define NAME "1663 5 16384 1\n"

static void
write_text(const char *text, size_t size)
{
	FILE	   *file = fopen(KEPT_NAMES_FILE, "w");

	if (file == NULL || fwrite(text, 1, size, file) != size || fclose(file) != 0)
		abort();
}

/* Is the text refused, and told to be damaged? */
static bool
is_refused(const char *text, size_t size)
{
	uint32_t	n = 99;
	bool		damaged = false;
	KeptName   *names;

	write_text(text, size);
	names = kept_names_read(&n, &damaged);
	free(names);
	return names == NULL && n == 0 && damaged;
}

/* Each beginning of a file, but for the whole one. */
static bool
all_parts_are_refused(const char *text)
{
	for (size_t size = 0; size < strlen(text); size++)
		if (!is_refused(text, size))
			return false;
	return true;
}

static void
test_round_trip(void)
{
	const KeptName names[] = {
		{1663, 5, 16384, 1}, {UINT32_MAX, UINT32_MAX, UINT32_MAX, PROGRAM_MAX_ATTRS}
	};
	uint32_t	n = 99;
	bool		damaged = true;
	struct stat status;
	KeptName   *read = kept_names_read(&n, &damaged);

	ok(read == NULL && n == 0 && !damaged, "no file");
	ok(kept_names_write(names, 2), "names are written");
	read = kept_names_read(&n, &damaged);
	ok(read != NULL && n == 2 && !damaged && memcmp(read, names, sizeof(names)) == 0,
	   "and read");
	free(read);
	ok(stat(KEPT_NAMES_FILE, &status) == 0 && (status.st_mode & 0777) == 0600,
	   "only by their owner");
	ok(kept_names_write(names, 0), "no names are written");
	read = kept_names_read(&n, &damaged);
	ok(read == NULL && n == 0 && !damaged, "and read");
}

static void
test_damaged(void)
{
	static const char *const texts[] = {
		HEAD "0 5 16384 1\nend\n", HEAD "1663 5 16384 0\nend\n", HEAD "1663 5 16384 1601\nend\n",
		HEAD "4294967296 5 16384 1\nend\n", HEAD "18446744073709551617 5 16384 1\nend\n",
		HEAD "1663 5 16384\nend\n", HEAD "1663 5 16384 1 2\nend\n", HEAD "1663  5 16384 1\nend\n",
		HEAD "-1 5 16384 1\nend\n", HEAD "1663 5 16384 1\n\nend\n", HEAD NAME "end\nend\n",
		HEAD NAME "end", "gpuagg kept columns 2\n" NAME "end\n", NAME "end\n", "\n"
	};
	char		zeros[100] = HEAD NAME;
	bool		all = true;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!is_refused(texts[i], strlen(texts[i])))
		{
			printf("# %s", texts[i]);
			all = false;
		}
	ok(all, "other texts are refused");
	ok(all_parts_are_refused(HEAD NAME NAME "end\n"), "a part of a file is, too");
	ok(is_refused(zeros, sizeof(zeros)), "zeros in it are");
}

/* More names than are read; and a file that is too large for that many. */
static void
test_large(void)
{
	const uint32_t most = 100000;
	KeptName   *names = calloc(most + 1, sizeof(KeptName));
	uint32_t	n;
	bool		damaged;
	KeptName   *read;

	for (uint32_t i = 0; i <= most; i++)
		names[i] = (KeptName) {1, 1, i + 1, 1};
	ok(kept_names_write(names, most), "many names");
	read = kept_names_read(&n, &damaged);
	ok(read != NULL && n == most && !damaged, "are read");
	free(read);
	ok(kept_names_write(names, most + 1), "one more");
	read = kept_names_read(&n, &damaged);
	ok(read == NULL && damaged, "is refused");
	free(names);
	if (truncate(KEPT_NAMES_FILE, INT32_MAX) != 0)
		abort();
	read = kept_names_read(&n, &damaged);
	ok(read == NULL && damaged, "so is a file that is too large");
}

static void
test_begun(void)
{
	ok(kept_names_begin(), "it begins");
	errno = 0;
	ok(!kept_names_begin() && errno == EEXIST, "and does not while that has not ended");
	kept_names_end();
	ok(kept_names_begin(), "then it does");
	kept_names_end();
}

/* What is no file, or cannot be written. */
static void
test_places(void)
{
	const KeptName name = {1663, 5, 16384, 1};
	uint32_t	n;
	bool		damaged;

	unlink(KEPT_NAMES_FILE);
	if (mkfifo(KEPT_NAMES_FILE, 0600) != 0)
		abort();
	ok(kept_names_read(&n, &damaged) == NULL && damaged, "a pipe is refused");
	unlink(KEPT_NAMES_FILE);
	if (mkdir(KEPT_NAMES_FILE, 0700) != 0)
		abort();
	ok(kept_names_read(&n, &damaged) == NULL && damaged, "a directory is");
	ok(!kept_names_write(&name, 1), "and not written to");
	rmdir(KEPT_NAMES_FILE);
}

int
main(void)
{
	char		directory[] = "/tmp/gpuagg_test_XXXXXX";
	const KeptName name = {1663, 5, 16384, 1};

	if (mkdtemp(directory) == NULL || chdir(directory) != 0)
		abort();
	ok(!kept_names_write(&name, 1), "no directory");
	ok(!kept_names_begin() && errno == ENOENT, "nor can it begin");
	if (mkdir(SERVICE_DIRECTORY, 0700) != 0)
		abort();
	test_round_trip();
	test_damaged();
	test_large();
	test_begun();
	test_places();
	if (unlink(KEPT_NAMES_FILE ".new") != 0 || rmdir(SERVICE_DIRECTORY) != 0 ||
		rmdir(directory) != 0)
		abort();
	return done_testing();
}
