// SPDX-License-Identifier: GPL-2.0-or-later
/* A table on its way: read and packed by a parser, unpacked by who asked. */
#include "unwind/unwind_parse.h"

#include <sys/mman.h>

#include "unwind/elf_unwind.h"
#include "unwind/unwind_pack.h"
#include "util/strbuf.h"

void unwind_parse(const struct worker_request *request, struct worker_answer *answer)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	_cleanup_(unwind_table_freep) struct unwind_table *table = NULL;
	_cleanup_strbuf_ struct strbuf packed = STRBUF_INIT;
	_cleanup_elf_source_ struct elf_source source = { .fd = -1 };
	const int fd = request->fds[0];

	answer->status =
		request->may_map ? elf_source_map(fd, &source) : elf_source_from_fd(fd, &source);
	if (answer->status < 0)
		return;
	table = elf_unwind_read(&source, rules);
	unwind_table_pack(table, rules, &packed);
	parsed_give(packed.bytes, packed.len, answer);
}

struct unwind_table *unwind_parsed(const struct worker_answer *answer, struct unwind_rules *rules)
{
	struct unwind_table *table;
	size_t len = 0;
	const char *bytes = parsed_map(answer, &len);

	if (!bytes)
		return NULL;
	table = unwind_table_unpack(bytes, len, rules);
	munmap((void *)bytes, len);
	return table;
}
