// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's own text stays as it is.  Around it memory is used again, and a name there is one of
 * a moment: kallsyms is a picture of one, kept with the number that modules had then.
 */
#include "symbol/kernel_names.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "profile/frame.h"
#include "util/clock.h"
#include "util/mem.h"

#define KALLSYMS_MIN_MS 5000
#define KALLSYMS_MAX_MS 600000
#define MAX_UNTOLD	4096 /* bytes of a program, where its size is not told */
#define REST_FACTOR	20   /* at most 5 % of the time goes into reading kallsyms again */

struct kernel_names {
	const char *root;
	uint32_t *next_space;
	struct kallsyms *kallsyms;
	uint64_t read_ms, wait_ms; /* without a follower: when, and how long to wait */

	/* Of code outside the kernel's own text. */
	bool is_followed;
	struct symbolizer_follower follower;
	struct kernel_code *code;	 /* NULL: it is not followed */
	uint64_t core_start, core_bytes; /* the kernel's own text; 0: not known */
	uint32_t space;			 /* of such addresses as the newest samples have them */
	uint64_t nr_changes;		 /* for which space holds */
	uint32_t module_seq, old_seq;	 /* of kallsyms, and of the table before */
	struct kallsyms *old;		 /* NULL: none */
	uint64_t rest_ms;		 /* not read again before */
	bool is_lost;			 /* code is to be read again */
};

static uint64_t now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

static struct kallsyms *table_read(struct kernel_names *k)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/kallsyms", k->root);
	_cleanup_free_ char *modules_path = xasprintf("%s/proc/modules", k->root);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int modules_fd = open(modules_path, O_RDONLY | O_CLOEXEC);
	struct kallsyms *table;

	k->read_ms = now_ms();
	if (fd < 0 || kallsyms_read(fd, &table) < 0)
		return NULL;
	if (modules_fd >= 0)
		kallsyms_read_modules(table, modules_fd);
	return table;
}

static void table_renew(struct kernel_names *k)
{
	struct kallsyms *table = table_read(k);

	if (!table)
		return;
	kallsyms_free(k->kallsyms);
	k->kallsyms = table;
}

struct kernel_names *kernel_names_new(const char *root, uint32_t *next_space)
{
	struct kernel_names *k = xcalloc(1, sizeof(*k));

	k->root = root;
	k->next_space = next_space;
	k->wait_ms = KALLSYMS_MIN_MS;
	table_renew(k);
	return k;
}

void kernel_names_free(struct kernel_names *k)
{
	if (!k)
		return;
	kernel_code_free(k->code);
	kallsyms_free(k->old);
	kallsyms_free(k->kallsyms);
	free(k);
}

size_t kernel_names_bytes(const struct kernel_names *k)
{
	return sizeof(*k) + (k->kallsyms ? kallsyms_bytes(k->kallsyms) : 0) +
	       (k->old ? kallsyms_bytes(k->old) : 0) + (k->code ? kernel_code_bytes(k->code) : 0);
}

const struct kallsyms *kernel_names_kallsyms(const struct kernel_names *k)
{
	return k->kallsyms;
}

/* ---- following ---------------------------------------------------------------------------- */

struct filling {
	struct kernel_code *code;
	uint64_t time_ns;
};

static void fill_symbol(void *ctx, const struct kernel_symbol *symbol)
{
	const struct filling *f = ctx;
	uint64_t bytes = symbol->end - symbol->start;

	kernel_code_change(f->code, &(struct kernel_code_change){
					    .start = symbol->start,
					    .bytes = bytes < MAX_UNTOLD ? bytes : MAX_UNTOLD,
					    .time_ns = f->time_ns,
					    .name = symbol->name,
					    .is_bpf = !strcmp(symbol->module, "bpf"),
				    });
}

/* Code begins anew, empty; full: with what is in kallsyms, true from time_ns on. */
static void code_begin(struct kernel_names *k, bool full, uint64_t time_ns)
{
	struct filling filling;

	kernel_code_free(k->code);
	k->code = kernel_code_new();
	k->space = (*k->next_space)++;
	k->nr_changes = 0;
	filling = (struct filling){ k->code, time_ns };
	if (full && k->kallsyms)
		kallsyms_each_passing(k->kallsyms, fill_symbol, &filling);
}

void kernel_names_follow(struct kernel_names *k, const struct symbolizer_follower *follower)
{
	uint64_t end;

	k->follower = *follower;
	k->is_followed = true;
	if (k->kallsyms) {
		k->core_start = kallsyms_address(k->kallsyms, "_stext", NULL);
		end = kallsyms_address(k->kallsyms, "_etext", NULL);
		k->core_bytes = end > k->core_start ? end - k->core_start : 0;
	}
	code_begin(k, true, 0);
}

void kernel_names_change(struct kernel_names *k, const struct kernel_code_change *change)
{
	if (k->is_followed)
		kernel_code_change(k->code, change);
}

void kernel_names_lost(struct kernel_names *k)
{
	if (!k->is_followed)
		return;
	code_begin(k, false, 0);
	k->is_lost = true;
}

void kernel_names_age(struct kernel_names *k)
{
	if (!k->is_followed)
		return;
	k->follower.poll(k->follower.ctx);
	kernel_code_age(k->code, clock_ns(CLOCK_MONOTONIC));
	if (!k->is_lost)
		return;
	k->is_lost = false;
	table_renew(k);
	code_begin(k, true, clock_ns(CLOCK_MONOTONIC));
}

void kernel_names_renumber(struct kernel_names *k)
{
	k->space = (*k->next_space)++;
}

/* Modules have come or gone since the table was read: reads it again, but not all the time. */
static void modules_read(struct kernel_names *k)
{
	uint64_t begin_ms = now_ms();
	struct kallsyms *table;
	uint32_t seq;

	if (begin_ms < k->rest_ms)
		return;
	seq = k->follower.module_seq(k->follower.ctx);
	table = table_read(k);
	k->rest_ms = now_ms() + (now_ms() - begin_ms) * REST_FACTOR;
	if (table && k->follower.module_seq(k->follower.ctx) != seq) {
		kallsyms_free(table); /* of which moment it is nobody knows */
		table = NULL;
	}
	if (!table)
		return;
	kallsyms_free(k->old);
	k->old = k->kallsyms;
	k->old_seq = k->module_seq;
	k->kallsyms = table;
	k->module_seq = seq;
	k->space = (*k->next_space)++;
}

/* ---- look-up ------------------------------------------------------------------------------ */

static bool is_passing(const struct kernel_names *k, uint64_t addr,
		       const struct symbolizer_moment *when)
{
	return when && k->is_followed && addr - k->core_start >= k->core_bytes;
}

uint32_t kernel_names_space(struct kernel_names *k, uint64_t addr,
			    const struct symbolizer_moment *when, uint32_t otherwise)
{
	if (!is_passing(k, addr, when))
		return otherwise;
	k->follower.poll(k->follower.ctx);
	if ((int32_t)(when->module_seq - k->module_seq) > 0)
		modules_read(k);
	if (k->nr_changes != kernel_code_nr_changes(k->code)) {
		k->nr_changes = kernel_code_nr_changes(k->code);
		k->space = (*k->next_space)++;
	}
	return when->module_seq == k->module_seq && when->time_ns >= kernel_code_changed_ns(k->code)
		       ? k->space
		       : 0;
}

/*
 * Without a follower modules and BPF programs come unseen; reading the table again takes some 50
 * ms, so the interval doubles for as long as that does not help.
 */
static bool find_now(struct kernel_names *k, uint64_t addr, struct kernel_symbol *ret)
{
	if (!k->kallsyms)
		return false;
	if (!kallsyms_find(k->kallsyms, addr, ret))
		return true;
	if (k->is_followed || now_ms() - k->read_ms < k->wait_ms)
		return false;
	table_renew(k);
	if (!kallsyms_find(k->kallsyms, addr, ret)) {
		k->wait_ms = KALLSYMS_MIN_MS;
		return true;
	}
	if (k->wait_ms < KALLSYMS_MAX_MS)
		k->wait_ms *= 2;
	return false;
}

static const struct kallsyms *table_of(const struct kernel_names *k, uint32_t module_seq)
{
	if (module_seq == k->module_seq)
		return k->kallsyms;
	return module_seq == k->old_seq ? k->old : NULL;
}

static const char *code_module(const struct kernel_code_symbol *c)
{
	if (c->is_bpf)
		return "bpf";
	return strncmp(c->name, "ftrace", strlen("ftrace")) ? "__builtin__kprobes"
							    : "__builtin__ftrace";
}

bool kernel_names_find(struct kernel_names *k, uint64_t addr, const struct symbolizer_moment *when,
		       struct kernel_symbol *ret_symbol, bool *ret_holds)
{
	const struct kernel_code_symbol *c;
	const struct kallsyms *table;

	*ret_holds = true;
	if (!is_passing(k, addr, when))
		return find_now(k, addr, ret_symbol);
	c = kernel_code_find(k->code, addr, when->time_ns);
	if (c) {
		*ret_holds = c->until_ns == UINT64_MAX;
		*ret_symbol = (struct kernel_symbol){
			.name = c->name,
			.module = code_module(c),
			.start = c->start,
			.end = c->end,
			.base = c->start,
			.shown = KERNEL_PLACE_PASSING,
		};
		return true;
	}
	table = table_of(k, when->module_seq);
	return table && !kernel_code_covers(k->code, addr) &&
	       !kallsyms_find(table, addr, ret_symbol) && !kallsyms_is_passing(ret_symbol->module);
}
