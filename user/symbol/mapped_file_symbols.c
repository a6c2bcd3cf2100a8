// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of files: read when they are asked for, within the bounds on memory and on unpacking. */
#include <errno.h>

#include "symbol/elf_symbols_parse.h"
#include "symbol/mapped_file_table.h"

#define FUNCTIONS_EVERY_MS 1000
#define TELL_EVERY_MS	   10000
#define STALLED_MS	   100		  /* until it is tried again */
#define UNPACK_FACTOR	   4		  /* of the bytes of all tables, unpacked in a minute */
#define PARSING_NS	   20000000000ull /* of a minute, by the clocks of parsers */

void mapped_file_drop_symbols(struct file_table *t, struct mapped_file *f)
{
	if (!f->symbols)
		return;
	shared_symbols_drop(t->symbols, f->uid, take_ptr(f->symbols));
	loaded_files_remove(t->loaded, f);
}

static void keep_bound(struct file_table *t, const struct mapped_file *except)
{
	const struct fair_share *bytes = shared_symbols_share(t->symbols);
	struct mapped_file *f;

	/* Those of the system that make way to each other are a cache at work. */
	while ((f = loaded_files_next_to_go(t->loaded, bytes, except))) {
		t->limits.nr[LIMIT_SYMBOLS] += owner_of_uid(f->uid) != OWNER_SYSTEM ||
					       owner_of_uid(except->uid) != OWNER_SYSTEM;
		mapped_file_drop_symbols(t, f);
	}
}

static uint64_t stamp(uint64_t now_ms)
{
	return now_ms ? now_ms : 1;
}

static bool may_unpack(const struct mapped_file *f, uint64_t now_ms)
{
	return !f->unpacked_ms || now_ms - f->unpacked_ms >= MINUTE_MS;
}

/* Once a minute for a file, whatever came of it, and within its owner's share. */
static uint64_t unpack_bound(struct file_table *t, struct mapped_file *f, uint64_t now_ms)
{
	if (!may_unpack(f, now_ms))
		return 0;
	f->unpacked_ms = stamp(now_ms);
	return minute_share_bound(&t->unpacking, owner_of_uid(f->uid), t->max_bytes / 2,
				  UNPACK_FACTOR * t->max_bytes, now_ms);
}

void file_table_end_by(struct file_table *t, uint64_t ms)
{
	__atomic_store_n(&t->end_ms, ms, __ATOMIC_RELAXED);
}

/* Has its owner some of the parsers' time left? */
static bool may_parse(struct file_table *t, const struct mapped_file *f, uint64_t now_ms)
{
	const uint64_t end_ms = __atomic_load_n(&t->end_ms, __ATOMIC_RELAXED);

	if (end_ms && now_ms >= end_ms && owner_of_uid(f->uid) != OWNER_SYSTEM)
		return false;
	return minute_share_bound(&t->parsing, owner_of_uid(f->uid), ELF_SYMBOLS_PARSE_NS,
				  PARSING_NS, now_ms) > 0;
}

static struct elf_symbols_source source_of(const struct file_table *t, const struct mapped_file *f)
{
	return (struct elf_symbols_source){
		.pool = t->pool,
		.key = mapped_file_key(f),
		.fd = f->fd,
		.debug_root = t->root,
		.path = f->path,
		.dev = f->dev,
		.ino = f->ino,
		.uid = f->uid,
		.process_root = f->root,
	};
}

static int load(struct file_table *t, struct mapped_file *f, uint64_t now_ms)
{
	const owner_id owner = owner_of_uid(f->uid);
	const uint64_t unpacked_ms = f->unpacked_ms;
	struct elf_symbols_source source = source_of(t, f);
	struct elf_symbols *symbols;
	uint64_t cpu_ns, unpacked;
	int r;

	if (!may_parse(t, f, now_ms))
		return -ECHILD;
	source.max_unpacked_bytes = unpacked = unpack_bound(t, f, now_ms);
	r = elf_symbols_parse(&source, &symbols, &cpu_ns);
	minute_share_note(&t->parsing, owner, cpu_ns);
	if (worker_is_stalled(r)) /* nothing was unpacked */
		f->unpacked_ms = unpacked_ms;
	if (r >= 0 && elf_symbols_unpacked_bytes(symbols) < unpacked)
		unpacked = elf_symbols_unpacked_bytes(symbols);
	if (r >= 0 || r == -ECHILD) /* which does not say what it unpacked */
		minute_share_note(&t->unpacking, owner, unpacked);
	if (r < 0)
		return r;
	t->limits.nr[LIMIT_UNPACKED] += elf_symbols_has_left_out(symbols);
	t->limits.nr[LIMIT_DEBUG_FILES] += elf_symbols_nr_refused(symbols);
	f->symbols = shared_symbols_take(t->symbols, f->uid, symbols);
	loaded_files_put(t->loaded, f);
	return 0;
}

static void note_unparsed(struct file_table *t, struct mapped_file *f, uint64_t now_ms)
{
	t->limits.nr[LIMIT_UNPARSED]++;
	f->unparsed_ms = stamp(now_ms);
}

bool mapped_file_load(struct file_table *t, struct mapped_file *f, uint64_t now_ms)
{
	int r = load(t, f, now_ms);

	if (r >= 0) {
		keep_bound(t, f);
		return true;
	}
	if (worker_is_stalled(r)) {
		mapped_file_stalled(f, f->used_ms);
	} else if (r == -ECHILD) {
		f->miss = SYMBOL_MISS_UNPARSED;
		note_unparsed(t, f, now_ms);
	} else {
		f->tried = true;
		f->miss = SYMBOL_MISS_BAD_ELF;
	}
	return false;
}

static bool rests(const struct mapped_file *f, uint64_t now_ms)
{
	return f->tried || (f->stalled_ms && now_ms - f->stalled_ms < STALLED_MS) ||
	       (f->unparsed_ms && now_ms - f->unparsed_ms < MINUTE_MS);
}

const struct elf_symbols *mapped_file_symbols(struct file_table *t, struct mapped_file *f,
					      uint64_t now_ms)
{
	mapped_file_used(t, f, now_ms);
	mapped_file_look_again(t, f, now_ms);
	if (f->symbols && elf_symbols_has_left_out(f->symbols) && may_unpack(f, now_ms) &&
	    mapped_file_reopen(t, f)) {
		mapped_file_drop_symbols(t, f);
		mapped_file_new_spaces(t, f);
	}
	if (f->symbols)
		return f->symbols;
	if (rests(f, now_ms))
		return NULL;
	f->miss = SYMBOL_MISS_NO_FILE;
	if (!mapped_file_reopen(t, f)) {
		if (f->nr_numbers && f->has_stamps && now_ms - f->told_ms >= TELL_EVERY_MS)
			mapped_file_note_lost(t, f, now_ms);
		return NULL;
	}
	return mapped_file_load(t, f, now_ms) ? f->symbols : NULL;
}

static int add_functions(struct file_table *t, struct mapped_file *f, uint64_t now_ms)
{
	struct elf_symbols_source source;
	uint64_t cpu_ns;
	int r;

	if (!mapped_file_reopen(t, f))
		return -ENOENT;
	if (!may_parse(t, f, now_ms))
		return -ECHILD;
	source = source_of(t, f);
	r = elf_symbols_parse_functions(&source, f->symbols, &cpu_ns);
	minute_share_note(&t->parsing, owner_of_uid(f->uid), cpu_ns);
	return r;
}

bool mapped_file_add_functions(struct file_table *t, struct mapped_file *f, uint64_t now_ms)
{
	uint64_t before;
	int r;

	if (!f->symbols || !elf_symbols_wants_functions(f->symbols) ||
	    (f->functions_ms && now_ms - f->functions_ms < FUNCTIONS_EVERY_MS) ||
	    (f->unparsed_ms && now_ms - f->unparsed_ms < MINUTE_MS))
		return false;
	before = elf_symbols_bytes(f->symbols);
	r = add_functions(t, f, now_ms);
	if (r < 0) {
		f->functions_ms = stamp(now_ms);
		if (r == -ECHILD)
			note_unparsed(t, f, now_ms);
		return false;
	}
	shared_symbols_grew(t->symbols, f->uid, elf_symbols_bytes(f->symbols) - before);
	keep_bound(t, f);
	return true;
}
