// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * twin_names PROFILE MODULE NM SHOWN TRUE: names the addresses of a stripped program by its twin's
 * symbols, so that the same stacks stand twice: as eddy shows them and as they are in truth.
 *
 * PROFILE is pprof of eddy's, with addresses; MODULE is the program's file name; NM is what `nm -S
 * --defined-only` says of the twin.  Written are the folded stacks SHOWN and TRUE, and on standard
 * output a line "shown TAB true" for each address of the program.  A true name ends with the
 * address of its function, as functions may have the same name; "f.cold" is f, of which it is a
 * part.  What the program has no symbol for, and other files, keep the shown name.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "util/cleanup.h"
#include "util/mem.h"
#include "util/strbuf.h"

struct symbol {
	uint64_t start, size; /* 0: up to the next */
	char *name;
};

struct twin {
	const char *module;
	struct symbol *list;
	size_t nr, cap;
};

static int symbol_compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Lines "ADDRESS SIZE TYPE NAME" or "ADDRESS TYPE NAME"; functions are of types T, W and i. */
static bool twin_read(struct twin *t, const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		struct symbol s = { 0 };
		char type;
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 " %16" SCNx64 " %c %n", &s.start, &s.size, &type, &at) <
			    3 ||
		    !at) {
			s.size = 0;
			if (sscanf(line, "%" SCNx64 " %c %n", &s.start, &type, &at) < 2 || !at)
				continue;
		}
		if (!strchr("TtWwi", type))
			continue;
		s.name = xstrdup(line + at);
		array_reserve(t->list, t->cap, t->nr + 1);
		t->list[t->nr++] = s;
	}
	if (t->nr)
		qsort(t->list, t->nr, sizeof(*t->list), symbol_compare);
	return t->nr > 0;
}

static void twin_deinit(struct twin *t)
{
	for (size_t i = 0; i < t->nr; i++)
		free(t->list[i].name);
	free(t->list);
}

static bool covers(const struct twin *t, size_t i, uint64_t address)
{
	const struct symbol *s = &t->list[i];

	if (s->size)
		return address - s->start < s->size;
	return i + 1 == t->nr || address < t->list[i + 1].start;
}

/* The innermost symbol that covers it, the first of those that begin there. */
static const struct symbol *twin_find(const struct twin *t, uint64_t address)
{
	size_t from = 0, to = t->nr;

	while (from < to) {
		size_t mid = (from + to) / 2;

		if (t->list[mid].start <= address)
			from = mid + 1;
		else
			to = mid;
	}
	while (from > 0 && !covers(t, from - 1, address))
		from--;
	if (!from)
		return NULL;
	while (from > 1 && t->list[from - 2].start == t->list[from - 1].start)
		from--;
	return &t->list[from - 1];
}

/* What a part is of: the only symbol that is called so. */
static const struct symbol *whole_of(const struct twin *t, const struct symbol *part)
{
	const char *cold = strstr(part->name, ".cold");
	const struct symbol *whole = NULL;

	for (size_t i = 0; cold && i < t->nr; i++) {
		if (strncmp(t->list[i].name, part->name, cold - part->name) != 0 ||
		    t->list[i].name[cold - part->name])
			continue;
		if (whole)
			return part;
		whole = &t->list[i];
	}
	return whole ? whole : part;
}

/* ---- frames ------------------------------------------------------------------------------- */

static void add_text(struct strbuf *to, const char *name)
{
	for (; *name; name++)
		strbuf_add(to, *name == ';' || *name == '\n' || *name == '\t' ? ":" : name, 1);
}

static void add_shown(struct strbuf *to, const struct frame_table *frames, frame_id id)
{
	add_text(to, frame_table_name(frames, id, NULL));
	strbuf_addf(to, "%s", frame_origin_suffix(frame_table_get(frames, id)->origin));
}

/* Of the program, and known to its twin?  Then its true name is added, else the shown one. */
static bool add_true(struct strbuf *to, const struct frame_table *frames, frame_id id,
		     const struct twin *twin)
{
	const struct frame_place *place = frame_table_place(frames, id);
	const char *path = place ? frame_table_str(frames, place->path, NULL) : "";
	const char *base = strrchr(path, '/');
	const struct symbol *s;

	if (strcmp(base ? base + 1 : path, twin->module) != 0 ||
	    !(s = twin_find(twin, place->address))) {
		add_shown(to, frames, id);
		return false;
	}
	s = whole_of(twin, s);
	add_text(to, s->name);
	strbuf_addf(to, "@%" PRIx64, s->start);
	return true;
}

struct texts {
	char **shown, **truth;
};

/* Of all frames, each once; prints what is of the program. */
static struct texts texts_of(const struct frame_table *frames, const struct twin *twin)
{
	const size_t nr = frame_table_nr(frames);
	struct texts t = { xcalloc(nr, sizeof(char *)), xcalloc(nr, sizeof(char *)) };

	for (frame_id id = 1; id < nr; id++) {
		_cleanup_strbuf_ struct strbuf shown = STRBUF_INIT, truth = STRBUF_INIT;

		add_shown(&shown, frames, id);
		if (add_true(&truth, frames, id, twin))
			printf("%s\t%s\n", shown.bytes, truth.bytes);
		t.shown[id] = xstrdup(shown.bytes);
		t.truth[id] = xstrdup(truth.bytes);
	}
	return t;
}

static void texts_free(struct texts *t, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		free(t->shown[i]);
		free(t->truth[i]);
	}
	free(t->shown);
	free(t->truth);
}

static bool write_folded(const char *path, const struct profile *p, char *const *texts)
{
	FILE *f = fopen(path, "we");

	for (node_id n = 1; f && n < profile_nr_nodes(p); n++) {
		_cleanup_free_ node_id *chain = NULL;
		size_t depth;

		if (!profile_self(p, n))
			continue;
		depth = profile_chain(p, n, &chain);
		for (size_t i = 0; i < depth; i++)
			fprintf(f, "%s%s", i ? ";" : "", texts[profile_frame(p, chain[i])]);
		fprintf(f, " %" PRIu64 "\n", profile_self(p, n));
	}
	return f && !fclose(f);
}

int main(int argc, char **argv)
{
	const struct input_opts opts = { .with_places = true };
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	const struct frame_table *frames = profile_frames(p);
	_cleanup_(twin_deinit) struct twin twin = { 0 };
	struct texts texts;
	struct diag diag;
	bool is_written;

	if (argc != 6)
		return 2;
	twin.module = argv[2];
	if (!twin_read(&twin, argv[3])) {
		fprintf(stderr, "%s: no symbols\n", argv[3]);
		return 1;
	}
	if (input_read_path(argv[1], &opts, p, &diag) < 0) {
		fprintf(stderr, "twin_names: %s\n", diag.text);
		return 1;
	}
	texts = texts_of(frames, &twin);
	is_written = write_folded(argv[4], p, texts.shown) && write_folded(argv[5], p, texts.truth);
	texts_free(&texts, frame_table_nr(frames));
	return !is_written;
}
