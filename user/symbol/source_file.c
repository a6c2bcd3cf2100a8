// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which further file it is only a parser can tell, so it is asked twice: at first it does nothing
 * but tell.  Who is asked for the second time checks the build id.
 */
#include "symbol/source_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * The directory that a file really lies in, as its root has it; NULL: not known.  The kernel tells
 * it without asking a file system.
 */
static const char *dir_of(const struct debugged_program *g, bool is_there, int fd,
			  char path[PATH_MAX])
{
	const size_t root_len = strlen(g->root);
	const char *dir = path;
	char link[32], *slash;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = '\0';
	if (is_there && g->process_root)
		dir = process_root_path(g->process_root, path);
	else if (!strncmp(path, g->root, root_len))
		dir = path + root_len;
	if (*dir != '/')
		return NULL;
	slash = strrchr(path, '/');
	*slash = '\0';
	return dir;
}

static int ask(const struct source_question *q, struct source_table **ret_table,
	       struct dwarf_alt *ret_alt, struct source_asked *ret)
{
	uint64_t cpu_ns;
	int r = source_parse(q, ret_table, ret_alt, &cpu_ns);

	ret->cpu_ns += cpu_ns;
	return r;
}

/* With the further file, or without when there is none. */
static int ask_again(const struct debugged_program *program, const struct debug_alt *alt,
		     struct source_question *q, struct source_table **ret_table,
		     struct source_asked *ret)
{
	struct debugged_program further = *program;
	struct debug_search search = { .program = &further, .wants_files = true };
	struct debug_file file;
	struct dwarf_alt none;

	further.alt = alt;
	further.build_id = alt->link->build_id;
	further.build_id_len = alt->link->build_id_len;
	while (debug_search_next(&search, &file)) {
		_cleanup_close_ int fd = file.fd;
		int r;

		q->alt_fd = fd;
		r = ask(q, ret_table, &none, ret);
		if (r != -EBADMSG) {
			ret->nr_refused += search.nr_refused;
			return r;
		}
		ret->nr_refused++;
	}
	ret->nr_refused += search.nr_refused;
	ret->lacks_alt = true;
	q->alt_fd = -1;
	q->without_alt = true;
	return ask(q, ret_table, &none, ret);
}

int source_file_ask(const struct debugged_program *program, bool is_there,
		    const struct source_question *q, struct source_table **ret_table,
		    struct source_asked *ret)
{
	struct source_question mine = *q;
	struct dwarf_alt link;
	struct debug_alt alt = { .link = &link, .is_there = is_there };
	char path[PATH_MAX];
	int r;

	*ret = (struct source_asked){ 0 };
	mine.alt_fd = -1;
	mine.without_alt = false;
	r = ask(&mine, ret_table, &link, ret);
	if (r != -EREMOTE)
		return r;
	alt.dir = dir_of(program, is_there, q->fd, path);
	return ask_again(program, &alt, &mine, ret_table, ret);
}
