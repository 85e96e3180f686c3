/*
 * page_query.h
 *	  Pages for tests of runs in a device process, and a Program over them.
 *
 * Part of the one program that includes it.
 */
#ifndef PAGE_QUERY_H
#define PAGE_QUERY_H

#include <stdio.h>
#include <stdlib.h>

#include "page_writer.h"
#include "program/program.h"

#define QUERY_PAGES 1300

/* count(*), sum(int4) and max(text) by an int4, of pages. */
static inline Program *
pages_program(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			key;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_attr(b, -1, 4);
	key = program_add_column(b, 1, VT_INT4, false, -1);
	program_add_key(b, key);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_INT, key, -1);
	program_add_acc(b, ACC_MAX_TEXT, program_add_column(b, 2, VT_TEXT, true, -1), -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* A page of rows; some texts are NULL, on some pages one is compressed. */
static inline void
make_page(char *page, int number)
{
	TupleWriter tuple;
	int			row = 0;
	char		text[64];

	page_begin(page);
	do
	{
		int32_t		key = (number + row) % 97;
		int			len = sprintf(text, "text %d of %d", row, number);

		tuple_begin(&tuple);
		tuple_fixed(&tuple, &key, 4, 4);
		if (row % 7 == 3)
			tuple_null(&tuple);
		else if (row == 5 && number % 10 == 0)
		{
			uint32_t	compressed = 20 << 2 | 2;

			tuple_fixed(&tuple, &compressed, 4, 4);
			tuple.len += 16;
		}
		else
			tuple_text(&tuple, text, (uint32_t) len, row % 2 == 0);
		row++;
	} while (page_add(page, &tuple, HEAP_LINE_NORMAL));
}

/* Pages in memory of the caller's; of every third one, only every second tuple is visible. */
static inline const PageRef *
make_pages(char *memory, int npages)
{
	static PageRef refs[QUERY_PAGES];
	static uint16_t lines[QUERY_PAGES][512];

	for (int i = 0; i < npages; i++)
	{
		char	   *page = memory + (size_t) i * HEAP_PAGE_SIZE;

		make_page(page, i);
		refs[i] = (PageRef) {.page = page,.block = (uint32_t) i,.nlines = page_nlines(page)};
		if (i % 3 != 1)
			continue;
		refs[i].lines = lines[i];
		refs[i].nlines = 0;
		for (uint32_t line = 1; line <= page_nlines(page); line += 2)
			lines[i][refs[i].nlines++] = (uint16_t) line;
	}
	return refs;
}

#endif							/* PAGE_QUERY_H */
