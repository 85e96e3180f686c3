/*
 * host_compile.c
 *	  Kernel text to a shared object by the host's C compiler.
 *
 * Text, the files it may include, the object and the compiler's messages lie in
 * a directory of their own below TMPDIR, which is gone when the function
 * returns.  The compiler runs with default signal handling, whatever the
 * process has set up for itself, and in a process group of its own.
 */
#include "engine/simt/device_simt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/cuda/kernels/kernel_text.h"

#define MAX_ARGUMENTS 64
#define MAX_FLAGS 512			/* bytes of GPUAGG_SIMT_CFLAGS */

extern char **environ;

static const char *
compiler_name(void)
{
	const char *name = getenv("GPUAGG_SIMT_CC");

	return name && *name ? name : "cc";
}

bool
simt_compiler_there(char *why, size_t len)
{
	const char *name = compiler_name();
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
	{
		if (access(name, X_OK) == 0)
			return true;
		path = NULL;
	}
	while (path && *path)
	{
		size_t		n = strcspn(path, ":");
		char		file[1024];

		snprintf(file, sizeof(file), "%.*s/%s", (int) n, path, name);
		if (access(file, X_OK) == 0)
			return true;
		path += n + (path[n] == ':');
	}
	snprintf(why, len, "there is no C compiler \"%s\" to compile kernels with", name);
	return false;
}

static void
file_name(char *out, size_t len, const char *directory, const char *name)
{
	snprintf(out, len, "%s/%s", directory, name);
}

static bool
write_file(const char *directory, const char *name, const char *text)
{
	char		path[512];
	FILE	   *file;
	bool		ok;

	file_name(path, sizeof(path), directory, name);
	file = fopen(path, "w");
	if (file == NULL)
		return false;
	ok = fputs(text, file) >= 0;
	return fclose(file) == 0 && ok;
}

/* A whole file, malloc'd, with a zero byte behind it; NULL: cannot be read. */
static char *
read_file(const char *directory, const char *name, size_t *size)
{
	char		path[512];
	struct stat st;
	char	   *content = NULL;
	FILE	   *file;

	file_name(path, sizeof(path), directory, name);
	file = fopen(path, "r");
	if (file == NULL)
		return NULL;
	if (fstat(fileno(file), &st) == 0)
		content = malloc((size_t) st.st_size + 1);
	if (content)
	{
		*size = fread(content, 1, (size_t) st.st_size, file);
		content[*size] = '\0';
	}
	fclose(file);
	return content;
}

static void
remove_directory(const char *directory)
{
	static const char *const names[] = {"kernel.c", "kernel.so", "messages"};
	char		path[512];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		file_name(path, sizeof(path), directory, names[i]);
		unlink(path);
	}
	for (int i = 0; i < kernel_text_count; i++)
	{
		file_name(path, sizeof(path), directory, kernel_text[i].name);
		unlink(path);
	}
	rmdir(directory);
}

/* The words of GPUAGG_SIMT_CFLAGS as arguments, in memory of the caller's; the next one's number. */
static int
add_environment(const char **argv, int n, char *flags)
{
	const char *setting = getenv("GPUAGG_SIMT_CFLAGS");
	char	   *rest = NULL;

	snprintf(flags, MAX_FLAGS, "%s", setting ? setting : "");
	for (char *word = strtok_r(flags, " ", &rest); word && n < MAX_ARGUMENTS / 2;
		 word = strtok_r(NULL, " ", &rest))
		argv[n++] = word;
	return n;
}

/*
 * The compiler's command line; strings belong to the caller or are literals.  flags: room for
 * those of the environment.
 */
static void
make_arguments(const char **argv, const char *const *options, const char *include,
			   const char *prefix, const char *source, const char *object, char *flags)
{
	static const char *const fixed[] = {
		"-std=gnu99", "-O1", "-w", "-shared", "-fPIC", "-fvisibility=hidden",
		"-fno-strict-aliasing", "-ffp-contract=off", "-fno-stack-protector",
		/* with the module's own handler (shim.h), not the sanitizer's library */
		"-fsanitize=alignment", "-nodefaultlibs",
		"-DSIMT_KERNEL"
	};
	int			n = 0;

	argv[n++] = compiler_name();
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		argv[n++] = fixed[i];
	n = add_environment(argv, n, flags);
	for (; options && *options && n < MAX_ARGUMENTS - 9; options++)
		if ((*options)[0] == '-' && (*options)[1] != '\0' &&
			strchr("DUI", (*options)[1]))
			argv[n++] = *options;
	argv[n++] = include;
	argv[n++] = prefix;
	argv[n++] = "-o";
	argv[n++] = object;
	argv[n++] = source;
	argv[n++] = "-lm";
	argv[n++] = "-lc";
	argv[n++] = "-lgcc";
	argv[n] = NULL;
}

/* Run the compiler; its exit status, or -1 if it could not be run. */
static int
run_compiler(const char **argv, const char *messages)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t	none,
				all;
	pid_t		pid;
	int			status = -1;
	int			error;

	sigemptyset(&none);
	sigfillset(&all);
	if (posix_spawn_file_actions_init(&actions) != 0)
		return -1;
	if (posix_spawnattr_init(&attributes) != 0)
	{
		posix_spawn_file_actions_destroy(&actions);
		return -1;
	}
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, messages,
									 O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	/* PostgreSQL cancels a query by a signal to the backend's process group */
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes,
							 POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
							 POSIX_SPAWN_SETPGROUP);
	error = posix_spawnp(&pid, argv[0], &actions, &attributes,
						 (char *const *) argv, environ);
	if (error == 0)
	{
		while (waitpid(pid, &status, 0) < 0)
			if (errno != EINTR)
			{
				status = -1;
				break;
			}
		if (status != -1)
			status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	}
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return status;
}

/* Put the compiler's first error, or else its first line, into message. */
static void
first_error(const char *directory, char *message, size_t len)
{
	size_t		size;
	char	   *text = read_file(directory, "messages", &size);
	size_t		prefix = strlen(directory) + 1;
	char	   *line;
	char	   *rest = NULL;

	snprintf(message, len, "the C compiler \"%s\" failed without a message",
			 compiler_name());
	if (text == NULL)
		return;
	line = strstr(text, "error:");
	while (line && line > text && line[-1] != '\n')
		line--;
	line = strtok_r(line ? line : text, "\n", &rest);
	if (line)
	{
		if (strncmp(line, directory, prefix - 1) == 0)
			line += prefix;
		snprintf(message, len, "%s", line);
	}
	free(text);
}

static DeviceStatus
compile_in(const char *directory, const char *text, const char *const *options,
		   void **image, size_t *size, char *message, size_t len)
{
	char		include[512],
				prefix[512],
				source[512],
				object[512],
				messages[512],
				flags[MAX_FLAGS];
	const char *argv[MAX_ARGUMENTS];
	bool		ok = write_file(directory, "kernel.c", text);
	int			status;

	for (int i = 0; i < kernel_text_count && ok; i++)
		ok = write_file(directory, kernel_text[i].name, kernel_text[i].text);
	if (!ok)
	{
		snprintf(message, len, "cannot write the kernel's text to \"%s\": %s",
				 directory, strerror(errno));
		return DEVICE_REFUSED;
	}
	snprintf(include, sizeof(include), "-I%s", directory);
	/* messages say where something went wrong: without the directory */
	snprintf(prefix, sizeof(prefix), "-fmacro-prefix-map=%s/=", directory);
	file_name(source, sizeof(source), directory, "kernel.c");
	file_name(object, sizeof(object), directory, "kernel.so");
	file_name(messages, sizeof(messages), directory, "messages");
	make_arguments(argv, options, include, prefix, source, object, flags);
	status = run_compiler(argv, messages);
	if (status != 0)
	{
		first_error(directory, message, len);
		return status == -1 ? DEVICE_REFUSED : DEVICE_COMPILE;
	}
	*image = read_file(directory, "kernel.so", size);
	if (*image == NULL)
	{
		snprintf(message, len, "cannot read the compiled kernel");
		return DEVICE_REFUSED;
	}
	return DEVICE_OK;
}

DeviceStatus
simt_host_compile(const char *text, const char *const *options,
				  void **image, size_t *size, char *message, size_t len)
{
	const char *temporary = getenv("TMPDIR");
	char		directory[256];
	DeviceStatus status;

	if (temporary == NULL || strlen(temporary) > 200)
		temporary = "/tmp";
	snprintf(directory, sizeof(directory), "%s/gpuagg-simt-XXXXXX", temporary);
	if (mkdtemp(directory) == NULL)
	{
		snprintf(message, len, "cannot make the directory \"%s\": %s",
				 directory, strerror(errno));
		return DEVICE_REFUSED;
	}
	status = compile_in(directory, text, options, image, size, message, len);
	remove_directory(directory);
	return status;
}
