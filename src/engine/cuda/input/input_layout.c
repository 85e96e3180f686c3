/*
 * input_layout.c
 *	  How large input buffers are, and what lies where in their stages.
 *
 * A stage for pages holds those that are copied, then a DevicePage for each, then the
 * lists of visible line pointers of those pages that need one.  A stage for column batches
 * has the layout of the device's columns, then texts.  Where the Program reads pages
 * one stage serves for both, and then holds fewer rows of batches than the device's
 * columns do.
 */
#include "engine/cuda/input/input_layout.h"
#include "engine/cuda/kernels/kernel_args.h"
#include "engine/engine.h"
#include "engine/stripe.h"
#include "program/heap_page.h"

/* Columns of one input buffer take no more than that share of the limit. */
#define MEMORY_SHARE 8
#define COLUMN_BYTES (UINT64_C(64) << 20)

/* Rows are counted by 256, so that columns of any type are aligned. */
#define ROWS_ALIGN 256

/* 16 MB of pages take a PCIe 5 x16 link 0.3 ms, at 55 GB/s. */
#define PAGES_PER_BUFFER 2048
#define PAGES_MIN_PER_BUFFER 64	/* a call's pages may go to several buffers */

/* The most tuples of a page: each takes a line pointer and an aligned header. */
#define PAGE_MAX_LINES ((HEAP_PAGE_SIZE - HEAP_PAGE_LINES) / \
						(HEAP_LINE_SIZE + HEAP_TUPLE_BITS + 1))

/*
 * Rows of a buffer for column batches only, and bytes of a row's texts.  Not measured:
 * 128 K rows of 16 bytes are 2 MB, 40 us on the link.
 */
#define COLUMNS_ROWS (128 * 1024)
#define COLUMNS_MIN_ROWS 1024
#define COLUMNS_ROW_TEXTS 128

/*
 * An expectation of rows may be wrong: a table of many rows by buffers of so few takes
 * some microseconds a buffer more.
 */
#define COLUMNS_EXPECTED_MIN (16 * 1024)

/* Rows whose columns are of a good size for the memory there is. */
static uint64_t
rows_for_memory(uint32_t row_bytes, uint64_t memory_limit)
{
	uint64_t	bytes = memory_limit / MEMORY_SHARE;

	if (bytes > COLUMN_BYTES)
		bytes = COLUMN_BYTES;
	return bytes / (row_bytes + 8); /* and in two lists */
}

static bool
has_text(const Program *program)
{
	for (int i = 0; i < program->ncolumns; i++)
		if (program_columns(program)[i].type == VT_TEXT)
			return true;
	return false;
}

/* Half of what is expected, so that there are two buffers; most, if that is unknown. */
static uint32_t
half_of_expected(double expected, uint32_t least, uint32_t most)
{
	if (expected <= 0 || expected / 2 >= most)
		return most;
	return expected / 2 <= least ? least : (uint32_t) (expected / 2) + 1;
}

/* Pages of a buffer at least: one that is to keep a table's columns takes a stripe at once. */
static uint32_t
least_pages(const EngineHints *hints)
{
	uint32_t	least = PAGES_MIN_PER_BUFFER;

	for (int i = 0; i < hints->ntables; i++)
		if (least < hints->tables[i].nblocks)
			least = hints->tables[i].nblocks;
	return least < STRIPE_MAX_BLOCKS ? least : STRIPE_MAX_BLOCKS;
}

static void
layout_for_pages(uint64_t rows, const EngineHints *hints, InputLayout *input)
{
	input->pages = half_of_expected(hints->pages, least_pages(hints), PAGES_PER_BUFFER);
	if (rows < (uint64_t) input->pages * PAGE_MAX_LINES)
		input->pages = (uint32_t) (rows / PAGE_MAX_LINES);
	if (input->pages < PAGES_MIN_PER_BUFFER)
		input->pages = PAGES_MIN_PER_BUFFER;
	input->rows = (input->pages * PAGE_MAX_LINES + ROWS_ALIGN - 1) / ROWS_ALIGN * ROWS_ALIGN;
	input->bytes = (uint32_t) (input_lines_place(input) + input->rows * sizeof(uint16_t));
	/* half of what holds pages, the rest is for texts */
	input->batch_rows = input->rows < COLUMNS_ROWS ? input->rows : COLUMNS_ROWS;
	if ((uint64_t) input->batch_rows * input->row_bytes > input->bytes / 2)
		input->batch_rows = input->bytes / 2 / input->row_bytes / 16 * 16;	/* aligned */
	input->stage = input_copied_place(input) + input->pages * sizeof(uint64_t);
	input->text = (uint32_t) (input->bytes - input_texts_place(input));
}

static void
layout_for_columns(const Program *program, uint64_t rows, const EngineHints *hints,
				   InputLayout *input)
{
	uint32_t	expected = half_of_expected(hints->rows, COLUMNS_EXPECTED_MIN, COLUMNS_ROWS);

	rows = rows / ROWS_ALIGN * ROWS_ALIGN;
	input->rows = (expected + ROWS_ALIGN - 1) / ROWS_ALIGN * ROWS_ALIGN;
	if (rows < input->rows)
		input->rows = rows < COLUMNS_MIN_ROWS ? COLUMNS_MIN_ROWS : (uint32_t) rows;
	input->batch_rows = input->rows;
	input->bytes = has_text(program) ? input->rows * COLUMNS_ROW_TEXTS : 0;
	input->stage = input_texts_place(input) + input->bytes;
	input->text = input->bytes;
}

void
input_layout(const Program *program, const KernelLayout *layout, const EngineHints *hints,
			 uint64_t memory_limit, InputLayout *input)
{
	bool		texts = program->source != SOURCE_PAGES && has_text(program);
	uint64_t	rows = rows_for_memory(layout->row_bytes + (texts ? COLUMNS_ROW_TEXTS : 0),
									  memory_limit);

	*input = (InputLayout) {.row_bytes = layout->row_bytes};
	if (program->source == SOURCE_PAGES)
		layout_for_pages(rows, hints, input);
	else
		layout_for_columns(program, rows, hints, input);
}

uint64_t
input_layout_memory(const Program *program, const InputLayout *input)
{
	uint64_t	row = input->row_bytes;

	if (program->nkeys > 0)
		row += 2 * sizeof(uint32_t);
	if (program_leaves_rows(program))
		row++;
	return input->bytes + input->rows * row;
}

uint32_t
input_page_lines(void)
{
	return PAGE_MAX_LINES;
}

size_t
input_infos_place(const InputLayout *input)
{
	return (size_t) input->pages * HEAP_PAGE_SIZE;
}

size_t
input_lines_place(const InputLayout *input)
{
	/* what follows has members of 8 bytes */
	return input_infos_place(input) + (input->pages * sizeof(DevicePage) + 7) / 8 * 8;
}

size_t
input_in_place_place(const InputLayout *input)
{
	return input_lines_place(input) + input->rows * sizeof(uint16_t);
}

size_t
input_copied_place(const InputLayout *input)
{
	return input_in_place_place(input) + input->pages * sizeof(uint64_t);
}

size_t
input_texts_place(const InputLayout *input)
{
	return (size_t) input->batch_rows * input->row_bytes;
}
