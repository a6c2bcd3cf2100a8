// SPDX-License-Identifier: GPL-2.0-or-later
/* What the `.json` beside a file says of it becomes the interval's account. */
#include "top/top_replay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analysis/base_marks.h"
#include "load/file_facts.h"
#include "util/mem.h"

/* "2026-11-20T10:00:00.000Z" in ms since 1970; 0: not known. */
static uint64_t time_ms(const char *text)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	unsigned int ms = 0;
	time_t s;

	if (!end)
		return 0;
	if (*end == '.' && sscanf(end, ".%3uZ", &ms) != 1)
		return 0;
	s = timegm(&tm);
	return s < 0 ? 0 : (uint64_t)s * 1000 + ms;
}

static uint64_t count(const struct json *j, const char *name)
{
	return json_integer(j, json_member(j, json_member(j, JSON_ROOT, "samples"), name));
}

static void account_of_json(const struct json *j, struct live_account *a)
{
	json_id samples = json_member(j, JSON_ROOT, "samples");
	json_id cost = json_member(j, JSON_ROOT, "cost");

	a->start_ms = time_ms(json_string(j, json_member(j, JSON_ROOT, "start")));
	a->end_ms = time_ms(json_string(j, json_member(j, JSON_ROOT, "end")));
	if (a->start_ms && a->end_ms > a->start_ms)
		a->seconds = (a->end_ms - a->start_ms) / 1e3;
	a->cpu_seconds = a->seconds * json_number(j, json_member(j, JSON_ROOT, "cpus"));
	a->due = count(j, "due");
	a->delivered = count(j, "delivered");
	a->idle = count(j, "idle");
	a->filtered = count(j, "filtered");
	a->kept = count(j, "kept");
	a->lost = count(j, "lost");
	a->own_seconds = json_number(j, json_member(j, cost, "cpu_seconds"));
	a->bpf_seconds =
		json_number(j, json_member(j, cost, "bpf_ns_per_sample")) * a->delivered / 1e9;
	a->is_counted = samples != JSON_NONE;
	a->has_due = json_kind(j, json_member(j, samples, "due")) == JSON_INTEGER;
}

/* The window has functions alone; whoever looks at one by instruction needs more. */
static void keep(struct top_replay *p, struct profile *stacks, uint64_t serial)
{
	p->kept_bytes += profile_bytes(stacks) + frame_table_bytes(profile_frames(stacks));
	if (p->kept_bytes > p->max_kept_bytes) {
		profile_free(stacks);
		return;
	}
	array_reserve(p->kept, p->cap_kept, p->nr_kept + 1);
	p->kept[p->nr_kept++] = (struct top_kept){ stacks, serial };
}

static int add_file(struct top_replay *p, size_t i, size_t nr_bases, struct live_window *into,
		    struct diag *ret_diag)
{
	struct stack_files *files = p->files;
	const struct stack_file *file = &files->files[i];
	_cleanup_profile_ struct profile *stacks = profile_new(NULL), *marked = NULL;
	_cleanup_json_ struct json *json = NULL;
	struct live_account account = { 0 };
	int r = stack_files_read(files, i, p->opts, stacks, ret_diag);

	if (r)
		return r < 0 ? r : 0;
	r = stack_files_sidecar(files, i, &json, ret_diag);
	if (r < 0 && r != -ENOENT && r != -ESTALE)
		return r;
	if (r >= 0)
		account_of_json(json, &account);
	if (file->is_snapshot && !account.seconds) {
		account.start_ms = file->name.start_s * 1000;
		account.seconds = file->name.seconds;
		account.end_ms = account.start_ms + file->name.seconds * 1000ull;
	}
	marked = profile_mark_bases(stacks, nr_bases);
	live_window_add(into, p->has_root ? stacks : marked, &account);
	if (frame_table_has_places(profile_frames(stacks)))
		keep(p, p->has_root ? take_ptr(stacks) : take_ptr(marked),
		     live_window_serial(into, live_window_nr(into) - 1));
	return 0;
}

int top_replay_read(struct top_replay *p, struct live_window *into, struct diag *ret_diag)
{
	_cleanup_file_facts_ struct file_facts facts = { 0 };
	int r = file_facts_find(p->files, p->opts, &facts, ret_diag);
	size_t nr_bases = r >= 0 && !p->has_root ? file_facts_nr_bases(&facts, NULL) : 0;

	p->had = facts.root;
	for (size_t i = 0; r >= 0 && i < p->files->nr; i++)
		r = add_file(p, i, nr_bases, into, ret_diag);
	if (r < 0)
		return r;
	p->unit = take_ptr(facts.unit);
	if (p->opts->input.by_period && !p->unit)
		p->unit = xstrdup("samples, each weighed by its period");
	stack_files_say_vanished(p->files);
	return 0;
}
