/*
 * coded.h
 *	  A Program whose texts that are keys are codes.
 */
#ifndef GPUAGG_CODED_H
#define GPUAGG_CODED_H

#include "program/program.h"

/*
 * Write a copy of a Program with codes in the place of columns of texts that are keys and
 * nothing else, into room for as many bytes.  False: there are no such columns.
 *
 * The copy is for kernels alone.  A code is an INT4, and its column is `coded`: equal texts
 * have equal codes, and what a group's key is is looked up when the group leaves.
 */
extern bool coded_make(const Program *program, Program *coded);

#endif							/* GPUAGG_CODED_H */
