/*
 * main.c
 *	  What NVRTC's time goes to: kernels of queries, compiled again.
 *
 *		compile [--arch N] [--runs N] [--option OPTION]... FILE...
 *
 * A file is a kernel as a server keeps it (gpuagg_kernels/ below the data directory:
 * of the engine `simt`, too, which needs no GPU), or a kernel's text.  A line for each
 * says what it is, the bytes of its text and of its image, and in milliseconds the
 * median of the process's CPU time, and the phases of the last run as NVRTC tells
 * them, which are wall time.  Needs no GPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/cuda/device/cuda_compile.h"

#define MAX_RUNS 99
#define MAX_OPTIONS 16

/* The head of a file in gpuagg_kernels: kernel_disk.c. */
#define MAGIC "gpuagg kernel"
#define HEAD_SIZE 40
#define SOURCE_SIZE_AT 16

typedef struct Measured
{
	double		front_end;
	double		optimizer;
	double		ptxas;
	size_t		image;
	double		cpu[MAX_RUNS];
} Measured;

static double
cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static int
compare(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* A kernel's text, malloc'd; NULL: the file cannot be read. */
static char *
read_text(const char *path)
{
	FILE	   *file = fopen(path, "rb");
	char	   *content = NULL;
	char	   *text;
	uint64_t	size = 0;
	long		length;

	if (file == NULL)
		return NULL;
	if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0 &&
		(content = calloc(1, (size_t) length + HEAD_SIZE)) != NULL)
	{
		rewind(file);
		size = fread(content, 1, (size_t) length, file);
	}
	fclose(file);
	if (content == NULL || strncmp(content, MAGIC, strlen(MAGIC)) != 0)
		return content;
	memcpy(&size, content + SOURCE_SIZE_AT, sizeof(size));
	content[HEAD_SIZE + size] = '\0';
	/* the source's first line is not the kernel's */
	text = strchr(content + HEAD_SIZE, '\n');
	text = strdup(text ? text + 1 : "");
	free(content);
	return text;
}

/* What a kernel text is for. */
static void
describe(const char *text, char *what, size_t len)
{
	const char *strategy = strstr(text, "aggregate_");

	if (strstr(text, "deform.cuh"))
		snprintf(what, len, "deform");
	else if (strstr(text, "sample.cuh") && strstr(text, "interpret.cuh"))
		snprintf(what, len, "interpreter");
	else if (strstr(text, "sample.cuh"))
		snprintf(what, len, "sample");
	else if (strategy)
		snprintf(what, len, "%.*s, %s", (int) strcspn(strategy + 10, "("), strategy + 10,
				 strstr(text, "TABLE_DIRECT 1") ? "direct" : "hash");
	else
		snprintf(what, len, "?");
}

/* Milliseconds of a phase in the table that --time has written. */
static double
phase_ms(const char *path, const char *phase)
{
	FILE	   *file = fopen(path, "r");
	char		line[512];
	double		ms = 0;

	while (file && fgets(line, sizeof(line), file))
	{
		char	   *found = strstr(line, phase);

		if (found && strchr(found, ','))
			ms = atof(strchr(found, ',') + 1);
	}
	if (file)
		fclose(file);
	return ms;
}

static bool
measure(const CudaCompiler *compiler, int arch, const char *text, const char **options,
		int runs, Measured *measured)
{
	char		path[] = "/tmp/gpuagg-compile-XXXXXX";
	char		time_option[64];
	char		message[512];
	int			fd = mkstemp(path);
	int			n = 0;
	bool		done = fd >= 0;

	while (options[n])
		n++;
	snprintf(time_option, sizeof(time_option), "--time=%s", path);
	options[n] = time_option;
	for (int i = 0; i < runs && done; i++)
	{
		double		start = cpu_ms();
		void	   *image = NULL;

		/* it appends */
		done = ftruncate(fd, 0) == 0 &&
			cuda_compile(compiler, arch, text, options, &image, &measured->image, message,
						 sizeof(message)) == DEVICE_OK;
		measured->cpu[i] = cpu_ms() - start;
		free(image);
		if (!done)
			printf("%s\n", message);
	}
	options[n] = NULL;
	measured->front_end = phase_ms(path, "CUDA C++ Frontend");
	measured->optimizer = phase_ms(path, "NVVM Optimizer");
	measured->ptxas = phase_ms(path, "PTX Translation");
	qsort(measured->cpu, (size_t) runs, sizeof(double), compare);
	if (fd >= 0)
		close(fd);
	unlink(path);
	return done;
}

static bool
measure_file(const CudaCompiler *compiler, int arch, const char *path, const char **options,
			 int runs)
{
	char	   *text = read_text(path);
	const char *name = strrchr(path, '/');
	Measured	measured = {0};
	char		what[64];
	bool		done;

	if (text == NULL)
	{
		printf("cannot read %s\n", path);
		return false;
	}
	describe(text, what, sizeof(what));
	done = measure(compiler, arch, text, options, runs, &measured);
	if (done)
		printf("| %s | %s | %zu | %.0f | %.0f | %.0f | %.0f | %zu |\n", name ? name + 1 : path,
			   what, strlen(text), measured.cpu[runs / 2], measured.front_end,
			   measured.optimizer, measured.ptxas, measured.image);
	free(text);
	return done;
}

int
main(int argc, char **argv)
{
	const char *options[MAX_OPTIONS + 2] = {NULL};
	const CudaCompiler *compiler;
	char		why[256];
	int			arch = 90;
	int			runs = 5;
	int			noptions = 0;
	int			i = 1;
	bool		done = true;

	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2)
		if (strcmp(argv[i], "--arch") == 0)
			arch = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--runs") == 0)
			runs = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--option") == 0 && noptions < MAX_OPTIONS)
			options[noptions++] = argv[i + 1];
	compiler = cuda_compiler(0, why, sizeof(why));
	if (compiler == NULL || i == argc || runs < 1 || runs > MAX_RUNS)
	{
		fprintf(stderr, "%s\n", compiler == NULL ? why :
				"usage: compile [--arch N] [--runs N] [--option OPTION]... FILE...");
		return 2;
	}
	/* a compiler's first run in a process takes longer */
	if (!measure(compiler, arch, "", options, 1, &(Measured) {0}))
		return 1;
	printf("| file | kernels | text, bytes | CPU, ms | front end | optimizer | ptxas | image, bytes |\n"
		   "|---|---|---|---|---|---|---|---|\n");
	for (; i < argc; i++)
		done = measure_file(compiler, arch, argv[i], options, runs) && done;
	return done ? 0 : 1;
}
