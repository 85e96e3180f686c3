/*
 * make_program.c
 *	  Programs in PostgreSQL's memory.
 */
#include "postgres.h"

#include "plan/plan_info.h"
#include "program/program.h"

Program *
make_program(const ProgramBuilder *builder)
{
	Program    *program = palloc(program_size(builder));

	program_finish(builder, program);
	return program;
}

Program *
make_special_program(const Program *program, const Program *fine)
{
	ProgramBuilder *builder = palloc(sizeof(ProgramBuilder));
	Program    *result = NULL;

	if (program_admit_specials(program, fine, builder))
		result = make_program(builder);
	pfree(builder);
	return result;
}
