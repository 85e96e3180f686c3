/*
 * cuda_engine.h
 *	  The CUDA engine, on a GPU and on the simulated device.
 */
#ifndef GPUAGG_CUDA_ENGINE_H
#define GPUAGG_CUDA_ENGINE_H

#include <stddef.h>

#include "engine/cuda/device/device.h"
#include "engine/cuda/kept/kept_info.h"
#include "engine/engine.h"

extern const EngineOps cuda_engine;
extern const EngineCosts cuda_costs;
extern const EngineOps simt_engine;
extern const EngineCosts simt_costs;

/*
 * At first, and when it changes: use those devices only whose bits are set, device 0 the lowest,
 * and leave out these, unless no other one is there.
 */
extern void cuda_engine_use(uint64_t devices, uint64_t left_out);

/*
 * In a process that serves many runs at once, before the first of them: how much memory
 * of each device all of them may have together, 0: 80 % of what is free; and memory of the
 * process, of the given size, in which heap pages lie that kernels may read.
 */
extern void cuda_engine_serve(uint64_t memory, const void *pages, size_t size);

/*
 * In such a process: tell of each call that the device has not done for a run
 * (ENGINE_FAILED, or ENGINE_NO_MEMORY), and of its end (ENGINE_LOST).
 */
extern void cuda_engine_report_to(void (*report) (EngineStatus status, const char *message));

/*
 * In such a process, now and then: compile the kernels that runs have asked for while too
 * many compilers worked, and keep those on disk that no run has waited for.  Are more still
 * to be compiled?
 */
extern bool cuda_engine_keep_kernels(void);

/*
 * Columns of tables that are kept in device memory (kept/kept_columns.h): at most so many bytes of
 * each device's, or KEPT_SHARE.  At any time; at first none are.
 */
extern void cuda_engine_keep_columns(uint64_t limit);

/*
 * And in page-locked host memory at most so many bytes for each device, of what its memory has no
 * room for (kept/room.c).  At any time; at first none are.
 */
extern void cuda_engine_keep_columns_on_host(uint64_t limit);

/* Has there been no page-locked memory, so that no more is asked for?  Why. */
extern bool cuda_engine_host_memory_refused(char *why, size_t len);

/* The bytes of those that are kept now, in either memory. */
extern uint64_t cuda_engine_columns_size(void);

/* Evict all tables of look-ups that are kept beside them (kept/device_lookups.h). */
extern void cuda_engine_evict_lookups(void);

/*
 * Up to max of them; returns how many there are.  Those without blocks were kept until their
 * table's file was removed: a table that was rewritten is wanted again after a restart.
 */
extern uint32_t cuda_engine_columns(KeptInfo *infos, uint32_t max);

/*
 * Can one of several devices take the others' groups (EngineParts), as far as the Program tells?
 */
extern bool cuda_engine_merges(const Program *program);

/*
 * An estimate of how many blocks of the tables a device keeps those columns of that the Program
 * reads.
 */
extern uint64_t cuda_engine_blocks_kept(const DeviceOps *ops, int device, const Program *program,
										const TableState *tables, int ntables);

/*
 * Evict what is kept of a database's relation, of all of its relations (0), or of all
 * databases (0).  Runs that use it go on.
 */
extern void cuda_engine_evict_relation(uint32_t database, uint32_t relation);

/* Of a relation the columns of attributes whose bits are set, the lowest bit of byte 0 first. */
extern void cuda_engine_evict_attributes(uint32_t database, uint32_t relation,
										 const uint8_t *attributes);

/* What is kept of files that are gone; was there any? */
extern bool cuda_engine_evict_gone(bool (*is_gone) (const uint32_t *file));

#endif							/* GPUAGG_CUDA_ENGINE_H */
