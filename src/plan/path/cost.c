/*
 * cost.c
 *	  The planner's cost of a GpuAgg node.
 *
 * A cost unit of PostgreSQL's is about 4 microseconds of CPU time where its own
 * aggregation over a table in memory is concerned (bench/crossover measures
 * it).  The constants below are an engine's measured times in that unit, so
 * that the comparison with PostgreSQL's estimate of its own plan is one of
 * like with like.  Reading a page costs what it costs PostgreSQL: both do it.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "guc.h"
#include "plan/path/cost.h"

typedef struct EngineCosts
{
	const char *engine;
	double		setup;			/* one run */
	double		cold;			/* a process's first run, beyond that */
	double		page;			/* one heap page */
	double		tuple;			/* one row into columns, and to its group */
	double		operator;		/* one operation or accumulator on one row */
	double		group;			/* one group, its table's growth included */
} EngineCosts;

static const EngineCosts engine_costs[] = {
	{"cpu", 30, 0, 0.02, 0.002, 0.00015, 0.02},
	{"cuda", 2500, 50000, 0.15, 0.00002, 0, 0.02},
	{"simt", 2500, 50000, 10, 10, 10, 10},
};

static EngineCosts
costs_of(const EngineOps *engine)
{
	EngineCosts costs = engine_costs[0];

	for (size_t i = 0; i < lengthof(engine_costs); i++)
		if (strcmp(engine_costs[i].engine, engine->name) == 0)
			costs = engine_costs[i];
	if (engine->warm && !engine->warm())
		costs.setup += costs.cold;
	if (gpuagg_setup_cost >= 0)
		costs.setup = gpuagg_setup_cost;
	if (gpuagg_page_cost >= 0)
		costs.page = gpuagg_page_cost;
	if (gpuagg_tuple_cost >= 0)
		costs.tuple = gpuagg_tuple_cost;
	if (gpuagg_operator_cost >= 0)
		costs.operator = gpuagg_operator_cost;
	if (gpuagg_group_cost >= 0)
		costs.group = gpuagg_group_cost;
	return costs;
}

Cost
cost_setup(const EngineOps *engine)
{
	return costs_of(engine).setup;
}

Cost
cost_startup(const CostInput *in)
{
	EngineCosts costs = costs_of(in->engine);
	const Program *p = in->program;
	Cost		cost = costs.setup + in->input_cost;

	cost += in->pages * costs.page;
	cost += in->rows * (costs.tuple + p->ninsns * costs.operator);
	cost += in->rows_passed * (p->nkeys + p->naccs) * costs.operator;
	cost += (in->groups + in->regrouped) * costs.group;

	/* a child plan's tuples are taken apart one by one */
	if (in->pages == 0)
		cost += in->rows * cpu_tuple_cost * 0.25;
	return cost;
}
