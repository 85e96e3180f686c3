/*
 * interpret.cuh
 *	  The interpreter's kernel over rows: one for all tasks and strategies, so that
 *	  the code of all operations is there once.
 *
 * Equal keys of a warp are merged first, as by `peers`, and those of a block in states of its
 * own, since plain atomics on few groups are slow.
 */
#ifndef GPUAGG_INTERPRET_CUH
#define GPUAGG_INTERPRET_CUH

KERNEL_BOUNDS(interpret, AggregateArgs, args, INTERPRET_THREADS, 6)
{
	KERNEL_BEGIN(&args.table);
	constants_load(&args);
	switch (args.task)
	{
		case TASK_SAMPLE:
			sample_rows(&args);
			break;
		case TASK_EXPONENTS:
			find_exponents(&args);
			break;
		case TASK_VALUES_AGAIN:
			take_values_again(&args);
			break;
		case TASK_ANSWERS:
			rows_answer(&args);
			break;
		default:
			if (NKEYS == 0)
				aggregate_reduce(&args);
			else
			{
				block_states_begin();
				aggregate_peers(&args);
				block_states_end(&args);
			}
			break;
	}
}

#endif							/* GPUAGG_INTERPRET_CUH */
