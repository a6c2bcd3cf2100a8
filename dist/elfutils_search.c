// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For `make static` alone.  From 0.191 on, libelf.a and libdw.a call functions of elfutils' own
 * libeu.a, which Debian 13 does not ship.  These are the same over the C library's trees, without
 * their locks: eddy gives a thread no ELF file that another one has.  Weak: true ones come first.
 */
#include <search.h>
#include <stddef.h>

struct search_tree {
	void *root; /* what follows is the lock */
};

typedef int (*compare_fn)(const void *a, const void *b);

__attribute__((weak)) void *eu_tsearch(const void *key, struct search_tree *tree,
				       compare_fn compare)
{
	return tsearch(key, &tree->root, compare);
}

__attribute__((weak)) void *eu_tfind(const void *key, struct search_tree *tree, compare_fn compare)
{
	return tfind(key, &tree->root, compare);
}

__attribute__((weak)) void *eu_tdelete(const void *key, struct search_tree *tree,
				       compare_fn compare)
{
	return tdelete(key, &tree->root, compare);
}

__attribute__((weak)) void eu_search_tree_init(struct search_tree *tree)
{
	tree->root = NULL;
}

__attribute__((weak)) void eu_search_tree_fini(struct search_tree *tree, void (*free_node)(void *))
{
	tdestroy(tree->root, free_node);
	tree->root = NULL;
}
