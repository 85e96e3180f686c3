/*
 * set_aside.h
 *	  Errors of what PostgreSQL might never have evaluated.
 */
#ifndef GPUAGG_SET_ASIDE_H
#define GPUAGG_SET_ASIDE_H

/*
 * Call a function, and set an error that it raises aside.  Returns 0, or the error's SQLSTATE;
 * what the function returns is in its argument, which an error leaves as it is then.
 * A cancel is the query's, and so is an error after which the transaction has to be tried again.
 *
 * subtransaction: could it leave anything behind when it fails?  Then it is called in one, of
 * which there can be none beside a parallel plan (IsInParallelMode).
 */
extern int	set_errors_aside(void (*function) (void *argument), void *argument,
							 bool subtransaction);

#endif							/* GPUAGG_SET_ASIDE_H */
