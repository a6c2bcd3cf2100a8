// SPDX-License-Identifier: GPL-2.0-or-later
/* Sizes of maps and which programs are loaded; what libbpf says meanwhile is kept for messages. */
#include "capture/sampler_skel.h"

#include <errno.h>
#include <unistd.h>

#include "capture/load_error.h"
#include "capture/load_log.h"
#include "capture/wait_programs.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

static void skel_configure(struct sampler_bpf *skel, const struct sampler_opts *o,
			   const struct sampler_host *host)
{
	sampler_config_fill(o, host, &skel->rodata->config);
	bpf_map__set_max_entries(skel->maps.ring, sampler_ring_bytes(o, host->nr_cpus));
	bpf_map__set_max_entries(skel->maps.late, host->nr_cpus);
	if (!o->times)
		bpf_map__set_max_entries(skel->maps.marks, 1);
	bpf_map__set_max_entries(skel->maps.cpus, o->nr_cpus ? o->nr_cpus : 1);
	if (!o->tasks) /* 1.3 MiB of locked memory before 5.11, where 8 MiB may be all there is */
		bpf_map__set_max_entries(skel->maps.tasks, 1);
	if (!o->tasks || !host->pid_space)
		bpf_map__set_max_entries(skel->maps.ending, 1);
	bpf_program__set_autoload(skel->progs.eddy_perf_event,
				  (!o->waits || o->wall) && !o->event.is_tracepoint);
	bpf_program__set_autoload(skel->progs.eddy_tracepoint, !o->waits && o->event.is_tracepoint);
	bpf_program__set_autoload(skel->progs.eddy_switch, o->waits);
	bpf_program__set_autoload(skel->progs.eddy_wakeup, o->waits);
	bpf_program__set_autoload(skel->progs.eddy_wakeup_new, o->waits);
	bpf_program__set_autoload(skel->progs.eddy_seed, o->waits);
	bpf_map__set_autocreate(skel->maps.seed_scratch, o->waits);
	if (o->waits)
		bpf_map__set_max_entries(skel->maps.waiters, wait_programs_room());
	bpf_program__set_autoload(skel->progs.eddy_fork, o->follow_forks);
	bpf_program__set_autoload(skel->progs.eddy_cgroup_mkdir,
				  o->identity & EDDY_IDENTITY_CGROUP);
	bpf_program__set_autoload(skel->progs.eddy_exit, o->tasks && host->pid_space);
	bpf_program__set_autoload(skel->progs.eddy_free, o->tasks);
	if (!sampler_has_tables(o)) {
		/* No tables: no memory for them either. */
		bpf_map__set_max_entries(skel->maps.files, 1);
		bpf_map__set_max_entries(skel->maps.slabs, 1);
		bpf_map__set_max_entries(skel->maps.late, 1);
	}
}

int sampler_skel_load(const struct sampler_opts *opts, const struct sampler_host *host,
		      const struct sampler_consumer *consumer, struct sampler_bpf **ret_skel,
		      struct diag *ret_diag)
{
	/*
	 * Types that the kernel was built without are looked for in its modules otherwise, which
	 * takes CAP_SYS_ADMIN.
	 */
	LIBBPF_OPTS(bpf_object_open_opts, open_opts,
		    .btf_custom_path = access(KERNEL_BTF, R_OK) ? NULL : KERNEL_BTF);
	struct load_log log = { 0 };
	int err = 0;

	load_log_begin(&log);
	*ret_skel = sampler_bpf__open_opts(&open_opts);
	if (*ret_skel)
		skel_configure(*ret_skel, opts, host);
	if (!*ret_skel || sampler_bpf__load(*ret_skel) < 0)
		err = errno;
	load_log_end(&log);
	if (err) {
		if (consumer->load_log && log.text.len)
			consumer->load_log(consumer->ctx, log.text.bytes);
		load_error(err, log.text.len ? log.text.bytes : "", ret_diag);
	}
	strbuf_deinit(&log.text);
	return -err;
}
