/*
 * kept_names.c
 *	  The names of columns that are kept in device memory, in a file: what a later device
 *	  process shall keep again.
 *
 * Lines of text: a head, a name each, an end.  So builds of other versions read the same file, and
 * one that is not whole can be told.  It is written beside its place, brought to the disk and
 * renamed, so that a crash leaves the old one or the new one.
 *
 * Who reads it believes nothing: a file that has anything else than what is written here is
 * refused as a whole.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* O_CLOEXEC */
#endif
#include "service/wire/kept_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEW_KEPT_NAMES KEPT_NAMES_FILE ".new"
#define BEGUN_FILE KEPT_NAMES_FILE ".begun"

#define HEAD "gpuagg kept columns 1\n"
#define END "end\n"

/* A name's longest line, and the most names that are read. */
#define MAX_LINE 48
#define MOST_NAMES 100000

static bool
write_file(const char *text, size_t size)
{
	int			file = open(NEW_KEPT_NAMES, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool		written;

	if (file < 0)
		return false;
	errno = ENOSPC;				/* write has no error if it writes a part */
	written = write(file, text, size) == (ssize_t) size && fsync(file) == 0;
	written = close(file) == 0 && written;
	return written && rename(NEW_KEPT_NAMES, KEPT_NAMES_FILE) == 0;
}

bool
kept_names_write(const KeptName *names, uint32_t n)
{
	size_t		room = sizeof(HEAD) + sizeof(END) + (size_t) n * MAX_LINE;
	char	   *text = malloc(room);
	size_t		size;
	bool		written;

	if (text == NULL)
		return false;
	size = (size_t) snprintf(text, room, HEAD);
	for (uint32_t i = 0; i < n; i++)
		size += (size_t) snprintf(text + size, room - size, "%u %u %u %d\n", names[i].tablespace,
								  names[i].database, names[i].relation, names[i].attno);
	size += (size_t) snprintf(text + size, room - size, END);
	written = write_file(text, size);
	free(text);
	return written;
}

/* Step over a text that must be there. */
static bool
take_text(const char **at, const char *text)
{
	size_t		size = strlen(text);

	if (strncmp(*at, text, size) != 0)
		return false;
	*at += size;
	return true;
}

/* Step over a number from 1 to `most`, and what ends it. */
static bool
take_number(const char **at, uint32_t most, char end, uint32_t *number)
{
	uint64_t	value = 0;

	for (; **at >= '0' && **at <= '9'; (*at)++)
	{
		value = 10 * value + (uint64_t) (**at - '0');
		if (value > most)
			return false;
	}
	*number = (uint32_t) value;
	return value > 0 && *(*at)++ == end;
}

static bool
take_name(const char **at, KeptName *name)
{
	uint32_t	attno;

	if (!take_number(at, UINT32_MAX, ' ', &name->tablespace) ||
		!take_number(at, UINT32_MAX, ' ', &name->database) ||
		!take_number(at, UINT32_MAX, ' ', &name->relation) ||
		!take_number(at, PROGRAM_MAX_ATTRS, '\n', &attno))
		return false;
	name->attno = (int32_t) attno;
	return true;
}

/* The names of a text; false: it is not what is written. */
static bool
take_names(const char *text, size_t size, KeptName *names, uint32_t *n)
{
	const char *at = text;

	if (!take_text(&at, HEAD))
		return false;
	while (!take_text(&at, END))
	{
		if (*n == MOST_NAMES || !take_name(&at, &names[*n]))
			return false;
		(*n)++;
	}
	return at == text + size;
}

/* The whole file as a string, malloc'd; NULL: it cannot be one. */
static char *
read_text(int file, size_t *size)
{
	struct stat status;
	char	   *text;

	if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) ||
		status.st_size > MAX_LINE * (MOST_NAMES + 2))
		return NULL;
	*size = (size_t) status.st_size;
	text = malloc(*size + 1);
	if (text == NULL)
		return NULL;
	if (read(file, text, *size) != (ssize_t) *size)
	{
		free(text);
		return NULL;
	}
	text[*size] = '\0';
	return text;
}

/* The least that a name takes in the file. */
#define MIN_LINE 8

KeptName *
kept_names_read(uint32_t *n, bool *damaged)
{
	/* a pipe with nobody at its other end would not be opened */
	int			file = open(KEPT_NAMES_FILE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	KeptName   *names = NULL;
	size_t		size = 0;
	char	   *text;

	*n = 0;
	*damaged = file >= 0;
	if (file < 0)
		return NULL;
	text = read_text(file, &size);
	close(file);
	if (text != NULL)
		names = malloc((size / MIN_LINE + 1) * sizeof(KeptName));
	*damaged = names == NULL || !take_names(text, size, names, n);
	free(text);
	if (!*damaged && *n > 0)
		return names;
	*n = 0;
	free(names);
	return NULL;
}

bool
kept_names_begin(void)
{
	int			file = open(BEGUN_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return file >= 0 && close(file) == 0;
}

void
kept_names_end(void)
{
	(void) unlink(BEGUN_FILE);
}
