// SPDX-License-Identifier: GPL-2.0-or-later
/* Orders of files, against an array in which everything is looked for. */
#include "symbol/file_order.h"

#include "symbol/mapped_file.h"
#include "unit/unit.h"

#define NR_FILES 7

struct model {
	struct mapped_file *files[NR_FILES];
	size_t nr;
};

static void model_remove(struct model *m, const struct mapped_file *f)
{
	size_t out = 0;

	for (size_t i = 0; i < m->nr; i++)
		if (m->files[i] != f)
			m->files[out++] = m->files[i];
	m->nr = out;
}

static void same(const struct file_order *orders, enum file_order_of which, const struct model *m)
{
	const struct mapped_file *f = orders[which].first, *before = NULL;

	for (size_t i = 0; i < m->nr; i++) {
		assert_ptr_equal(f, m->files[i]);
		assert_ptr_equal(f->links[which].before, before);
		before = f;
		f = f->links[which].after;
	}
	assert_null(f);
	assert_ptr_equal(orders[which].last, before);
	assert_ptr_equal(file_order_first(orders, which, NULL), m->nr ? m->files[0] : NULL);
	if (m->nr)
		assert_ptr_equal(file_order_first(orders, which, m->files[0]),
				 m->nr > 1 ? m->files[1] : NULL);
}

static void random_moves(void **state)
{
	struct file_order orders[NR_FILE_ORDERS] = { 0 };
	struct model models[NR_FILE_ORDERS] = { 0 };
	struct mapped_file files[NR_FILES] = { 0 };

	for (int i = 0; i < 20000; i++) {
		enum file_order_of which = test_random_below(NR_FILE_ORDERS);
		struct mapped_file *f = &files[test_random_below(NR_FILES)];

		model_remove(&models[which], f);
		if (test_random_below(3)) {
			models[which].files[models[which].nr++] = f;
			file_order_put(orders, which, f);
		} else {
			file_order_remove(orders, which, f);
		}
		for (int k = 0; k < NR_FILE_ORDERS; k++)
			same(orders, k, &models[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_moves) };

	return cmocka_run_group_tests_name("file_order", tests, NULL, NULL);
}
