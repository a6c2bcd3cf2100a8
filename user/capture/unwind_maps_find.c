// SPDX-License-Identifier: GPL-2.0-or-later
/* What the sampler would find, looked up in the same maps. */
#include <bpf/bpf.h>

#include "capture/unwind_maps_parts.h"
#include "sampler_abi.h"
#include "unwind_search.h"

/* The rule of an ELF address in a file that has a table. */
static const struct eddy_unwind_rule *rule_find(struct unwind_maps *m,
						const struct eddy_unwind_file *f, uint64_t elf_addr)
{
	int64_t page = eddy_unwind_page_index(f, elf_addr);
	const struct eddy_unwind_page *p = page < 0 ? NULL : unwind_room_pages(&m->room, page, 1);
	const uint32_t *rows = NULL;

	if (p && p->slab < m->room.nr_slabs)
		rows = unwind_room_rows(&m->room, p->slab, p->first, p->nm1 + 1);
	if (!rows)
		return &m->rules->rule[EDDY_UNWIND_RULE_NONE];
	/* Where the slab begins: of it only the page's rows are mapped. */
	return &m->rules->rule[eddy_unwind_search((struct eddy_unwind_slab *)(rows - p->first), p,
						  elf_addr)];
}

void unwind_maps_find(struct unwind_maps *m, const struct eddy_unwind_key *key, uint64_t offset,
		      struct late_place *ret_place)
{
	struct eddy_unwind_file f;

	ret_place->kind = LATE_PLACE_PENDING;
	if (bpf_map_lookup_elem(m->fds.files, key, &f) < 0 || f.kind == EDDY_FILE_PENDING)
		return;
	ret_place->kind = LATE_PLACE_NOTABLE;
	for (uint32_t i = 0; i < f.nr_segments && i < EDDY_UNWIND_MAX_SEGMENTS; i++) {
		if (offset < f.segment[i].begin || offset >= f.segment[i].end)
			continue;
		ret_place->file = f.id;
		ret_place->elf_addr = offset + f.segment[i].delta;
		if (f.kind == EDDY_FILE_TABLE) {
			ret_place->kind = LATE_PLACE_TABLE;
			ret_place->rule = rule_find(m, &f, ret_place->elf_addr);
		}
		return;
	}
}
