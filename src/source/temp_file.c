/*
 * temp_file.c
 *	  Temporary files of PostgreSQL's that can be given up when they cannot be written.
 *
 * A query need not fail because an engine's file finds the disk full, or is beyond
 * temp_file_limit: PostgreSQL's own plan may do without.  So errors of files are caught here.
 * fd.c raises them before it has changed anything, no lock or pin is taken there, and
 * interrupts are held, so that none of another kind is caught.  So nothing has to be cleaned up
 * by a subtransaction, of which there can be none beside a parallel plan.
 *
 * The files are fd.c's, as those below a BufFile are: temp_file_limit, log_temp_files,
 * temp_tablespaces and the counts of pg_stat_database and of EXPLAIN hold for them.  BufFile
 * itself does not serve: one that could not be written can be neither read nor closed, since
 * it would first write what it holds.  Nothing is held back here.
 *
 * A file has segments of one gigabyte and one piece's size, as a BufFile has, which take their
 * turns in temp_tablespaces.
 */
#include "postgres.h"

#include "commands/tablespace.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "source/kept_error.h"
#include "source/temp_file.h"

#define SEGMENT_SIZE ((off_t) 1 << 30)

struct TempFile
{
	MemoryContext context;
	ResourceOwner owner;
	File	   *segments;
	int			nsegments;
	int			room;			/* for segments */
	off_t		end;			/* of the last one */
};

bool
temp_file_call(void (*function) (void *), void *arg, char *message)
{
	MemoryContext context = CurrentMemoryContext;
	volatile bool failed = false;
	uint32		holdoff;

	HOLD_INTERRUPTS();
	holdoff = InterruptHoldoffCount;
	PG_TRY();
	{
		function(arg);
	}
	PG_CATCH();
	{
		failed = true;
		keep_error(context, holdoff, message);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	RESUME_INTERRUPTS();
	return !failed;
}

/* As BufFile counts them. */
static int64
blocks_of(size_t size)
{
	return (int64) ((size + BLCKSZ - 1) / BLCKSZ);
}

static instr_time
begin_time(void)
{
	instr_time	now;

	INSTR_TIME_SET_ZERO(now);
	if (track_io_timing)
		INSTR_TIME_SET_CURRENT(now);
	return now;
}

static void
add_time(instr_time *counter, const instr_time *start)
{
	instr_time	now;

	if (INSTR_TIME_IS_ZERO(*start))
		return;
	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_ACCUM_DIFF(*counter, now, *start);
}

/* One write or read that has not come to its end can be followed by another. */
void
temp_bytes_write(File file, const void *bytes, size_t size, off_t offset)
{
	const char *from = bytes;
	instr_time	start = begin_time();

	for (size_t done = 0; done < size;)
	{
		int			part = (int) Min(size - done, (size_t) SEGMENT_SIZE);
		int			written = (int) compat_file_write(file, from + done, part, offset + done,
													  WAIT_EVENT_BUFFILE_WRITE);

		if (written <= 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not write to file \"%s\": %m", FilePathName(file))));
		done += written;
	}
	add_time(&pgBufferUsage.temp_blk_write_time, &start);
	pgBufferUsage.temp_blks_written += blocks_of(size);
}

size_t
temp_bytes_read(File file, void *to, size_t size, off_t offset)
{
	instr_time	start = begin_time();
	size_t		done = 0;
	int			got = 1;

	while (done < size && got > 0)
	{
		int			part = (int) Min(size - done, (size_t) SEGMENT_SIZE);

		got = (int) FileRead(file, (char *) to + done, part, offset + done,
							 WAIT_EVENT_BUFFILE_READ);
		if (got < 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not read file \"%s\": %m", FilePathName(file))));
		done += got;
	}
	add_time(&pgBufferUsage.temp_blk_read_time, &start);
	pgBufferUsage.temp_blks_read += blocks_of(done);
	return done;
}

TempFile *
temp_file_create(void)
{
	TempFile   *file = palloc0(sizeof(TempFile));

	/* this reads the catalog, and so is not done where errors are caught */
	PrepareTempTablespaces();
	file->context = CurrentMemoryContext;
	file->owner = CurrentResourceOwner;
	return file;
}

/* For as long as the owner has it, also if another query runs within that one. */
static File
open_segment(const TempFile *file)
{
	ResourceOwner old = CurrentResourceOwner;
	File		segment = 0;

	CurrentResourceOwner = file->owner;
	PG_TRY();
	{
		segment = OpenTemporaryFile(false);
	}
	PG_FINALLY();
	{
		CurrentResourceOwner = old;
	}
	PG_END_TRY();
	return segment;
}

static void
add_segment(TempFile *file)
{
	if (file->nsegments == file->room)
	{
		int			room = file->room * 2 + 2;

		file->segments = file->segments == NULL ?
			MemoryContextAlloc(file->context, room * sizeof(File)) :
			repalloc(file->segments, room * sizeof(File));
		file->room = room;
	}
	file->segments[file->nsegments] = open_segment(file);
	file->nsegments++;
	file->end = 0;
}

TempPiece
temp_file_append(TempFile *file, const void *bytes, size_t size)
{
	TempPiece	piece;

	if (file->nsegments == 0 || file->end >= SEGMENT_SIZE)
		add_segment(file);
	piece = (TempPiece)
	{
		file->nsegments - 1, file->end, size
	};
	temp_bytes_write(file->segments[piece.segment], bytes, size, piece.offset);
	file->end += size;
	return piece;
}

void
temp_file_read(TempFile *file, const TempPiece *piece, void *to)
{
	File		segment = file->segments[piece->segment];

	if (temp_bytes_read(segment, to, piece->size, piece->offset) != piece->size)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read file \"%s\": it is too short", FilePathName(segment))));
}

void
temp_file_close(TempFile *file)
{
	while (file->nsegments > 0)
		FileClose(file->segments[--file->nsegments]);
}
