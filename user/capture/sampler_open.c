// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads the BPF sampler, gives it its maps and hands what it counts to the consumer.  What was
 * counted comes out by capture/drain.c; here the parts are put together, and taken apart.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/pid_space.h"
#include "capture/sampler_config.h"
#include "capture/sampler_parts.h"
#include "util/mem.h"

#define DEFAULT_MAP_BYTES   (16ull << 20)
#define DEFAULT_TABLE_BYTES (128ull << 20)
#define TABLES_WAIT_NS	    3000000000ull /* for those that are not read when all else is ready */

static int map_add(const struct bpf_map *map, uint32_t key)
{
	uint8_t one = 1;

	return bpf_map_update_elem(bpf_map__fd(map), &key, &one, BPF_ANY) < 0 ? -errno : 0;
}

static void on_file(void *ctx, uint32_t file, const struct met_file *met)
{
	struct sampler *s = ctx;

	s->consumer.file(s->consumer.ctx, file, met);
}

static void on_file_gone(void *ctx, uint32_t file)
{
	struct sampler *s = ctx;

	if (s->consumer.file_gone)
		s->consumer.file_gone(s->consumer.ctx, file);
}

/* It reads files while the programs are verified. */
static int loader_open(struct sampler *s, struct diag *ret_diag)
{
	const struct unwind_loader_opts opts = {
		.max_bytes =
			s->opts.max_table_bytes ? s->opts.max_table_bytes : DEFAULT_TABLE_BYTES,
		.pool = s->opts.pool,
		.is_to_end = s->opts.is_to_end,
		.on_file = on_file,
		.on_file_gone = on_file_gone,
		.ctx = s,
	};

	return unwind_loader_new(&opts, &s->loader, ret_diag);
}

static int loader_use_maps(struct sampler *s, struct diag *ret_diag)
{
	const struct unwind_maps_fds fds = {
		.slabs = bpf_map__fd(s->skel->maps.slabs),
		.pages = bpf_map__fd(s->skel->maps.pages),
		.rules = bpf_map__fd(s->skel->maps.rules),
		.files = bpf_map__fd(s->skel->maps.files),
	};

	int r = drain_use_loader(s->drain, s->loader, s->opts.max_user_frames,
				 s->opts.unwind == EDDY_UNWIND_EH);

	if (r < 0)
		return diag_set(ret_diag, -r, "eventfd: %s", strerror(-r));
	return unwind_loader_use_maps(
		s->loader, &fds, s->opts.tables_wait_ns ? s->opts.tables_wait_ns : TABLES_WAIT_NS,
		ret_diag);
}

static int cgroup_use(struct sampler *s, struct diag *ret_diag)
{
	const char *path = s->opts.cgroup_path;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint32_t zero = 0;

	if (fd < 0)
		return diag_set(ret_diag, errno, "cgroup '%s': %s", path, strerror(errno));
	if (bpf_map_update_elem(bpf_map__fd(s->skel->maps.cgroups), &zero, &fd, BPF_ANY) < 0)
		return diag_set(ret_diag, errno, "'%s' is not a directory of cgroup version 2",
				path);
	return 0;
}

static int maps_fill(struct sampler *s, struct diag *ret_diag)
{
	const struct sampler_opts *o = &s->opts;
	int r = 0;

	for (size_t i = 0; i < o->nr_tasks && r >= 0; i++)
		r = map_add(s->skel->maps.tasks, o->tasks[i]);
	for (size_t i = 0; i < o->nr_cpus && r >= 0; i++)
		r = map_add(s->skel->maps.cpus, o->cpus[i]);
	if (r < 0)
		return diag_set(ret_diag, -r, "too many tasks to sample: %s", strerror(-r));
	if (o->cgroup_path) {
		r = cgroup_use(s, ret_diag);
		if (r < 0)
			return r;
	}
	s->open_waits = (struct open_waits_opts){
		.waiters_fd = bpf_map__fd(s->skel->maps.waiters),
		.window = &s->skel->bss->wait_window,
		.min_wait_ns = o->min_wait_ns,
		.is_wall = o->wall,
	};
	return drain_new(
		&(struct drain_opts){
			.ring_fd = bpf_map__fd(s->skel->maps.ring),
			.counts_fd = bpf_map__fd(s->skel->maps.active),
			.counters_fd = bpf_map__fd(s->skel->maps.counters),
			.ring_bytes = sampler_ring_bytes(o, s->host.nr_cpus),
			.map_bytes = o->map_bytes ? o->map_bytes : DEFAULT_MAP_BYTES,
			.turn = &s->skel->bss->turn,
			.begun_ns = s->skel->bss->begun_ns,
			.consumer = &s->consumer,
			/* A wait may end long after its stack was told. */
			.max_stacks = o->waits ? 0 : o->max_stacks,
			.copy_all = o->copy_all,
			.is_weighed = o->waits || capture_is_weighed(&o->event, &o->rate),
			.has_times = o->times,
			.marks_fd = bpf_map__fd(s->skel->maps.marks),
			.waits = o->waits ? &s->open_waits : NULL,
		},
		&s->drain, ret_diag);
}

int sampler_attach(struct bpf_program *prog, struct bpf_link **ret_link, struct diag *ret_diag)
{
	*ret_link = bpf_program__attach(prog);
	if (!*ret_link)
		return diag_set(ret_diag, errno, "attaching to %s: %s",
				strchrnul(bpf_program__section_name(prog), '/') + 1,
				strerror(errno));
	return 0;
}

int sampler_open(const struct sampler_opts *opts, const struct sampler_consumer *consumer,
		 struct sampler **ret_sampler, struct diag *ret_diag)
{
	_cleanup_(sampler_freep) struct sampler *s = xcalloc(1, sizeof(*s));
	uint32_t pid_space;
	int r;

	s->opts = *opts;
	s->consumer = *consumer;
	r = pid_space_find(&pid_space, ret_diag);
	if (r < 0)
		return r;
	sampler_host_read(&s->host, pid_space);
	/* Events first: that a machine forbids them is said better there than by the BPF loader. */
	if (!opts->waits || opts->wall)
		r = cpu_events_open(&opts->event, &opts->rate, opts->cpus, opts->nr_cpus,
				    &s->events, ret_diag);
	if (r < 0)
		return r;
	if (sampler_has_tables(opts))
		r = loader_open(s, ret_diag);
	if (r < 0)
		return r;
	r = sampler_skel_load(opts, &s->host, consumer, &s->skel, ret_diag);
	if (r < 0)
		return r;
	r = maps_fill(s, ret_diag);
	if (r >= 0 && s->loader)
		r = loader_use_maps(s, ret_diag);
	/* Before who names cgroups looks which there are: none is made in between unseen. */
	if (r >= 0 && opts->identity & EDDY_IDENTITY_CGROUP)
		r = sampler_attach(s->skel->progs.eddy_cgroup_mkdir, &s->cgroup_link, ret_diag);
	if (r < 0)
		return r;
	*ret_sampler = take_ptr(s);
	return 0;
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	event_end_free(s->end);
	if (s->events)
		cpu_events_free(s->events);
	wait_programs_deinit(&s->waits);
	bpf_link__destroy(s->cgroup_link);
	bpf_link__destroy(s->exec_link);
	bpf_link__destroy(s->rename_link);
	bpf_link__destroy(s->module_links[0]);
	bpf_link__destroy(s->module_links[1]);
	bpf_link__destroy(s->fork_link);
	bpf_link__destroy(s->exit_link);
	bpf_link__destroy(s->free_link);
	drain_free(s->drain);
	unwind_loader_free(s->loader);
	if (s->skel)
		sampler_bpf__destroy(s->skel);
	due_samples_deinit(&s->due);
	free(s);
}
