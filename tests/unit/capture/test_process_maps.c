// SPDX-License-Identifier: GPL-2.0-or-later
/* The mappings of this process, against what is known of them. */
#include "capture/process_maps.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sampler_abi.h"
#include "unit/unit.h"
#include "util/mem.h"

static const struct process_mapping *find(const struct process_maps *maps, const void *addr)
{
	return process_maps_find(maps, (uintptr_t)addr);
}

static void what_is_executable(void **state)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	void *jit = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct process_mapping *m;
	struct process_maps maps;
	struct stat st;

	assert_true(jit != MAP_FAILED);
	assert_int_equal(process_maps_read(NULL,
					   &(struct process_maps_query){ .pid = getpid(),
									 .with_paths = true },
					   &maps),
			 0);
	assert_false(maps.is_cut);
	for (size_t i = 0; i < maps.nr; i++) {
		assert_true(maps.items[i].start < maps.items[i].end);
		assert_true(!i || maps.items[i - 1].end <= maps.items[i].start);
	}
	m = find(&maps, (const void *)what_is_executable);
	assert_non_null(m);
	assert_int_equal(stat(m->path, &st), 0);
	assert_int_equal(m->key.ino, st.st_ino);
	assert_false(m->is_anonymous);
	assert_non_null(find(&maps, dlsym(RTLD_DEFAULT, "qsort")));
	m = find(&maps, jit);
	assert_non_null(m);
	assert_true(m->is_anonymous);
	assert_string_equal(m->path, "");
	assert_null(find(&maps, &maps));
	m = vdso ? find(&maps, vdso) : NULL;
	if (m)
		assert_int_equal(m->key.gen, EDDY_VDSO_GEN);
	process_maps_deinit(&maps);

	assert_int_equal(
		process_maps_read(NULL, &(struct process_maps_query){ .pid = getpid() }, &maps), 0);
	m = find(&maps, (const void *)what_is_executable);
	assert_int_equal(m->key.ino, st.st_ino);
	assert_null(m->path);
	process_maps_deinit(&maps);
	munmap(jit, page);
}

static void more_than_are_kept(void **state)
{
	const size_t page = sysconf(_SC_PAGESIZE), nr_pages = 2 * (16384 + 200);
	char *p = mmap(NULL, nr_pages * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct process_maps maps;

	assert_true(p != MAP_FAILED);
	for (size_t i = 0; i < nr_pages; i += 2)
		if (mprotect(p + i * page, page, PROT_READ | PROT_EXEC))
			skip(); /* vm.max_map_count */
	assert_int_equal(
		process_maps_read(NULL, &(struct process_maps_query){ .pid = getpid() }, &maps), 0);
	assert_int_equal(maps.nr, 16384);
	assert_true(maps.is_cut);
	assert_in_range(process_maps_bytes(&maps), 1, 2 << 20);
	process_maps_deinit(&maps);
	munmap(p, nr_pages * page);
}

static void nobody(void **state)
{
	struct process_maps maps;

	assert_true(process_maps_read(NULL, &(struct process_maps_query){ .pid = 0x7ffffff0 },
				      &maps) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_executable),
		cmocka_unit_test(more_than_are_kept),
		cmocka_unit_test(nobody),
	};

	if (test_is_emulated()) {
		puts("1..1\nok 1 - mappings of a process # SKIP the emulator's are not the "
		     "process's");
		return 0;
	}
	return cmocka_run_group_tests_name("process_maps", tests, NULL, NULL);
}
