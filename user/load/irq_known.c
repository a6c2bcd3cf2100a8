// SPDX-License-Identifier: GPL-2.0-or-later
/* "interrupts": {"class;entry;handler;victim": samples}; what has another form is left aside. */
#include "load/irq_known.h"

#include <string.h>

#include "util/mem.h"

static bool find_class(const char *name, size_t len, uint8_t *ret_class)
{
	for (int k = 0; k < NR_IRQ_CLASSES; k++) {
		if (strlen(irq_class_name(k)) != len || memcmp(irq_class_name(k), name, len) != 0)
			continue;
		*ret_class = k;
		return irq_class_is_interrupt(k) || k == IRQ_SOFTIRQ_INLINE;
	}
	return false;
}

static bool row_parse(const char *text, struct frame_table *frames, struct irq_row *ret_row)
{
	str_id *const fields[] = { &ret_row->entry, &ret_row->handler, &ret_row->victim };
	size_t len = strcspn(text, ";");

	if (!find_class(text, len, &ret_row->class))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (text[len] != ';')
			return false;
		text += len + 1;
		len = strcspn(text, ";");
		*fields[i] = len ? frame_table_intern(frames, text, len) : 0;
	}
	return !text[len];
}

static void add_file(const struct json *j, struct frame_table *frames, struct irq_rows *rows)
{
	json_id object = json_member(j, JSON_ROOT, "interrupts");

	if (json_kind(j, object) != JSON_OBJECT)
		return;
	for (json_id id = json_first(j, object); id != JSON_NONE; id = json_next(j, id)) {
		struct irq_row row = { .samples = json_integer(j, id) };

		if (!row.samples || !row_parse(json_name(j, id), frames, &row))
			continue;
		array_reserve(rows->rows, rows->cap, rows->nr + 1);
		rows->rows[rows->nr++] = row;
	}
}

void irq_known_find(const struct stack_files *files, struct frame_table *frames,
		    struct irq_rows *ret_rows)
{
	*ret_rows = (struct irq_rows){ 0 };
	for (size_t i = 0; i < files->nr; i++) {
		_cleanup_json_ struct json *sidecar = NULL;

		if (stack_files_sidecar(files, i, &sidecar, NULL) >= 0)
			add_file(sidecar, frames, ret_rows);
	}
}
