/*
 * time_format.h
 *	  What formats show of moments.
 */
#ifndef GPUAGG_TIME_FORMAT_H
#define GPUAGG_TIME_FORMAT_H

#include "nodes/primnodes.h"

/*
 * Of a call of to_char(): a timestamp that has few values, of which the same text can be made as of
 * the call's moment, with or without time zone.  It is truncated to the smallest unit that the
 * format shows, and of one day, if nothing of the date is shown.  NULL: there is none, for the format
 * shows smaller units than seconds, or what is not known here; or it is another function.
 *
 * With a format that is known, to_char() raises no error, whatever the moment.
 */
extern Expr *time_format_moment(Oid function, const List *args);

/* The expression, in which each call of to_char() that has one takes that moment; a copy. */
extern Node *time_formats_truncate(Node *node);

/* Is there such a call? */
extern bool time_formats_can_truncate(Node *node);

/*
 * Of a call that takes such a moment, what of it depends on the row: the truncated timestamp, or a
 * time; NULL: it takes another one.
 */
extern Node *time_format_input(const Node *node);

#endif							/* GPUAGG_TIME_FORMAT_H */
