/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Windows made by chance, and directories of snapshots looked at from outside. */
#ifndef EDDY_TESTS_UNIT_CLI_SNAPSHOTS_H
#define EDDY_TESTS_UNIT_CLI_SNAPSHOTS_H

#include "unit/unit.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/sidecar.h"
#include "snapshot/snapshot_window.h"
#include "input/input.h"
#include "archive/snapshot_dir.h"
#include "util/mem.h"

/* Adds stacks of random frames, nr of them, some of them lost. */
static inline struct profile *some_stacks(unsigned int nr, uint64_t *ret_kept, uint64_t *ret_lost)
{
	struct profile *p = profile_new(NULL);
	struct frame_table *t = profile_frames(p);
	node_id lost = profile_child(p, NODE_ROOT, frame_table_add_base(t, "[lost:ring-full]"));
	char name[32];

	*ret_lost = test_random_below(3);
	*ret_kept = 0;
	profile_add(p, lost, *ret_lost);
	for (unsigned int i = 0; i < nr; i++) {
		node_id n = profile_child(p, NODE_ROOT, frame_table_add_base(t, "comm"));
		uint64_t weight = 1 + test_random_below(5);

		for (int depth = test_random_below(12) + 1; depth; depth--) {
			snprintf(name, sizeof(name), "function_%u",
				 (unsigned int)test_random_below(nr));
			n = profile_child(p, n, frame_table_add_text(t, name, strlen(name)));
		}
		profile_add(p, n, weight);
		*ret_kept += weight;
	}
	return p;
}

/* A window of so many stacks that began at start_ms and lasted for ms. */
static inline struct snapshot_window *some_window(uint64_t start_ms, uint64_t ms, unsigned int nr)
{
	const struct snapshot_span span = { start_ms, start_ms + ms, ms };
	uint64_t kept, lost;
	struct profile *p = some_stacks(nr, &kept, &lost);
	struct json *s = json_new();
	json_id object;

	json_add_string(s, JSON_ROOT, "host", "h");
	json_add_integer(s, JSON_ROOT, "freq_hz", 99);
	json_add_integer(s, JSON_ROOT, "cpus", 2);
	sidecar_add_time(s, "start", start_ms);
	sidecar_add_time(s, "end", start_ms + ms);
	object = json_add(s, JSON_ROOT, "samples", JSON_OBJECT);
	json_add_integer(s, object, "due", kept + lost);
	json_add_integer(s, object, "delivered", kept + lost);
	json_add_integer(s, object, "kept", kept);
	json_add_integer(s, object, "lost", lost);
	object = json_add(s, JSON_ROOT, "losses", JSON_OBJECT);
	json_add_integer(s, object, "ring-full", lost);
	object = json_add(s, JSON_ROOT, "cost", JSON_OBJECT);
	json_add_integer(s, object, "rss_bytes", 2048);
	sidecar_note(s, "one note");
	return snapshot_window_new(p, s, &span);
}

static inline uint64_t number_in(const char *text, const char *name)
{
	_cleanup_free_ char *key = xasprintf("\"%s\": ", name);
	const char *at = strstr(text, key);

	if (!at)
		fail_msg("no %s in %s", name, text);
	return strtoull(at + strlen(key), NULL, 10);
}

static inline char *read_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = xcalloc(1, 65536);

	if (!f)
		fail_msg("%s: %s", path, strerror(errno));
	fread(text, 1, 65535, f);
	fclose(f);
	return text;
}

/*
 * Reads all snapshots below dir: each is whole and adds up to what its json says.  The sum of all
 * samples; *ret_nr (may be NULL) their number.
 */
static inline uint64_t sum_of_files(const char *dir, size_t *ret_nr)
{
	_cleanup_snapshot_list_ struct snapshot_list list = { 0 };
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;
	struct diag diag = { "" };
	uint64_t sum = 0;

	if (snapshot_list_read(dir, &list, &diag) < 0)
		fail_msg("%s", diag.text);
	for (size_t i = 0; i < list.nr; i++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		_cleanup_free_ char *json = NULL;

		snapshot_list_path(&list, i, &path);
		if (input_read_path(path.bytes, NULL, p, &diag) < 0)
			fail_msg("%s", diag.text);
		strbuf_addstr(&path, ".json");
		json = read_text(path.bytes);
		assert_int_equal(profile_total(p),
				 number_in(json, "kept") + number_in(json, "lost"));
		assert_string_equal(json + strlen(json) - 2, "}\n");
		sum += profile_total(p);
	}
	if (ret_nr)
		*ret_nr = list.nr;
	return sum;
}

/* Names in a directory; with_hidden: those with a dot too, but for "." and "..". */
static inline size_t nr_names(const char *path, bool with_hidden)
{
	DIR *d = opendir(path);
	struct dirent *e;
	size_t nr = 0;

	assert_non_null(d);
	while ((e = readdir(d)))
		nr += strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
		      (with_hidden || e->d_name[0] != '.');
	closedir(d);
	return nr;
}

static inline int make_dir(void **state)
{
	char *dir = xstrdup("/tmp/eddy-snapshots.XXXXXX");

	assert_non_null(mkdtemp(dir));
	*state = dir;
	return 0;
}

static inline int remove_dir(void **state)
{
	_cleanup_free_ char *command = xasprintf("rm -rf '%s'", (char *)*state);

	free(*state);
	return system(command);
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

#endif
