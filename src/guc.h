/*
 * guc.h
 *	  The settings, gpuagg.*.
 */
#ifndef GPUAGG_GUC_H
#define GPUAGG_GUC_H

typedef enum GpuAggMode
{
	MODE_AUTO,					/* costs decide */
	MODE_OFF,
	MODE_FORCE					/* whatever can be taken is taken */
} GpuAggMode;

typedef enum GpuAggEngine
{
	CHOICE_AUTO,				/* cuda if a device answers and it costs less, else cpu */
#define CHOICE(id, name, hidden, ops) CHOICE_##id,
#include "engine/engines.def"
	NUM_CHOICES
} GpuAggEngine;

/* What parallel processes of the CPU engine divide among them. */
typedef enum ParallelDivision
{
	DIVISION_AUTO,				/* what costs less */
	DIVISION_ROWS,
	DIVISION_KEYS				/* the keys, where it can be done */
} ParallelDivision;

extern int	gpuagg_mode;
extern int	gpuagg_engine;
extern int	gpuagg_strategy;
extern int	gpuagg_parallel_division;
extern bool gpuagg_fallback;
extern double gpuagg_verify;	/* a share, 0 to 1 */
extern bool gpuagg_report_rejections;
extern int	gpuagg_memory_limit;	/* megabytes; 0: the engine's default */
extern int	gpuagg_queue_timeout;	/* milliseconds; -1: for ever */
extern int	gpuagg_device_timeout;	/* milliseconds */
extern uint64 gpuagg_used_devices;	/* gpuagg.devices: a bit each, device 0 the lowest */
extern int	gpuagg_max_device_memory;	/* megabytes of each, for all runs; 0: 80 % */
extern int	gpuagg_cache_size;	/* megabytes of it for columns that stay; 0: none; -1:
								 * a quarter of what all runs may have */
extern int	gpuagg_host_cache_size; /* megabytes of page-locked memory for columns that a
									 * device's has no room for, for each device */
extern int	gpuagg_cpu_cache_size;	/* megabytes for columns that the CPU engine keeps; -1: a share of shared_buffers */
extern bool gpuagg_prewarm_at_start;	/* what was kept when the server stopped */

/* Planner costs; negative: the engine's own (plan/path/cost.c). */
extern double gpuagg_setup_cost;
extern double gpuagg_page_cost;
extern double gpuagg_tuple_cost;
extern double gpuagg_operator_cost;
extern double gpuagg_group_cost;

/* The name of the strategy set, as engines know it. */
extern const char *gpuagg_strategy_name(void);

extern void guc_init(void);

#endif							/* GPUAGG_GUC_H */
