// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables against a plain array of what is in them, with good hashes and with the worst. */
#include "unit/unit.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/hash.h"
#include "util/table.h"

#define NR_KEYS 300

/* How a key is hashed: spread, all alike, in one run over the table's end, or by few values. */
enum spread { KEYED, ALIKE, AT_THE_END, FEW, NR_SPREADS };

struct entry {
	uint32_t key; /* + 1 */
	uint32_t value;
};

static uint64_t spread_hash(enum spread spread, uint32_t key)
{
	switch (spread) {
	case KEYED:
		return hash_u64(key);
	case ALIKE:
		return 0;
	case AT_THE_END:
		return UINT64_MAX - key % 3;
	case FEW:
	case NR_SPREADS:
		break;
	}
	return key % 7 * 5;
}

static bool entries_is_used(const struct entry *e)
{
	return e->key != 0;
}

static uint64_t entries_hash(const enum spread *spread, const struct entry *e)
{
	return spread_hash(*spread, e->key - 1);
}

static bool entries_equals(const enum spread *spread, const struct entry *e, const uint32_t *key)
{
	return e->key == *key + 1;
}

DEFINE_TABLE(entries, struct entry, uint32_t, enum spread)

/* What is in the table, and that it is a table: bounds, counts, an empty slot. */
struct model {
	bool has[NR_KEYS];
	uint32_t value[NR_KEYS];
	size_t nr;
	unsigned int asked[NR_KEYS]; /* by the last sweep */
};

static void check_all(const struct entries *t, const enum spread *spread, const struct model *m)
{
	size_t nr = 0;

	assert_int_equal(t->nr, m->nr);
	assert_true(t->nr <= (t->mask + 1) / 4 * 3);
	assert_int_equal(t->mask & (t->mask + 1), 0);
	assert_int_equal(entries_bytes(t), (t->mask + 1) * sizeof(struct entry));
	for (uint32_t key = 0; key < NR_KEYS; key++) {
		uint64_t hash = spread_hash(*spread, key);
		const struct entry *e = entries_find(t, spread, hash, &key);

		assert_int_equal(e != NULL, m->has[key]);
		if (!e)
			continue;
		assert_int_equal(e->value, m->value[key]);
	}
	for (struct entry *e = entries_next(t, NULL); e; e = entries_next(t, e), nr++)
		assert_true(m->has[e->key - 1]);
	assert_int_equal(nr, m->nr);
}

static void model_put(struct model *m, uint32_t key, struct entry *e)
{
	m->nr += !m->has[key];
	m->has[key] = true;
	m->value[key] = (uint32_t)test_random();
	*e = (struct entry){ .key = key + 1, .value = m->value[key] };
}

static bool drop_odd(void *ctx, struct entry *e)
{
	struct model *m = ctx;
	uint32_t key = e->key - 1;

	assert_true(m->has[key]);
	m->asked[key]++;
	if (!(e->value & 1))
		return false;
	m->has[key] = false;
	m->nr--;
	return true;
}

static void sweep(struct entries *t, const enum spread *spread, struct model *m)
{
	struct model before = *m;

	memset(m->asked, 0, sizeof(m->asked));
	entries_sweep(t, spread, drop_odd, m);
	for (uint32_t key = 0; key < NR_KEYS; key++)
		assert_int_equal(m->asked[key], before.has[key]);
}

static void one_step(struct entries *t, const enum spread *spread, struct model *m)
{
	uint32_t key = test_random_below(NR_KEYS);
	uint64_t hash = spread_hash(*spread, key);
	struct entry *e = entries_find(t, spread, hash, &key);
	bool is_new;

	switch (test_random_below(5)) {
	case 0:
		model_put(m, key, e ? e : entries_add(t, spread, hash));
		break;
	case 1:
		e = entries_get(t, spread, hash, &key, &is_new);
		assert_int_equal(is_new, !m->has[key]);
		model_put(m, key, e);
		break;
	case 2:
		entries_reserve(t, spread, 3);
		entries_prefetch(t, hash);
		if (!e)
			model_put(m, key, entries_put(t, hash));
		break;
	default:
		if (!e)
			break;
		entries_remove(t, spread, e);
		m->has[key] = false;
		m->nr--;
		break;
	}
}

static void test_against_model(void **state)
{
	for (enum spread spread = 0; spread < NR_SPREADS; spread++) {
		struct model m = { 0 };
		struct entries t;

		entries_init(&t, 0);
		for (int step = 0; step < 12000; step++) {
			one_step(&t, &spread, &m);
			if (step % 2000 == 1999)
				sweep(&t, &spread, &m);
			if (step % 3000 == 2999)
				entries_fit(&t, &spread, 0);
			if (step % 50 == 0 || step % 1000 == 999)
				check_all(&t, &spread, &m);
		}
		check_all(&t, &spread, &m);
		m = (struct model){ 0 };
		entries_reset(&t, spread == ALIKE ? NR_KEYS : 0);
		check_all(&t, &spread, &m);
		entries_deinit(&t);
	}
}

static bool drop_all(void *ctx, struct entry *e)
{
	++*(size_t *)ctx;
	return true;
}

/* Room that was made is there, and what is not needed is given back. */
static void test_sizes(void **state)
{
	const enum spread spread = KEYED;
	size_t bytes, nr_dropped = 0;
	struct entries t;

	entries_init(&t, 1000);
	bytes = entries_bytes(&t);
	assert_true(bytes <= 4 * 1000 * sizeof(struct entry));
	for (uint32_t key = 0; key < 1000; key++)
		*entries_add(&t, &spread, spread_hash(spread, key)) =
			(struct entry){ .key = key + 1 };
	assert_int_equal(entries_bytes(&t), bytes);
	entries_fit(&t, &spread, 0);
	assert_int_equal(entries_bytes(&t), bytes);
	entries_sweep(&t, &spread, drop_all, &nr_dropped);
	assert_int_equal(nr_dropped, 1000);
	assert_int_equal(t.nr, 0);
	entries_fit(&t, &spread, 0);
	assert_int_equal(entries_bytes(&t), TABLE_MIN_SLOTS * sizeof(struct entry));
	entries_deinit(&t);
	assert_int_equal(table_room(table_nr_slots(12)), 12);
	assert_int_equal(table_nr_slots(13), 2 * table_nr_slots(12));
	assert_int_equal(table_nr_slots(SIZE_MAX), SIZE_MAX / 2 + 1);
	assert_int_equal(table_sum(SIZE_MAX, 1), SIZE_MAX);
	assert_int_equal(table_sum(SIZE_MAX - 1, 1), SIZE_MAX);
}

/* More than there can be ends as having no memory does, not with a table that is too small. */
static void test_too_many(void **state)
{
	static const size_t nrs[] = { SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4 };
	const enum spread spread = KEYED;

	for (size_t i = 0; i < ARRAY_SIZE(nrs); i++) {
		int status;
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid) {
			struct entries t;

			signal(SIGABRT, SIG_DFL);
			close(STDERR_FILENO);
			entries_init(&t, 1);
			*entries_add(&t, &spread, 0) = (struct entry){ .key = 1 };
			entries_reserve(&t, &spread, nrs[i]);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_not_equal(status, 0);
	}
}

/* ---- numbers of entries that stand elsewhere ---------------------------------------------- */

struct names {
	enum spread spread;
	uint64_t name[5000]; /* by id, from 1 */
};

static uint64_t name_hash(const struct names *n, uint64_t name)
{
	return n->spread == KEYED ? hash_u64(name) : spread_hash(n->spread, (uint32_t)name);
}

static uint64_t name_ids_hash(const struct names *n, const uint32_t *id)
{
	return name_hash(n, n->name[*id]);
}

static bool name_ids_equals(const struct names *n, const uint32_t *id, const uint64_t *name)
{
	return n->name[*id] == *name;
}

DEFINE_ID_TABLE(name_ids, uint64_t, struct names)

static void test_ids(void **state)
{
	struct names *n = xcalloc(1, sizeof(*n));
	struct name_ids t;

	name_ids_init(&t, 0);
	for (uint32_t id = 1; id < ARRAY_SIZE(n->name); id++) {
		uint64_t name = n->name[id] = (uint64_t)id << 40;

		assert_null(name_ids_find(&t, n, hash_u64(name), &name));
		name_ids_reserve_all(&t, n, 1 + id % 5);
		*name_ids_put(&t, hash_u64(name)) = id;
	}
	assert_int_equal(t.nr, ARRAY_SIZE(n->name) - 1);
	for (uint32_t id = 1; id < ARRAY_SIZE(n->name); id++) {
		const uint32_t *found = name_ids_find(&t, n, hash_u64(n->name[id]), &n->name[id]);

		assert_non_null(found);
		assert_int_equal(*found, id);
	}
	name_ids_deinit(&t);
	free(n);
}

/* Nothing is left, however the chains lie, and the next ones find their places. */
static void test_cleared(void **state)
{
	struct names *n = xcalloc(1, sizeof(*n));

	for (n->spread = 0; n->spread < NR_SPREADS; n->spread++) {
		struct name_ids t;
		size_t bytes;

		name_ids_init(&t, 600);
		bytes = name_ids_bytes(&t);
		for (int round = 0; round < 20; round++) {
			uint32_t nr = test_random_below(600);

			for (uint32_t id = 1; id <= nr; id++) {
				n->name[id] = test_random() << 32 | id;
				*name_ids_add(&t, n, name_hash(n, n->name[id])) = id;
			}
			for (uint32_t id = 1; id <= nr; id++)
				assert_int_equal(*name_ids_find(&t, n, name_hash(n, n->name[id]),
								&n->name[id]),
						 id);
			name_ids_clear(&t, n);
			assert_int_equal(t.nr, 0);
			assert_null(name_ids_next(&t, NULL));
		}
		assert_int_equal(name_ids_bytes(&t), bytes);
		name_ids_deinit(&t);
	}
	free(n);
}

/* Keys that differ only where a bare mask does not look: no chain of more than a few. */
static void test_hostile_keys(void **state)
{
	const enum spread spread = KEYED;
	uint64_t keys[HASH_KEYS];
	struct entries t;

	memcpy(keys, hash_key, sizeof(keys));
	for (int process = 0; process < 2000; process++) {
		size_t longest = 0;
		int shift = process % 6 * 4;

		for (size_t k = 0; k < HASH_KEYS; k++)
			hash_key[k] = test_random();
		entries_init(&t, 0);
		for (uint32_t i = 0; i < 1 << 11; i++) {
			uint32_t key = i << shift;

			*entries_add(&t, &spread, spread_hash(spread, key)) =
				(struct entry){ .key = key + 1 };
		}
		for (size_t i = 0, run = 0; i <= 2 * t.mask; i++) {
			run = t.slots[i & t.mask].key ? run + 1 : 0;
			longest = run > longest ? run : longest;
		}
		assert_true(longest < 400);
		entries_deinit(&t);
	}
	memcpy(hash_key, keys, sizeof(keys));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_model), cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_too_many),      cmocka_unit_test(test_ids),
		cmocka_unit_test(test_cleared),	      cmocka_unit_test(test_hostile_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
