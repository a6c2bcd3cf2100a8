// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as JSON.  What is accepted is written, and what was written reads back as the same
 * text; merged with itself as a sidecar it is JSON still.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "archive/sidecar_merge.h"
#include "util/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *written(const struct json *j, size_t *ret_len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_len);

	json_write(f, j);
	fclose(f);
	return text;
}

static void merge_twice(const struct json *j)
{
	_cleanup_sidecar_merge_ struct sidecar_merge *m = sidecar_merge_new();
	_cleanup_json_ struct json *back = NULL;
	_cleanup_free_ char *text = NULL;
	struct diag diag;
	size_t len;
	FILE *f;

	if (sidecar_merge_add(m, j, &diag) < 0 || sidecar_merge_add(m, j, &diag) < 0)
		return;
	f = open_memstream(&text, &len);
	sidecar_merge_write(f, m, 1);
	fclose(f);
	if (json_parse(text, len, &back, &diag) < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_json_ struct json *j = NULL, *back = NULL;
	_cleanup_free_ char *first = NULL, *second = NULL;
	size_t first_len, second_len;
	struct diag diag = { "" };

	if (json_parse((const char *)data, size, &j, &diag) < 0) {
		if (!*diag.text || j)
			abort();
		return 0;
	}
	first = written(j, &first_len);
	/* Escaping can make two names one, which a reader refuses. */
	if (json_parse(first, first_len, &back, &diag) < 0) {
		if (!strstr(diag.text, "two members"))
			abort();
		return 0;
	}
	second = written(back, &second_len);
	if (first_len != second_len || memcmp(first, second, first_len) != 0)
		abort();
	if (json_kind(j, JSON_ROOT) == JSON_OBJECT)
		merge_twice(j);
	return 0;
}
