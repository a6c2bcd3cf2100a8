// SPDX-License-Identifier: GPL-2.0-or-later
/* Event names, and perf_event_open(2) with every refusal turned into words. */
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

struct event_name {
	const char *name;
	uint32_t type;
	uint64_t config;
};

static const struct event_name names[] = {
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, 11 /* PERF_COUNT_SW_CGROUP_SWITCHES, 5.13 */ },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
};

static int event_perf_open(const struct capture_event *event, const struct capture_rate *rate,
			   uint32_t cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = event->type,
		.config = event->config,
		.disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

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

static void event_set(struct capture_event *event, const struct event_name *from)
{
	*event = (struct capture_event){
		.type = from->type,
		.config = from->config,
		.is_clock = from->type == PERF_TYPE_SOFTWARE &&
			    (from->config == PERF_COUNT_SW_CPU_CLOCK ||
			     from->config == PERF_COUNT_SW_TASK_CLOCK),
	};
	snprintf(event->name, sizeof(event->name), "%s", from->name);
}

static int event_parse_tracepoint(const char *name, struct capture_event *event,
				  struct diag *ret_diag)
{
	uint64_t id;
	int r = tracefs_event_id(name, &id, ret_diag);

	if (r < 0)
		return r;
	*event = (struct capture_event){
		.type = PERF_TYPE_TRACEPOINT,
		.config = id,
		.is_tracepoint = true,
	};
	snprintf(event->name, sizeof(event->name), "%s", name);
	return 0;
}

int capture_event_parse(const char *name, struct capture_event *ret_event, struct diag *ret_diag)
{
	struct capture_event event;

	if (strlen(name) >= sizeof(event.name))
		return diag_set(ret_diag, EINVAL, "no event of so long a name");
	if (!strcmp(name, "auto")) {
		event_set(&event, &names[13]);
		if (event_probe(&event) < 0)
			event_set(&event, &names[0]);
		*ret_event = event;
		return 0;
	}
	if (strchr(name, ':'))
		return event_parse_tracepoint(name, ret_event, ret_diag);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(name, names[i].name))
			continue;
		event_set(&event, &names[i]);
		if (is_missing(event_probe(&event)))
			return diag_set(ret_diag, ENOENT,
					"event '%s': this machine has no counter for it "
					"(try cpu-clock)",
					name);
		*ret_event = event;
		return 0;
	}
	return diag_set(ret_diag, EINVAL,
			"no event '%s' (cpu-clock, task-clock, page-faults, context-switches, "
			"cycles, instructions, auto or subsystem:tracepoint)",
			name);
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

const char *capture_event_blind_spot(const struct capture_event *event)
{
	if (event->is_clock)
		return "cpu-clock ticks from a timer interrupt: code that runs with interrupts off "
		       "(hard interrupt handlers among it) is not seen where it runs, its time "
		       "shows where interrupts are enabled again";
	if (event->type == PERF_TYPE_HARDWARE)
		return "hardware events do not count while a CPU is halted, and not in the guest's "
		       "hypervisor";
	if (event->is_tracepoint)
		return "a tracepoint counts its hits, not time";
	return "a software event counts occurrences, not time";
}

uint64_t capture_max_sample_rate_hz(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	unsigned long long hz;

	if (!f || fscanf(f, "%llu", &hz) != 1)
		return 0;
	return hz;
}
