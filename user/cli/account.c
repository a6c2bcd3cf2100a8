// SPDX-License-Identifier: GPL-2.0-or-later
/* The words are those of run/account_text.h. */
#include "cli/account.h"

#include "cli/command.h"
#include "run/account_text.h"
#include "util/atomic_file.h"
#include "util/mem.h"

void account_say(const struct capture_account *a, const struct account_extra *extra, bool verbose)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return;
	account_text_write(to, a, extra, verbose);
	if (verbose)
		account_text_parsers(to);
	fclose(to);
	command_say_each(text);
}

void account_say_not_taken(const struct not_taken *n)
{
	_cleanup_free_ char *text = account_text_not_taken(n);

	command_say_text(text);
}

int account_sidecar_write(const char *path, const struct capture_account *a,
			  const struct account_extra *extra, struct diag *diag)
{
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	_cleanup_free_ char *name = xasprintf("%s.json", path);
	_cleanup_json_ struct json *sidecar = NULL;
	int err = atomic_file_open(name, &file, diag);

	if (err < 0)
		return err;
	atomic_file_keep_old(file, ".json");
	sidecar = account_sidecar(a, extra);
	json_write(atomic_file_stream(file), sidecar);
	return atomic_file_commit(&file, diag);
}
