// SPDX-License-Identifier: GPL-2.0-or-later
/* What this machine has of events, and perf_event_open(2) with every refusal turned into words. */
#include "capture/event.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/cpus.h"
#include "capture/host.h"
#include "capture/tracefs.h"
#include "util/cleanup.h"
#include "util/mem.h"

/* Elsewhere the kernel takes precise_ip and does nothing with it. */
#ifdef __x86_64__
#define HAS_PRECISION true
#else
#define HAS_PRECISION false
#endif

static int event_perf_open(const struct capture_event *event, const struct capture_rate *rate,
			   uint32_t cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = event->code.type,
		.config = event->code.config[0],
		.config1 = event->code.config[1],
		.config2 = event->code.config[2],
		.exclude_user = event->code.exclude_user,
		.exclude_kernel = event->code.exclude_kernel,
		.exclude_hv = event->code.exclude_hv,
		.precise_ip = event->precise,
		.disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	/* Else the kernel lets no BPF program that takes stacks have such an event (5.9). */
	if (event->precise)
		attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	if (rate->freq_hz) {
		attr.freq = 1;
		attr.sample_freq = rate->freq_hz;
	} else {
		attr.sample_period = rate->period;
	}
	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* 0 when it can be opened; -errno: -EACCES says nothing about the machine. */
static int event_probe(const struct capture_event *event)
{
	const struct capture_rate rate = { .period = 1000000000 };
	_cleanup_close_ int fd = event_perf_open(event, &rate, cpus_any_online());

	return fd < 0 ? -errno : 0;
}

static bool is_missing(int err)
{
	return err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV;
}

static bool is_clock(const struct event_code *code)
{
	return code->type == PERF_TYPE_SOFTWARE && (code->config[0] == PERF_COUNT_SW_CPU_CLOCK ||
						    code->config[0] == PERF_COUNT_SW_TASK_CLOCK);
}

static int event_parse_tracepoint(const char *name, struct capture_event *event,
				  struct diag *ret_diag)
{
	uint64_t id;
	int r = tracefs_event_id(name, &id, ret_diag);

	if (r < 0)
		return r;
	*event = (struct capture_event){
		.code = { .type = PERF_TYPE_TRACEPOINT, .config = { id } },
		.is_tracepoint = true,
	};
	snprintf(event->name, sizeof(event->name), "%s", name);
	return 0;
}

/*
 * The highest precise_ip that works, from `most` on: a sample is then at the instruction that it is
 * of, and not some behind it.  Where no counter works at all it is 0.
 */
static void settle_precision(struct capture_event *event, unsigned int most)
{
	for (event->precise = most; event->precise; event->precise--)
		if (event_probe(event) >= 0)
			return;
}

static int probe_failed(const struct capture_event *event, int err, struct diag *ret_diag)
{
	struct capture_event plain = *event;

	plain.precise = 0;
	if (event->precise && (is_missing(err) || err == -EINVAL) && event_probe(&plain) >= 0)
		return diag_set(ret_diag, ENOENT,
				"event '%s': this machine does not have it with precise_ip %u (one "
				"p less, or P for the most there is)",
				event->name, event->precise);
	if (is_missing(err))
		return diag_set(ret_diag, ENOENT,
				"event '%s': this machine has no counter for it (try cpu-clock)",
				event->name);
	if (err == -EINVAL)
		return diag_set(ret_diag, EINVAL,
				"event '%s': the kernel takes no samples of it: it has no such "
				"code, or one that only counts",
				event->name);
	return 0; /* whoever opens it is told why */
}

static int event_from_code(const char *name, const struct event_code *code,
			   struct capture_event *ret_event, struct diag *ret_diag)
{
	struct capture_event event = { .code = *code, .is_clock = is_clock(code) };
	unsigned int most = HAS_PRECISION ? pmu_max_precise(PMU_ROOT) : 0;
	bool is_highest = code->precision == EVENT_PRECISION_HIGHEST ||
			  (code->precision == EVENT_PRECISION_NONE && code->is_cycles);
	int r;

	if (code->type == PERF_TYPE_SOFTWARE && strchr(name, '/')) /* what files are known by */
		name = event_name_of_software(code->config[0]) ?: name;
	snprintf(event.name, sizeof(event.name), "%s", name);
	if (is_highest)
		settle_precision(&event, most);
	else if (code->precise && !HAS_PRECISION)
		return diag_set(ret_diag, ENOENT, "event '%s': this kernel has no precise_ip",
				name);
	else
		event.precise = code->precise;
	r = probe_failed(&event, event_probe(&event), ret_diag);
	if (r < 0)
		return r;
	*ret_event = event;
	return 0;
}

int capture_event_parse(const char *name, struct capture_event *ret_event, struct diag *ret_diag)
{
	struct event_code code;
	int r;

	if (strlen(name) >= sizeof(ret_event->name))
		return diag_set(ret_diag, EINVAL, "no event of so long a name");
	if (!strcmp(name, "auto")) {
		r = capture_event_parse("cycles", ret_event, NULL);
		if (r < 0 || event_probe(ret_event) < 0)
			return capture_event_parse("cpu-clock", ret_event, ret_diag);
		return 0;
	}
	r = event_name_parse(PMU_ROOT, name, &code, ret_diag);
	if (r > 0)
		return event_parse_tracepoint(name, ret_event, ret_diag);
	return r < 0 ? r : event_from_code(name, &code, ret_event, ret_diag);
}

/*
 * Debian and Ubuntu have sysctl values above the kernel's own 2; from there on their kernels ask
 * for CAP_SYS_ADMIN and not for CAP_PERFMON.
 */
static int not_permitted(int err, struct diag *ret_diag)
{
	int64_t paranoid = 0;

	if (host_has_capability(HOST_CAP_PERFMON) && !host_sysctl(HOST_PARANOID, &paranoid) &&
	    paranoid > 2)
		return diag_set(
			ret_diag, err,
			"sampling is not permitted: kernel.perf_event_paranoid is %lld, with "
			"which this kernel asks for CAP_SYS_ADMIN: run as root, or "
			"'sysctl kernel.perf_event_paranoid=2'",
			(long long)paranoid);
	return diag_set(ret_diag, err,
			"sampling all CPUs is not permitted: run as root, or grant CAP_PERFMON "
			"and CAP_BPF (kernel.perf_event_paranoid forbids it to others)");
}

static int event_refused(const struct capture_event *event, const struct capture_rate *rate,
			 int err, struct diag *ret_diag)
{
	uint64_t max_hz = capture_max_sample_rate_hz();

	switch (err) {
	case EACCES:
	case EPERM:
		return not_permitted(err, ret_diag);
	case EINVAL:
		if (rate->freq_hz > max_hz && max_hz)
			return diag_set(
				ret_diag, err,
				"%llu Hz is above kernel.perf_event_max_sample_rate (%llu): "
				"lower -F or raise the sysctl",
				(unsigned long long)rate->freq_hz, (unsigned long long)max_hz);
		break;
	case ENOSYS:
		return diag_set(
			ret_diag, err,
			"there is no system call perf_event_open: the kernel was built without "
			"CONFIG_PERF_EVENTS, or a seccomp filter (a container's?) hides it");
	case EMFILE:
		return diag_set(ret_diag, err,
				"too many open files for one event per CPU: raise 'ulimit -n'");
	}
	return diag_set(ret_diag, err, "event '%s': %s", event->name, strerror(err));
}

int capture_event_open(const struct capture_event *event, const struct capture_rate *rate,
		       uint32_t cpu, struct diag *ret_diag)
{
	int fd = event_perf_open(event, rate, cpu);

	if (fd < 0)
		return event_refused(event, rate, errno, ret_diag);
	return fd;
}

/* What the scheduler raises by perf_sw_event_sched(), 5.10 to 6.18. */
bool capture_event_has_caller_regs(const struct capture_event *event)
{
	static const uint64_t sched[] = {
		PERF_COUNT_SW_CONTEXT_SWITCHES,
		PERF_COUNT_SW_CPU_MIGRATIONS,
		EVENT_SW_CGROUP_SWITCHES,
	};

	for (size_t i = 0; i < ARRAY_SIZE(sched) && event->code.type == PERF_TYPE_SOFTWARE; i++)
		if (event->code.config[0] == sched[i])
			return true;
	return event->is_tracepoint;
}

bool capture_event_is_tracepoint_name(const char *name)
{
	struct event_code code;

	return event_name_parse(PMU_ROOT, name, &code, NULL) > 0;
}

/* A shorter period of a clock's timer is not refused but made this long. */
#define MIN_CLOCK_PERIOD_NS 10000

int capture_rate_check(const struct capture_event *event, const struct capture_rate *rate,
		       struct diag *ret_diag)
{
	if (event->is_tracepoint && rate->freq_hz)
		return diag_set(ret_diag, EINVAL,
				"--freq: a tracepoint has no frequency: use --count, every N-th "
				"hit is a sample");
	if (!event->is_clock)
		return 0;
	if (rate->period && rate->period < MIN_CLOCK_PERIOD_NS)
		return diag_set(ret_diag, EINVAL,
				"--count: the kernel's clocks tick every %d ns at most, %llu ns "
				"are too few",
				MIN_CLOCK_PERIOD_NS, (unsigned long long)rate->period);
	if (rate->freq_hz > 1000000000 / MIN_CLOCK_PERIOD_NS)
		return diag_set(ret_diag, EINVAL,
				"--freq: the kernel's clocks tick %d times a second at most, %llu "
				"Hz are too many",
				1000000000 / MIN_CLOCK_PERIOD_NS,
				(unsigned long long)rate->freq_hz);
	return 0;
}

bool capture_event_is_hardware(const struct capture_event *event)
{
	return event->code.type != PERF_TYPE_SOFTWARE && !event->is_clock && !event->is_tracepoint;
}

static void add_hardware_blind_spot(const struct capture_event *event, struct strbuf *to)
{
	strbuf_addstr(to, "hardware events do not count while a CPU is halted, and not in the "
			  "guest's hypervisor");
	if (event->code.exclude_user || event->code.exclude_kernel)
		strbuf_addf(to, "; of %s nothing was asked for, samples there came late",
			    event->code.exclude_user ? "user code" : "the kernel");
	if (event->code.type == PERF_TYPE_HW_CACHE)
		strbuf_addstr(to, "; caches count what CPUs speculate as well");
	if (event->code.type != PERF_TYPE_HARDWARE && event->code.type != PERF_TYPE_HW_CACHE)
		strbuf_addstr(to, "; what a raw code counts the CPU's manual says alone");
	if (event->precise)
		strbuf_addf(to, "; samples are at their instructions (precise_ip %u)",
			    event->precise);
	else
		strbuf_addstr(to, "; the instruction shown is some behind the one that was at "
				  "work (no precise_ip)");
#ifdef __aarch64__
	strbuf_addstr(to, "; unless the kernel has pseudo-NMIs (irqchip.gicv3_pseudo_nmi=1) code "
			  "with interrupts off shows where they are enabled again");
#endif
}

void capture_event_blind_spot(const struct capture_event *event, struct strbuf *to)
{
	if (event->is_clock)
		strbuf_addstr(to, "cpu-clock ticks from a timer interrupt: code that runs with "
				  "interrupts off (hard interrupt handlers among it) is not seen "
				  "where it runs, its time shows where interrupts are enabled "
				  "again");
	else if (event->is_tracepoint)
		strbuf_addstr(to, "a tracepoint counts its hits, not time");
	else if (capture_event_is_hardware(event))
		add_hardware_blind_spot(event, to);
	else
		strbuf_addstr(to, "a software event counts occurrences, not time");
}

uint64_t capture_max_sample_rate_hz(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	unsigned long long hz;

	if (!f || fscanf(f, "%llu", &hz) != 1)
		return 0;
	return hz;
}
