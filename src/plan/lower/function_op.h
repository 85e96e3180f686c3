/*
 * function_op.h
 *	  From functions of pg_proc to operations.
 */
#ifndef GPUAGG_FUNCTION_OP_H
#define GPUAGG_FUNCTION_OP_H

/* The operation (OpCode) that a function lowers to, or -1. */
extern int	function_op(Oid function);

#endif							/* GPUAGG_FUNCTION_OP_H */
