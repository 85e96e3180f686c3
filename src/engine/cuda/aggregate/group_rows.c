/*
 * group_rows.c
 *	  The first rows of a run's groups, on the device: made, cleaned, grown.
 *
 * Entries that no group has any more stay as garbage (first_rows.cuh).  There is room for twice
 * as many as all slots can have, and for an eighth of the first batch's rows, since of rows that
 * come in the order's opposite each is an entry; but for no more than there are rows.  When rows
 * find no room, the entries in use are copied, to more room if they take much of it.
 *
 * All of it goes through the run's work stream.
 */
#include <string.h>

#include "engine/cuda/aggregate/group_rows.h"

/* Threads of a block of group_rows_copy and group_rows_move. */
#define COPY_THREADS 256

/* Entries that there is room for, at least; numbers of entries have 32 bits. */
#define MIN_ENTRIES 1024
#define MOST_ENTRIES (UINT64_C(1) << 31)

/* Of the rows of a batch, what there is room for. */
#define ROWS_SHARE 8

/* How much more room there is than entries in use, after a cleaning. */
#define MORE_ROOM 4

static EngineStatus
fill(RunCore *run, const DeviceBuffer *buffer, int byte)
{
	return run_device(run, run->device_ops->fill(run->device, run->work, buffer->ptr, (uint8_t) byte,
												 buffer->size),
					  "could not clear memory of first rows");
}

DeviceFirstRows
group_rows_device(const GroupRows *rows)
{
	return (DeviceFirstRows) {
		.refs = rows->refs.ptr,.bounds = rows->bounds.ptr,.entries = rows->entries.ptr,
			.top = rows->top.ptr,.room = rows->room
	};
}

/* For each slot, that it has none. */
static EngineStatus
make_slots(RunCore *run, uint64_t capacity, GroupRows *rows)
{
	uint64_t	size = capacity * (uint64_t) run->layouts[0].nfirst * sizeof(uint32_t);
	EngineStatus status = run_alloc(run, size, &rows->refs);

	if (status == ENGINE_OK)
		status = run_alloc(run, capacity * sizeof(uint64_t), &rows->bounds);
	if (status == ENGINE_OK)
		status = fill(run, &rows->refs, 0xff);
	return status == ENGINE_OK ? fill(run, &rows->bounds, 0xff) : status;
}

/* No entries yet, and room for so many. */
static EngineStatus
make_entries(RunCore *run, uint64_t room, GroupRows *rows)
{
	uint64_t	size = room * (uint64_t) run->layouts[0].first_words * sizeof(uint64_t);
	EngineStatus status;

	if (room > MOST_ENTRIES)
		return run_fail(run, ENGINE_NO_MEMORY, "first rows of groups take too much memory");
	status = run_alloc(run, size, &rows->entries);
	rows->room = room;
	return status == ENGINE_OK ? fill(run, &rows->top, 0) : status;
}

static EngineStatus
open_rows(RunCore *run, uint64_t capacity, uint64_t passed, GroupRows *rows)
{
	uint64_t	room = 2 * capacity * (uint64_t) run->layouts[0].nfirst;
	EngineStatus status = run_alloc(run, sizeof(uint64_t), &rows->top);

	if (room > passed)
		room = passed;
	if (room < passed / ROWS_SHARE)
		room = passed / ROWS_SHARE;
	if (room < MIN_ENTRIES)
		room = MIN_ENTRIES;
	if (status == ENGINE_OK)
		status = make_slots(run, capacity, rows);
	return status == ENGINE_OK ? make_entries(run, room, rows) : status;
}

/* Copy the entries in use to where there is so much room; *used: how many there are. */
static EngineStatus
copy_entries(RunCore *run, const Kernels *kernels, uint64_t capacity, uint64_t room,
			 GroupRows *rows, uint64_t *used)
{
	char	   *result = (char *) run->results.data + COUNTERS_OF_TABLE;
	DeviceBuffer old = rows->entries;
	FirstRowsArgs args;
	EngineStatus status;

	memset(&args, 0, sizeof(args));
	args.old = group_rows_device(rows);
	args.capacity = capacity;
	rows->entries = (DeviceBuffer) {0};
	status = make_entries(run, room, rows);
	args.first = group_rows_device(rows);
	if (status == ENGINE_OK)
		status = kernels_launch(run, kernels->group_rows_copy,
								capacity * (uint64_t) run->layouts[0].nfirst, COPY_THREADS, 0, &args);
	if (status == ENGINE_OK)
		status = run_wait(run, run->device_ops->download(run->device, run->work, result,
														 rows->top.ptr, sizeof(uint64_t)),
						  "could not read how many first rows there are");
	if (status == ENGINE_OK)
		*used = *(const uint64_t *) result;
	run_free(run, &old);
	return status;
}

static EngineStatus
make_room(RunCore *run, const Kernels *kernels, uint64_t capacity, GroupRows *rows)
{
	uint64_t	room = rows->room;
	uint64_t	used = 0;
	EngineStatus status = copy_entries(run, kernels, capacity, room, rows, &used);

	if (status == ENGINE_OK && room < used * MORE_ROOM)
		status = copy_entries(run, kernels, capacity, used * MORE_ROOM, rows, &used);
	return status;
}

EngineStatus
group_rows_add(RunCore *run, const Kernels *kernels, GroupRows *rows, uint64_t capacity,
			   FirstRowsArgs *args, uint64_t passed, bool again)
{
	EngineStatus status = ENGINE_OK;

	if (rows->room == 0)
		status = open_rows(run, capacity, passed, rows);
	else if (again)
		status = make_room(run, kernels, capacity, rows);
	if (status != ENGINE_OK)
		return status;
	args->first = group_rows_device(rows);
	args->capacity = capacity;
	return kernels_launch(run, kernels->group_rows_take, args->rows.batch.nrows,
						  kernels->row_threads, 0, args);
}

EngineStatus
group_rows_move(RunCore *run, const Kernels *kernels, GroupRows *rows, uint64_t old_capacity,
				uint64_t capacity, DevicePtr moved)
{
	GroupRows	old = *rows;
	FirstRowsArgs args;
	EngineStatus status;

	memset(&args, 0, sizeof(args));
	args.old = group_rows_device(rows);
	args.moved = moved;
	args.capacity = old_capacity;
	rows->refs = rows->bounds = (DeviceBuffer) {0};
	status = make_slots(run, capacity, rows);
	args.first = group_rows_device(rows);
	if (status == ENGINE_OK)
		status = kernels_launch(run, kernels->group_rows_move, old_capacity, COPY_THREADS, 0, &args);
	run_free(run, &old.refs);
	run_free(run, &old.bounds);
	return status;
}

void
group_rows_close(RunCore *run, GroupRows *rows)
{
	run_free(run, &rows->refs);
	run_free(run, &rows->bounds);
	run_free(run, &rows->entries);
	run_free(run, &rows->top);
}
