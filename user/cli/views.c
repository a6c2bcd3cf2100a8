// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of views; the first row is what `eddy report` shows when no view is named. */
#include "cli/views.h"

#include <string.h>

#include "util/mem.h"

static const struct view *const views[] = {
	&view_flat,  &view_tree,   &view_callees, &view_callers, &view_arcs,
	&view_graph, &view_cycles, &view_irq,	  NULL,
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

static void list_add(char *buf, const char *name)
{
	size_t len = strlen(buf);

	snprintf(buf + len, VIEW_LIST_BYTES - len, "%s%s", len ? ", " : "", name);
}

void view_list(char *buf)
{
	*buf = '\0';
	for (const struct view *const *v = views; *v; v++)
		list_add(buf, (*v)->name);
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
