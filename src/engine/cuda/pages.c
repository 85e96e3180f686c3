#include "engine/cuda/run.h"
EngineStatus pages_open(CudaRun *run) { return run_fail(run, ENGINE_FAILED, "x"); }
EngineStatus pages_take(CudaRun *run, const PageRef *p, int n) {(void)p;(void)n; return run_fail(run, ENGINE_FAILED, "x"); }
EngineStatus pages_upload(CudaRun *run, InputBuffer *b) {(void)b; return run_fail(run, ENGINE_FAILED, "x"); }
EngineStatus pages_deform(CudaRun *run, InputBuffer *b) {(void)b; return run_fail(run, ENGINE_FAILED, "x"); }
