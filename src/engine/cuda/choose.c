#include "engine/cuda/run.h"
uint32_t block_table_size(const KernelLayout *layout, uint32_t slots, uint32_t replicas)
{ (void)layout;(void)slots;(void)replicas; return 0; }
EngineStatus choose(CudaRun *run, const RowBatch *batch)
{
	EngineStatus status;
	(void) batch;
	run->choice.strategy = run->program->nkeys ? STRATEGY_ATOMIC : STRATEGY_REDUCE;
	run->choice.table = TABLE_HASH;
	status = kernels_load(run, &run->choice, PART_AGGREGATE, &run->kernels);
	if (status == ENGINE_OK) status = device_table_create(run, 0);
	run->chosen = true;
	return status;
}
