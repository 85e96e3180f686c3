/*
 * text.c
 *	  A growing string, for kernel text.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/codegen/text.h"

/* Make room for that many characters more and the final zero. */
static bool
text_reserve(Text *text, size_t length)
{
	size_t		size = text->size ? text->size : 4096;
	char	   *data;

	if (text->failed)
		return false;
	while (size < text->length + length + 1)
		size *= 2;
	if (size == text->size)
		return true;
	data = realloc(text->data, size);
	if (data == NULL)
	{
		text->failed = true;
		return false;
	}
	text->data = data;
	text->size = size;
	return true;
}

void
text_append(Text *text, const char *format, ...)
{
	va_list		args;
	int			length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0 || !text_reserve(text, (size_t) length))
		return;
	va_start(args, format);
	vsnprintf(text->data + text->length, (size_t) length + 1, format, args);
	va_end(args);
	text->length += (size_t) length;
}

void
text_free(Text *text)
{
	free(text->data);
	memset(text, 0, sizeof(*text));
}
