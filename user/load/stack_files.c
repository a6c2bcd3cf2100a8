// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Directories are listed before anything is chosen, all of them, because a time of day is one that
 * the snapshots reach, and because an empty choice should say what there was to choose from.
 */
#include "load/stack_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/mem.h"

/* One path of the command line. */
struct place {
	const char *path;
	bool is_dir;
	struct snapshot_list list; /* of a directory */
};

struct opening {
	const struct stack_files_opts *opts;
	struct place *places;
	size_t nr_places;
	int64_t since_s, until_s;
	char host[SNAPSHOT_HOST_BYTES]; /* the directory of --host; "": all */
	struct stack_files files;
};

void stack_files_opts_deinit(struct stack_files_opts *opts)
{
	free(opts->pids);
	free(opts->tids);
}

/* What stands over all stacks of a file, or is taken off again, is not the reader's business. */
void stack_files_opts_set_root(struct stack_files_opts *opts, const struct passes *passes)
{
	const struct base_frames *root = &passes->root;

	opts->input.root = (struct base_frames){ 0 };
	if (!base_frames_nr(root))
		opts->input.root = *root;
	for (size_t i = 0; i < base_frames_nr(root); i++)
		if (base_frames_kind(root, i) != BASE_FRAME_HOST)
			base_frames_add(&opts->input.root, base_frames_kind(root, i));
	opts->with_host = passes->root_given && base_frames_have(root, BASE_FRAME_HOST);
}

static void opening_deinit(struct opening *o)
{
	for (size_t i = 0; i < o->nr_places; i++)
		snapshot_list_deinit(&o->places[i].list);
	free(o->places);
	stack_files_deinit(&o->files);
}

void stack_file_deinit(struct stack_file *file)
{
	free(file->path);
	free(file->host);
}

void stack_files_deinit(struct stack_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		stack_file_deinit(&files->files[i]);
	free(files->files);
	*files = (struct stack_files){ 0 };
}

static bool is_dir(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int64_t end_of(const struct snapshot_name *name)
{
	return name->start_s + name->seconds;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static bool is_chosen(const struct opening *o, const struct snapshot_list *list, size_t i)
{
	const struct snapshot_entry *e = &list->entries[i];

	if (*o->host && strcmp(list->hosts[e->host].name, o->host))
		return false;
	return snapshot_name_is_within(&e->name, o->since_s, o->until_s);
}

static void add_file(struct stack_files *files, const char *path, const struct snapshot_name *name,
		     const char *host)
{
	array_reserve(files->files, files->cap, files->nr + 1);
	files->files[files->nr++] = (struct stack_file){
		.path = xstrdup(path),
		.host = host ? xstrdup(host) : NULL,
		.is_snapshot = name,
		.name = name ? *name : (struct snapshot_name){ 0 },
	};
	files->nr_snapshots += name != NULL;
}

/* What was chosen of a directory, for standard error. */
struct choice {
	size_t nr, nr_hosts;
	int64_t start_s, end_s;
};

static void print_range(struct strbuf *sb, int64_t start_s, int64_t end_s)
{
	time_point_print(sb, start_s);
	strbuf_addstr(sb, " to ");
	time_point_print(sb, end_s);
}

static void say_choice(const struct listener *to, const struct place *place, const struct choice *c)
{
	const struct snapshot_list *list = &place->list;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%zu", c->nr);
	if (c->nr != list->nr)
		strbuf_addf(&text, " of %zu", list->nr);
	strbuf_addf(&text, " snapshot%s, ", list->nr == 1 ? "" : "s");
	print_range(&text, c->start_s, c->end_s);
	if (c->nr_hosts > 1)
		strbuf_addf(&text, ", of %zu hosts", c->nr_hosts);
	listener_say(to, "%s: %s", place->path, text.bytes);
	if (list->nr_unread)
		listener_say(to, "%s: %" PRIu64 " director%s could not be read", place->path,
			     list->nr_unread, list->nr_unread == 1 ? "y" : "ies");
}

static size_t choose(struct opening *o, const struct place *place)
{
	const struct snapshot_list *list = &place->list;
	_cleanup_free_ bool *hosts = xcalloc(list->nr_hosts, sizeof(*hosts));
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;
	struct choice c = { 0 };

	for (size_t i = 0; i < list->nr; i++) {
		const struct snapshot_entry *e = &list->entries[i];

		if (!is_chosen(o, list, i))
			continue;
		snapshot_list_path(list, i, &path);
		add_file(&o->files, path.bytes, &e->name, list->hosts[e->host].name);
		c.nr_hosts += !hosts[e->host];
		hosts[e->host] = true;
		if (!c.nr++)
			c.start_s = e->name.start_s;
		if (end_of(&e->name) > c.end_s)
			c.end_s = end_of(&e->name);
	}
	if (c.nr)
		say_choice(o->opts->listener, place, &c);
	return c.nr;
}

/* Nothing of a directory was chosen: why, and what there is. */
static int fail_empty(const struct opening *o, const struct place *place, struct diag *ret_diag)
{
	const struct snapshot_list *list = &place->list;
	_cleanup_strbuf_ struct strbuf there = STRBUF_INIT, asked = STRBUF_INIT;
	_cleanup_free_ bool *has_any = xcalloc(list->nr_hosts, sizeof(*has_any));
	int64_t end_s = 0;
	bool has_host = !*o->host;

	if (!list->nr && list->nr_unread)
		return diag_set(ret_diag, EACCES,
				"%s: no snapshots that may be read; %" PRIu64
				" director%s could not be",
				place->path, list->nr_unread, list->nr_unread == 1 ? "y" : "ies");
	if (!list->nr)
		return diag_set(ret_diag, ENOENT, "%s: no snapshots in this directory",
				place->path);
	for (size_t i = 0; i < list->nr; i++)
		has_any[list->entries[i].host] = true;
	for (size_t i = 0; i < list->nr_hosts; i++) {
		has_host |= has_any[i] && !strcmp(list->hosts[i].name, o->host);
		if (has_any[i] && there.len < 200)
			strbuf_addf(&there, "%s%s", there.len ? ", " : "", list->hosts[i].name);
	}
	if (!has_host)
		return diag_set(ret_diag, ENOENT, "%s: no snapshots of host '%s'; there are %s",
				place->path, o->opts->host, there.bytes);
	strbuf_reset(&there);
	for (size_t i = 0; i < list->nr; i++)
		if (end_of(&list->entries[i].name) > end_s)
			end_s = end_of(&list->entries[i].name);
	print_range(&there, list->entries[0].name.start_s, end_s);
	if (o->since_s) {
		strbuf_addstr(&asked, " since ");
		time_point_print(&asked, o->since_s);
	}
	if (o->until_s) {
		strbuf_addstr(&asked, " until ");
		time_point_print(&asked, o->until_s);
	}
	return diag_set(ret_diag, ENOENT, "%s: no snapshots%s%s%s; there are %zu, %s", place->path,
			*o->host ? " of host " : "", o->host, asked.bytes, list->nr, there.bytes);
}

/* ---- opening --------------------------------------------------------------------------------- */

static int list_places(struct opening *o, char *const *paths, struct diag *ret_diag)
{
	static char *const standard_input[] = { "-", NULL };
	static char *const by_default[] = { STACK_FILES_DEFAULT, NULL };

	if (!*paths)
		paths = isatty(STDIN_FILENO) ? by_default : standard_input;
	while (paths[o->nr_places])
		o->nr_places++;
	o->places = xcalloc(o->nr_places, sizeof(*o->places));
	for (size_t i = 0; i < o->nr_places; i++) {
		struct place *place = &o->places[i];
		int r;

		place->path = paths[i];
		place->is_dir = is_dir(paths[i]);
		if (!place->is_dir)
			continue;
		r = snapshot_list_read(paths[i], &place->list, ret_diag);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool has_host(const struct opening *o, const char *dir)
{
	for (size_t i = 0; i < o->nr_places; i++)
		for (size_t k = 0; k < o->places[i].list.nr_hosts; k++)
			if (!strcmp(o->places[i].list.hosts[k].name, dir))
				return true;
	return false;
}

/* A host's name, or, where no host has it, that of a directory, as messages give it. */
static void resolve_host(struct opening *o)
{
	const char *host = o->opts->host;

	snapshot_host_dir(host, o->host);
	if (!has_host(o, o->host) && has_host(o, host))
		snprintf(o->host, sizeof(o->host), "%s", host); /* a directory's name fits */
}

static int resolve_range(struct opening *o, struct diag *ret_diag)
{
	const struct stack_files_opts *opts = o->opts;
	int64_t newest_s = 0, now_s = time(NULL);
	bool has_dir = false;

	for (size_t i = 0; i < o->nr_places; i++) {
		const struct snapshot_list *list = &o->places[i].list;

		has_dir |= o->places[i].is_dir;
		for (size_t k = 0; k < list->nr; k++)
			if (end_of(&list->entries[k].name) > newest_s)
				newest_s = end_of(&list->entries[k].name);
	}
	if (!has_dir && (opts->since.kind || opts->until.kind || opts->host))
		return diag_set(ret_diag, EINVAL,
				"--since, --until and --host choose from a directory of snapshots, "
				"and there is none");
	time_points_resolve(&opts->since, &opts->until, now_s, newest_s, &o->since_s, &o->until_s);
	if (o->since_s && o->until_s && o->since_s >= o->until_s) {
		_cleanup_strbuf_ struct strbuf range = STRBUF_INIT;

		print_range(&range, o->since_s, o->until_s);
		return diag_set(ret_diag, EINVAL, "--since is not before --until: %s", range.bytes);
	}
	if (opts->host)
		resolve_host(o);
	return 0;
}

int stack_files_open(char *const *paths, const struct stack_files_opts *opts,
		     struct stack_files *ret_files, struct diag *ret_diag)
{
	__attribute__((cleanup(opening_deinit))) struct opening o = {
		.opts = opts,
		.files.listener = opts->listener,
	};
	int r = list_places(&o, paths, ret_diag);

	if (r >= 0)
		r = resolve_range(&o, ret_diag);
	for (size_t i = 0; r >= 0 && i < o.nr_places; i++) {
		if (!o.places[i].is_dir)
			add_file(&o.files, o.places[i].path, NULL, NULL);
		else if (!choose(&o, &o.places[i]))
			r = fail_empty(&o, &o.places[i], ret_diag);
	}
	if (r < 0)
		return r;
	*ret_files = o.files;
	o.files = (struct stack_files){ 0 };
	return 0;
}
