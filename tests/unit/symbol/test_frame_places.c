// SPDX-License-Identifier: GPL-2.0-or-later
/* Build ids of the kernel and of its modules, as /sys has them; others have none. */
#include "unit/unit.h"

#include <sys/stat.h>

#include "profile/kernel_place.h"
#include "symbol/frame_places.h"
#include "util/mem.h"

/* ELF's note of that build id. */
static void write_note(const char *root, const char *path, const char *id)
{
	const uint32_t header[] = { 4, 4, 3 };
	_cleanup_free_ char *whole = xasprintf("%s/%s", root, path);
	FILE *f;

	for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(whole, 0777);
		*slash = '/';
	}
	f = fopen(whole, "w");
	assert_non_null(f);
	fwrite(header, sizeof(header), 1, f);
	fwrite("GNU", 4, 1, f);
	fwrite(id, 4, 1, f);
	fclose(f);
}

static void remove_root(const char *root)
{
	_cleanup_free_ char *command = xasprintf("rm -r '%s'", root);

	assert_int_equal(system(command), 0);
}

/* "none", or as it is in the file. */
static const char *build_id_in(struct frame_places *p, struct frame_table *t, const char *module)
{
	const struct frame f = { .name = frame_table_intern0(t, "read"),
				 .module = frame_table_intern0(t, module),
				 .origin = FRAME_KERNEL };
	const struct frame_place at = { .function = frame_table_add(t, &f),
					.address = 0xffffffffc0001000 };
	const struct kernel_symbol symbol = { .module = *module == '[' ? "" : module };
	const struct frame_place *place =
		frame_table_place(t, frame_places_kernel(p, t, &at, &symbol));
	const char *id = frame_table_str(t, place->build_id, NULL);

	return *id ? id : "none";
}

static void test_modules(void **state)
{
	_cleanup_frame_table_ struct frame_table *t = frame_table_new();
	char root[] = "/tmp/eddy-places.XXXXXX";
	struct frame_places *p;

	assert_non_null(mkdtemp(root));
	write_note(root, "sys/kernel/notes", "KERN");
	write_note(root, "sys/module/ext4/notes/.note.gnu.build-id", "EXT4");
	write_note(root, "sys/module/xfs/notes/.note.gnu.build-id", "_XFS");
	write_note(root, "sys/other/notes/.note.gnu.build-id", "ELSE");
	p = frame_places_new(root);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(build_id_in(p, t, "[kernel]"), "KERN");
		assert_string_equal(build_id_in(p, t, "ext4"), "EXT4");
		assert_string_equal(build_id_in(p, t, "bpf"), "none");
		assert_string_equal(build_id_in(p, t, "xfs"), "_XFS");
		assert_string_equal(build_id_in(p, t, "../other"), "none");
		remove_root(root); /* each is read once */
		mkdir(root, 0700);
	}
	write_note(root, "sys/module/ext4/notes/.note.gnu.build-id", "EXT5");
	assert_true(frame_places_is_build_id(p, "", "KERN", 4));
	assert_true(frame_places_is_build_id(p, "ext4", "EXT5", 4));
	assert_false(frame_places_is_build_id(p, "ext4", "KERN", 4));
	assert_false(frame_places_is_build_id(p, "", "EXT5", 4));
	assert_false(frame_places_is_build_id(p, "xfs", "_XFS", 4));
	remove_root(root);
	frame_places_free(p);
}

/* What stands in memory at a secret place stands where everybody knows. */
static void test_addresses(void **state)
{
	_cleanup_frame_table_ struct frame_table *t = frame_table_new();
	struct frame_places *p = frame_places_new("/none");
	static const struct {
		uint64_t address;
		struct kernel_symbol symbol;
		uint64_t want;
	} cases[] = {
		{ 0xffffffff9a201234,
		  { .module = "",
		    .start = 0xffffffff9a201200,
		    .base = 0xffffffff9a000000,
		    .shown = KERNEL_PLACE_TEXT },
		  KERNEL_PLACE_TEXT + 0x201234 },
		{ 0xffffffffc0787012,
		  { .module = "ext4",
		    .start = 0xffffffffc0787000,
		    .base = 0xffffffffc0784000,
		    .shown = KERNEL_PLACE_MODULE },
		  KERNEL_PLACE_MODULE + 0x3012 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct frame f = { .name = frame_table_intern0(t, "read"),
					 .module = frame_table_intern0(t, "m") };
		const struct frame_place at = { .function = frame_table_add(t, &f),
						.address = cases[i].address };
		const struct frame_place *place =
			frame_table_place(t, frame_places_kernel(p, t, &at, &cases[i].symbol));

		assert_int_equal(place->address, cases[i].want);
		assert_int_equal(place->base, cases[i].symbol.shown);
	}
	frame_places_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_addresses),
	};

	return cmocka_run_group_tests_name("frame_places", tests, NULL, NULL);
}
