// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The last checks are the real ones: they load the sampler and sample for a moment.  The checks
 * share nothing but whom they tell.
 */
#include "run/machine_checks.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture/cpus.h"
#include "capture/host.h"
#include "capture/kernel_defect.h"
#include "capture/pid_space.h"
#include "capture/wait_programs.h"
#include "run/capture_run.h"
#include "run/signals.h"
#include "util/cleanup.h"
#include "util/mem.h"
#include "util/sandbox.h"

#define CHECK_HZ 999 /* of the capture that is tried */

struct checks {
	machine_check_fn fn;
	void *ctx;
};

static void tell(const struct checks *c, enum machine_mark mark, const char *what, const char *cost)
{
	c->fn(c->ctx, mark, what, cost);
}

static void check(const struct checks *c, bool good, const char *what, const char *cost)
{
	tell(c, good ? MACHINE_OK : MACHINE_COSTS, what, good ? "" : cost);
}

/* Places where sampling, or another profiler beside eddy, is known to lock up the machine. */
static void check_defects(const struct checks *c)
{
	enum kernel_defect usercopy = kernel_defect_usercopy_here(), clock_stop;
	struct kernel_version version;
	char text[256];

	kernel_version_here(&version);
	clock_stop = kernel_defect_clock_stop(&version);
	if (usercopy) {
		snprintf(text, sizeof(text),
			 "this kernel %s lock up when a sample reads user memory "
			 "(CONFIG_HARDENED_USERCOPY, parca-agent #1675)",
			 usercopy == KERNEL_DEFECT_YES ? "can" : "may");
		tell(c, MACHINE_COSTS, text,
		     usercopy == KERNEL_DEFECT_YES
			     ? "update to Linux 6.1.36, 6.3.10, 6.4 or later, boot with "
			       "hardened_usercopy=off, or sample with -K"
			     : "if its maker has not put \"mm: Fix copy_from_user_nofault()\" in, "
			       "boot with hardened_usercopy=off, or sample with -K");
	}
	if (clock_stop) {
		snprintf(text, sizeof(text),
			 "cpu-clock events that stop by themselves %s this kernel "
			 "(async-profiler #1578)",
			 clock_stop == KERNEL_DEFECT_YES ? "lock up" : "may lock up");
		tell(c, MACHINE_OK, text,
		     "eddy has none; for other profilers update to 6.17.8, 6.18 or later");
	}
}

static void check_kernel(const struct checks *c)
{
	struct utsname uts = { .release = "?" };
	_cleanup_free_ uint32_t *cpus = NULL;
	unsigned int major, minor;
	char text[256], lockdown[32];
	size_t nr_cpus = 0;

	uname(&uts);
	cpus_online(&cpus, &nr_cpus);
	snprintf(text, sizeof(text), "Linux %s, %s, %zu CPUs online", uts.release, uts.machine,
		 nr_cpus);
	host_kernel_version(&major, &minor);
	tell(c, major > 5 || (major == 5 && minor >= 10) ? MACHINE_OK : MACHINE_FAILS, text,
	     major > 5 || (major == 5 && minor >= 10) ? "" : "eddy needs 5.10 or newer");
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		tell(c, MACHINE_FAILS, "no BTF (/sys/kernel/btf/vmlinux)",
		     "the sampler cannot adapt to this kernel (CONFIG_DEBUG_INFO_BTF)");
	else
		tell(c, MACHINE_OK, "BTF", "");
	if (!host_has_bpf())
		tell(c, MACHINE_FAILS, "no system call bpf",
		     "the kernel was built without CONFIG_BPF_SYSCALL, or a seccomp filter hides "
		     "it");
	host_lockdown(lockdown);
	if (!strcmp(lockdown, "confidentiality"))
		tell(c, MACHINE_FAILS, "kernel lockdown: confidentiality",
		     "BPF may not read the kernel's memory: boot with lockdown=integrity");
	check_defects(c);
}

/* In which namespace PIDs are understood, and whom it hides. */
static void check_pid_space(const struct checks *c)
{
	struct diag diag = { "" };
	char text[64];
	uint32_t space;

	if (pid_space_find(&space, &diag) < 0) {
		tell(c, MACHINE_FAILS, "PID namespace", diag.text);
		return;
	}
	snprintf(text, sizeof(text), "PID namespace %" PRIu32, space);
	if (space)
		tell(c, MACHINE_COSTS, text,
		     "processes outside of it are sampled, but have no number here, and their "
		     "files cannot be opened");
	else
		tell(c, MACHINE_OK, "the machine's first PID namespace", "");
}

static void check_privileges(const struct checks *c)
{
	static const struct {
		enum host_capability cap;
		const char *name, *cost;
	} caps[] = {
		{ HOST_CAP_BPF, "CAP_BPF", "programs cannot be loaded" },
		{ HOST_CAP_PERFMON, "CAP_PERFMON", "other tasks cannot be sampled" },
		{ HOST_CAP_SYSLOG, "CAP_SYSLOG", "kernel functions have no names" },
		{ HOST_CAP_SYS_PTRACE, "CAP_SYS_PTRACE",
		  "files of other users' processes cannot be opened: no user symbols" },
		{ HOST_CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH",
		  "programs that only their owner may read have no symbols" },
		{ HOST_CAP_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE",
		  "deleted and replaced files that are still mapped have no symbols, and stacks "
		  "end there" },
	};
	bool is_admin = host_has_capability(HOST_CAP_SYS_ADMIN);
	_cleanup_strbuf_ struct strbuf parsers = STRBUF_INIT;
	int walls;

	/* Without the first two nothing is sampled; CAP_SYS_ADMIN has them all but the file's. */
	for (size_t i = 0; i < sizeof(caps) / sizeof(*caps); i++) {
		bool is_needed = caps[i].cap == HOST_CAP_BPF || caps[i].cap == HOST_CAP_PERFMON;
		bool good = host_has_capability(caps[i].cap) ||
			    (is_admin && (is_needed || caps[i].cap >= HOST_CAP_SYSLOG));

		tell(c,
		     good	 ? MACHINE_OK
		     : is_needed ? MACHINE_FAILS
				 : MACHINE_COSTS,
		     caps[i].name, good ? "" : caps[i].cost);
	}
	walls = sandbox_say(&parsers);
	tell(c, walls < 0 ? MACHINE_FAILS : walls ? MACHINE_OK : MACHINE_COSTS, parsers.bytes, "");
}

/* Above 2 are values of Debian's and Ubuntu's kernels alone, which do not agree about them. */
static bool is_refused(int64_t paranoid)
{
	const struct capture_rate rate = { .freq_hz = 99 };
	struct capture_event event;
	_cleanup_close_ int fd = -1;

	if (paranoid < 3 || capture_event_parse("cpu-clock", &event, NULL) < 0)
		return false;
	fd = capture_event_open(&event, &rate, cpus_any_online(), NULL);
	return fd < 0;
}

static void check_sysctls(const struct checks *c)
{
	int64_t v = 0;
	char text[128];

	if (!host_sysctl(HOST_PARANOID, &v)) {
		snprintf(text, sizeof(text), "kernel.perf_event_paranoid = %" PRId64, v);
		tell(c, is_refused(v) ? MACHINE_FAILS : MACHINE_OK, text,
		     is_refused(v) ? "this kernel asks for CAP_SYS_ADMIN then: set it to 2" : "");
	}
	if (!host_sysctl("kernel/kptr_restrict", &v)) {
		snprintf(text, sizeof(text), "kernel.kptr_restrict = %" PRId64, v);
		check(c, v < 2, text,
		      "kernel addresses are hidden from everybody: no kernel names");
	}
	if (!host_sysctl("kernel/perf_event_max_sample_rate", &v)) {
		snprintf(text, sizeof(text), "kernel.perf_event_max_sample_rate = %" PRId64, v);
		check(c, v >= CHECK_HZ, text, "higher frequencies are refused");
	}
	if (!host_sysctl("kernel/perf_event_max_stack", &v)) {
		snprintf(text, sizeof(text), "kernel.perf_event_max_stack = %" PRId64, v);
		check(c, v >= EDDY_MAX_KERNEL_FRAMES, text, "deep kernel stacks are cut there");
	}
	if (!host_sysctl("net/core/bpf_jit_enable", &v))
		check(c, v > 0, "BPF just-in-time compiler",
		      "samples cost about ten times as much");
}

static void check_limits(const struct checks *c)
{
	uint64_t bytes = host_bpf_memory_limit();
	char text[64];

	if (bytes == UINT64_MAX)
		return;
	snprintf(text, sizeof(text), "RLIMIT_MEMLOCK = %" PRIu64 " KiB", bytes >> 10);
	tell(c, MACHINE_COSTS, text,
	     "BPF maps count on this kernel: raise it with 'ulimit -l unlimited'");
}

static void check_events(const struct checks *c)
{
	struct capture_event event;
	_cleanup_strbuf_ struct strbuf blind = STRBUF_INIT;
	char text[256];

	if (capture_event_parse("auto", &event, NULL) < 0 || strcmp(event.name, "cycles"))
		tell(c, MACHINE_COSTS, "no hardware counter (cycles)",
		     "cpu-clock is used, which does not see code that runs with interrupts off");
	else
		tell(c, MACHINE_OK, "cycles: a hardware counter ('-e cycles' or '-e auto')", "");
	snprintf(text, sizeof(text), "'-e auto' means %s here", event.name);
	capture_event_blind_spot(&event, &blind);
	tell(c, MACHINE_OK, text, blind.bytes);
}

/* Keeps a CPU busy: an idle machine may take no sample at all, and that is no proof. */
static void *spin(void *is_over)
{
	while (!__atomic_load_n((bool *)is_over, __ATOMIC_RELAXED))
		;
	return NULL;
}

static int sample_busy(struct capture_run *run, int signals_fd, struct capture_window *ret_window,
		       struct diag *ret_diag)
{
	bool is_over = false;
	pthread_t thread;
	bool is_spinning = !pthread_create(&thread, NULL, spin, &is_over);
	int r = capture_run_once(run, signals_fd, ret_window, NULL, ret_diag);

	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	if (is_spinning)
		pthread_join(thread, NULL);
	return r;
}

/*
 * A capture of a fifth of a second, with every message it has.  To look is not worth a machine that
 * locks up: where reading user memory can do that, it is left out.
 */
static bool check_capture(const struct checks *c)
{
	struct capture_options options;
	const struct capture_request request = { .options = &options,
						 .root = BASE_FRAMES_OF(BASE_FRAME_COMM) };
	_cleanup_(capture_run_freep) struct capture_run *run = NULL;
	_cleanup_capture_window_ struct capture_window window = { 0 };
	_cleanup_close_ int signals_fd = signals_open();
	const uint64_t max_hz = capture_max_sample_rate_hz();
	struct diag diag = { "" };
	const struct sampler_stats *s;
	char text[256];

	capture_options_init(&options);
	options.duration_ns = 200000000;
	options.rate.freq_hz = CHECK_HZ;
	if (max_hz && max_hz < CHECK_HZ)
		options.rate.freq_hz = max_hz; /* what record asks for by default is less */
	options.kernel_only = kernel_defect_usercopy_here() == KERNEL_DEFECT_YES;
	if (capture_run_open(&request, &run, &diag) < 0 ||
	    sample_busy(run, signals_fd, &window, &diag) < 0) {
		tell(c, MACHINE_FAILS, "sampling", diag.text);
		return false;
	}
	s = &window.account.sampler;
	snprintf(text, sizeof(text),
		 "sampling: %" PRIu64 " of %" PRIu64 " expected samples in 0.2 s on %" PRIu64
		 " CPUs",
		 s->delivered, s->due, s->nr_cpus);
	if (!s->delivered) {
		tell(c, MACHINE_FAILS, text, "the event never ticks on this machine");
		return false;
	}
	tell(c, MACHINE_OK, text, "");
	check(c, s->bpf_ns, "time in the BPF program is measured",
	      "the cost per sample is not known");
	return true;
}

/* The same for waits, and what they are told by. */
static void check_waits(const struct checks *c)
{
	struct capture_options options;
	const struct capture_request request = { .options = &options,
						 .root = BASE_FRAMES_OF(BASE_FRAME_COMM) };
	_cleanup_(capture_run_freep) struct capture_run *run = NULL;
	_cleanup_capture_window_ struct capture_window window = { 0 };
	_cleanup_close_ int signals_fd = signals_open();
	struct diag diag = { "" };
	char text[256];

	capture_options_init(&options);
	options.duration_ns = 100000000;
	options.off_cpu = true;
	options.kernel_only = kernel_defect_usercopy_here() == KERNEL_DEFECT_YES;
	if (capture_run_open(&request, &run, &diag) < 0 ||
	    capture_run_once(run, signals_fd, &window, NULL, &diag) < 0) {
		snprintf(text, sizeof(text), "waits (BTF tracepoints, task iterator): %s",
			 diag.text);
		tell(c, MACHINE_COSTS, text, "no --off-cpu");
		return;
	}
	snprintf(text, sizeof(text),
		 "waits: %" PRIu64 " of %" PRIu64
		 " threads in 0.1 s (BTF tracepoints sched_switch and sched_wakeup, task iterator)",
		 window.account.collector.waits, window.account.sampler.waiters);
	tell(c, MACHINE_OK, text, "");
	check(c, wait_programs_have_state(), "sched_switch tells how a thread waits",
	      "before 5.18 a sleep that is ended while it begins may count as [disk-sleep]");
}

bool machine_checks_run(machine_check_fn fn, void *ctx)
{
	const struct checks checks = { .fn = fn, .ctx = ctx }, *c = &checks;
	bool works;

	check_kernel(c);
	check_pid_space(c);
	check_privileges(c);
	check_sysctls(c);
	check_limits(c);
	check_events(c);
	works = check_capture(c);
	if (works)
		check_waits(c);
	return works;
}
