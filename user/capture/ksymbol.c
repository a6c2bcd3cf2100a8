// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	header  u64 addr  u32 len  u16 type  u16 flags  name, NUL, padded to 8  u64 time
 *
 * Sources: include/uapi/linux/perf_event.h, kernel/events/core.c perf_event_ksymbol().
 */
#include "capture/ksymbol.h"

#include <linux/perf_event.h>
#include <string.h>

#define KSYMBOL_RECORD 17 /* PERF_RECORD_KSYMBOL */
#define TYPE_BPF       1
#define FLAG_GONE      1

struct ksymbol_head {
	struct perf_event_header header;
	uint64_t addr;
	uint32_t len;
	uint16_t type;
	uint16_t flags;
};

bool ksymbol_parse(const void *record, size_t bytes, struct ksymbol *ret_symbol)
{
	const char *name = (const char *)record + sizeof(struct ksymbol_head);
	struct ksymbol_head head;
	size_t room, len;

	if (bytes < sizeof(head) + 2 * sizeof(uint64_t))
		return false;
	memcpy(&head, record, sizeof(head));
	if (head.header.type != KSYMBOL_RECORD || head.header.size != bytes)
		return false;
	room = bytes - sizeof(head) - sizeof(uint64_t);
	len = strnlen(name, room);
	if (!len || len == room || len >= sizeof(ret_symbol->name) || !head.len)
		return false;
	*ret_symbol = (struct ksymbol){
		.start = head.addr,
		.bytes = head.len,
		.is_gone = head.flags & FLAG_GONE,
		.is_bpf = head.type == TYPE_BPF,
	};
	memcpy(ret_symbol->name, name, len);
	memcpy(&ret_symbol->time_ns, name + room, sizeof(ret_symbol->time_ns));
	return true;
}
