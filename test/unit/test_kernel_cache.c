/*
 * test_kernel_cache.c
 *	  Kernels that are asked for, compiled in threads, kept, and given up.  The
 *	  compiler here ends when it is told to.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/cuda/cache/kernel_cache.h"
#include "engine/cuda/cache/kernel_pending.h"
#include "tap.h"

/* What the compiler is told, and what it did. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static bool held;				/* it does not end yet */
static int	begun;
static int	working;

static int	failures_left;		/* compilations that fail */

static bool refuse_modules;		/* the next one */
static int	loaded;

static void
hold(bool it)
{
	pthread_mutex_lock(&mutex);
	held = it;
	pthread_cond_broadcast(&change);
	pthread_mutex_unlock(&mutex);
}

/* How often the compiler was called since this was asked last. */
static int
compilations(void)
{
	int			n;

	pthread_mutex_lock(&mutex);
	n = begun;
	begun = 0;
	pthread_mutex_unlock(&mutex);
	return n;
}

/* Wait until so many compilers work. */
static void
wait_for_compilers(int n)
{
	pthread_mutex_lock(&mutex);
	while (working < n)
		pthread_cond_wait(&change, &mutex);
	pthread_mutex_unlock(&mutex);
}

/* The image is the text; text that begins with "wrong" does not compile. */
static DeviceStatus
fake_compile(const DeviceInfo *info, const char *text, const char *const *options,
			 void **image, size_t *size, char *message, size_t len)
{
	bool		fails;

	pthread_mutex_lock(&mutex);
	begun++;
	working++;
	pthread_cond_broadcast(&change);
	while (held)
		pthread_cond_wait(&change, &mutex);
	working--;
	fails = (failures_left > 0 && failures_left-- > 0) || strncmp(text, "wrong", 5) == 0;
	pthread_mutex_unlock(&mutex);
	*image = NULL;
	if (fails)
	{
		snprintf(message, len, "does not compile");
		return DEVICE_COMPILE;
	}
	*image = strdup(text);
	*size = strlen(text) + 1;
	return DEVICE_OK;
}

static DeviceStatus
fake_module_load(Device *dev, const void *image, size_t size, DeviceModule **module)
{
	bool		refuse = refuse_modules;

	refuse_modules = false;
	if (refuse)
	{
		snprintf(dev->message, sizeof(dev->message), "refused");
		return DEVICE_FAILED;
	}
	*module = (DeviceModule *) strdup(image);
	loaded++;
	return DEVICE_OK;
}

static void
fake_module_unload(Device *dev, DeviceModule *module)
{
	free(module);
	loaded--;
}

static const DeviceOps fake_ops = {
	.name = "fake",
	.compile = fake_compile,
	.module_load = fake_module_load,
	.module_unload = fake_module_unload
};
static Device device = {.ops = &fake_ops};
static LoadedModule *modules;

static int	waits_left;

/* After some waits. */
static bool
interrupt_soon(int milliseconds)
{
	usleep((useconds_t) milliseconds * 1000);
	return waits_left-- <= 0;
}

/* Load; is it the module of that text, and did it come so? */
static bool
loads(const char *text, bool expect_cached)
{
	LoadedModule *module;
	bool		cached;
	bool		good;

	if (kernel_cache_load(&device, &modules, text, NULL, &module, &cached) != DEVICE_OK)
		return false;
	good = strcmp((const char *) kernel_cache_module(module), text) == 0;
	kernel_cache_release(module);
	return good && cached == expect_cached;
}

static DeviceStatus
load_interrupted(const char *text)
{
	LoadedModule *module;
	bool		cached;

	waits_left = 2;
	device.message[0] = '\0';
	return kernel_cache_load(&device, &modules, text, interrupt_soon, &module, &cached);
}

static void
test_asked(void)
{
	hold(true);
	kernel_cache_prefetch(modules, &fake_ops, &device.info, "one");
	kernel_cache_prefetch(modules, &fake_ops, &device.info, "two");
	kernel_cache_prefetch(modules, &fake_ops, &device.info, "one");
	wait_for_compilers(2);
	ok(true, "two compilers work beside each other");
	hold(false);
	ok(loads("two", false) && loads("one", false), "what they make is loaded");
	ok(compilations() == 2, "each text is compiled once");
	kernel_cache_prefetch(modules, &fake_ops, &device.info, "one");
	ok(loads("one", true) && compilations() == 0, "and not again once it is loaded");
}

/* A text is asked for and looked after, without waiting. */
static bool
is_ready(const char *text)
{
	return kernel_cache_ready(modules, &fake_ops, &device.info, text);
}

static void
test_ready(void)
{
	bool		ready = false;

	hold(true);
	ok(!is_ready("ready"), "a module is asked for, and is not ready");
	wait_for_compilers(1);
	ok(!is_ready("ready"), "nor while the compiler works");
	hold(false);
	for (int i = 0; i < 10000 && !ready; i++)
	{
		usleep(1000);
		ready = is_ready("ready");
	}
	ok(ready && compilations() == 1, "it is once it is compiled");
	ok(loads("ready", false) && is_ready("ready") && compilations() == 0,
	   "and once it is loaded");

	ready = is_ready("wrong, asked for");
	for (int i = 0; i < 100 && !ready; i++)
	{
		usleep(1000);
		ready = is_ready("wrong, asked for");
	}
	ok(!ready && compilations() == 1, "one that does not compile never is");
	kernel_pending_forget_failures();
}

static void
test_interrupted(void)
{
	hold(true);
	ok(load_interrupted("long") == DEVICE_BUSY && device.message[0] != '\0',
	   "a wait is interrupted: %s", device.message);
	ok(load_interrupted("long") == DEVICE_BUSY, "and again");
	hold(false);
	ok(loads("long", false), "the one that waits on has the module");
	ok(compilations() == 1, "of the only compilation");
}

static const char *text_of_other;
static LoadedModule *module_of_other;
static DeviceStatus status_of_other;

/* While one run waits for a text, another one comes, and has it first. */
static bool
let_other_load(int milliseconds)
{
	bool		cached;

	if (text_of_other != NULL)
	{
		const char *text = text_of_other;

		text_of_other = NULL;
		hold(false);
		status_of_other = kernel_cache_load(&device, &modules, text, interrupt_soon,
											&module_of_other, &cached);
	}
	usleep((useconds_t) milliseconds * 1000);
	return false;
}

static void
test_two_waiters(void)
{
	LoadedModule *module = NULL;
	DeviceStatus status;
	bool		cached;
	int			before = loaded;

	hold(true);
	waits_left = 10000;
	text_of_other = "both";
	status = kernel_cache_load(&device, &modules, "both", let_other_load, &module, &cached);
	ok(status == DEVICE_OK && status_of_other == DEVICE_OK && module == module_of_other &&
	   loaded == before + 1, "two runs that wait for a text have one module");
	ok(compilations() == 1, "of one compilation");
	kernel_cache_release(module);
	kernel_cache_release(module_of_other);

	hold(true);
	text_of_other = "wrong for both";
	status = kernel_cache_load(&device, &modules, "wrong for both", let_other_load, &module,
							   &cached);
	ok(status == DEVICE_COMPILE && status_of_other == DEVICE_COMPILE && compilations() == 1,
	   "a failure is told to both: %s", device.message);
}

static void
test_failure(void)
{
	LoadedModule *module;
	bool		cached;

	for (int i = 0; i < 2; i++)
	{
		kernel_cache_prefetch(modules, &fake_ops, &device.info, "wrong");
		ok(kernel_cache_load(&device, &modules, "wrong", NULL, &module,
							 &cached) == DEVICE_COMPILE &&
		   strcmp(device.message, "does not compile") == 0, "a failure: %s", device.message);
	}
	ok(compilations() == 2, "is not remembered");
	refuse_modules = true;
	ok(!loads("refused", false) && strcmp(device.message, "refused") == 0,
	   "a module that cannot be loaded: %s", device.message);
	ok(loads("refused", false) && compilations() == 2, "is compiled anew");
}

/* Ask until a compiler begins; has one? */
static bool
ask_patiently(const char *text)
{
	int			n = 0;

	for (int i = 0; i < 10000 && n == 0; i++)
	{
		kernel_cache_prefetch(modules, &fake_ops, &device.info, text);
		usleep(1000);
		n = compilations();
	}
	return n == 1;
}

/* A failure that nobody heard of is no later request's. */
static void
test_stale_failure(void)
{
	failures_left = 1;
	ok(ask_patiently("later right"), "a failure that nobody waits for");
	usleep(50000);
	kernel_pending_forget_failures();
	ok(loads("later right", false) && compilations() == 1, "is forgotten");
}

/* Compilers that work at the same time are few. */
static void
test_busy(void)
{
	char		text[32];

	hold(true);
	for (int i = 0; i < 10; i++)
	{
		snprintf(text, sizeof(text), "busy %d", i);
		kernel_cache_prefetch(modules, &fake_ops, &device.info, text);
	}
	wait_for_compilers(4);
	ok(load_interrupted("busy 9") == DEVICE_BUSY, "one more waits, and is interrupted");
	usleep(50000);
	ok(compilations() == 4, "four compilers work, and no more");
	hold(false);
	ok(loads("busy 9", false) && loads("busy 0", false), "then all can be had");
	ok(compilations() == 1, "of those asked for too late, what is needed");
}

/* No longer keep images in a directory. */
static void
remove_directory(const char *directory)
{
	char		command[128];

	kernel_disk_directory(NULL);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	if (system(command) != 0)
		printf("# cannot remove %s\n", directory);
}

/* Of what nobody comes for, most goes to disk. */
static void
test_trimmed(void)
{
	char		directory[] = "/tmp/gpuagg-cache-XXXXXX";
	char		command[128];
	char		text[32];
	bool		all = true;

	if (mkdtemp(directory) == NULL)
		return;
	kernel_pending_end();
	kernel_disk_directory(directory);
	for (int i = 0; i < 20; i++)
	{
		snprintf(text, sizeof(text), "trimmed %d", i);
		all = ask_patiently(text) && all;
	}
	ok(all, "many are asked for");
	snprintf(command, sizeof(command), "test $(ls %s | wc -l) -ge 8", directory);
	ok(system(command) == 0, "the oldest images are on disk");
	ok(loads("trimmed 0", true) && loads("trimmed 19", false), "all can be had");
	kernel_pending_end();
	remove_directory(directory);
}

/* Load a text, and remember what it was made from. */
static bool
note(const char *text, const KernelRecipe *recipe)
{
	LoadedModule *module;
	bool		cached;

	if (kernel_cache_load(&device, &modules, text, NULL, &module, &cached) != DEVICE_OK)
		return false;
	kernel_cache_note(module, recipe);
	kernel_cache_release(module);
	return true;
}

/* Is it the module of that text that a recipe leads to?  NULL: of none. */
static bool
leads_to(const KernelRecipe *recipe, const char *text)
{
	LoadedModule *module;
	bool		right;

	if (!kernel_cache_find(modules, recipe, &module))
		return text == NULL;
	right = text != NULL && strstr((const char *) kernel_cache_module(module), text) != NULL;
	kernel_cache_release(module);
	return right;
}

/* Modules are found by what their texts were made from, by all of it. */
static void
test_recipes(void)
{
	char		bytes[] = "first second third";
	KernelRecipe recipe = {.parts = {bytes, bytes + 6, bytes + 13},.sizes = {5, 6, 5}};
	KernelRecipe longer = {.parts = {bytes, bytes + 6, bytes + 13},.sizes = {6, 5, 5}};

	(void) compilations();
	ok(leads_to(&recipe, NULL), "a recipe that nobody has noted");
	ok(note("recipe 1", &recipe) && leads_to(&recipe, "recipe 1"), "one that was noted");
	ok(leads_to(&longer, NULL), "parts of other sizes");
	for (int i = 0; i < (int) sizeof(bytes) - 1; i++)
	{
		bytes[i]++;
		if (i != 5 && i != 12)
			ok(leads_to(&recipe, NULL), "byte %d is another one", i);
		bytes[i]--;
	}
	ok(note("recipe 2", &longer) && leads_to(&longer, "recipe 2") &&
	   leads_to(&recipe, "recipe 1"), "another module's");
	for (bytes[0] = '0'; bytes[0] < '9'; bytes[0]++)
		(void) note("recipe 1", &recipe);
	bytes[0]--;
	ok(leads_to(&recipe, "recipe 1"), "the newest of many");
	bytes[0] = 'f';
	ok(leads_to(&recipe, NULL), "the oldest is forgotten");
	ok(compilations() == 2, "each text was compiled once");
	kernel_cache_unload(&device, &modules);
	ok(leads_to(&longer, NULL), "modules that are unloaded are not found");
}

static void
test_disk(void)
{
	char		directory[] = "/tmp/gpuagg-cache-XXXXXX";

	if (mkdtemp(directory) == NULL)
		return;
	kernel_disk_directory(directory);
	hold(true);
	ok(load_interrupted("disk") == DEVICE_BUSY, "interrupted");
	hold(false);
	kernel_pending_end();
	ok(compilations() == 1 && loads("disk", true) && compilations() == 0,
	   "what nobody waited for is on disk");
	kernel_cache_unload(&device, &modules);
	refuse_modules = true;
	ok(loads("disk", false) && compilations() == 1,
	   "an image on disk that cannot be loaded is made anew");
	kernel_cache_unload(&device, &modules);
	kernel_cache_prefetch(modules, &fake_ops, &device.info, "disk");
	ok(loads("disk", true) && compilations() == 0, "and asked for, comes from there");
	refuse_modules = true;
	ok(!loads("bad", false) && loads("bad", false) && compilations() == 2,
	   "what cannot be loaded does not get there");
	remove_directory(directory);
}

/* What is made of another source is never taken, whatever the hashes say. */
static void
test_collision(void)
{
	char		directory[] = "/tmp/gpuagg-cache-XXXXXX";

	if (mkdtemp(directory) == NULL)
		return;
	kernel_source_hash_mask = 0;
	kernel_disk_directory(directory);
	compilations();
	kernel_cache_prefetch(modules, &fake_ops, &device.info, "text A");
	kernel_cache_prefetch(modules, &fake_ops, &device.info, "text B");
	ok(loads("text B", false) && loads("text A", false) && compilations() == 2,
	   "equal hashes: each text has its own image");
	ok(loads("text B", true) && loads("text A", true), "and its own module");
	kernel_cache_unload(&device, &modules);
	ok(loads("text A", true) && compilations() == 0, "the one stored last is on disk");
	ok(loads("text B", false) && compilations() == 1, "and is not the other's");
	kernel_cache_unload(&device, &modules);
	ok(loads("text A", false) && compilations() == 1, "which takes its place");
	kernel_source_hash_mask = UINT64_MAX;
	remove_directory(directory);
}

static void
make_file(const char *directory, const char *name, long pid, char *path, size_t len)
{
	FILE	   *file;

	snprintf(path, len, pid ? "%s/%s.%ld" : "%s/%s", directory, name, pid);
	file = fopen(path, "w");
	if (file != NULL)
		fclose(file);
}

/* What crashed processes have left goes, what others write stays. */
static void
test_unfinished(void)
{
	char		directory[] = "/tmp/gpuagg-cache-XXXXXX";
	char		gone[128];
	char		own[128];
	char		living[128];
	char		image[128];
	char		strange[128];
	pid_t		child = fork();

	if (child == 0)
		_exit(0);
	if (child < 0 || waitpid(child, NULL, 0) != child || mkdtemp(directory) == NULL)
		return;
	make_file(directory, "0123456789abcdef.kernel", child, gone, sizeof(gone));
	make_file(directory, "0123456789abcdef.kernel", getpid(), own, sizeof(own));
	make_file(directory, "0123456789abcdef.kernel", getppid(), living, sizeof(living));
	make_file(directory, "0123456789abcdef.kernel", 0, image, sizeof(image));
	make_file(directory, "note", child, strange, sizeof(strange));
	kernel_disk_directory(directory);
	ok(loads("a text", false), "unfinished files do no harm");
	ok(access(gone, F_OK) != 0, "that of a process that is gone is removed");
	ok(access(own, F_OK) != 0, "and that of one that had this process's number");
	ok(access(living, F_OK) == 0, "that of another process stays");
	ok(access(image, F_OK) == 0 && access(strange, F_OK) == 0, "and so do other files");
	remove_directory(directory);
}

/* Put some bytes into the only image in a directory. */
static bool
damage(const char *directory, const char *bytes, long offset)
{
	char		command[256];

	snprintf(command, sizeof(command),
			 "printf '%s' | dd of=$(ls %s/*.kernel) bs=1 seek=%ld conv=notrunc 2>/dev/null",
			 bytes, directory, offset);
	return system(command) == 0;
}

/* Of files that are not whole, or of another format, nothing is taken. */
static void
test_damaged(void)
{
	char		directory[] = "/tmp/gpuagg-cache-XXXXXX";
	/* the magic, the sizes, the checksum, the source, the image */
	static const long offsets[] = {13, 16, 24, 32, 40, 200};

	if (mkdtemp(directory) == NULL)
		return;
	kernel_disk_directory(directory);
	ok(loads("a text that will be damaged", false), "an image is made");
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
	{
		kernel_cache_unload(&device, &modules);
		compilations();
		ok(damage(directory, "@", offsets[i]) &&
		   loads("a text that will be damaged", false) && compilations() == 1,
		   "damaged at %ld: made anew", offsets[i]);
	}
	kernel_cache_unload(&device, &modules);
	ok(loads("a text that will be damaged", true), "whole: taken");
	remove_directory(directory);
}

int
main(void)
{
	test_asked();
	test_ready();
	test_interrupted();
	test_two_waiters();
	test_failure();
	test_stale_failure();
	test_busy();
	test_trimmed();
	test_recipes();
	test_disk();
	test_collision();
	test_unfinished();
	test_damaged();
	kernel_pending_end();
	kernel_cache_unload(&device, &modules);
	ok(loaded == 0, "all modules are unloaded");
	return done_testing();
}
