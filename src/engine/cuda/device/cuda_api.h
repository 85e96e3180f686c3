/*
 * cuda_api.h
 *	  The CUDA driver and NVRTC, loaded at run time.
 *
 * What is used of the two libraries is declared here, so neither their headers
 * are needed to build nor the libraries to load the module.  Functions are
 * looked up under the versioned names that the driver keeps for good.
 *
 * None of this may be called in the postmaster: CUDA does not survive fork(),
 * so a child of a process that has initialised it can never use it.  The caller
 * sees to that; cuda_driver refuses to work in such a child.
 *
 * CUDA starts threads of its own, which inherit the mask of signals of who
 * starts them.  They must not take PostgreSQL's signals, so whatever may start
 * one goes between cuda_block_signals and cuda_restore_signals.
 */
#ifndef GPUAGG_CUDA_API_H
#define GPUAGG_CUDA_API_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

#define CUDA_SUCCESS 0
#define CUDA_ERROR_OUT_OF_MEMORY 2
#define CUDA_ERROR_NOT_READY 600
#define CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED 712
#define CU_STREAM_NON_BLOCKING 1
#define CU_EVENT_DEFAULT 0
#define CU_MEMHOSTALLOC_PORTABLE 1
#define CU_MEMHOSTALLOC_DEVICEMAP 2
#define CU_MEMHOSTREGISTER_PORTABLE 1
#define CU_MEMHOSTREGISTER_DEVICEMAP 2
#define CU_MEMHOSTREGISTER_READ_ONLY 8
#define CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT 16
#define CU_DEVICE_ATTRIBUTE_COMPUTE_MODE 20
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR 75
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR 76
#define CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN 97
#define CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK 0
#define CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES 1
#define CU_FUNC_ATTRIBUTE_NUM_REGS 4
#define CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES 8
#define CU_COMPUTEMODE_PROHIBITED 2
#define CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED 3

/* F(member, symbol, parameters): all return a CUresult. */
#define CUDA_DRIVER_FUNCTIONS(F) \
	F(init, "cuInit", (unsigned int flags)) \
	F(driver_version, "cuDriverGetVersion", (int *version)) \
	F(error_name, "cuGetErrorName", (CUresult error, const char **name)) \
	F(error_string, "cuGetErrorString", (CUresult error, const char **text)) \
	F(device_count, "cuDeviceGetCount", (int *count)) \
	F(device_get, "cuDeviceGet", (CUdevice *device, int index)) \
	F(device_name, "cuDeviceGetName", (char *name, int len, CUdevice device)) \
	F(device_memory, "cuDeviceTotalMem_v2", (size_t *bytes, CUdevice device)) \
	F(device_attribute, "cuDeviceGetAttribute", \
	  (int *value, int attribute, CUdevice device)) \
	F(context_retain, "cuDevicePrimaryCtxRetain", \
	  (CUcontext *context, CUdevice device)) \
	F(context_release, "cuDevicePrimaryCtxRelease_v2", (CUdevice device)) \
	F(context_set, "cuCtxSetCurrent", (CUcontext context)) \
	F(mem_alloc, "cuMemAlloc_v2", (CUdeviceptr *ptr, size_t size)) \
	F(mem_free, "cuMemFree_v2", (CUdeviceptr ptr)) \
	F(mem_info, "cuMemGetInfo_v2", (size_t *free, size_t *total)) \
	F(host_alloc, "cuMemHostAlloc", \
	  (void **ptr, size_t size, unsigned int flags)) \
	F(host_free, "cuMemFreeHost", (void *ptr)) \
	F(host_register, "cuMemHostRegister_v2", \
	  (void *ptr, size_t size, unsigned int flags)) \
	F(host_unregister, "cuMemHostUnregister", (void *ptr)) \
	F(host_pointer, "cuMemHostGetDevicePointer_v2", \
	  (CUdeviceptr *ptr, void *host, unsigned int flags)) \
	F(stream_create, "cuStreamCreate", (CUstream *stream, unsigned int flags)) \
	F(stream_destroy, "cuStreamDestroy_v2", (CUstream stream)) \
	F(stream_wait, "cuStreamSynchronize", (CUstream stream)) \
	F(stream_wait_event, "cuStreamWaitEvent", \
	  (CUstream stream, CUevent event, unsigned int flags)) \
	F(event_create, "cuEventCreate", (CUevent *event, unsigned int flags)) \
	F(event_destroy, "cuEventDestroy_v2", (CUevent event)) \
	F(event_record, "cuEventRecord", (CUevent event, CUstream stream)) \
	F(event_query, "cuEventQuery", (CUevent event)) \
	F(event_elapsed, "cuEventElapsedTime", \
	  (float *ms, CUevent from, CUevent to)) \
	F(upload, "cuMemcpyHtoDAsync_v2", \
	  (CUdeviceptr to, const void *from, size_t size, CUstream stream)) \
	F(download, "cuMemcpyDtoHAsync_v2", \
	  (void *to, CUdeviceptr from, size_t size, CUstream stream)) \
	F(fill, "cuMemsetD8Async", \
	  (CUdeviceptr ptr, unsigned char byte, size_t size, CUstream stream)) \
	F(copy_peer, "cuMemcpyPeerAsync", \
	  (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, \
	   size_t size, CUstream stream)) \
	F(peer_attribute, "cuDeviceGetP2PAttribute", \
	  (int *value, int attribute, CUdevice device, CUdevice other)) \
	F(peer_enable, "cuCtxEnablePeerAccess", (CUcontext other, unsigned int flags)) \
	F(module_load, "cuModuleLoadData", (CUmodule *module, const void *image)) \
	F(module_unload, "cuModuleUnload", (CUmodule module)) \
	F(module_function, "cuModuleGetFunction", \
	  (CUfunction *function, CUmodule module, const char *name)) \
	F(function_attribute, "cuFuncGetAttribute", \
	  (int *value, int attribute, CUfunction function)) \
	F(function_set_attribute, "cuFuncSetAttribute", \
	  (CUfunction function, int attribute, int value)) \
	F(launch, "cuLaunchKernel", \
	  (CUfunction function, unsigned int grid_x, unsigned int grid_y, \
	   unsigned int grid_z, unsigned int block_x, unsigned int block_y, \
	   unsigned int block_z, unsigned int shared, CUstream stream, \
	   void **params, void **extra))

typedef int nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;

#define NVRTC_SUCCESS 0
#define NVRTC_ERROR_OUT_OF_MEMORY 1
#define NVRTC_ERROR_COMPILATION 6

/* F(member, symbol, parameters): all return an nvrtcResult. */
#define CUDA_COMPILER_FUNCTIONS(F) \
	F(version, "nvrtcVersion", (int *major, int *minor)) \
	F(narchs, "nvrtcGetNumSupportedArchs", (int *count)) \
	F(archs, "nvrtcGetSupportedArchs", (int *archs)) \
	F(create, "nvrtcCreateProgram", \
	  (nvrtcProgram *program, const char *text, const char *name, \
	   int nheaders, const char *const *headers, const char *const *names)) \
	F(destroy, "nvrtcDestroyProgram", (nvrtcProgram *program)) \
	F(compile, "nvrtcCompileProgram", \
	  (nvrtcProgram program, int noptions, const char *const *options)) \
	F(log_size, "nvrtcGetProgramLogSize", (nvrtcProgram program, size_t *size)) \
	F(log, "nvrtcGetProgramLog", (nvrtcProgram program, char *log)) \
	F(ptx_size, "nvrtcGetPTXSize", (nvrtcProgram program, size_t *size)) \
	F(ptx, "nvrtcGetPTX", (nvrtcProgram program, char *ptx)) \
	F(cubin_size, "nvrtcGetCUBINSize", (nvrtcProgram program, size_t *size)) \
	F(cubin, "nvrtcGetCUBIN", (nvrtcProgram program, char *cubin))

#define CUDA_MEMBER(member, symbol, parameters) int (*member) parameters;

typedef struct CudaDriver
{
	CUDA_DRIVER_FUNCTIONS(CUDA_MEMBER)
	int			version;		/* 13000 is 13.0 */
} CudaDriver;

typedef struct CudaCompiler
{
	CUDA_COMPILER_FUNCTIONS(CUDA_MEMBER)
	const char *(*error_string) (nvrtcResult result);
	int			release;		/* 13000 is 13.0 */
} CudaCompiler;

/*
 * The driver, initialised; NULL with the reason in why.  A success is
 * remembered, a failure tried again: a driver may be loaded later.
 */
extern const CudaDriver *cuda_driver(char *why, size_t len);

/*
 * NVRTC; NULL with the reason in why.  driver: the driver's version, whose
 * major number NVRTC's must not exceed for the driver to take its output; 0:
 * any.  Remembered likewise.
 */
extern const CudaCompiler *cuda_compiler(int driver, char *why, size_t len);

/*
 * Does the error leave its context unusable, by what the driver's documentation says of it?
 */
extern bool cuda_error_is_sticky(CUresult error);

/*
 * Is a device to be opened again after this result?  While other processes open one, the driver
 * may say that there is no memory.  Sleeps before it says so.  pauses: how often it has, 0 first.
 */
extern bool cuda_opens_again(CUresult error, int *pauses);

/* "what: CUDA_ERROR_X (its meaning)" */
extern void cuda_error_text(const CudaDriver *driver, const char *what,
							CUresult error, char *text, size_t len);

/* Block all signals of the thread; the old mask goes to old. */
extern void cuda_block_signals(sigset_t *old);
extern void cuda_restore_signals(const sigset_t *old);

#endif							/* GPUAGG_CUDA_API_H */
