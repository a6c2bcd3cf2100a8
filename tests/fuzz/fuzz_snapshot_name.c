// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as the name of a snapshot and of a host: what is taken is what formatting gives. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "archive/snapshot_name.h"
#include "util/cleanup.h"
#include "util/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = xmemdup0(data, size);
	char again[SNAPSHOT_NAME_BYTES], dir[SNAPSHOT_HOST_BYTES];
	struct snapshot_name name;

	if (!snapshot_name_parse(text, &name)) {
		snapshot_name_format(&name, again);
		if (strcmp(text, again))
			abort();
	}
	if (!snapshot_name_parse_json(text, &name)) {
		snapshot_name_format(&name, again);
		strcat(again, ".json");
		if (strcmp(text, again))
			abort();
	}
	snapshot_host_dir(text, dir);
	if (!*dir || *dir == '.' || strchr(dir, '/') || strlen(dir) > 255)
		abort();
	return 0;
}
