/*
 * run_kernels.c
 *	  A run's kernels: made or found, and launched.
 */
#include "engine/clock.h"
#include "engine/cuda/core/interpreter.h"
#include "engine/cuda/core/run_kernels.h"

/* Threads of a block of kernels over rows that no strategy belongs to. */
#define ROW_THREADS 256

/*
 * Threads that one multiprocessor is given at most by one launch: what it holds at
 * compute capability 7.0, 8.0 and 9.0.  Where it holds fewer, 1024 or 1536, some
 * blocks begin when others have ended.
 */
#define THREADS_PER_MULTIPROCESSOR 2048

/* Load the module of a text, and account for the time. */
static EngineStatus
load_module(RunCore *run, Text *text, LoadedModule **module)
{
	uint64_t	start = now_ns();
	bool		cached = false;
	DeviceStatus status;

	if (text->failed)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory for kernel text");
	status = kernel_cache_load(run->device, &run->context->modules, text->data,
							   run->hints.wait, module, &cached);
	run->head.stats.compile_ns += now_ns() - start;
	run->head.stats.compile_cached = run->head.stats.compile_cached && cached;
	return run_device(run, status, "could not make a kernel");
}

/* The text of a choice's kernels. */
static void
write_text(const RunCore *run, const StrategyChoice *choice, KernelPart part, Text *text)
{
	codegen(run->kernel_program, &run->layouts[choice->table], part, choice->strategy,
			choice->block_direct, choice->block_copies, choice->scatter_rows, text);
}

static void
write_deform_text(const RunCore *run, Text *text)
{
	const Column *columns = program_columns(run->program);
	bool		numeric = false;

	for (int i = 0; i < run->program->ncolumns; i++)
		numeric = numeric || columns[i].numeric != NUMERIC_NONE;
	for (int i = 0; i < run->hints.nkeep; i++)
		numeric = numeric || run->hints.keep[i].numeric != NUMERIC_NONE;
	codegen_deform(numeric, text);
}

/* Begin to get a text's module; the text is freed. */
static void
prefetch(const RunCore *run, const DeviceInfo *info, Text *text)
{
	if (!text->failed)
		(void) kernel_cache_prefetch(run->context->modules, run->device_ops, info, text->data);
	text_free(text);
}

/*
 * Begin to get the kernels that a sample will probably choose, while a compiler
 * works on the sample's.
 */
static void
prefetch_expected(const RunCore *run, const DeviceInfo *info)
{
	StrategyChoice choice;
	Text		text = {0};

	if (!choose_expected(run->kernel_program, run->layouts, &run->hints, run->forced, info,
						 &choice))
		return;
	write_text(run, &choice, PART_AGGREGATE, &text);
	prefetch(run, info, &text);
}

void
kernels_prefetch(RunCore *run)
{
	uint64_t	start = now_ns();
	StrategyChoice choice;
	Text		deform = {0};
	Text		first = {0};
	Text		top = {0};
	Text		statistics = {0};
	DeviceInfo	info;

	if (run->context->tried || !context_info(run->device_ops, run->hints.device, &info) ||
		!info.usable)
		return;
	if (run->program->source == SOURCE_PAGES)
	{
		write_deform_text(run, &deform);
		prefetch(run, &info, &deform);
	}
	choice = choose_first(run->kernel_program, run->layouts, run->forced);
	if (!interpreter_is_ready(run, &info) || run->program->nkeys == 0)
	{
		write_text(run, &choice, run->program->nkeys > 0 ? PART_SAMPLE : PART_AGGREGATE,
				   &first);
		prefetch(run, &info, &first);
	}
	prefetch_expected(run, &info);
	if (run->hints.top.groups > 0 || run->hints.top.nconditions > 0)
	{
		codegen_top(&top);
		prefetch(run, &info, &top);
	}
	if (program_has_values(run->program))
	{
		codegen_statistics(&statistics);
		prefetch(run, &info, &statistics);
	}
	run->head.stats.compile_ns += now_ns() - start;
}

/* Begin to get the module of a text that any run may need; the text is freed. */
static void
prefetch_general(const Context *context, const DeviceInfo *info, Text *text)
{
	if (!text->failed)
		(void) kernel_cache_prefetch(context->modules, context->ops, info, text->data);
	text_free(text);
}

static void
prefetch_general_for(const Context *context)
{
	Text		deform = {0};
	Text		numeric = {0};
	Text		interpreter = {0};
	Text		top = {0};
	Text		statistics = {0};
	DeviceInfo	info;

	if (!context_info(context->ops, context->number, &info))
		return;
	codegen_deform(false, &deform);
	prefetch_general(context, &info, &deform);
	codegen_deform(true, &numeric);
	prefetch_general(context, &info, &numeric);
	codegen_interpreter(&interpreter);
	prefetch_general(context, &info, &interpreter);
	codegen_top(&top);
	prefetch_general(context, &info, &top);
	codegen_statistics(&statistics);
	prefetch_general(context, &info, &statistics);
}

/* Devices of one capability share what is compiled. */
void
kernels_prefetch_general(const DeviceOps *ops)
{
	char		why[256];
	uint64_t	used = context_used(ops, why, sizeof(why));

	for (int i = 0; i < DEVICES_MAX; i++)
		if (used >> i & 1)
			prefetch_general_for(context_of(ops, i));
}

/* Find the kernels of a module by their names. */
static EngineStatus
find_kernels(RunCore *run, KernelPart part, Kernels *kernels)
{
	const StrategyChoice *choice = &kernels->choice;
	bool		direct = run->layouts[choice->table].table == TABLE_DIRECT;
	bool		interpreted = kernels->interpreted;
	bool		block = choice->strategy == STRATEGY_BLOCK && !interpreted;
	bool		scatter = strategy_scatters(choice->strategy) && !interpreted &&
		part == PART_AGGREGATE;
	bool		values = run->layouts[choice->table].nvalues > 0;
	bool		lists = run->layouts[choice->table].nlists > 0;
	bool		first = run->layouts[choice->table].nfirst > 0;
	DeviceModule *module = kernel_cache_module(kernels->module);
	struct
	{
		const char *name;
		DeviceKernel **kernel;
		bool		there;
	}			wanted[] = {
		{interpreted ? "interpret" : "sample", &kernels->sample, part == PART_SAMPLE},
		{interpreted ? "interpret" : "aggregate", &kernels->aggregate,
		part == PART_AGGREGATE},
		{"table_init", &kernels->table_init, part == PART_AGGREGATE},
		{"table_move", &kernels->table_move, part == PART_AGGREGATE && !direct},
		{"table_normalize", &kernels->table_normalize, part == PART_AGGREGATE},
		{"table_merge", &kernels->table_merge,
		part == PART_AGGREGATE && run->layouts[choice->table].merges},
		{"emit", &kernels->emit, part == PART_AGGREGATE},
		{"frequent_bits", &kernels->frequent_bits, part == PART_AGGREGATE && block},
		{"scatter_count", &kernels->scatter_count, scatter},
		{"scatter_bins", &kernels->scatter_bins, scatter},
		{"scatter_starts", &kernels->scatter_starts, scatter},
		{"scatter_units", &kernels->scatter_units, scatter},
		{"scatter_move", &kernels->scatter_move, scatter},
		{"scatter_aggregate", &kernels->scatter_aggregate, scatter},
		{interpreted ? "interpret" : "exponents", &kernels->exponents,
		part == PART_AGGREGATE && layout_needs_exponents(run->kernel_program)},
		{interpreted ? "interpret" : "values_again", &kernels->values_again,
		part == PART_AGGREGATE && values},
		{"values_move", &kernels->values_move, part == PART_AGGREGATE && values},
		{"list_values", &kernels->list_values, part == PART_AGGREGATE && lists},
		{"group_rows_take", &kernels->group_rows_take, part == PART_AGGREGATE && first},
		{"group_rows_copy", &kernels->group_rows_copy, part == PART_AGGREGATE && first},
		{"group_rows_move", &kernels->group_rows_move, part == PART_AGGREGATE && first}
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
	{
		EngineStatus status;

		if (!wanted[i].there)
			continue;
		status = run_device(run, run->device_ops->kernel(run->device, module,
														 wanted[i].name, wanted[i].kernel),
							"could not find a kernel");
		if (status != ENGINE_OK)
			return status;
	}
	return ENGINE_OK;
}

/* Is a text's module there without waiting?  If not, a compiler is begun. */
static bool
is_ready(const RunCore *run, const Text *text)
{
	return !text->failed &&
		kernel_cache_ready(run->context->modules, run->device_ops, &run->device->info,
						   text->data);
}

/* Run by the interpreter, instead of kernels with that text? */
static bool
is_interpreted(const RunCore *run, KernelPart part, const Text *text)
{
	if (run->interpreter.scripts == NULL || interpreter_is_forced(run))
		return run->interpreter.scripts != NULL;
	/* of a sample, the interpreter's kernel is good enough for ever */
	if (part != PART_SAMPLE && is_ready(run, text))
		return false;
	return interpreter_is_ready(run, &run->device->info);
}

/* What write_text makes a text from, but for the Program and its layout. */
typedef struct TextChoice
{
	uint32_t	part;			/* KernelPart */
	uint32_t	strategy;		/* Strategy */
	uint32_t	block_direct;
	uint32_t	block_copies;
	uint32_t	scatter_rows;
} TextChoice;

static void
make_recipe(const RunCore *run, const StrategyChoice *choice, KernelPart part,
			TextChoice *text, KernelRecipe *recipe)
{
	*text = (TextChoice) {part, choice->strategy, choice->block_direct, choice->block_copies,
	choice->scatter_rows};
	*recipe = (KernelRecipe)
	{
		.parts = {text, run->kernel_program, &run->layouts[choice->table]},
			.sizes = {sizeof(*text), run->kernel_program->size, sizeof(run->layouts[0])}
	};
}

/* Load the kernels of a text, the Program's own. */
static EngineStatus
load_own(RunCore *run, KernelPart part, Text *text, Kernels *kernels)
{
	TextChoice	choice;
	KernelRecipe recipe;
	EngineStatus status = load_module(run, text, &kernels->module);

	kernels->row_threads = ROW_THREADS;
	if (status != ENGINE_OK)
		return status;
	make_recipe(run, &kernels->choice, part, &choice, &recipe);
	kernel_cache_note(kernels->module, &recipe);
	return find_kernels(run, part, kernels);
}

/* Take kernels that are loaded, without their text: it takes longer to make than to launch. */
static bool
take_loaded(RunCore *run, KernelPart part, Kernels *kernels)
{
	TextChoice	choice;
	KernelRecipe recipe;

	if (interpreter_is_forced(run))
		return false;
	make_recipe(run, &kernels->choice, part, &choice, &recipe);
	kernels->row_threads = ROW_THREADS;
	return kernel_cache_find(run->context->modules, &recipe, &kernels->module);
}

static EngineStatus
load_interpreter(RunCore *run, KernelPart part, Kernels *kernels)
{
	TableKind	table = kernels->choice.table;
	Text		text = {0};
	EngineStatus status;

	kernels->interpreted = true;
	kernels->row_threads = INTERPRET_THREADS;
	kernels->row_shared = interpreter_shared(run, table);
	codegen_interpreter(&text);
	status = load_module(run, &text, &kernels->module);
	text_free(&text);
	if (status == ENGINE_OK)
		status = interpreter_script(run, table, &kernels->script);
	return status == ENGINE_OK ? find_kernels(run, part, kernels) : status;
}

EngineStatus
kernels_load(RunCore *run, const StrategyChoice *choice, KernelPart part, Kernels *kernels)
{
	Text		text = {0};
	EngineStatus status;

	kernels->choice = *choice;
	if (take_loaded(run, part, kernels))
		return find_kernels(run, part, kernels);
	write_text(run, choice, part, &text);
	if (is_interpreted(run, part, &text))
		status = load_interpreter(run, part, kernels);
	else
	{
		if (part == PART_SAMPLE && !text.failed &&
			kernel_cache_prefetch(run->context->modules, run->device_ops, &run->device->info,
								  text.data))
			prefetch_expected(run, &run->device->info);
		status = load_own(run, part, &text, kernels);
	}
	text_free(&text);
	return status;
}

EngineStatus
kernels_load_compiled(RunCore *run, const StrategyChoice *choice, Kernels *kernels)
{
	Text		text = {0};
	EngineStatus status = ENGINE_OK;

	if (interpreter_is_forced(run))
		return ENGINE_OK;
	write_text(run, choice, PART_AGGREGATE, &text);
	if (is_ready(run, &text))
	{
		kernels->choice = *choice;
		status = load_own(run, PART_AGGREGATE, &text, kernels);
	}
	text_free(&text);
	return status;
}

/* A kernel that a module has, and where it goes. */
typedef struct NamedKernel
{
	const char *name;
	DeviceKernel **kernel;
} NamedKernel;

/* Load the module of a text, which is freed, and find its kernels. */
static EngineStatus
load_named(RunCore *run, Text *text, LoadedModule **module, const NamedKernel *wanted, size_t n)
{
	DeviceStatus device = DEVICE_OK;
	EngineStatus status = load_module(run, text, module);

	text_free(text);
	if (status != ENGINE_OK)
		return status;
	for (size_t i = 0; i < n && device == DEVICE_OK; i++)
		device = run->device_ops->kernel(run->device, kernel_cache_module(*module),
										 wanted[i].name, wanted[i].kernel);
	return run_device(run, device, "could not find a kernel");
}

#define LOAD_NAMED(run, text, module, wanted) \
	load_named(run, text, module, wanted, sizeof(wanted) / sizeof((wanted)[0]))

EngineStatus
kernels_load_deform(RunCore *run, LoadedModule **module, PageKernels *kernels)
{
	const NamedKernel wanted[] = {
		{"deform", &kernels->deform},
		{"gather", &kernels->gather},
		{"gather_tuples", &kernels->gather_tuples},
		{"mask_rows", &kernels->mask_rows},
		{"column_ranges", &kernels->column_ranges},
		{"pack", &kernels->pack},
		{"unpack", &kernels->unpack},
		{"dictionary_find", &kernels->dictionary_find},
		{"dictionary_add", &kernels->dictionary_add},
		{"dictionary_codes", &kernels->dictionary_codes},
		{"dictionary_row_codes", &kernels->dictionary_row_codes},
		{"dictionary_move", &kernels->dictionary_move},
		{"dictionary_copy", &kernels->dictionary_copy}
	};
	Text		text = {0};

	write_deform_text(run, &text);
	return LOAD_NAMED(run, &text, module, wanted);
}

EngineStatus
kernels_load_top(RunCore *run, LoadedModule **module, TopKernels *kernels)
{
	const NamedKernel wanted[] = {
		{"top_pass", &kernels->pass},
		{"top_count", &kernels->count},
		{"top_choose", &kernels->choose},
		{"top_list", &kernels->list}
	};
	Text		text = {0};

	codegen_top(&text);
	return LOAD_NAMED(run, &text, module, wanted);
}

EngineStatus
kernels_load_statistics(RunCore *run, LoadedModule **module, StatisticKernels *kernels)
{
	const NamedKernel wanted[] = {
		{"list_range", &kernels->list_range},
		{"list_copy", &kernels->list_copy},
		{"list_move", &kernels->list_move},
		{"list_groups", &kernels->list_groups},
		{"sort_count", &kernels->sort_count},
		{"sort_starts", &kernels->sort_starts},
		{"sort_move", &kernels->sort_move},
		{"sort_pack", &kernels->sort_pack},
		{"sort_unpack", &kernels->sort_unpack},
		{"read_percentiles", &kernels->read_percentiles},
		{"find_modes", &kernels->find_modes},
		{"read_modes", &kernels->read_modes},
		{"read_distinct", &kernels->read_distinct}
	};
	Text		text = {0};

	codegen_statistics(&text);
	return LOAD_NAMED(run, &text, module, wanted);
}

EngineStatus
kernels_load_interpreter(RunCore *run, LoadedModule **module, DeviceKernel **interpret)
{
	const NamedKernel wanted[] = {{"interpret", interpret}};
	Text		text = {0};

	codegen_interpreter(&text);
	return LOAD_NAMED(run, &text, module, wanted);
}

bool
kernels_interpreter_ready(const RunCore *run)
{
	Text		text = {0};
	bool		ready;

	codegen_interpreter(&text);
	ready = is_ready(run, &text);
	text_free(&text);
	return ready;
}

void
kernels_release(Kernels *kernels)
{
	kernel_cache_release(kernels->module);
	*kernels = (Kernels) {0};
}

EngineStatus
kernels_launch(RunCore *run, DeviceKernel *kernel, uint64_t threads, uint32_t block,
			   uint32_t shared, void *args)
{
	uint64_t	most = (uint64_t) run->device->info.multiprocessors *
		(THREADS_PER_MULTIPROCESSOR / block);
	uint64_t	grid = (threads + block - 1) / block;
	void	   *params[] = {args};

	if (grid > most)
		grid = most;
	if (grid == 0)
		grid = 1;
	return run_device(run,
					  device_launch(run->device, run->work, kernel, (uint32_t) grid, block,
									shared, params),
					  "could not launch a kernel");
}
