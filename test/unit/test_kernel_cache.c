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

#include "engine/cuda/compiled/kernel_cache.h"
#include "engine/cuda/compiled/kernel_pending.h"
#include "tap.h"

/* What the compiler is told, and what it did. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static bool held;				/* it does not end yet */
static int	let_go;				/* so many end all the same */
static int	begun;
static int	working;
static char last_begun[32];		/* the text */

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

/* Let one of the compilers end that are held; its job is done a moment later. */
static void
end_one(void)
{
	pthread_mutex_lock(&mutex);
	let_go = 1;
	pthread_cond_broadcast(&change);
	while (let_go > 0)
		pthread_cond_wait(&change, &mutex);
	pthread_mutex_unlock(&mutex);
}

/* Has a compiler begun since compilations was asked last? */
static bool
has_begun(void)
{
	bool		it;

	pthread_mutex_lock(&mutex);
	it = begun > 0;
	pthread_mutex_unlock(&mutex);
	return it;
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
	snprintf(last_begun, sizeof(last_begun), "%s", text);
	pthread_cond_broadcast(&change);
	while (held && let_go == 0)
		pthread_cond_wait(&change, &mutex);
	if (let_go > 0)
	{
		let_go--;
		pthread_cond_broadcast(&change);
	}
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

/* Of two compilers that may work, one is for a kernel that a run waits for. */
static void
test_limit(void)
{
	DeviceStatus status;

	setenv("GPUAGG_TEST_COMPILERS", "1", 1);
	hold(true);
	kernel_cache_prefetch(modules, &fake_ops, &device.info, "first of two");
	kernel_cache_prefetch(modules, &fake_ops, &device.info, "second of two");
	wait_for_compilers(1);
	ok(compilations() == 1, "one compiler works for kernels that nobody waits for");
	status = load_interrupted("waited for");
	wait_for_compilers(2);
	ok(status == DEVICE_BUSY && compilations() == 1, "and one more for a run that waits");
	hold(false);
	ok(loads("waited for", false) && loads("second of two", false) && loads("first of two", false) &&
	   compilations() == 1, "what was queued is compiled later");
	setenv("GPUAGG_TEST_COMPILERS", "4", 1);
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

/* Ask for texts of that name, from the first number to the last. */
static void
ask_for(const char *name, int first, int last)
{
	char		text[32];

	for (int i = first; i <= last; i++)
	{
		snprintf(text, sizeof(text), "%s %d", name, i);
		kernel_cache_prefetch(modules, &fake_ops, &device.info, text);
	}
}

/* Is the only text that was begun since compilations was asked last this one? */
static bool
only_begun(const char *name, int number)
{
	char		text[32];
	bool		right;

	snprintf(text, sizeof(text), "%s %d", name, number);
	pthread_mutex_lock(&mutex);
	right = begun == 1 && strcmp(last_begun, text) == 0;
	if (!right)
		printf("# %d begun, the last one is %s and not %s\n", begun, last_begun, text);
	begun = 0;
	pthread_mutex_unlock(&mutex);
	return right;
}

/* If a compiler ends, does it go on with this text when `step` is called? */
static bool
comes_next(const char *name, int number, void (*step) (void))
{
	end_one();
	for (int i = 0; i < 10000 && !has_begun(); i++)
	{
		step();
		usleep(1000);
	}
	return only_begun(name, number);
}

/* Steps: what a process does now and then, and another request. */
static void
keep(void)
{
	(void) kernel_pending_keep();
}

static void
ask_for_another(void)
{
	ask_for("another", 0, 0);
}

/* Do what a process does now and then, until nothing is compiled any more. */
static bool
keep_all(void)
{
	bool		more = true;

	for (int i = 0; i < 10000 && more; i++)
	{
		usleep(1000);
		more = kernel_pending_keep();
	}
	return !more;
}

/* Load these texts; was none of them left to compile? */
static bool
all_compiled(const char *name, int first, int last)
{
	char		text[32];
	bool		kept = true;

	for (int i = first; i <= last; i++)
	{
		snprintf(text, sizeof(text), "%s %d", name, i);
		kept = loads(text, true) && kept;
	}
	return kept;
}

/* Compilers that work at the same time are few; what is asked for meanwhile comes later. */
static void
test_queued(void)
{
	bool		in_order = true;

	kernel_pending_end();
	compilations();
	hold(true);
	ask_for("queued", 0, 9);
	wait_for_compilers(4);
	ask_for("queued", 0, 9);
	usleep(50000);
	ok(kernel_pending_keep() && compilations() == 4, "four compilers work, and no more");
	for (int i = 4; i < 8; i++)
		in_order = comes_next("queued", i, keep) && in_order;
	ok(in_order, "what was asked for first is compiled first, without being asked for again");
	ok(comes_next("queued", 8, ask_for_another), "also if something else is asked for");
	hold(false);
	ok(keep_all() && compilations() == 2, "each is compiled once");
	ok(all_compiled("queued", 0, 9) && all_compiled("another", 0, 0) && compilations() == 0,
	   "all of them are on disk");
}

/* Many are forgotten, the oldest first. */
static void
test_queue_full(void)
{
	hold(true);
	ask_for("full", 0, 3 + 64);
	wait_for_compilers(4);
	compilations();
	ask_for("full", 68, 70);
	ok(comes_next("full", 7, keep), "of a full queue, the oldest are forgotten");
	hold(false);
	ok(keep_all() && compilations() == 63, "no others");
	ok(all_compiled("full", 0, 3) && all_compiled("full", 7, 70) && compilations() == 0,
	   "and all that is left was compiled");
	ok(loads("full 4", false) && compilations() == 1, "what was forgotten can be had");
}

static const char *waited_for;
static bool others_keep;
static bool decided;
static bool is_next;

/* While a run waits, a compiler ends; when one has begun then, all do. */
static bool
let_one_end(int milliseconds)
{
	if (waits_left-- == 10000)
		end_one();
	else if (!decided && has_begun())
	{
		is_next = only_begun(waited_for, 0);
		decided = true;
		hold(false);
	}
	else if (others_keep)
		keep();
	usleep((useconds_t) milliseconds * 1000);
	return waits_left <= 0;
}

/*
 * A run that waits does not wait for what is queued; name: of what it waits for, which is
 * queued as well if others_keep.
 */
static void
test_queue_wait(const char *name, const char *others)
{
	LoadedModule *module = NULL;
	char		text[32];
	bool		cached;

	hold(true);
	ask_for(others, 0, 9);
	wait_for_compilers(4);
	if (others_keep)
		ask_for(name, 0, 0);
	snprintf(text, sizeof(text), "%s 9", others);
	ok(load_interrupted(text) == DEVICE_BUSY && compilations() == 4,
	   "a wait for a compiler is interrupted");
	snprintf(text, sizeof(text), "%s 0", name);
	waited_for = name;
	waits_left = 10000;
	decided = is_next = false;
	ok(kernel_cache_load(&device, &modules, text, let_one_end, &module,
						 &cached) == DEVICE_OK && is_next,
	   "one that is not interrupted has the next compiler");
	kernel_cache_release(module);
	hold(false);
	ok(keep_all() && compilations() == 6 && all_compiled(others, 0, 9),
	   "then all others are compiled, each once");
}

/* What has not begun when a process ends never does. */
static void
test_queue_end(void)
{
	hold(true);
	ask_for("end", 0, 9);
	wait_for_compilers(4);
	hold(false);
	kernel_pending_end();
	ok(!kernel_pending_keep() && compilations() == 4, "what is queued at the end is not begun");
}

/* What is asked for while too many compilers work. */
static void
test_in_queue(void)
{
	char		directory[] = "/tmp/gpuagg-cache-XXXXXX";

	if (mkdtemp(directory) == NULL)
		return;
	kernel_pending_end();
	kernel_disk_directory(directory);
	test_queued();
	test_queue_full();
	test_queue_wait("waited for", "beside it");
	others_keep = true;
	test_queue_wait("waited for again", "beside that");
	test_queue_end();
	remove_directory(directory);
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
	setenv("GPUAGG_TEST_COMPILERS", "4", 1);	/* on any number of processors */
	test_asked();
	test_ready();
	test_interrupted();
	test_two_waiters();
	test_failure();
	test_limit();
	test_stale_failure();
	test_in_queue();
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
