// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of views; the first row is what `eddy report` shows when no view is named. */
#include "view/views.h"

#include <errno.h>
#include <string.h>

#include "output/writer.h"
#include "util/mem.h"
#include "util/near_name.h"

const char *const view_sort_names[4] = { "self", "inclusive", "total", "first" };

static const struct view *const views[] = {
	&view_flat,   &view_tree, &view_callees, &view_callers,	 &view_arcs,	&view_graph,
	&view_cycles, &view_irq,  &view_modules, &view_syscalls, &view_windows, NULL,
};

const struct view *view_find(const char *name)
{
	for (const struct view *const *v = views; *v; v++)
		if (!name || !strcmp((*v)->name, name))
			return *v;
	return NULL;
}

const struct view_format *view_find_format(const struct view *view, const char *name)
{
	for (const struct view_format *f = view->formats; f->name; f++)
		if (!name || !strcmp(f->name, name))
			return f;
	return NULL;
}

const struct view_format *view_format_of_path(const struct view *view, const char *path)
{
	for (const struct view_format *f = view->formats; f->name; f++)
		if (f->suffixes && format_suits_path(f->suffixes, path))
			return f;
	return NULL;
}

static void list_add(char *buf, const char *name)
{
	size_t len = strlen(buf);

	snprintf(buf + len, VIEW_LIST_BYTES - len, "%s%s", len ? ", " : "", name);
}

void view_list_names(char *buf)
{
	*buf = '\0';
	for (const struct view *const *v = views; *v; v++)
		list_add(buf, (*v)->name);
}

int view_choose(const char *option, const char *name, const struct view **ret_view,
		struct diag *ret_diag)
{
	char list[VIEW_LIST_BYTES], hint[NEAR_NAME_BYTES];
	struct near_name near = { .typed = name };

	view_list_names(list);
	for (const struct view *const *v = views; *v; v++)
		near_name_offer(&near, (*v)->name);
	near_name_hint(&near, "", hint);
	if (!view_find(name))
		return diag_set(ret_diag, EINVAL, "--%s: '%s' is not one of %s%s", option, name,
				list, hint);
	*ret_view = view_find(name);
	return 0;
}

void view_list_formats(const struct view *view, char *buf)
{
	*buf = '\0';
	for (const struct view_format *f = view->formats; f->name; f++)
		list_add(buf, f->name);
}

void views_help(FILE *to)
{
	fputs("views (--view) and their formats, the default first:\n", to);
	for (const struct view *const *v = views; *v; v++) {
		char formats[VIEW_LIST_BYTES];

		view_list_formats(*v, formats);
		fprintf(to, "  %-8s %s (%s)\n", (*v)->name, (*v)->summary, formats);
	}
}
