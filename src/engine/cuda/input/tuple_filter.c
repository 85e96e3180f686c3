/*
 * tuple_filter.c
 *	  Which tuples a device need not read of pages in the host's memory, and whether that
 *	  pays.
 *
 * A tuple need not be read if one column's value there lets no row pass the filter
 * (filter_condition).  The value can be tested where its place in the tuple is known: all
 * attributes before it have a fixed length, and few enough that the tuple's bitmap tells by
 * one more word whether one of them is NULL.  The rows stay rows: their columns are made such
 * that the filter refuses them (deform.cuh), so all that follows is as for any other row that
 * does not pass.
 *
 * If the Program hides rows, tuples are not tested: how many of them a condition refuses, and how
 * long it takes to read the others, would tell of values that the user may not see.
 *
 * Whether it pays depends on how much of a page is not read.  A link moves whole pages faster
 * than single sectors of 32 bytes: bench/results/h200-kernels.md.
 */
#include "engine/cuda/input/tuple_filter.h"
#include "program/filter_range.h"
#include "program/heap_page.h"

/*
 * Bytes of whole pages that the link moves in the time of one sector, with as many sectors as
 * tuples at multiples of 8 bytes touch: from the above, 45 to 60 with 55 and 136 tuples a page,
 * up to 85 with 18, which pay anyway.
 */
#define SECTOR_BYTES 55

/* Of each page its header and line pointers, for few tuples. */
#define PAGE_SECTORS 3

/* Tuples are copied with parts of sectors that are not theirs: by so many eighths more. */
#define COPY_EIGHTHS 9

/* It pays if it takes at most so many eighths of the time of whole pages. */
#define PAYS_EIGHTHS 7

/* Once in so many buffers tuples are tested though too many passed the last time. */
#define TEST_AGAIN 16

/* An attribute's place in the data of tuples with all attributes before it; -1: it varies. */
static int32_t
place_of(const Program *program, int16_t attno)
{
	const Attribute *attrs = program_attrs(program);
	uint32_t	place = 0;

	for (int i = 0; i < attno; i++)
	{
		if (attrs[i].len < 0)
			return -1;
		place = (place + attrs[i].align - 1) & ~(attrs[i].align - 1u);
		if (i < attno - 1)
			place += (uint32_t) attrs[i].len;
	}
	return place < HEAP_PAGE_SIZE ? (int32_t) place : -1;
}

/* A condition on that column; false: none that can be tested. */
static bool
make_condition(const Program *program, const ParamValue *params, int column,
			   GatherCondition *made, int64_t *refused)
{
	const Column *described = &program_columns(program)[column];
	int			width = value_type_size((ValueType) described->type);
	int32_t		place = place_of(program, described->attno);
	FilterCondition condition;

	if (place < 0 || described->attno > GATHER_ATTRIBUTES ||
		program_attrs(program)[described->attno - 1].len != width || place % width != 0 ||
		!filter_condition(program, params, column, &condition))
		return false;
	*made = (GatherCondition)
	{
		.least = condition.least,.most = condition.most,.place = (uint16_t) place,
			.att = (uint8_t) (described->attno - 1),.width = (uint8_t) width,
			.inside = condition.inside,.refuses_nulls = condition.refuses_nulls
	};
	*refused = condition.refused;
	return true;
}

/* The words that are read: the header's, then those of conditions in the order of places. */
static uint32_t
quarters_of_sectors(const TupleFilter *filter)
{
	uint32_t	quarters = 4;
	uint32_t	last = 0;		/* in words behind the header's */

	for (uint32_t i = 0; i < filter->n; i++)
	{
		uint32_t	word = filter->conditions[i].place / 8 + 1;

		/* a sector begins at one of four words, each as likely */
		quarters += word - last < 4 ? word - last : 4;
		last = word;
	}
	return quarters;
}

void
tuple_filter_find(const Program *program, const ParamValue *params, TupleFilter *filter)
{
	const Column *columns = program_columns(program);

	if (program->source != SOURCE_PAGES || program->filter < 0 || program->hides_rows)
		return;
	for (int16_t attno = 1; attno <= GATHER_ATTRIBUTES && attno <= program->nattrs; attno++)
	{
		if (place_of(program, attno) < 0)
			break;
		for (int i = 0; i < program->ncolumns && filter->n < GATHER_CONDITIONS; i++)
		{
			int64_t		refused;

			if (columns[i].attno != attno ||
				!make_condition(program, params, i, &filter->conditions[filter->n], &refused))
				continue;
			if (filter->n++ == 0)
			{
				filter->refused_column = (uint32_t) i;
				filter->refused = refused;
			}
		}
	}
	filter->sectors = quarters_of_sectors(filter);
}

/* Does it pay with so many tuples a page, of which that share is copied? */
static bool
pays(const TupleFilter *filter, double tuples, double copied)
{
	double		tests = (PAGE_SECTORS + tuples * filter->sectors / 4) * SECTOR_BYTES;
	double		copies = copied * HEAP_PAGE_SIZE * COPY_EIGHTHS / 8;

	return tests + copies <= (double) HEAP_PAGE_SIZE * PAYS_EIGHTHS / 8;
}

bool
tuple_filter_pays(TupleFilter *filter, const PageRef *pages, uint32_t n)
{
	uint64_t	tuples = 0;

	if (filter->n == 0 || n == 0)
		return false;
	for (uint32_t i = 0; i < n; i++)
		tuples += pages[i].nlines;
	if (pays(filter, (double) tuples / n, filter->copied))
		return true;
	if (++filter->untested < TEST_AGAIN)
		return false;
	filter->untested = 0;
	return pays(filter, (double) tuples / n, 0);
}

void
tuple_filter_learn(TupleFilter *filter, uint32_t tested, uint32_t refused)
{
	filter->copied = (double) (tested - refused) / tested;
	filter->untested = 0;
}

void
tuple_filter_tell(const TupleFilter *filter, GatherTuplesArgs *args)
{
	args->nconditions = filter->n;
	for (uint32_t i = 0; i < filter->n; i++)
		args->conditions[i] = filter->conditions[i];
}
