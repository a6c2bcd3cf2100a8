// SPDX-License-Identifier: GPL-2.0-or-later
/* Who is within his share keeps everything; nobody's weight is lost, whatever the bound is. */
#include "profile/profile_owner.h"
#include "profile/profile_trim.h"

#include <stdio.h>

#include "util/mem.h"
#include "util/strbuf.h"
#include "unit/unit.h"

#define GREEDY 1000
#define OTHER  1001

static frame_id function(struct profile *p, const char *prefix, unsigned int nr, size_t len)
{
	_cleanup_free_ char *name = xmalloc(len + 64);
	size_t n = snprintf(name, 64, "%s_%u", prefix, nr);

	if (n < len)
		memset(name + n, 'x', len - n);
	return frame_table_add_text(profile_frames(p), name, n < len ? len : n);
}

static node_id base(struct profile *p, const char *comm, owner_id owner)
{
	return profile_child(p, NODE_ROOT, profile_owned_base(profile_frames(p), comm, owner));
}

/* A stack of random functions out of nr, kernel frames under it when asked for. */
static node_id add_stack(struct profile *p, node_id at, const char *prefix, unsigned int nr,
			 unsigned int depth, size_t len, bool has_kernel)
{
	for (unsigned int i = 0; i < depth; i++)
		at = profile_child(p, at, function(p, prefix, test_random_below(nr), len));
	if (has_kernel) {
		at = profile_child(p, at, frame_table_add_text(profile_frames(p), "sys_[k]", 7));
		at = profile_child(p, at, frame_table_add_text(profile_frames(p), "read_[k]", 8));
	}
	profile_add(p, at, 1);
	return at;
}

static size_t bytes_of(const struct profile *p)
{
	return profile_bytes(p) + frame_table_bytes(profile_frames(p));
}

/* The stack of a node, as text. */
static char *text_of(const struct profile *p, node_id n)
{
	struct strbuf sb = STRBUF_INIT;
	_cleanup_free_ node_id *chain = NULL;
	size_t nr = profile_chain(p, n, &chain);

	for (size_t i = 0; i < nr; i++) {
		const struct frame *f =
			frame_table_get(profile_frames(p), profile_frame(p, chain[i]));

		strbuf_addf(&sb, "%s%s%s", i ? ";" : "",
			    frame_table_str(profile_frames(p), f->name, NULL),
			    frame_origin_suffix(f->origin));
	}
	return strbuf_detach(&sb);
}

static owner_id owner_of(const struct profile *p, node_id n)
{
	while (profile_parent(p, n) != NODE_ROOT)
		n = profile_parent(p, n);
	return frame_table_get(profile_frames(p), profile_frame(p, n))->start;
}

static uint64_t weight_of(const struct profile *p, owner_id owner)
{
	uint64_t sum = 0;

	for (node_id n = 1; n < profile_nr_nodes(p); n++)
		sum += owner_of(p, n) == owner ? profile_self(p, n) : 0;
	return sum;
}

/* Are all stacks of an owner the same, and where *nodes says? */
static void check_untouched(const struct profile *p, const struct profile *trimmed,
			    const node_id *nodes, owner_id owner)
{
	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		_cleanup_free_ char *want = NULL, *got = NULL;

		if (owner_of(p, n) != owner)
			continue;
		want = text_of(p, n);
		got = text_of(trimmed, nodes[n]);
		assert_string_equal(got, want);
		assert_int_equal(profile_self(trimmed, nodes[n]), profile_self(p, n));
	}
}

/* One user's endless stacks, a few of another's and of the system's. */
static struct profile *attacked(unsigned int nr_stacks, unsigned int nr_names, size_t name_bytes)
{
	struct profile *p = profile_new(NULL);

	for (unsigned int i = 0; i < nr_stacks; i++)
		add_stack(p, base(p, "greedy", GREEDY), "g", nr_names, 40, name_bytes, i % 2);
	for (unsigned int i = 0; i < 200; i++) {
		add_stack(p, base(p, "other", OTHER), "o", 50, 20, 100, i % 2);
		add_stack(p, base(p, "systemd", OWNER_SYSTEM), "s", 50, 20, 100, i % 2);
	}
	return p;
}

static void test_fits(void **state)
{
	_cleanup_profile_ struct profile *p = attacked(50, 100, 200), *trimmed = NULL;
	_cleanup_free_ node_id *nodes = NULL;
	uint64_t nr_names = 0;

	trimmed = profile_trim(p, 64 << 20, &nodes, &nr_names);
	assert_int_equal(nr_names, 0);
	assert_int_equal(profile_cut_weight(trimmed), 0);
	assert_int_equal(profile_nr_nodes(trimmed), profile_nr_nodes(p));
	check_untouched(p, trimmed, nodes, GREEDY);
	check_untouched(p, trimmed, nodes, OTHER);
}

static void test_others_keep_detail(void **state)
{
	const size_t max = 2 << 20;
	_cleanup_profile_ struct profile *p = attacked(5000, 100, 1000), *trimmed = NULL;
	_cleanup_free_ node_id *nodes = NULL;
	uint64_t nr_names = 0, cut;

	assert_true(bytes_of(p) > 2 * max);
	trimmed = profile_trim(p, max, &nodes, &nr_names);
	assert_true(bytes_of(trimmed) <= max);
	assert_true(bytes_of(trimmed) > max / 4);
	check_untouched(p, trimmed, nodes, OTHER);
	check_untouched(p, trimmed, nodes, OWNER_SYSTEM);
	assert_int_equal(profile_total(trimmed), profile_total(p));
	assert_int_equal(weight_of(trimmed, GREEDY), 5000);
	cut = profile_cut_weight(trimmed);
	assert_true(cut > 4500 && cut <= 5000);
	assert_int_equal(nr_names, 100);
}

/* Names go before frames do. */
static void test_names_first(void **state)
{
	_cleanup_profile_ struct profile *p = attacked(100, 4000, 1000), *trimmed = NULL;
	uint64_t nr_names = 0;

	trimmed = profile_trim(p, 2 << 20, NULL, &nr_names);
	assert_true(nr_names > 2000);
	assert_int_equal(profile_cut_weight(trimmed), 0);
	assert_int_equal(profile_total(trimmed), profile_total(p));
	for (frame_id f = 1; f < frame_table_nr(profile_frames(trimmed)); f++) {
		size_t len;
		const char *name = frame_table_name(profile_frames(trimmed), f, &len);

		assert_true(len <= (*name == 'g' ? PROFILE_SHORT_NAME : 100));
	}
}

/* What the kernel did stays under the mark, once for all that was cut there. */
static void test_kernel_stays(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL), *trimmed = NULL;
	uint64_t nr_names = 0, in_kernel = 0;

	for (int i = 0; i < 3000; i++)
		add_stack(p, base(p, "greedy", GREEDY), "g", 1000, 30, 0, true);
	trimmed = profile_trim(p, 300 << 10, NULL, &nr_names);
	for (node_id n = 1; n < profile_nr_nodes(trimmed); n++) {
		_cleanup_free_ char *text = NULL;

		if (!profile_self(trimmed, n))
			continue;
		text = text_of(trimmed, n);
		assert_non_null(strstr(text, ";[cut];sys_[k];read_[k]"));
		in_kernel += profile_self(trimmed, n);
	}
	assert_int_equal(in_kernel, 3000);
	assert_true(bytes_of(trimmed) <= 300 << 10);
}

/* Two that want all share one half, the system has the other. */
static void test_shares(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL), *trimmed = NULL;
	static const owner_id owners[] = { OWNER_SYSTEM, GREEDY, OTHER };
	size_t nr[ARRAY_SIZE(owners)] = { 0 };
	uint64_t nr_names = 0;

	for (int i = 0; i < 4000; i++)
		for (size_t k = 0; k < ARRAY_SIZE(owners); k++)
			add_stack(p, base(p, "greedy", owners[k]), "f", 10, 60, 0, false);
	trimmed = profile_trim(p, 2 << 20, NULL, &nr_names);
	for (node_id n = 1; n < profile_nr_nodes(trimmed); n++)
		for (size_t k = 0; k < ARRAY_SIZE(owners); k++)
			nr[k] += owner_of(trimmed, n) == owners[k];
	assert_true(nr[0] > nr[1] && nr[0] <= 3 * nr[1]);
	assert_true(nr[1] > nr[2] / 2 && nr[2] > nr[1] / 2);
}

/* As little as one wants: what is left are base frames, then not even these. */
static void test_bare_and_gone(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL), *bare = NULL, *gone = NULL;
	_cleanup_free_ char *text = NULL;
	uint64_t nr_names = 0;
	node_id lost;

	for (int i = 0; i < 100; i++)
		add_stack(p, base(p, "greedy", GREEDY), "g", 100, 20, 0, true);
	lost = profile_child(p, NODE_ROOT,
			     frame_table_add_base(profile_frames(p), "[lost:ring-full]"));
	profile_add(p, lost, 7);
	bare = profile_trim(p, 600, NULL, &nr_names);
	assert_int_equal(profile_total(bare), 107);
	assert_int_equal(profile_cut_weight(bare), 100);
	assert_int_equal(profile_nr_stacks(bare), 2);
	text = text_of(bare, profile_nr_nodes(bare) - 1);
	assert_non_null(strstr(text, "[lost:ring-full]"));
	for (int i = 0; i < 100; i++) {
		char comm[16];

		snprintf(comm, sizeof(comm), "comm-%d", i);
		add_stack(p, base(p, comm, GREEDY), "g", 100, 20, 0, true);
	}
	gone = profile_trim(p, 600, NULL, &nr_names);
	assert_int_equal(profile_total(gone), 207);
	assert_int_equal(profile_cut_weight(gone), 200);
	assert_int_equal(profile_nr_stacks(gone), 2);
}

/* Who lost names has them short for ever after, also those that come then. */
static void test_stays_short(void **state)
{
	_cleanup_profile_ struct profile *p = attacked(100, 4000, 1000), *once = NULL,
					 *twice = NULL;
	uint64_t nr_names = 0;

	once = profile_trim(p, 2 << 20, NULL, &nr_names);
	add_stack(once, base(once, "greedy", GREEDY), "g", 4000, 40, 1000, false);
	twice = profile_trim(once, 1 << 30, NULL, &nr_names);
	for (frame_id f = 1; f < frame_table_nr(profile_frames(twice)); f++) {
		size_t len;
		const char *name = frame_table_name(profile_frames(twice), f, &len);

		assert_true(len <= (*name == 'g' ? PROFILE_SHORT_NAME : 100));
	}
}

static void test_any_bound(void **state)
{
	for (int round = 0; round < 30; round++) {
		_cleanup_profile_ struct profile *p = attacked(
			test_random_below(400), 1 + test_random_below(300), test_random_below(300));
		_cleanup_profile_ struct profile *trimmed = NULL, *plain = NULL;
		_cleanup_free_ node_id *nodes = NULL;
		_cleanup_free_ uint64_t *moved = NULL;
		uint64_t nr_names = 0;

		trimmed = profile_trim(p, test_random_below(1 << 20), &nodes, &nr_names);
		moved = xcalloc(profile_nr_nodes(trimmed), sizeof(*moved));
		for (node_id n = 0; n < profile_nr_nodes(p); n++) {
			assert_true(nodes[n] < profile_nr_nodes(trimmed));
			moved[nodes[n]] += profile_self(p, n);
		}
		for (node_id n = 0; n < profile_nr_nodes(trimmed); n++)
			assert_int_equal(moved[n], profile_self(trimmed, n));
		plain = profile_disown(trimmed);
		assert_int_equal(profile_total(plain), profile_total(p));
	}
}

/* Base frames of two users become one, and what has none has none. */
static void test_disown(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL), *plain = NULL;
	_cleanup_free_ char *text = NULL;

	add_stack(p, base(p, "bash", GREEDY), "f", 1, 1, 0, false);
	add_stack(p, base(p, "bash", OTHER), "f", 1, 1, 0, false);
	add_stack(p, base(p, "", OTHER), "bare", 1, 1, 0, false);
	plain = profile_disown(p);
	assert_int_equal(profile_nr_stacks(plain), 2);
	text = text_of(plain, profile_nr_nodes(plain) - 1);
	assert_string_equal(text, "bare_0");
	assert_int_equal(profile_total(plain), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fits),	    cmocka_unit_test(test_others_keep_detail),
		cmocka_unit_test(test_names_first), cmocka_unit_test(test_kernel_stays),
		cmocka_unit_test(test_shares),	    cmocka_unit_test(test_bare_and_gone),
		cmocka_unit_test(test_stays_short), cmocka_unit_test(test_any_bound),
		cmocka_unit_test(test_disown),
	};

	return cmocka_run_group_tests_name("profile_trim", tests, NULL, NULL);
}
