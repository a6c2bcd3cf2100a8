// SPDX-License-Identifier: GPL-2.0-or-later
/* One bounded read, one strict parse; what the members mean is for those who ask. */
#include "input/sidecar_read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "util/mem.h"

/* All of a file of at most max bytes, or -E2BIG. */
static int read_all(const char *path, size_t max, char **ret_bytes, size_t *ret_len)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_free_ char *bytes = NULL;
	size_t len = 0, cap = 0;

	if (fd < 0)
		return -errno;
	for (;;) {
		ssize_t n;

		array_reserve(bytes, cap, len + 4096);
		n = read(fd, bytes + len, cap - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len += n;
		if (len > max)
			return -E2BIG;
	}
	*ret_bytes = take_ptr(bytes);
	*ret_len = len;
	return 0;
}

int sidecar_read(const char *path, struct json **ret_json, struct diag *ret_diag)
{
	_cleanup_free_ char *name = xasprintf("%s.json", path), *bytes = NULL;
	_cleanup_json_ struct json *json = NULL;
	struct diag why;
	size_t len = 0;
	int r = read_all(name, SIDECAR_MAX_BYTES, &bytes, &len);

	if (r == -ENOENT)
		return r;
	if (r == -E2BIG)
		return diag_set(ret_diag, EINVAL, "%s: larger than %d bytes", name,
				SIDECAR_MAX_BYTES);
	if (r < 0)
		return diag_set(ret_diag, -r, "%s: %s", name, strerror(-r));
	r = json_parse(bytes, len, &json, &why);
	if (r < 0)
		return diag_set(ret_diag, -r, "%s: not JSON: %s", name, why.text);
	if (json_kind(json, JSON_ROOT) != JSON_OBJECT ||
	    json_kind(json, json_member(json, JSON_ROOT, "samples")) != JSON_OBJECT)
		return diag_set(ret_diag, EINVAL,
				"%s: not what eddy writes beside a file: no object 'samples'",
				name);
	*ret_json = take_ptr(json);
	return 0;
}

bool sidecar_due(const struct json *sidecar, uint64_t *ret_due)
{
	json_id due = json_member(sidecar, json_member(sidecar, JSON_ROOT, "samples"), "due");

	*ret_due = json_integer(sidecar, due);
	return json_kind(sidecar, due) == JSON_INTEGER;
}
