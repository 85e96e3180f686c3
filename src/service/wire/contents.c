/*
 * contents.c
 *	  The table of contents of what is kept in device memory: a file that the device
 *	  process writes and sessions read, for the planner.
 *
 * A file is written beside its place and renamed, so that who reads one reads a whole
 * one.  It tells of what to expect only: costs depend on it, and no answer does.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* O_CLOEXEC */
#endif
#include "service/wire/contents.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/cuda/cuda_engine.h"

/* From the data directory. */
#define CONTENTS_FILE SERVICE_DIRECTORY "/contents"
#define NEW_CONTENTS CONTENTS_FILE ".new"

/* The most rows that a session reads. */
#define MOST_ROWS 100000

typedef struct ContentsHead
{
	uint32_t	magic;
	uint32_t	build;
	uint32_t	nrows;
	uint32_t	row_size;
} ContentsHead;

static CacheRow
cache_row(const KeptInfo *info)
{
	CacheRow	row = {
		.relation = info->relation,.attno = info->attno,.device = (uint32_t) info->device,
		.rows = info->rows,
		.bytes = info->bytes,.host_bytes = info->host_bytes,.plain_bytes = info->plain_bytes,
		.blocks = info->blocks,.hits = info->hits,.last_used = info->last_used
	};

	memcpy(row.file, info->file, sizeof(row.file));
	return row;
}

CacheRow *
contents_now(uint32_t *n)
{
	uint32_t	room = cuda_engine_columns(NULL, 0);
	KeptInfo   *infos = malloc(((size_t) room + 1) * sizeof(KeptInfo));
	CacheRow   *rows = malloc(((size_t) room + 1) * sizeof(CacheRow));

	*n = 0;
	if (infos != NULL && rows != NULL)
	{
		*n = cuda_engine_columns(infos, room);
		for (uint32_t i = 0; i < *n; i++)
			rows[i] = cache_row(&infos[i]);
	}
	free(infos);
	return rows;
}

static bool
write_file(const CacheRow *rows, uint32_t n)
{
	ContentsHead head = {PROTOCOL_MAGIC, protocol_build(), n, sizeof(CacheRow)};
	int			file = open(NEW_CONTENTS, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t		size = n * sizeof(CacheRow);
	bool		written;

	if (file < 0)
		return false;
	written = write(file, &head, sizeof(head)) == (ssize_t) sizeof(head) &&
		write(file, rows, size) == (ssize_t) size;
	close(file);
	return written && rename(NEW_CONTENTS, CONTENTS_FILE) == 0;
}

void
contents_write(void)
{
	static CacheRow *last = NULL;
	static uint32_t nlast = 0;
	uint32_t	n;
	CacheRow   *rows = contents_now(&n);

	if (rows == NULL)
		return;
	/* these change with every run */
	for (uint32_t i = 0; i < n; i++)
	{
		rows[i].hits = 0;
		rows[i].last_used = 0;
	}
	if ((last != NULL && n == nlast && memcmp(rows, last, n * sizeof(CacheRow)) == 0) ||
		!write_file(rows, n))
	{
		free(rows);
		return;
	}
	free(last);
	last = rows;
	nlast = n;
}

/* The rows behind a head that says what the file's size is. */
static CacheRow *
read_rows(int file, uint32_t *n)
{
	ContentsHead head;
	struct stat status;
	CacheRow   *rows;
	size_t		size;

	if (read(file, &head, sizeof(head)) != (ssize_t) sizeof(head) ||
		head.magic != PROTOCOL_MAGIC || head.build != protocol_build() ||
		head.row_size != sizeof(CacheRow) || head.nrows > MOST_ROWS || fstat(file, &status) != 0)
		return NULL;
	size = head.nrows * sizeof(CacheRow);
	if (status.st_size != (off_t) (sizeof(head) + size))
		return NULL;
	rows = malloc(size + 1);
	if (rows != NULL && read(file, rows, size) != (ssize_t) size)
	{
		free(rows);
		rows = NULL;
	}
	*n = rows != NULL ? head.nrows : 0;
	return rows;
}

CacheRow *
contents_read(uint32_t *n)
{
	int			file = open(CONTENTS_FILE, O_RDONLY | O_CLOEXEC);
	CacheRow   *rows;

	*n = 0;
	if (file < 0)
		return NULL;
	rows = read_rows(file, n);
	close(file);
	return rows;
}
