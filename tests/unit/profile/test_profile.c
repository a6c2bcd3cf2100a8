// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree of stacks: adding, overflow, remapping, copying, and random stacks. */
#include "unit/unit.h"

#include "profile/profile.h"

static frame_id text(struct profile *p, const char *s)
{
	return frame_table_add_text(profile_frames(p), s, strlen(s));
}

static node_id stack(struct profile *p, const char *letters, uint64_t weight)
{
	node_id n = NODE_ROOT;

	for (; *letters; letters++)
		n = profile_child(p, n, text(p, (char[]){ *letters, 0 }));
	assert_int_equal(profile_add(p, n, weight), 0);
	return n;
}

static void test_tree(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	node_id abc = stack(p, "abc", 3), ab = stack(p, "ab", 2);
	uint64_t sums[4];

	assert_int_equal(profile_nr_nodes(p), 4);
	assert_int_equal(profile_parent(p, abc), ab);
	assert_int_equal(profile_total(p), 5);
	assert_int_equal(profile_nr_stacks(p), 2);
	assert_int_equal(profile_depth(p), 3);
	profile_sum(p, sums);
	assert_int_equal(sums[NODE_ROOT], 5);
	assert_int_equal(sums[ab], 5);
	assert_int_equal(sums[abc], 3);
	assert_int_equal(profile_find_child(p, abc, text(p, "a")), NODE_DROP);
}

static void test_chain_of_node(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	node_id abc = stack(p, "abc", 3), *path;

	assert_int_equal(profile_chain(p, abc, &path), 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(profile_frame(p, path[i]), text(p, (char[]){ "abc"[i], 0 }));
	free(path);
	assert_int_equal(profile_chain(p, NODE_ROOT, &path), 0);
	free(path);
}

static void test_overflow(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);

	stack(p, "a", INT64_MAX);
	assert_int_equal(profile_add(p, NODE_ROOT, 1), -EOVERFLOW);
	assert_true(profile_total(p) == INT64_MAX);
}

static void test_suffixes(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct frame_table *t = profile_frames(p);
	frame_id k = text(p, "vfs_read_[k]"), u = text(p, "vfs_read"), x = text(p, "_[k]");

	assert_int_not_equal(k, u);
	assert_string_equal(frame_table_name(t, k, NULL), "vfs_read");
	assert_int_equal(frame_table_get(t, k)->origin, FRAME_KERNEL);
	assert_int_equal(frame_table_get(t, text(p, "f_[j]"))->origin, FRAME_JIT);
	assert_int_equal(frame_table_get(t, text(p, "f_[i]"))->origin, FRAME_INLINED);
	/* A frame that is nothing but a suffix keeps it: frames are not empty. */
	assert_string_equal(frame_table_name(t, x, NULL), "_[k]");
	assert_int_equal(frame_table_get(t, text(p, "f_[x]"))->origin, FRAME_USER);
}

static node_id place_without_b(void *ctx, struct profile *out, node_id at, node_id in_node,
			       frame_id frame)
{
	const char *name = frame_table_name(profile_frames(out), frame, NULL);

	if (!strcmp(name, "b"))
		return at;
	if (!strcmp(name, "d"))
		return NODE_DROP;
	return profile_child(out, at, frame);
}

/* Where each node went, through passes that come after one another. */
static node_id place_but_b(void *ctx, struct profile *out, node_id at, node_id in_node,
			   frame_id frame)
{
	const frame_id *without = ctx;

	if (frame == without[0])
		return NODE_DROP;
	return frame == without[1] ? at : profile_child(out, at, frame);
}

static void test_follow(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL), *once, *twice;
	node_id ab = stack(p, "ab", 2), acd = stack(p, "acd", 3), abd = stack(p, "abd", 1), late;
	const frame_id first[] = { FRAME_NONE, text(p, "c") },
		       then[] = { text(p, "b"), FRAME_NONE };

	assert_null(profile_followed(p));
	profile_follow(p);
	assert_int_equal(profile_followed(p)[acd], acd);
	late = stack(p, "x", 1); /* it is not followed, and in nobody's way */
	once = profile_remap(p, place_but_b, (void *)first, NULL);
	assert_int_equal(profile_nr_nodes(once), profile_nr_nodes(p) - 1);
	assert_int_equal(profile_self(once, profile_followed(once)[acd]), 3);
	twice = profile_remap(once, place_but_b, (void *)then, NULL);
	assert_int_equal(profile_followed(twice)[ab], NODE_DROP);
	assert_int_equal(profile_followed(twice)[abd], NODE_DROP);
	assert_int_equal(profile_self(twice, profile_followed(twice)[acd]), 3);
	assert_int_equal(profile_total(twice), 4);
	assert_int_equal(profile_self(p, late), 1);
}

static void test_remap(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_profile_ struct profile *q = NULL;
	uint64_t dropped = 0;

	stack(p, "abc", 1);
	stack(p, "ac", 2);
	stack(p, "ab", 4);
	stack(p, "ad", 8);
	stack(p, "adbc", 16);
	q = profile_remap(p, place_without_b, NULL, &dropped);
	assert_int_equal(dropped, 24);
	assert_int_equal(profile_total(q), 7);
	assert_int_equal(profile_nr_nodes(q), 3); /* root, a, a;c */
	assert_int_equal(profile_self(q, 1), 4);
	assert_int_equal(profile_self(q, 2), 3);
}

/* Random stacks: parents before children, sums, and a remap that keeps all is the identity. */
static node_id place_same(void *ctx, struct profile *out, node_id at, node_id in_node,
			  frame_id frame)
{
	return profile_child(out, at, frame);
}

static void test_random_trees(void **state)
{
	for (int round = 0; round < 200; round++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		_cleanup_profile_ struct profile *q = NULL;
		_cleanup_profile_ struct profile *merged = profile_new(NULL);
		uint64_t total = 0;

		for (int i = 0; i < 200; i++) {
			char s[12];
			size_t len = test_random_below(sizeof(s));

			for (size_t k = 0; k < len; k++)
				s[k] = 'a' + test_random_below(4);
			s[len] = '\0';
			stack(p, s, i);
			total += i;
		}
		assert_int_equal(profile_total(p), total);
		for (node_id n = 1; n < profile_nr_nodes(p); n++)
			assert_true(profile_parent(p, n) < n);
		q = profile_remap(p, place_same, NULL, NULL);
		assert_int_equal(profile_merge(merged, p), 0);
		assert_int_equal(profile_nr_nodes(merged), profile_nr_nodes(p));
		assert_int_equal(profile_nr_nodes(q), profile_nr_nodes(p));
		for (node_id n = 0; n < profile_nr_nodes(p); n++) {
			assert_int_equal(profile_self(q, n), profile_self(p, n));
			assert_int_equal(profile_self(merged, n), profile_self(p, n));
		}
	}
}

/* profile_path is what profile_child would have done, node by node. */
static void test_chain(void **state)
{
	for (int round = 0; round < 300; round++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		_cleanup_profile_ struct profile *q = profile_new(profile_frames(p));

		for (int i = 0; i < 30; i++) {
			frame_id frames[100];
			node_id nodes[100], from = test_random_below(profile_nr_nodes(p)),
					    at = from;
			size_t nr = test_random_below(test_random_below(8) ? 5 : 100);

			for (size_t k = 0; k < nr; k++)
				frames[k] = text(p, (char[]){ 'a' + test_random_below(3), 0 });
			profile_path(p, from, frames, nr, nodes);
			for (size_t k = 0; k < nr; k++) {
				at = profile_child(q, at, frames[k]);
				assert_int_equal(nodes[k], at);
				assert_int_equal(profile_frame(p, at), frames[k]);
				assert_int_equal(profile_parent(p, at), profile_parent(q, at));
			}
			assert_int_equal(profile_nr_nodes(p), profile_nr_nodes(q));
		}
	}
}

/* A copy has the same stacks, none without weight, and lives on without the original. */
static void test_copy(void **state)
{
	struct profile *p = profile_new(NULL);
	_cleanup_profile_ struct profile *copy = NULL;
	const struct frame *f;
	node_id n;

	text(p, "never used");
	stack(p, "xyz", 0);
	stack(p, "ab", 2);
	stack(p, "abc", 3);
	n = profile_child(
		p, NODE_ROOT,
		frame_table_add(
			profile_frames(p),
			&(struct frame){ .name = frame_table_intern0(profile_frames(p), "k"),
					 .module = frame_table_intern0(profile_frames(p), "m"),
					 .start = 4096,
					 .origin = FRAME_KERNEL,
					 .role = 3,
					 .unnamed = true }));
	profile_add(p, n, 7);
	profile_add(p, NODE_ROOT, 1);
	copy = profile_copy(p);
	profile_free(p);
	assert_int_equal(profile_total(copy), 13);
	assert_int_equal(profile_self(copy, NODE_ROOT), 1);
	assert_int_equal(profile_nr_nodes(copy), 5);
	assert_int_equal(frame_table_nr(profile_frames(copy)), 5);
	n = profile_stack(copy, (frame_id[]){ text(copy, "a"), text(copy, "b"), text(copy, "c") },
			  3);
	assert_int_equal(profile_self(copy, n), 3);
	assert_int_equal(profile_self(copy, profile_parent(copy, n)), 2);
	assert_int_equal(profile_nr_nodes(copy), 5);
	f = frame_table_get(profile_frames(copy), profile_frame(copy, 4));
	assert_string_equal(frame_table_str(profile_frames(copy), f->name, NULL), "k");
	assert_string_equal(frame_table_str(profile_frames(copy), f->module, NULL), "m");
	assert_int_equal(f->start, 4096);
	assert_int_equal(f->origin, FRAME_KERNEL);
	assert_int_equal(f->role, 3);
	assert_true(f->unnamed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),	     cmocka_unit_test(test_chain_of_node),
		cmocka_unit_test(test_chain),	     cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_suffixes),     cmocka_unit_test(test_remap),
		cmocka_unit_test(test_random_trees), cmocka_unit_test(test_copy),
		cmocka_unit_test(test_follow),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
