// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The window begins when all is known of those who wait: programs first, then the walk over all
 * tasks, then the clock.  So a thread that is switched meanwhile is seen by one of the two.
 */
#include "capture/wait_programs.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sampler.skel.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/mem.h"

#define MIN_WAITERS  32768
#define MAX_WAITERS  (1u << 20)
#define END_NS	     50000 /* ahead of now, at first */
#define STATE_PARAMS 5 /* of the tracepoint's function: its data, preempt, prev, next, prev_state */

bool wait_programs_have_state(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *type;
	bool has = false;
	int id;

	if (!btf)
		return false;
	id = btf__find_by_name_kind(btf, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);
	type = id > 0 ? btf__type_by_id(btf, btf__type_by_id(btf, id)->type) : NULL;
	if (type && btf_is_ptr(type))
		type = btf__type_by_id(btf, type->type);
	if (type && btf_is_func_proto(type))
		has = btf_vlen(type) == STATE_PARAMS;
	btf__free(btf);
	return has;
}

uint32_t wait_programs_room(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/loadavg", "re");
	unsigned int nr = 0;

	if (!f || fscanf(f, "%*s %*s %*s %*u/%u", &nr) != 1 || nr < MIN_WAITERS / 4)
		return MIN_WAITERS;
	return nr < MAX_WAITERS / 4 ? nr * 4 : MAX_WAITERS;
}

static int seed(struct sampler_bpf *skel, struct diag *ret_diag)
{
	struct bpf_link *link = bpf_program__attach_iter(skel->progs.eddy_seed, NULL);
	_cleanup_close_ int fd = -1;
	char none[64];
	ssize_t r = 0;

	if (!link)
		return diag_set(ret_diag, errno, "a walk over all tasks: %s", strerror(errno));
	fd = bpf_iter_create(bpf_link__fd(link));
	if (fd < 0)
		r = diag_set(ret_diag, errno, "a walk over all tasks: %s", strerror(errno));
	while (r >= 0) {
		r = read(fd, none, sizeof(none));
		if (!r)
			break;
		if (r < 0 && (errno == EAGAIN || errno == EINTR))
			r = 0;
		else if (r < 0)
			r = diag_set(ret_diag, errno, "a walk over all tasks: %s", strerror(errno));
	}
	bpf_link__destroy(link);
	return r < 0 ? r : 0;
}

int wait_programs_start(struct wait_programs *p, struct sampler_bpf *skel, struct diag *ret_diag)
{
	struct bpf_program *const programs[] = { skel->progs.eddy_switch, skel->progs.eddy_wakeup,
						 skel->progs.eddy_wakeup_new };
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		p->links[i] = bpf_program__attach(programs[i]);
		if (!p->links[i])
			return diag_set(ret_diag, errno, "attaching to %s: %s",
					strchrnul(bpf_program__section_name(programs[i]), '/') + 1,
					strerror(errno));
	}
	r = seed(skel, ret_diag);
	if (r < 0)
		return r;
	__atomic_store_n(&skel->bss->wait_window.begin_ns, clock_ns(CLOCK_MONOTONIC),
			 __ATOMIC_SEQ_CST);
	return 0;
}

void wait_programs_end_at(struct sampler_bpf *skel, uint64_t mono_ns)
{
	__atomic_store_n(&skel->bss->wait_window.end_ns, mono_ns, __ATOMIC_SEQ_CST);
}

/*
 * A little later than now: a program that ran before it could know would charge a wait up to its
 * own time.
 */
static uint64_t end_soon(struct sampler_bpf *skel)
{
	uint64_t end_ns, now_ns, ahead_ns = END_NS;

	do {
		end_ns = clock_ns(CLOCK_MONOTONIC) + ahead_ns;
		wait_programs_end_at(skel, end_ns);
		now_ns = clock_ns(CLOCK_MONOTONIC);
		ahead_ns *= 2; /* on a busy machine, or with a slow clock */
	} while (now_ns >= end_ns);
	while (clock_ns(CLOCK_MONOTONIC) < end_ns)
		continue;
	return end_ns;
}

void wait_programs_stop(struct sampler_bpf *skel, struct instant *ret_end)
{
	struct instant now = instant_now();
	uint64_t end_ns = skel->bss->wait_window.end_ns;

	if (!end_ns || end_ns > now.mono_ns)
		end_ns = end_soon(skel);
	now.real_ns -= now.mono_ns - end_ns; /* it may be later, too: modulo 2^64 */
	now.boot_ns -= now.mono_ns - end_ns;
	now.mono_ns = end_ns;
	if (ret_end)
		*ret_end = now;
}

void wait_programs_deinit(struct wait_programs *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(p->links); i++)
		bpf_link__destroy(p->links[i]);
}
