/*
 * text.h
 *	  A growing string, for kernel text.
 */
#ifndef GPUAGG_TEXT_H
#define GPUAGG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Begins as zeros.  failed: memory ran out; data is what fitted. */
typedef struct Text
{
	char	   *data;			/* malloc'd, zero-terminated; NULL if empty */
	size_t		length;
	size_t		size;
	bool		failed;
} Text;

extern void text_append(Text *text, const char *format, ...)
			__attribute__((format(printf, 2, 3)));
extern void text_free(Text *text);

#endif							/* GPUAGG_TEXT_H */
