// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples where interrupts are let in again, and whose they are. */
#include "unit/analysis/stacks.h"

#include "analysis/masked_rows.h"
#include "profile/frame_text.h"

/* "function masked/inclusive;" of each row. */
static void check(const char *text, const char *want)
{
	_cleanup_masked_rows_ struct masked_rows rows = { 0 };
	char got[512] = "";
	struct stacks s;
	size_t len = 0;
	uint64_t sum = 0;

	stacks_init(&s);
	stacks_parse(&s, text);
	assert_int_equal(masked_rows_find(s.profile, &rows, NULL), 0);
	for (size_t i = 0; i < rows.nr; i++) {
		const struct masked_row *r = &rows.rows[i];

		len += (size_t)snprintf(
			got + len, sizeof(got) - len, "%s %d/%d;",
			frame_table_name(profile_frames(s.profile), r->function, NULL),
			(int)r->masked, (int)r->inclusive);
		sum += r->masked;
	}
	assert_string_equal(got, want);
	assert_int_equal(rows.masked, sum);
	stacks_deinit(&s);
}

static void test_of_the_caller(void **state)
{
	check("m;wake_[k];_raw_spin_unlock_irqrestore_[k] 5 m;wake_[k];other_[k] 2 m;wake_[k] 1 "
	      "k;wake_[k];_raw_spin_unlock_irqrestore_[k] 1 m;x_[k];local_daif_restore_[k] 2",
	      "wake 6/9;x 2/2;");
	check("m;schedule_[k];finish_task_switch.isra.0_[k];raw_spin_rq_unlock_irq_[k] 3 "
	      "m;schedule_[k];finish_task_switch.isra.0_[k] 4",
	      "schedule 7/7;");
}

/* What it calls, or is hit by, is its own work; a name that only begins so is another one. */
static void test_not_masked(void **state)
{
	check("m;w_[k];_raw_spin_unlock_irqrestore_[k];asm_sysvec_x_[k];tick_[k] 5 "
	      "m;w_[k];_raw_spin_unlock_irqrestore_more_[k] 1 m;w_[k];_raw_spin_lock_[k] 2 m 1",
	      "");
}

static void test_without_a_caller(void **state)
{
	check("_raw_spin_unlock_irq_[k] 2", "_raw_spin_unlock_irq 2/2;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_the_caller),
		cmocka_unit_test(test_not_masked),
		cmocka_unit_test(test_without_a_caller),
	};

	return cmocka_run_group_tests_name("masked_rows", tests, NULL, NULL);
}
