// SPDX-License-Identifier: GPL-2.0-or-later
/* A sample's mappings are known for sure when a reading before it and one after it are the same. */
#include "dwfl_copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/cleanup.h"
#include "util/clock.h"
#include "util/hash.h"
#include "util/mem.h"

#define READ_AGAIN_NS 20000000ull

void copies_init(struct copies *c, size_t max_bytes)
{
	*c = (struct copies){ .max_bytes = max_bytes, .nr_slots = 1024 };
	c->slots = xcalloc(c->nr_slots, sizeof(*c->slots));
}

void copies_deinit(struct copies *c)
{
	for (size_t i = 0; i < c->nr; i++)
		free(c->items[i]);
	for (size_t i = 0; i < c->nr_processes; i++) {
		for (size_t r = 0; r < c->processes[i].nr_readings; r++)
			free(c->processes[i].readings[r].text);
		free(c->processes[i].readings);
		free(c->processes[i].execs);
	}
	free(c->items);
	free(c->processes);
	free(c->slots);
}

static size_t *slot_of(struct copies *c, uint32_t pid)
{
	size_t i = hash_mix(pid, 0) % c->nr_slots;

	for (; c->slots[i]; i = (i + 1) % c->nr_slots)
		if (c->processes[c->slots[i] - 1].pid == pid)
			break;
	return &c->slots[i];
}

static size_t process_find(struct copies *c, uint32_t pid)
{
	size_t *slot = slot_of(c, pid);

	if (*slot)
		return *slot - 1;
	if (c->nr_processes >= c->nr_slots / 2) {
		c->nr_slots *= 2;
		free(c->slots);
		c->slots = xcalloc(c->nr_slots, sizeof(*c->slots));
		for (size_t i = 0; i < c->nr_processes; i++)
			*slot_of(c, c->processes[i].pid) = i + 1;
		slot = slot_of(c, pid);
	}
	array_reserve(c->processes, c->cap_processes, c->nr_processes + 1);
	c->processes[c->nr_processes] = (struct process){ .pid = pid };
	*slot = ++c->nr_processes;
	return *slot - 1;
}

/* Lines of files and of the vdso; NULL when there are none: the process is gone. */
static char *maps_read(uint32_t pid)
{
	_cleanup_fclose_ FILE *maps = NULL;
	_cleanup_free_ char *line = NULL;
	char path[32], *text = NULL;
	size_t bytes = 0, len = 0;
	FILE *out;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return NULL;
	out = open_memstream(&text, &len);
	while (out && getline(&line, &bytes, maps) > 0)
		if (strchr(line, '/') || strstr(line, "[vdso]"))
			fputs(line, out);
	if (!out || fclose(out) || !len) {
		free(text);
		return NULL;
	}
	return text;
}

static void process_read(struct process *p)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct reading *last = p->nr_readings ? &p->readings[p->nr_readings - 1] : NULL;
	char *text;

	if (last && now - last->last_ns < READ_AGAIN_NS)
		return;
	text = maps_read(p->pid);
	if (!text)
		return;
	if (last && !strcmp(last->text, text)) {
		last->last_ns = now;
		free(text);
		return;
	}
	array_reserve(p->readings, p->cap_readings, p->nr_readings + 1);
	p->readings[p->nr_readings++] = (struct reading){ text, now, now };
}

void copies_note(struct copies *c, const struct eddy_late_event *late)
{
	size_t p = process_find(c, late->ev.pid); /* may move c->processes */

	process_read(&c->processes[p]);
}

void copies_exec(struct copies *c, const struct eddy_process_event *ev)
{
	size_t nr = process_find(c, ev->pid);
	struct process *p = &c->processes[nr];

	array_reserve(p->execs, p->cap_execs, p->nr_execs + 1);
	p->execs[p->nr_execs++] = ev->time_ns;
}

void copies_add(struct copies *c, const struct eddy_late_event *late)
{
	size_t nr = (size_t)late->ev.nr_kernel + late->ev.nr_user;
	size_t bytes = sizeof(struct copy) + nr * sizeof(uint64_t) + late->stack_bytes;
	struct copy *copy;

	copies_note(c, late);
	if (nr > EDDY_LATE_FRAMES || c->bytes + bytes > c->max_bytes) {
		c->nr_dropped++;
		return;
	}
	copy = xmalloc(bytes);
	copy->process = process_find(c, late->ev.pid);
	copy->stack_addr = late->stack_addr;
	copy->stack_bytes = late->stack_bytes;
	memcpy(copy->gpr, late->gpr, sizeof(copy->gpr));
	memcpy(&copy->ev, &late->ev, sizeof(copy->ev));
	memcpy(copy->frames, late->frames, nr * sizeof(uint64_t));
	memcpy(copy->frames + nr, late->stack, late->stack_bytes);
	copy->stack = (const uint8_t *)(copy->frames + nr);
	array_reserve(c->items, c->cap, c->nr + 1);
	c->items[c->nr++] = copy;
	c->bytes += bytes;
}

/* Did the process call exec between two times? */
static bool has_exec(const struct process *p, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < p->nr_execs; i++)
		if (p->execs[i] >= from && p->execs[i] <= to)
			return true;
	return false;
}

const struct reading *copies_reading(const struct copies *c, const struct copy *copy,
				     bool *ret_is_certain)
{
	const struct process *p = &c->processes[copy->process];
	uint64_t t = copy->ev.time_ns;
	const struct reading *before = NULL, *after = NULL;

	for (size_t i = 0; i < p->nr_readings && !after; i++) {
		if (p->readings[i].last_ns >= t)
			after = &p->readings[i];
		else
			before = &p->readings[i];
	}
	if (after && has_exec(p, t, after->first_ns < t ? t : after->first_ns))
		after = NULL;
	if (before && has_exec(p, before->last_ns, t))
		before = NULL;
	*ret_is_certain = after && after->first_ns <= t;
	return after ? after : before;
}
