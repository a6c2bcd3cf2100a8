// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening a capture: options become those of the sampler, the symbolizer and the collector, and
 * what the sampler hands over goes to the other two.
 */
#include "run/capture_source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "capture/host.h"
#include "capture/kernel_defect.h"
#include "capture/pid_space.h"
#include "collect/cgroups.h"
#include "run/idle_functions.h"
#include "run/orc_tables.h"
#include "run/sampler_choice.h"
#include "run/signals.h"
#include "util/priority.h"

/* Stacks through tables that come later are walked when they are there. */
#define WATCHED_WAIT_NS UINT64_C(20000000)

static void on_poll(void *ctx)
{
	struct capture_source *s = ctx;

	kernel_text_poll(s->kernel_text);
}

static void on_age(void *ctx)
{
	struct capture_source *s = ctx;

	kernel_text_follow_cpus(s->kernel_text);
}

/*
 * Reading kallsyms takes 50 ms, verifying the BPF programs as long: measured apart they were a
 * third of the time from start to the first sample, so they run side by side.
 */
static void *prepare(void *arg)
{
	struct capture_source *s = arg;
	const struct capture_options *o = s->request->options;
	const struct symbolizer_opts symbolizer_opts = {
		.no_demangle = o->no_demangle,
		.inlines = o->inlines,
		.places = s->request->places,
		.lines = s->request->lines,
		.pool = s->pool,
		.max_bytes = s->request->every_ns ? CAPTURE_CACHE_BYTES / 4 * 3 : 0,
	};
	const struct collector_opts collector_opts = {
		.root = s->request->root,
		.host = s->request->host,
		.kernel_only = o->kernel_only,
		.no_wait_marks = o->no_wait_marks,
		.max_bytes = s->request->max_window_bytes,
		.slot_ns = s->request->slot_ns,
		.max_cells = s->request->max_cells,
	};

	s->symbolizer = symbolizer_new(s->frames, &symbolizer_opts);
	s->collector = collector_new(s->symbolizer, s->frames, &collector_opts);
	s->naming = naming_new(&(struct naming_opts){
		.collector = s->collector,
		.symbolizer = s->symbolizer,
		.pool = s->pool,
		.poll_fd = kernel_text_poll_fd(s->kernel_text),
		.poll = on_poll,
		.age = on_age,
		.ctx = s,
	});
	return NULL;
}

static void prepare_begin(struct capture_source *s)
{
	s->is_preparing = !pthread_create(&s->preparation, NULL, prepare, s);
	if (!s->is_preparing)
		prepare(s);
}

static void prepare_end(struct capture_source *s)
{
	if (s->is_preparing)
		pthread_join(s->preparation, NULL);
	s->is_preparing = false;
}

/* ---- what the sampler hands over ---------------------------------------------------------- */

static uint32_t on_stack(void *ctx, const struct eddy_stack_event *ev)
{
	struct capture_source *s = ctx;

	return naming_stack(s->naming, ev);
}

static void on_count(void *ctx, uint32_t tag, uint64_t samples, uint64_t weight)
{
	struct capture_source *s = ctx;

	naming_count(s->naming, tag, samples, weight);
}

static void on_time(void *ctx, uint32_t tag, uint64_t time_ns, uint64_t weight)
{
	struct capture_source *s = ctx;

	naming_time(s->naming, tag, time_ns, weight);
}

static void on_forget(void *ctx)
{
	struct capture_source *s = ctx;

	naming_forget(s->naming);
}

static void on_wait(void *ctx, uint32_t tag, enum eddy_wait state, uint64_t waits, uint64_t ns)
{
	struct capture_source *s = ctx;

	naming_wait(s->naming, tag, state, waits, ns);
}

static void on_file(void *ctx, uint32_t file, const struct met_file *met)
{
	struct capture_source *s = ctx;

	prepare_end(s);
	naming_file(s->naming, file, met);
}

static void on_file_gone(void *ctx, uint32_t file)
{
	struct capture_source *s = ctx;

	naming_file_gone(s->naming, file);
}

static void on_exec(void *ctx, const struct eddy_process_event *ev)
{
	struct capture_source *s = ctx;

	naming_exec(s->naming, ev);
}

static void on_cgroup(void *ctx, const struct eddy_cgroup_event *ev)
{
	struct capture_source *s = ctx;

	naming_cgroup(s->naming, ev);
}

static uint64_t on_begun(void *ctx, pid_t pid)
{
	const struct capture_source *s = ctx;

	return sampler_begun_ns(s->sampler, pid);
}

/* ---- the kernel's code -------------------------------------------------------------------- */

static void on_symbol(void *ctx, const struct ksymbol *symbol)
{
	struct capture_source *s = ctx;

	sampler_note_text(s->sampler);
	symbolizer_kernel_change(s->symbolizer, &(struct kernel_code_change){
							.start = symbol->start,
							.bytes = symbol->bytes,
							.time_ns = symbol->time_ns,
							.name = symbol->name,
							.is_gone = symbol->is_gone,
							.is_bpf = symbol->is_bpf,
						});
}

static void on_symbols_lost(void *ctx, uint64_t nr)
{
	struct capture_source *s = ctx;

	sampler_note_text(s->sampler);
	symbolizer_kernel_lost(s->symbolizer);
}

static void on_size(void *ctx, uint64_t start, uint32_t bytes)
{
	struct capture_source *s = ctx;

	symbolizer_kernel_change(s->symbolizer,
				 &(struct kernel_code_change){ .start = start, .bytes = bytes });
}

static uint32_t on_module_seq(void *ctx)
{
	const struct capture_source *s = ctx;

	return sampler_module_seq(s->sampler);
}

/* Listens from before kallsyms is read. */
static void listen_begin(struct capture_source *s)
{
	const struct kernel_text_consumer consumer = {
		.symbol = on_symbol,
		.lost = on_symbols_lost,
		.size = on_size,
		.ctx = s,
	};

	s->kernel_text = kernel_text_open(&consumer);
}

static void follow_begin(struct capture_source *s)
{
	const struct symbolizer_follower follower = {
		.poll = on_poll,
		.module_seq = on_module_seq,
		.ctx = s,
	};
	uint64_t start = symbolizer_kernel_address(s->symbolizer, "_stext", NULL);
	uint64_t end = symbolizer_kernel_address(s->symbolizer, "_etext", NULL);

	if (!s->kernel_text)
		return;
	sampler_set_text(s->sampler, start, end > start ? end - start : 0,
			 symbolizer_kernel_address(s->symbolizer, "bpf_tree", NULL));
	symbolizer_follow_kernel(s->symbolizer, &follower);
	kernel_text_sizes(s->kernel_text);
	kernel_text_poll(s->kernel_text);
}

static void on_load_log(void *ctx, const char *text)
{
	struct capture_source *s = ctx;

	s->request->load_log(text);
}

/* ---- priority ----------------------------------------------------------------------------- */

void capture_source_hurry(struct capture_source *s)
{
	if (s->is_urgent || !priority_is_crowded())
		return;
	s->is_urgent = priority_hurry();
	worker_pool_hurry(s->pool, s->is_urgent);
}

void capture_source_relax(struct capture_source *s)
{
	if (s->is_urgent)
		priority_relax();
	s->is_urgent = false;
	worker_pool_hurry(s->pool, false);
}

/* ---- opening ------------------------------------------------------------------------------ */

static int open_sampler(struct capture_source *s, struct diag *ret_diag)
{
	const struct capture_options *o = s->request->options;
	_cleanup_free_ char *cgroup = o->cgroup ? cgroups_find_directory(o->cgroup) : NULL;
	const struct sampler_consumer consumer = {
		.stack = on_stack,
		.count = on_count,
		.time = on_time,
		.wait = on_wait,
		.file = on_file,
		.file_gone = on_file_gone,
		.forget = on_forget,
		.exec = on_exec,
		.cgroup = on_cgroup,
		.load_log = s->request->load_log ? on_load_log : NULL,
		.ctx = s,
	};
	struct sampler_opts opts = {
		.event = s->event,
		.rate = s->rate,
		.cpus = o->cpus,
		.nr_cpus = o->nr_cpus,
		.tasks = o->pids ? o->pids : o->tids,
		.nr_tasks = o->pids ? o->nr_pids : o->nr_tids,
		.by_thread = o->tids,
		.cgroup_path = cgroup,
		.comm = o->comm,
		.user_only = o->user_only,
		.kernel_only = o->kernel_only,
		.keep_idle = o->idle,
		.waits = o->off_cpu,
		.wall = o->wall,
		.times = s->request->slot_ns > 0,
		.min_wait_ns = o->min_wait_ns,
		.identity = sampler_choice_identity(&s->request->root),
		.max_user_frames = o->max_depth,
		.unwind = o->unwind,
		.max_table_bytes = o->table_bytes,
		.map_bytes = sampler_choice_map_bytes(s),
		.ring_bytes = o->ring_bytes,
		.max_stacks = sampler_choice_max_stacks(s->request),
		.pool = s->pool,
		.tables_wait_ns = s->request->is_watched ? WATCHED_WAIT_NS : 0,
		.is_to_end = signals_are_pending,
	};
	uint32_t child_pid;

	if (o->cgroup && !cgroup)
		return diag_set(ret_diag, ENOENT, "no cgroup '%s' (of version 2)", o->cgroup);
	if (s->request->only_child) {
		child_pid = pid_space_number(s->request->child->pid);
		opts.tasks = &child_pid;
		opts.nr_tasks = 1;
		opts.follow_forks = true;
	}
	return sampler_open(&opts, &consumer, &s->sampler, ret_diag);
}

/* Said before sampling begins: afterwards may be too late. */
static void warn_of_defects(const struct capture_request *request)
{
	if (request->warn && !request->options->kernel_only &&
	    kernel_defect_usercopy_here() == KERNEL_DEFECT_YES)
		request->warn("note: on this kernel, reading user memory from samples can lock up "
			      "the machine ('eddy doctor' tells more; -K avoids it)");
}

int capture_source_open(struct capture_source *s, const struct capture_request *request,
			struct diag *ret_diag)
{
	const struct capture_options *o = request->options;
	struct eddy_range idle[EDDY_MAX_IDLE_RANGES];
	struct eddy_orc orc;
	uint64_t schedule, schedule_bytes = 0;
	unsigned int major, minor;
	size_t nr_idle;
	int r;

	s->request = request;
	s->is_urgent = priority_is_crowded() && priority_hurry();
	/* First: its processes are made of what there is now. */
	r = worker_pool_new(&s->pool);
	if (r < 0)
		return diag_set(ret_diag, -r, "no process to read files: %s", strerror(-r));
	worker_pool_hurry(s->pool, s->is_urgent);
	if (o->off_cpu && !o->wall)
		s->event = (struct capture_event){ .name = "off-cpu" };
	else
		r = capture_event_parse(o->event, &s->event, ret_diag);
	if (r < 0)
		return r;
	if (o->wall) /* opened by its number; what is written is what was asked for */
		strcpy(s->event.name, "wall");
	s->rate = o->rate;
	if ((!o->off_cpu || o->wall) && !s->rate.freq_hz && !s->rate.period) {
		if (s->event.is_tracepoint)
			s->rate.period = 1;
		else
			s->rate.freq_hz = CAPTURE_DEFAULT_HZ;
	}
	r = o->off_cpu && !o->wall ? 0 : capture_rate_check(&s->event, &s->rate, ret_diag);
	if (r >= 0)
		r = sampler_choice_check_tasks(o, ret_diag);
	if (r >= 0)
		r = sampler_choice_check_cpus(o, ret_diag);
	if (r < 0)
		return r;
	warn_of_defects(request);
	s->frames = frame_table_new();
	listen_begin(s);
	prepare_begin(s);
	r = open_sampler(s, ret_diag);
	prepare_end(s);
	frame_table_unref(take_ptr(s->frames)); /* the collector has it, and changes it */
	if (r < 0)
		return r;
	collector_look_at_cgroups(s->collector);
	symbolizer_use_begun(s->symbolizer, on_begun, s);
	follow_begin(s);
	schedule = symbolizer_kernel_address(s->symbolizer, "__schedule", &schedule_bytes);
	if (schedule)
		sampler_set_schedule(s->sampler, schedule, schedule_bytes);
	nr_idle = idle_functions_find(s->symbolizer, idle);
	sampler_set_idle(s->sampler, idle, nr_idle);
	host_kernel_version(&major, &minor);
	if (orc_tables_find(s->symbolizer, major, minor, &orc))
		sampler_set_orc(s->sampler, &orc);
	return 0;
}

void capture_source_deinit(struct capture_source *s)
{
	prepare_end(s);
	naming_free(s->naming); /* which asks the sampler */
	sampler_free(s->sampler);
	kernel_text_free(s->kernel_text);
	collector_free(s->collector);
	symbolizer_free(s->symbolizer);
	worker_pool_free(s->pool); /* waits for a process to end, which hurries too */
	frame_table_unref(s->frames);
}
