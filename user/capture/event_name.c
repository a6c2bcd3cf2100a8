// SPDX-License-Identifier: GPL-2.0-or-later
/* One table of names, three of what names of caches are made of. */
#include "capture/event_name.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/mem.h"
#include "util/near_name.h"

/* 16 digits are the 64 bits of `config`, 3 the most that `precise_ip` has. */
enum { MAX_NAME = 256, MAX_RAW_DIGITS = 16, MAX_PRECISE = 3 };

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
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, EVENT_SW_CGROUP_SWITCHES },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
};

/* A part of a cache's name, and its number. */
struct cache_word {
	const char *name;
	uint8_t value;
};

/* As perf(1) has them: "L2" is another word for the last level, whichever that is. */
static const struct cache_word caches[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D }, { "l1d", PERF_COUNT_HW_CACHE_L1D },
	{ "l1-d", PERF_COUNT_HW_CACHE_L1D },	  { "L1-data", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I }, { "l1i", PERF_COUNT_HW_CACHE_L1I },
	{ "l1-i", PERF_COUNT_HW_CACHE_L1I },	  { "L1-instruction", PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", PERF_COUNT_HW_CACHE_LL },	  { "L2", PERF_COUNT_HW_CACHE_LL },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB },	  { "d-tlb", PERF_COUNT_HW_CACHE_DTLB },
	{ "Data-TLB", PERF_COUNT_HW_CACHE_DTLB }, { "iTLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "i-tlb", PERF_COUNT_HW_CACHE_ITLB },	  { "Instruction-TLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "branch", PERF_COUNT_HW_CACHE_BPU },	  { "bpu", PERF_COUNT_HW_CACHE_BPU },
	{ "btb", PERF_COUNT_HW_CACHE_BPU },	  { "bpc", PERF_COUNT_HW_CACHE_BPU },
	{ "node", PERF_COUNT_HW_CACHE_NODE },	  { 0 },
};

static const struct cache_word operations[] = {
	{ "load", PERF_COUNT_HW_CACHE_OP_READ },
	{ "loads", PERF_COUNT_HW_CACHE_OP_READ },
	{ "read", PERF_COUNT_HW_CACHE_OP_READ },
	{ "store", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "stores", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "write", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-read", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-load", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ 0 },
};

static const struct cache_word results[] = {
	{ "refs", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "reference", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "ops", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "access", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "misses", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "miss", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ 0 },
};

/* Takes the word that *text begins with off, and the '-' behind it; false: it begins with none. */
static bool take_word(const struct cache_word *words, const char **text, uint64_t *ret_value)
{
	for (; words->name; words++) {
		size_t len = strlen(words->name);

		if (strncasecmp(*text, words->name, len) != 0 ||
		    ((*text)[len] && (*text)[len] != '-'))
			continue;
		*text += len + !!(*text)[len];
		*ret_value = words->value;
		return true;
	}
	return false;
}

/* "LLC-load-misses", "dTLB-stores", "L1-icache": what is not said is a read, and an access. */
static bool parse_cache(const char *text, struct event_code *code)
{
	uint64_t cache, operation = PERF_COUNT_HW_CACHE_OP_READ;
	uint64_t result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;

	if (!take_word(caches, &text, &cache))
		return false;
	take_word(operations, &text, &operation);
	take_word(results, &text, &result);
	code->type = PERF_TYPE_HW_CACHE;
	code->config[0] = cache | operation << 8 | result << 16;
	return !*text;
}

static bool parse_table(const char *text, struct event_code *code)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(text, names[i].name) != 0)
			continue;
		code->type = names[i].type;
		code->config[0] = names[i].config;
		code->is_cycles = names[i].type == PERF_TYPE_HARDWARE &&
				  names[i].config == PERF_COUNT_HW_CPU_CYCLES;
		return true;
	}
	return false;
}

const char *event_name_at(size_t i)
{
	return i < ARRAY_SIZE(names) ? names[i].name : NULL;
}

const char *event_name_of_software(uint64_t config)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].type == PERF_TYPE_SOFTWARE && names[i].config == config)
			return names[i].name;
	return NULL;
}

/* "r01c2": what the machine's manual has as a code, in hex. */
static bool parse_raw(const char *text, struct event_code *code)
{
	size_t len = strlen(text);

	if (*text != 'r' || len < 2 || len > MAX_RAW_DIGITS + 1 ||
	    strspn(text + 1, "0123456789abcdefABCDEF") != len - 1)
		return false;
	code->type = PERF_TYPE_RAW;
	code->config[0] = strtoull(text + 1, NULL, 16);
	return true;
}

static bool is_modifiers(const char *text)
{
	return *text && strspn(text, "ukhpP") == strlen(text);
}

static int parse_modifiers(const char *name, const char *text, struct event_code *code,
			   struct diag *ret_diag)
{
	bool user = strchr(text, 'u'), kernel = strchr(text, 'k'), hv = strchr(text, 'h');

	if (!is_modifiers(text))
		return diag_set(ret_diag, EINVAL,
				"event '%s': modifiers are u, k, h, p, pp, ppp and P, not '%s'",
				name, text);
	/* As perf has it: who names one leaves out all that he does not name. */
	if (user || kernel || hv) {
		code->exclude_user = !user;
		code->exclude_kernel = !kernel;
		code->exclude_hv = !hv;
	}
	for (; *text; text++) {
		if (*text == 'P')
			code->precision = EVENT_PRECISION_HIGHEST;
		if (*text != 'p')
			continue;
		code->precision = EVENT_PRECISION_EXACTLY;
		if (++code->precise > MAX_PRECISE)
			return diag_set(ret_diag, EINVAL, "event '%s': at most three p", name);
	}
	if (code->precise && strchr(name, 'P') && code->precision == EVENT_PRECISION_HIGHEST)
		return diag_set(ret_diag, EINVAL, "event '%s': p or P", name);
	if (code->type == PERF_TYPE_SOFTWARE && (user || kernel || hv || code->precision))
		return diag_set(ret_diag, EINVAL,
				"event '%s': modifiers are of hardware events; --user-only and "
				"--kernel-only choose frames",
				name);
	return 0;
}

static int parse_pmu(const char *root, const char *name, struct event_code *code,
		     struct diag *ret_diag)
{
	const char *end = strrchr(name, '/') + 1;
	struct pmu_event event;
	int r = pmu_parse(root, name, &event, ret_diag);

	if (r < 0)
		return r;
	if (event.type == PERF_TYPE_TRACEPOINT)
		return diag_set(ret_diag, EINVAL,
				"event '%s': a tracepoint is named subsystem:tracepoint", name);
	code->type = event.type;
	memcpy(code->config, event.config, sizeof(code->config));
	end += *end == ':';
	return *end ? parse_modifiers(name, end, code, ret_diag) : 0;
}

static int name_unknown(const char *name, struct diag *ret_diag)
{
	struct near_name near = { .typed = name };
	char hint[NEAR_NAME_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		near_name_offer(&near, names[i].name);
	near_name_hint(&near, "", hint);
	return diag_set(ret_diag, EINVAL,
			"no event '%s' (cpu-clock, task-clock, page-faults, context-switches, "
			"cycles, instructions, LLC-load-misses, r01c2, cpu/event=0x3c/, auto or "
			"subsystem:tracepoint)%s",
			name, hint);
}

int event_name_parse(const char *pmu_root, const char *name, struct event_code *ret_code,
		     struct diag *ret_diag)
{
	struct event_code code = { 0 };
	const char *colon = strchr(name, ':');
	char head[MAX_NAME];
	bool is_known;
	int r = 0;

	if (strlen(name) >= sizeof(head))
		return diag_set(ret_diag, EINVAL, "no event of so long a name");
	snprintf(head, sizeof(head), "%.*s", (int)(colon ? colon - name : MAX_NAME - 1), name);
	if (strchr(head, '/')) {
		r = parse_pmu(pmu_root, name, &code, ret_diag);
		is_known = true;
	} else {
		is_known = parse_table(head, &code) || parse_cache(head, &code) ||
			   parse_raw(head, &code);
		/* A subsystem of tracepoints may be called like a cache or a raw code, "node:x". */
		if (is_known && colon && !parse_table(head, &code) && !is_modifiers(colon + 1))
			return 1;
		if (is_known && colon)
			r = parse_modifiers(name, colon + 1, &code, ret_diag);
	}
	if (!is_known)
		return colon ? 1 : name_unknown(name, ret_diag);
	if (r < 0)
		return r;
	*ret_code = code;
	return 0;
}
