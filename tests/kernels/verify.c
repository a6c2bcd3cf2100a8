// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verify [-a] FILE...: loads samplers (objects of BPF, by one compiler or another) as captures do
 * and prints for every program the most that the verifier had to do:
 *	NAME PROGRAM INSTRUCTIONS STATES
 * instructions as it counts them, of at most a million.  bpf_prog_info tells them since 5.16 only;
 * the log's statistics are there on every kernel.  For one that is refused:
 *	NAME CONFIGURATION: PROGRAM: what the verifier said last
 *
 * The verifier drops what the configuration switches off, so to it each is another program.  The
 * one with everything that options can ask for is loaded; with -a also those that walk in other
 * ways, and each with nothing else.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sampler_abi.h"

#define LOG_STATS 4 /* BPF_LOG_STATS of the kernel */
#define LOG_BYTES 65536
#define MAX_PROGS 16

/* The most that any configuration needed. */
struct effort {
	char name[64];
	unsigned int instructions;
	unsigned int nr_states;
};

struct check {
	const char *path;
	const char *name;
	struct effort effort[MAX_PROGS];
	int nr_programs;
	int nr_refused;
};

static char logs[MAX_PROGS][LOG_BYTES];

static void effort_note(struct effort *e, const char *name, const char *log)
{
	const char *at = strstr(log, "processed "), *states = strstr(log, "total_states ");
	unsigned int instructions, nr_states;

	if (!at || !states || sscanf(at, "processed %u", &instructions) != 1 ||
	    sscanf(states, "total_states %u", &nr_states) != 1)
		return;
	snprintf(e->name, sizeof(e->name), "%s", name);
	if (instructions > e->instructions)
		e->instructions = instructions;
	if (nr_states > e->nr_states)
		e->nr_states = nr_states;
}

/* A log that has its end says at it how long it took, and before that why. */
static void refusal_print(const struct check *c, const struct eddy_config *config,
			  const char *program, const char *log)
{
	const char *end = strstr(log, "verification time"), *line;

	if (!end)
		end = log + strlen(log);
	while (end > log && end[-1] == '\n')
		end--;
	line = end;
	while (line > log && line[-1] != '\n')
		line--;
	printf("%s unwind %u copy %u filter %#x: %s: %.*s\n", c->name, config->unwind, config->copy,
	       config->filter, program, (int)(end - line), line);
}

/* Where .rodata holds the configuration; NULL when the object is none of this version. */
static struct eddy_config *config_find(struct bpf_object *obj)
{
	const struct btf *btf = bpf_object__btf(obj);
	struct bpf_map *map = bpf_object__find_map_by_name(obj, ".rodata");
	int id = btf ? btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC) : -1;
	const struct btf_type *section = id > 0 ? btf__type_by_id(btf, id) : NULL;
	const struct btf_var_secinfo *var;
	size_t bytes = 0;
	char *data = map ? (char *)bpf_map__initial_value(map, &bytes) : NULL;

	if (!section || !data)
		return NULL;
	var = btf_var_secinfos(section);
	for (int i = 0; i < btf_vlen(section); i++, var++) {
		const struct btf_type *type = btf__type_by_id(btf, var->type);

		if (!strcmp(btf__name_by_offset(btf, type->name_off), "config") &&
		    var->size == sizeof(struct eddy_config) && var->offset + var->size <= bytes)
			return (void *)(data + var->offset);
	}
	return NULL;
}

static int logs_attach(struct bpf_object *obj)
{
	struct bpf_program *prog;
	int nr = 0;

	bpf_object__for_each_program(prog, obj)
	{
		if (nr == MAX_PROGS)
			break;
		logs[nr][0] = '\0';
		bpf_program__set_log_level(prog, LOG_STATS);
		bpf_program__set_log_buf(prog, logs[nr++], LOG_BYTES);
	}
	return nr;
}

static void object_load(struct check *c, const struct eddy_config *config)
{
	struct bpf_object *obj = bpf_object__open_file(c->path, NULL);
	struct eddy_config *place = obj ? config_find(obj) : NULL;
	struct bpf_program *prog;
	int nr = 0, err;

	if (!place) {
		printf("%s: no sampler of this version\n", c->name);
		c->nr_refused++;
		bpf_object__close(obj);
		return;
	}
	*place = *config;
	c->nr_programs = logs_attach(obj);
	err = bpf_object__load(obj);
	if (err < 0)
		c->nr_refused++;
	/* The one that was refused is the last that has a log. */
	bpf_object__for_each_program(prog, obj)
	{
		if (nr == c->nr_programs)
			break;
		if (err >= 0)
			effort_note(&c->effort[nr], bpf_program__name(prog), logs[nr]);
		else if (nr + 1 == c->nr_programs || !logs[nr + 1][0])
			break;
		nr++;
	}
	if (err < 0)
		refusal_print(c, config, bpf_program__name(prog), logs[nr]);
	bpf_object__close(obj);
}

#define ALL_FILTERS                                                                  \
	(EDDY_FILTER_PID | EDDY_FILTER_TID | EDDY_FILTER_COMM | EDDY_FILTER_CGROUP | \
	 EDDY_FILTER_CPU)
#define ALL_IDENTITY \
	(EDDY_IDENTITY_TID | EDDY_IDENTITY_CPU | EDDY_IDENTITY_CGROUP | EDDY_IDENTITY_PID)

/* With nothing that options add, or with everything. */
static void configuration_check(struct check *c, __u32 unwind, __u32 copy, __u32 filter,
				bool has_all)
{
	struct eddy_config config = {
		.seed = 0x9e3779b97f4a7c15,
		.wake_bytes = 1 << 20,
		.page_bytes = 4096,
		.thread_bytes = 16384,
		.period = has_all ? 7 : 1,
		.max_user_frames = EDDY_MAX_USER_FRAMES,
		.max_kernel_frames = EDDY_MAX_KERNEL_FRAMES,
		.kernel_check_every = has_all ? 64 : 1,
		.unwind = unwind,
		.copy = copy,
		.filter = has_all ? filter | ALL_FILTERS : filter,
		.identity = has_all ? ALL_IDENTITY : 0,
		.keep_idle = has_all,
		.has_backing_files = has_all,
		.pid_space = has_all,
		.has_caller_regs = !has_all, /* kernel stacks are then not walked */
		.is_weighed = has_all,
		.waits = has_all, /* has_prev_state is refused where the kernel has none */
		.wall = has_all,
		.has_times = true,
		.min_wait_ns = has_all,
	};

	object_load(c, &config);
}

static void file_check(struct check *c, bool wants_all)
{
	static const __u32 unwinds[] = { EDDY_UNWIND_AUTO, EDDY_UNWIND_FP, EDDY_UNWIND_EH };

	for (int i = 0; i < 3; i++) {
		__u32 copy = unwinds[i] == EDDY_UNWIND_FP ? EDDY_COPY_NONE : EDDY_COPY_PENDING;

		configuration_check(c, unwinds[i], copy, 0, true);
		if (!wants_all)
			return;
		configuration_check(c, unwinds[i], copy, 0, false);
		configuration_check(c, unwinds[i], EDDY_COPY_ALL, 0, true);
		configuration_check(c, unwinds[i], copy, EDDY_FILTER_USER, false);
		configuration_check(c, unwinds[i], copy, EDDY_FILTER_KERNEL, false);
	}
}

static void check_print(const struct check *c)
{
	for (int i = 0; i < c->nr_programs; i++)
		if (c->effort[i].name[0])
			printf("%s %s %u %u\n", c->name, c->effort[i].name,
			       c->effort[i].instructions, c->effort[i].nr_states);
}

int main(int argc, char **argv)
{
	bool wants_all = argc > 1 && !strcmp(argv[1], "-a"), has_failed = argc < 2 + wants_all;

	libbpf_set_print(NULL);
	for (int i = 1 + wants_all; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');
		struct check c = { .path = argv[i], .name = slash ? slash + 1 : argv[i] };

		file_check(&c, wants_all);
		check_print(&c);
		if (c.nr_refused)
			has_failed = true;
	}
	return has_failed;
}
