// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callers come before callees in a profile: what a node is in it has from its caller, unless its
 * own frame is an entry, in one loop.
 */
#include "analysis/syscall_rows.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

/* Of a frame, and of a node: OUTSIDE, DISPATCHER, or FIRST_ROW and more. */
enum { OUTSIDE, DISPATCHER, FIRST_ROW };

static const char *const dispatchers[] = {
	"do_syscall_64",	"do_syscall_x64",
	"x64_sys_call",		"do_int80_syscall_32",
	"do_int80_emulation",	"do_fast_syscall_32",
	"__do_fast_syscall_32", "do_syscall_32_irqs_on",
	"entry_SYSCALL_64",	"entry_SYSENTER_compat",
	"entry_SYSCALL_compat", "entry_SYSCALL_64_after_hwframe",
	"entry_INT80_compat",	"entry_SYSCALL_64_fastpath",
	"system_call_fastpath", "el0_svc",
	"el0_svc_common",	"el0_svc_handler",
	"do_el0_svc",		"do_el0_svc_compat",
	"el0_svc_compat",	"invoke_syscall",
};

/* In any frame: nobody else calls his functions so. */
static const char *const wrappers[] = {
	"__x64_compat_sys_", "__x64_sys_",	    "__ia32_compat_sys_", "__ia32_sys_",
	"__x32_compat_sys_", "__arm64_compat_sys_", "__arm64_sys_",	  "__se_compat_sys_",
	"__do_compat_sys_",  "__se_sys_",	    "__do_sys_",
};

/* Under a dispatcher alone: frame buffers have functions that are called sys_fillrect. */
static const char *const plain[] = { "compat_sys_", "compat_SyS_", "sys_", "SyS_", "ksys_" };

static const char *behind(const char *name, const char *const *prefixes, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		size_t len = strlen(prefixes[i]);

		if (!strncmp(name, prefixes[i], len) && name[len])
			return name + len;
	}
	return NULL;
}

static bool is_dispatcher(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(dispatchers); i++)
		if (!strcmp(name, dispatchers[i]))
			return true;
	return false;
}

/* What one frame's name says. */
struct entry {
	const char *syscall;
	frame_id frame;
	bool is_plain;
};

struct entries {
	struct entry *items;
	size_t nr, cap;
};

static void entry_find(const struct frame_table *frames, frame_id id, struct entries *to,
		       uint32_t *kinds)
{
	const char *name = frame_table_name(frames, id, NULL), *syscall;
	bool is_plain = false;

	if (is_dispatcher(name)) {
		kinds[id] = DISPATCHER;
		return;
	}
	syscall = behind(name, wrappers, ARRAY_SIZE(wrappers));
	if (!syscall && frame_table_get(frames, id)->origin == FRAME_KERNEL) {
		syscall = behind(name, plain, ARRAY_SIZE(plain));
		is_plain = true;
	}
	if (!syscall)
		return;
	if (!strcmp(syscall, "mmap_pgoff")) /* ksys_mmap_pgoff(), where mmap(2) ends in a jump */
		syscall = "mmap";
	array_reserve(to->items, to->cap, to->nr + 1);
	to->items[to->nr++] = (struct entry){ syscall, id, is_plain };
}

static int compare_entries(const void *va, const void *vb)
{
	const struct entry *a = va, *b = vb;

	return strcmp(a->syscall, b->syscall);
}

/* A row for each name; kinds[] of its frames are its number. */
static void rows_make(struct entries *e, struct syscall_rows *rows, uint32_t *kinds, bool *is_plain)
{
	rows->rows = xcalloc(e->nr + 1, sizeof(*rows->rows));
	if (e->nr)
		qsort(e->items, e->nr, sizeof(*e->items), compare_entries);
	for (size_t i = 0; i < e->nr; i++) {
		if (!i || strcmp(e->items[i].syscall, e->items[i - 1].syscall) != 0)
			rows->rows[rows->nr++].name = e->items[i].syscall;
		kinds[e->items[i].frame] = FIRST_ROW + (uint32_t)rows->nr - 1;
		is_plain[e->items[i].frame] = e->items[i].is_plain;
	}
}

static int compare_rows(const void *va, const void *vb)
{
	const struct syscall_row *a = va, *b = vb;

	if (a->inclusive != b->inclusive)
		return a->inclusive > b->inclusive ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Rows that nobody was in are those of plain names elsewhere. */
static void rows_finish(struct syscall_rows *rows)
{
	size_t nr = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		rows->total += rows->rows[i].inclusive;
		if (rows->rows[i].inclusive)
			rows->rows[nr++] = rows->rows[i];
	}
	rows->nr = nr;
	rows->total += rows->unnamed;
	if (nr)
		qsort(rows->rows, nr, sizeof(*rows->rows), compare_rows);
}

void syscall_rows_find(const struct profile *p, struct syscall_rows *ret_rows)
{
	const struct frame_table *frames = profile_frames(p);
	size_t nr = profile_nr_nodes(p), nr_frames = frame_table_nr(frames);
	_cleanup_free_ uint32_t *kinds = xcalloc(nr_frames, sizeof(*kinds));
	_cleanup_free_ bool *is_plain = xcalloc(nr_frames, sizeof(*is_plain));
	_cleanup_free_ uint32_t *in = xcalloc(nr, sizeof(*in));
	struct entries entries = { 0 };
	struct syscall_rows rows = { 0 };

	for (frame_id id = 1; id < nr_frames; id++)
		entry_find(frames, id, &entries, kinds);
	rows_make(&entries, &rows, kinds, is_plain);
	free(entries.items);
	for (node_id n = 1; n < nr; n++) {
		frame_id id = profile_frame(p, n);

		in[n] = in[profile_parent(p, n)];
		if (in[n] < FIRST_ROW && kinds[id] && (in[n] || !is_plain[id]))
			in[n] = kinds[id];
		if (in[n] >= FIRST_ROW)
			rows.rows[in[n] - FIRST_ROW].inclusive += profile_self(p, n);
		else if (in[n] == DISPATCHER)
			rows.unnamed += profile_self(p, n);
	}
	rows_finish(&rows);
	*ret_rows = rows;
}

void syscall_rows_deinit(struct syscall_rows *rows)
{
	free(rows->rows);
	*rows = (struct syscall_rows){ 0 };
}
