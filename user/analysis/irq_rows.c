// SPDX-License-Identifier: GPL-2.0-or-later
/* One row per stack, sorted by ids so that equal ones meet, added up, sorted for the reader. */
#include "analysis/irq_rows.h"

#include <string.h>

#include "util/mem.h"

static str_id name_of(const struct irq_map *map, node_id n)
{
	if (n == NODE_ROOT)
		return 0;
	return frame_shown(
		frame_table_get(profile_frames(map->profile), profile_frame(map->profile, n)));
}

/* The base frame: not a function, and not a mark for what is missing. */
static str_id victim_of(const struct irq_map *map, node_id n)
{
	const struct frame_table *table = profile_frames(map->profile);
	node_id base = map->nodes[n].base;
	const struct frame *f = frame_table_get(table, profile_frame(map->profile, base));
	const char *name = frame_table_str(table, frame_shown(f), NULL);

	if (map->boundaries[map->nodes[n].boundary].is_marked)
		return 0;
	/* Stacks without base frames begin with a function, which does not say whose they are. */
	if (f->origin != FRAME_BASE && (f->origin != FRAME_USER || f->module))
		return 0;
	if (map->nodes[base].is_kernel || !strcmp(name, "[truncated]"))
		return 0;
	return frame_shown(f);
}

static uint8_t class_of(uint8_t class, unsigned int keys)
{
	return class == IRQ_SOFTIRQ_INLINE && !(keys & IRQ_INLINE_APART) ? IRQ_SOFTIRQ : class;
}

static struct irq_row row_of(const struct irq_map *map, node_id n, unsigned int keys)
{
	const struct irq_node *me = &map->nodes[n];
	struct irq_row row = { .samples = profile_self(map->profile, n) };

	if (keys & IRQ_BY_CLASS)
		row.class = class_of(me->class, keys);
	if (keys & IRQ_BY_ENTRY)
		row.entry = name_of(map, map->boundaries[me->boundary].entry);
	if (keys & IRQ_BY_HANDLER)
		row.handler = name_of(map, me->handler);
	if (keys & IRQ_BY_VICTIM)
		row.victim = victim_of(map, n);
	return row;
}

static int compare_u32(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_ids(const void *a, const void *b)
{
	const struct irq_row *x = a, *y = b;
	int c = compare_u32(x->class, y->class);

	c = c ? c : compare_u32(x->entry, y->entry);
	c = c ? c : compare_u32(x->handler, y->handler);
	return c ? c : compare_u32(x->victim, y->victim);
}

static int compare_names(const struct frame_table *table, str_id a, str_id b)
{
	size_t a_len, b_len;
	const char *x = frame_table_str(table, a, &a_len), *y = frame_table_str(table, b, &b_len);
	int c = memcmp(x, y, a_len < b_len ? a_len : b_len);

	return c ? c : (a_len > b_len) - (a_len < b_len);
}

static int compare_samples(const void *a, const void *b, void *ctx)
{
	const struct irq_row *x = a, *y = b;
	const struct frame_table *table = ctx;
	int c = (x->samples < y->samples) - (x->samples > y->samples);

	c = c ? c : strcmp(irq_class_name(x->class), irq_class_name(y->class));
	c = c ? c : compare_names(table, x->entry, y->entry);
	c = c ? c : compare_names(table, x->handler, y->handler);
	return c ? c : compare_names(table, x->victim, y->victim);
}

static void add_up_equal(struct irq_rows *rows)
{
	size_t nr = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		if (nr && !compare_ids(&rows->rows[nr - 1], &rows->rows[i]))
			rows->rows[nr - 1].samples += rows->rows[i].samples;
		else
			rows->rows[nr++] = rows->rows[i];
	}
	rows->nr = nr;
}

static void row_add(struct irq_rows *rows, const struct irq_row *row)
{
	array_reserve(rows->rows, rows->cap, rows->nr + 1);
	rows->rows[rows->nr++] = *row;
}

static bool is_marked(const struct irq_map *map, node_id n)
{
	return map->boundaries[map->nodes[n].boundary].is_marked;
}

static void add_known(struct irq_rows *rows, const struct irq_rows *known, unsigned int keys)
{
	for (size_t i = 0; i < known->nr; i++) {
		struct irq_row row = known->rows[i];

		row.class = keys & IRQ_BY_CLASS ? class_of(row.class, keys) : 0;
		row.entry = keys & IRQ_BY_ENTRY ? row.entry : 0;
		row.handler = keys & IRQ_BY_HANDLER ? row.handler : 0;
		row.victim = keys & IRQ_BY_VICTIM ? row.victim : 0;
		row_add(rows, &row);
	}
}

bool irq_rows_complete(const struct irq_map *map, struct irq_rows *known)
{
	uint64_t left[NR_IRQ_CLASSES] = { 0 };

	for (node_id n = 1; n < map->nr_nodes; n++)
		if (is_marked(map, n))
			left[irq_class_of_node(map, n)] += profile_self(map->profile, n);
	for (size_t i = 0; i < known->nr; i++) {
		uint8_t class = class_of(known->rows[i].class, IRQ_BY_CLASS);

		if (known->rows[i].samples > left[class])
			return false;
		left[class] -= known->rows[i].samples;
	}
	for (int k = 0; k < NR_IRQ_CLASSES; k++)
		if (left[k])
			row_add(known, &(struct irq_row){ .class = k, .samples = left[k] });
	return true;
}

void irq_rows_collect(const struct irq_map *map, unsigned int keys, struct irq_rows *ret_rows)
{
	struct irq_rows rows = { 0 };

	for (node_id n = 1; n < map->nr_nodes; n++) {
		enum irq_class class = irq_class_of_node(map, n);

		/*
		 * Inline softirqs are no interrupt of the task, which ran them itself, but the
		 * work is a softirq's: it stands in the same list.
		 */
		if (!profile_self(map->profile, n) ||
		    (!irq_class_is_interrupt(class) && class != IRQ_SOFTIRQ_INLINE) ||
		    (map->known && is_marked(map, n)))
			continue;
		row_add(&rows, &(struct irq_row){ 0 });
		rows.rows[rows.nr - 1] = row_of(map, n, keys);
	}
	if (map->known)
		add_known(&rows, map->known, keys);
	if (rows.nr) {
		qsort(rows.rows, rows.nr, sizeof(*rows.rows), compare_ids);
		add_up_equal(&rows);
		qsort_r(rows.rows, rows.nr, sizeof(*rows.rows), compare_samples,
			profile_frames(map->profile));
	}
	*ret_rows = rows;
}

void irq_rows_deinit(struct irq_rows *rows)
{
	free(rows->rows);
	*rows = (struct irq_rows){ 0 };
}
