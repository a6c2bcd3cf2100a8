// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks arrive once, counts arrive often: a tag is an index into the array of stacks, which holds
 * the node of the profile and what there is to count about a stack besides its weight.
 */
#include "collect/collector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "collect/cgroups.h"
#include "collect/collector_table.h"
#include "util/mem.h"

#define MIN_STACKS 1024

static void find_host(struct collector *c, const char *host)
{
	struct utsname uts = { .nodename = "" };

	if (!host)
		uname(&uts);
	snprintf(c->host, sizeof(c->host), "%s", host ? host : uts.nodename);
}

struct collector *collector_new(struct symbolizer *s, struct frame_table *frames,
				const struct collector_opts *opts)
{
	struct collector *c = xcalloc(1, sizeof(*c));

	c->opts = *opts;
	c->trim_at = opts->max_bytes;
	c->symbolizer = s;
	c->frames = frame_table_ref(frames);
	c->profile = profile_new(frames);
	c->truncated = frame_table_add_base(frames, "[truncated]");
	find_host(c, opts->host);
	if (base_frames_have(&opts->root, BASE_FRAME_CGROUP) ||
	    base_frames_have(&opts->root, BASE_FRAME_UNIT) ||
	    base_frames_have(&opts->root, BASE_FRAME_CONTAINER))
		c->cgroups = cgroups_new(opts->cgroup_dir);
	return c;
}

void collector_look_at_cgroups(struct collector *c)
{
	if (c->cgroups)
		cgroups_look(c->cgroups);
}

void collector_new_cgroup(struct collector *c, const struct eddy_cgroup_event *ev)
{
	if (c->cgroups)
		cgroups_add_new(c->cgroups, ev->id, ev->path);
}

void collector_free(struct collector *c)
{
	if (!c)
		return;
	profile_free(c->profile);
	timeline_free(c->timeline);
	frame_table_unref(c->frames);
	cgroups_free(c->cgroups);
	free(c->stacks);
	free(c->past_modes);
	free(c);
}

void collector_count(struct collector *c, uint32_t tag, uint64_t samples, uint64_t weight)
{
	c->stacks[tag].samples += samples;
	c->stacks[tag].weight += weight;
	profile_add(c->profile, c->stacks[tag].node, weight); /* 2^63 events do not happen */
}

void collector_begin_times(struct collector *c, uint64_t start_ns)
{
	timeline_free(c->timeline);
	c->timeline =
		c->opts.slot_ns ? timeline_new(c->opts.slot_ns, start_ns, c->opts.max_cells) : NULL;
}

void collector_time(struct collector *c, uint32_t tag, uint64_t time_ns, uint64_t weight)
{
	if (c->timeline)
		timeline_add(c->timeline, time_ns, c->stacks[tag].node, weight);
}

struct timeline *collector_take_timeline(struct collector *c, uint64_t end_ns)
{
	if (c->timeline)
		timeline_end(c->timeline, end_ns);
	return take_ptr(c->timeline);
}

void collector_lost(struct collector *c, const char *reason, uint64_t weight)
{
	char text[64];

	if (!weight)
		return;
	snprintf(text, sizeof(text), "[lost:%s]", reason);
	profile_add(c->profile,
		    profile_child(c->profile, NODE_ROOT, frame_table_add_base(c->frames, text)),
		    weight);
}

const struct profile *collector_profile(const struct collector *c)
{
	return c->profile;
}

struct profile *collector_take_profile(struct collector *c)
{
	struct profile *taken = c->profile;

	c->profile = profile_new(c->frames);
	/* Twice what was needed this time is kept for the next. */
	if (c->cap > 2 * c->nr + MIN_STACKS) {
		free(take_ptr(c->stacks));
		c->cap = 0;
	}
	c->nr = 0;
	c->past = (struct collector_stats){ 0 };
	free(take_ptr(c->past_modes));
	c->nr_past_modes = 0;
	c->waits = c->lost_us = 0;
	memset(c->wait_us, 0, sizeof(c->wait_us));
	c->trim_at = c->opts.max_bytes;
	c->is_trimmed = false;
	if (c->cgroups)
		cgroups_age(c->cgroups);
	return taken;
}

void collector_use_frames(struct collector *c, struct frame_table *frames)
{
	collector_set_frames(c, frames);
	profile_free(c->profile);
	c->profile = profile_new(frames);
	c->nr = 0;
}

void collector_get_stats(const struct collector *c, struct collector_stats *ret_stats)
{
	struct collector_stats t = c->past;

	for (size_t i = 0; i < c->nr; i++) {
		const struct stack *s = &c->stacks[i];

		t.frames_user += s->nr_user * s->samples;
		t.frames_user_named += s->nr_user_named * s->samples;
		t.frames_kernel += s->nr_kernel * s->samples;
		t.frames_kernel_named += s->nr_kernel_named * s->samples;
		if (s->flags & (EDDY_SAMPLE_KERNEL_BROKEN | EDDY_SAMPLE_KERNEL_CUT))
			t.kernel_broken += s->samples;
		if (s->user_end == EDDY_END_KTHREAD)
			continue;
		t.user_total += s->samples;
		if (s->flags & EDDY_SAMPLE_FP_STEPS)
			t.user_fp += s->samples;
		if (s->flags & EDDY_SAMPLE_CODE_STEPS)
			t.user_code += s->samples;
		if (s->user_end == EDDY_END_ROOT)
			t.user_complete += s->samples;
		else
			t.user_broken[s->user_end] += s->samples;
	}
	t.waits = c->waits;
	t.lost_us = c->lost_us;
	memcpy(t.wait_us, c->wait_us, sizeof(t.wait_us));
	*ret_stats = t;
}

void collector_add_limits(const struct collector *c, struct limit_counts *to)
{
	struct cgroups_stats cgroups;

	to->nr[LIMIT_SHORT_NAMES] += c->nr_short_names;
	if (!c->cgroups)
		return;
	cgroups_get_stats(c->cgroups, &cgroups);
	to->nr[LIMIT_NAMES] += cgroups.nr_cut;
}

void collector_get_modes(const struct collector *c, uint64_t *off_stack, uint64_t *user_mode)
{
	size_t nr = profile_nr_nodes(c->profile);

	memset(off_stack, 0, nr * sizeof(*off_stack));
	memset(user_mode, 0, nr * sizeof(*user_mode));
	for (size_t i = 0; i < c->nr_past_modes; i++) {
		off_stack[i] = c->past_modes[i].off_stack;
		user_mode[i] = c->past_modes[i].user_mode;
	}
	for (size_t i = 0; i < c->nr; i++) {
		const struct stack *s = &c->stacks[i];

		if (s->flags & EDDY_SAMPLE_OFF_STACK)
			off_stack[s->node] += s->weight;
		if (s->flags & EDDY_SAMPLE_USER_MODE)
			user_mode[s->node] += s->weight;
	}
}

void collector_forget_tags(struct collector *c)
{
	size_t nr = profile_nr_nodes(c->profile);

	collector_get_stats(c, &c->past);
	c->past_modes = xreallocarray(c->past_modes, nr, sizeof(*c->past_modes));
	memset(c->past_modes + c->nr_past_modes, 0,
	       (nr - c->nr_past_modes) * sizeof(*c->past_modes));
	c->nr_past_modes = nr;
	for (size_t i = 0; i < c->nr; i++) {
		const struct stack *s = &c->stacks[i];

		if (s->flags & EDDY_SAMPLE_OFF_STACK)
			c->past_modes[s->node].off_stack += s->weight;
		if (s->flags & EDDY_SAMPLE_USER_MODE)
			c->past_modes[s->node].user_mode += s->weight;
	}
	c->nr = 0;
}
