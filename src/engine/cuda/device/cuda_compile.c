/*
 * cuda_compile.c
 *	  Kernel text to machine code by NVRTC.
 *
 * Results must be those of the other engines, hence -fmad=false: contracting a
 * multiplication and an addition would round once where PostgreSQL rounds twice.
 */
#include "engine/cuda/device/cuda_compile.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/kernels/kernel_text.h"

#define MAX_OPTIONS 64

/* CUDA 12.0: every NVRTC from there on knows --modify-stack-limit. */
#define STACK_OPTION_RELEASE 12000

static DeviceStatus
nvrtc_failed(const CudaCompiler *compiler, const char *what, nvrtcResult result,
			 char *message, size_t len)
{
	snprintf(message, len, "%s: %s", what, compiler->error_string(result));
	return result == NVRTC_ERROR_OUT_OF_MEMORY ? DEVICE_NO_MEMORY : DEVICE_REFUSED;
}

/*
 * The newest architecture up to arch that NVRTC compiles for; 0: none.
 */
static int
choose_arch(const CudaCompiler *compiler, int arch)
{
	int			best = 0;
	int			n = 0;
	int		   *archs;

	if (compiler->narchs(&n) != NVRTC_SUCCESS || n <= 0)
		return 0;
	archs = calloc((size_t) n, sizeof(int));
	if (archs && compiler->archs(archs) == NVRTC_SUCCESS)
		for (int i = 0; i < n; i++)
			if (archs[i] <= arch && archs[i] > best)
				best = archs[i];
	free(archs);
	return best;
}

static DeviceStatus
create_program(const CudaCompiler *compiler, const char *text,
			   nvrtcProgram *program, char *message, size_t len)
{
	size_t		n = (size_t) kernel_text_count;
	const char **headers = calloc(2 * n, sizeof(char *));
	nvrtcResult result;

	if (headers == NULL)
	{
		snprintf(message, len, "out of memory");
		return DEVICE_NO_MEMORY;
	}
	for (size_t i = 0; i < n; i++)
	{
		headers[i] = kernel_text[i].text;
		headers[n + i] = kernel_text[i].name;
	}
	result = compiler->create(program, text, "kernel.cu", (int) n, headers, headers + n);
	free(headers);
	if (result != NVRTC_SUCCESS)
		return nvrtc_failed(compiler, "nvrtcCreateProgram", result, message, len);
	return DEVICE_OK;
}

/* The log from its first error on, as much as fits. */
static void
first_error(const CudaCompiler *compiler, nvrtcProgram program,
			char *message, size_t len)
{
	size_t		size = 0;
	char	   *log = NULL;
	char	   *line;

	snprintf(message, len, "NVRTC failed without a message");
	if (compiler->log_size(program, &size) == NVRTC_SUCCESS && size > 1)
		log = calloc(1, size + 1);
	if (log && compiler->log(program, log) == NVRTC_SUCCESS)
	{
		line = strstr(log, "error");
		while (line && line > log && line[-1] != '\n')
			line--;
		snprintf(message, len, "%s", line ? line : log);
		message[strcspn(message, "\n")] = '\0';
	}
	free(log);
}

static DeviceStatus
compile_program(const CudaCompiler *compiler, nvrtcProgram program,
				const char *arch, const char *const *options,
				char *message, size_t len)
{
	const char *argv[MAX_OPTIONS];
	int			n = 0;
	nvrtcResult result;

	argv[n++] = arch;
	argv[n++] = "--std=c++17";
	argv[n++] = "-fmad=false";
	/* the limit is the whole process's, and a thread's stack is not its concern */
	if (compiler->release >= STACK_OPTION_RELEASE)
		argv[n++] = "--modify-stack-limit=false";
	for (; options && *options; options++)
	{
		if (n == MAX_OPTIONS)
		{
			snprintf(message, len, "too many compiler options");
			return DEVICE_REFUSED;
		}
		argv[n++] = *options;
	}
	result = compiler->compile(program, n, argv);
	if (result == NVRTC_SUCCESS)
		return DEVICE_OK;
	if (result != NVRTC_ERROR_COMPILATION)
		return nvrtc_failed(compiler, "nvrtcCompileProgram", result, message, len);
	first_error(compiler, program, message, len);
	return DEVICE_COMPILE;
}

/* The compiled program, cubin or PTX, into malloc'd memory. */
static DeviceStatus
get_image(const CudaCompiler *compiler, nvrtcProgram program, bool cubin,
		  void **image, size_t *size, char *message, size_t len)
{
	nvrtcResult result;

	result = cubin ? compiler->cubin_size(program, size) :
		compiler->ptx_size(program, size);
	if (result != NVRTC_SUCCESS)
		return nvrtc_failed(compiler, "size of the image", result, message, len);
	*image = malloc(*size);
	if (*image == NULL)
	{
		snprintf(message, len, "out of memory");
		return DEVICE_NO_MEMORY;
	}
	result = cubin ? compiler->cubin(program, *image) :
		compiler->ptx(program, *image);
	if (result == NVRTC_SUCCESS)
		return DEVICE_OK;
	free(*image);
	*image = NULL;
	return nvrtc_failed(compiler, "the image", result, message, len);
}

DeviceStatus
cuda_compile(const CudaCompiler *compiler, int arch, const char *text,
			 const char *const *options, void **image, size_t *size,
			 char *message, size_t len)
{
	int			known = choose_arch(compiler, arch);
	bool		cubin = known == arch;
	char		option[64];
	nvrtcProgram program = NULL;
	/* some versions change it */
	locale_t	locale = uselocale((locale_t) 0);
	DeviceStatus status;
	sigset_t	old;

	*image = NULL;
	*size = 0;
	if (known == 0)
	{
		snprintf(message, len, "NVRTC %d.%d does not compile for compute capability %d.%d",
				 compiler->release / 1000, compiler->release % 1000 / 10,
				 arch / 10, arch % 10);
		return DEVICE_REFUSED;
	}
	snprintf(option, sizeof(option), "--gpu-architecture=%s_%d",
			 cubin ? "sm" : "compute", known);
	cuda_block_signals(&old);
	status = create_program(compiler, text, &program, message, len);
	if (status == DEVICE_OK)
		status = compile_program(compiler, program, option, options, message, len);
	if (status == DEVICE_OK)
		status = get_image(compiler, program, cubin, image, size, message, len);
	if (program)
		compiler->destroy(&program);
	uselocale(locale);
	cuda_restore_signals(&old);
	return status;
}
