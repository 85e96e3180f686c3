/*
 * specials.h
 *	  From a Program to one that admits NaN and the infinities among numerics.
 */
#ifndef GPUAGG_SPECIALS_H
#define GPUAGG_SPECIALS_H

#include "program.h"

/*
 * Build the Program that gives what p gives and has numerics that are special in
 * its registers, with the same parameters.  If p merges groups (ACC_MERGED), fine is
 * the Program that has them, made to admit specials before; else NULL.  False:
 * there is none, since p admits them already, or has no numerics and no fine, or
 * since it would get too large.
 */
extern bool program_admit_specials(const Program *p, const Program *fine,
								   ProgramBuilder *b);

#endif							/* GPUAGG_SPECIALS_H */
