// SPDX-License-Identifier: GPL-2.0-or-later
/* Of several files the account is the sum, or none: half of it would look like all. */
#include "load/page_account.h"

#include <stdio.h>
#include <string.h>

#include "util/mem.h"

char *page_account_of_json(const struct json *sidecar)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	json_write(f, sidecar);
	fclose(f);
	return text;
}

char *page_account_of_merge(struct sidecar_merge *sidecars, uint64_t nr_stacks)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	sidecar_merge_write(f, sidecars, nr_stacks);
	fclose(f);
	return text;
}

char *page_account_of_files(const struct stack_files *files, uint64_t nr_stacks)
{
	_cleanup_sidecar_merge_ struct sidecar_merge *merged = sidecar_merge_new();

	for (size_t i = 0; i < files->nr; i++) {
		_cleanup_json_ struct json *sidecar = NULL;
		struct diag why;

		if (stack_files_sidecar(files, i, &sidecar, &why) < 0)
			return NULL;
		if (files->nr == 1)
			return page_account_of_json(sidecar);
		if (sidecar_merge_add(merged, sidecar, &why) < 0)
			return NULL;
	}
	return page_account_of_merge(merged, nr_stacks);
}

char *page_title_of_files(const struct stack_files *files)
{
	const char *path = files->files[0].path, *slash = strrchr(path, '/');
	const char *name = slash && slash[1] ? slash + 1 : path;

	if (!strcmp(name, "-"))
		name = "standard input";
	return files->nr == 1 ? xasprintf("%s", name)
			      : xasprintf("%s and %zu more", name, files->nr - 1);
}
