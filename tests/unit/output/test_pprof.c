// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof, unpacked by zlib and read back by a reader of its own: every number that refers to
 * something refers to what is there, stacks and weights are those of the profile, mappings and
 * labels those of the frames.
 */
#include "unit/unit.h"

#include <stdio.h>
#include <zlib.h>

#include "output/pprof.h"
#include "profile/kernel_place.h"
#include "profile/frame_text.h"
#include "unit/output/hostile_names.h"
#include "util/strbuf.h"
#include "util/text_escape.h"

#define MAX_STRINGS 4096

/* One field: a number, or bytes. */
struct field {
	unsigned int number;
	uint64_t value;
	const unsigned char *bytes;
	size_t len;
};

struct protobuf {
	const unsigned char *at, *end;
};

static uint64_t varint(struct protobuf *b)
{
	uint64_t v = 0;

	for (int shift = 0; shift < 70; shift += 7) {
		assert_true(b->at < b->end);
		v |= (uint64_t)(*b->at & 0x7f) << shift;
		if (!(*b->at++ & 0x80))
			return v;
	}
	fail_msg("a number of more than ten bytes");
	return 0;
}

static bool next_field(struct protobuf *b, struct field *f)
{
	uint64_t tag;

	if (b->at == b->end)
		return false;
	tag = varint(b);
	*f = (struct field){ .number = tag >> 3, .value = varint(b) };
	assert_true((tag & 7) == 0 || (tag & 7) == 2);
	if ((tag & 7) == 2) {
		f->bytes = b->at;
		f->len = f->value;
		assert_true(f->len <= (size_t)(b->end - b->at));
		b->at += f->len;
	}
	return true;
}

static struct protobuf inside(const struct field *f)
{
	return (struct protobuf){ f->bytes, f->bytes + f->len };
}

/* The first number of that field in a message; 0: there is none. */
static uint64_t number_in(const struct field *message, unsigned int number)
{
	struct protobuf b = inside(message);
	struct field f;

	while (next_field(&b, &f))
		if (f.number == number)
			return f.value;
	return 0;
}

struct decoded {
	unsigned char *plain;
	size_t len;
	char *strings[MAX_STRINGS];
	size_t nr_strings, nr_locations, nr_functions;
	uint64_t function_of[MAX_STRINGS]; /* location: its last line */
	uint64_t nr_lines[MAX_STRINGS], address[MAX_STRINGS], mapping[MAX_STRINGS];
	const char *function_name[MAX_STRINGS], *mapping_name[MAX_STRINGS];
	struct strbuf mappings; /* "start-limit offset name build id\n" each */
	struct strbuf text;	/* "a;b 3 3000 comm=x\n" a sample */
};

static void decoded_deinit(struct decoded *d)
{
	for (size_t i = 0; i < d->nr_strings; i++)
		free(d->strings[i]);
	free(d->plain);
	strbuf_deinit(&d->text);
	strbuf_deinit(&d->mappings);
}

static const char *string(const struct decoded *d, uint64_t number)
{
	assert_true(number < d->nr_strings);
	return d->strings[number];
}

static void unpack(struct decoded *d, unsigned char *packed, size_t len)
{
	size_t cap = 1 << 22;
	z_stream z = { .next_in = packed, .avail_in = len, .avail_out = cap };

	d->plain = z.next_out = xmalloc(cap);
	assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0); /* one member */
	d->len = z.total_out;
	inflateEnd(&z);
}

static void read_strings(struct decoded *d)
{
	struct protobuf b = { d->plain, d->plain + d->len };
	struct field f;

	while (next_field(&b, &f)) {
		if (f.number != 6)
			continue;
		assert_true(d->nr_strings < MAX_STRINGS);
		d->strings[d->nr_strings++] = xmemdup0(f.bytes, f.len);
	}
	assert_true(d->nr_strings);
	assert_string_equal(d->strings[0], "");
}

static void read_location(struct decoded *d, const struct field *f)
{
	uint64_t id = number_in(f, 1);
	struct protobuf b = inside(f);
	struct field line;

	assert_int_equal(id, ++d->nr_locations);
	d->mapping[id] = number_in(f, 2);
	d->address[id] = number_in(f, 3);
	while (next_field(&b, &line)) {
		if (line.number != 4)
			continue;
		d->nr_lines[id]++;
		d->function_of[id] = number_in(&line, 1);
		assert_non_null(d->function_name[d->function_of[id]]);
	}
	assert_true(d->nr_lines[id]);
}

static void read_mapping(struct decoded *d, const struct field *f)
{
	d->mapping_name[number_in(f, 1)] = string(d, number_in(f, 5));
	strbuf_addf(&d->mappings, "%llx-%llx %llx %s %s\n", (unsigned long long)number_in(f, 2),
		    (unsigned long long)number_in(f, 3), (unsigned long long)number_in(f, 4),
		    string(d, number_in(f, 5)), string(d, number_in(f, 6)));
}

static void read_tables(struct decoded *d)
{
	struct protobuf b = { d->plain, d->plain + d->len };
	struct field f;

	while (next_field(&b, &f)) {
		if (f.number == 3)
			read_mapping(d, &f);
		if (f.number == 5)
			d->function_name[number_in(&f, 1)] = string(d, number_in(&f, 2));
		if (f.number == 4)
			read_location(d, &f);
	}
}

static void add_label(struct decoded *d, const struct field *label)
{
	uint64_t text = number_in(label, 2);

	strbuf_addf(&d->text, " %s=", string(d, number_in(label, 1)));
	if (text)
		strbuf_addstr(&d->text, string(d, text));
	else
		strbuf_addf(&d->text, "%llu", (unsigned long long)number_in(label, 3));
}

static void read_sample(struct decoded *d, const struct field *sample)
{
	struct protobuf b = inside(sample), packed;
	struct field f;

	while (next_field(&b, &f)) {
		packed = inside(&f);
		if (f.number == 3)
			add_label(d, &f);
		while (f.number < 3 && packed.at < packed.end) {
			uint64_t v = varint(&packed);

			if (f.number == 2) {
				strbuf_addf(&d->text, " %lld", (long long)v);
				continue;
			}
			assert_true(v && v <= d->nr_locations);
			strbuf_addf(&d->text, "%s<", d->function_name[d->function_of[v]]);
		}
	}
	strbuf_addch(&d->text, '\n');
}

static void decode(struct decoded *d, char *packed, size_t len)
{
	struct protobuf b;
	struct field f;

	*d = (struct decoded){ .text = STRBUF_INIT, .mappings = STRBUF_INIT };
	unpack(d, (unsigned char *)packed, len);
	read_strings(d);
	read_tables(d);
	b = (struct protobuf){ d->plain, d->plain + d->len };
	while (next_field(&b, &f))
		if (f.number == 2)
			read_sample(d, &f);
	free(packed);
}

#define _cleanup_decoded_ __attribute__((cleanup(decoded_deinit)))

static struct decoded decoded_of(const struct profile *p, const struct writer_opts *opts)
{
	struct decoded d;
	size_t len;
	char *packed = written(&pprof_writer, p, opts, &len);

	decode(&d, packed, len);
	return d;
}

static frame_id frame(struct profile *p, const char *name, const char *module, uint64_t start,
		      enum frame_origin origin)
{
	struct frame_table *t = profile_frames(p);

	return frame_table_add(t, &(struct frame){ .name = frame_table_intern0(t, name),
						   .module = frame_table_intern0(t, module),
						   .start = start,
						   .origin = origin });
}

static uint64_t location_named(const struct decoded *d, const char *name)
{
	for (uint64_t id = 1; id <= d->nr_locations; id++)
		if (!strcmp(d->function_name[d->function_of[id]], name))
			return id;
	fail_msg("no location %s", name);
	return 0;
}

static void expect_place(const struct decoded *d, const char *name, const char *file,
			 uint64_t address)
{
	uint64_t id = location_named(d, name);

	assert_string_equal(d->mapping[id] ? d->mapping_name[d->mapping[id]] : "", file);
	assert_int_equal(d->address[id], address);
}

static void test_places(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	const frame_id stack[] = {
		frame_table_add_base(profile_frames(p), "app"),
		frame(p, "main", "app", 0x1139, FRAME_USER),
		frame(p, "read", "libc.so.6", 0xfa700, FRAME_USER),
		frame(p, "vfs_read", "[kernel]", 0xffffffff81400000, FRAME_KERNEL),
		frame(p, "nf_hook", "nf_tables", 0xffffffffc0400000, FRAME_KERNEL),
		frame(p, "jitted", "[jit]", 0x7f0000001000, FRAME_JIT),
		frame(p, "[libz.so.1+0x2a3f]", "", 0, FRAME_USER), /* from text */
		frame(p, "[x+0x]", "", 0, FRAME_USER),
		frame(p, "[+0x1]", "", 0, FRAME_USER),
		frame(p, "read_text", "", 0, FRAME_KERNEL),
	};
	_cleanup_decoded_ struct decoded d;

	profile_add(p, profile_stack(p, stack, ARRAY_SIZE(stack)), 1);
	d = decoded_of(p, &(struct writer_opts){ 0 });
	expect_place(&d, "app", "", 0);
	expect_place(&d, "main", "app", 0x1139);
	expect_place(&d, "read", "libc.so.6", 0xfa700);
	expect_place(&d, "vfs_read_[k]", "[kernel.kallsyms]_text", 0);
	expect_place(&d, "nf_hook_[k]", "[nf_tables]", 0);
	expect_place(&d, "jitted_[j]", "[jit]", 0);
	expect_place(&d, "[libz.so.1+0x2a3f]", "libz.so.1", 0x2a3f);
	expect_place(&d, "[x+0x]", "", 0);
	expect_place(&d, "[+0x1]", "", 0);
	expect_place(&d, "read_text_[k]", "[kernel.kallsyms]_text", 0);
}

static frame_id at(struct profile *p, frame_id function, const char *path, uint64_t address,
		   uint64_t base)
{
	struct frame_table *t = profile_frames(p);

	return frame_table_add_place(
		t, &(struct frame_place){
			   .function = function,
			   .path = frame_table_intern0(t, path),
			   .build_id = frame_table_intern(t, "\xab\x00\x01", *path ? 3 : 0),
			   .address = address,
			   .base = base,
		   });
}

/* Of instructions: mappings as if files stood where ELF has them, one for each such distance. */
static void test_instructions(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	const frame_id f = frame(p, "f", "app", 0x402000, FRAME_USER),
		       k = frame(p, "vfs_read", "[kernel]", 0xffffffff81400000, FRAME_KERNEL),
		       m = frame(p, "hook", "nf", 0xffffffffc0400000, FRAME_KERNEL);
	const frame_id stack[] = {
		frame(p, "libless", "libz.so", 0x77, FRAME_USER), /* no more is known of it */
		at(p, f, "/bin/app", 0x402014, 0x400000),
		frame(p, "inlined", "app", 0, FRAME_INLINED),
		at(p, f, "/bin/app", 0x4031ff, 0x400000),
		at(p, f, "/bin/app", 0x504000, 0x401000),
		at(p, k, "", 0xffffffff81400123, 0xffffffff81000000),
		at(p, m, "", KERNEL_PLACE_MODULE + 0x2fff, KERNEL_PLACE_MODULE),
		at(p, f, "/bin/app", 0x401fff, 0x400000),
	};
	_cleanup_decoded_ struct decoded d;

	profile_add(p, profile_stack(p, stack, ARRAY_SIZE(stack)), 1);
	d = decoded_of(p, &(struct writer_opts){ 0 });
	assert_string_equal(d.mappings.bytes,
			    "0-78 0 libz.so \n"
			    "401000-404000 1000 /bin/app ab0001\n"
			    "504000-505000 103000 /bin/app ab0001\n"
			    "ffffffff81000000-ffffffff81401000 0 [kernel.kallsyms]_text \n"
			    "8000000000000000-8000000000003000 0 [nf] \n");
	assert_string_equal(d.text.bytes,
			    "f<hook_[k]<vfs_read_[k]<f<f<f<libless< 1\n"); /* one function f */
	assert_int_equal(d.nr_locations, 8);
	assert_int_equal(d.address[2], 0x402014);
	assert_int_equal(d.address[3], 0x402014);
	assert_int_equal(d.nr_lines[3], 2);
	assert_int_equal(d.mapping[3], 2);
	assert_int_equal(d.address[6], 0xffffffff81400123);
}

/* Inlined functions are lines of the location of the one that they are inlined in. */
static void test_inlined(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	const frame_id stack[] = {
		frame(p, "main", "app", 1, FRAME_USER),
		frame(p, "outer", "app", 2, FRAME_INLINED),
		frame(p, "inner", "app", 3, FRAME_INLINED),
		frame(p, "leaf", "app", 4, FRAME_USER),
	};
	_cleanup_decoded_ struct decoded d;

	profile_add(p, profile_stack(p, stack, ARRAY_SIZE(stack)), 7);
	profile_add(p, profile_stack(p, stack, 1), 5);
	d = decoded_of(p, &(struct writer_opts){ 0 });
	/* Of a location the outermost function is shown here: the last line. */
	assert_string_equal(d.text.bytes, "main< 5\nleaf<main< 7\n");
	assert_int_equal(d.nr_locations, 4); /* main; outer in it; inner in that; leaf */
	assert_int_equal(d.nr_lines[3], 3);
	assert_int_equal(d.address[3], 1);
}

static void expect_labels(const char *base, const struct writer_opts *opts, const char *want)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_decoded_ struct decoded d;
	const frame_id stack[] = {
		frame_table_add_base(profile_frames(p), base),
		frame(p, "f", "", 0, FRAME_USER),
	};

	profile_add(p, profile_stack(p, stack, ARRAY_SIZE(stack)), 1);
	d = decoded_of(p, opts);
	assert_memory_equal(d.text.bytes, "f<", 2);
	assert_string_equal(strstr(d.text.bytes, "< 1") + 3, want);
}

static void test_labels(void **state)
{
	const struct writer_opts comm = { .root = BASE_FRAMES_OF(BASE_FRAME_COMM),
					  .is_split = true },
				 process = { .root = BASE_FRAMES_OF(BASE_FRAME_PROCESS),
					     .is_split = true },
				 thread = { .root = BASE_FRAMES_OF(BASE_FRAME_THREAD),
					    .is_split = true },
				 cpu = { .root = BASE_FRAMES_OF(BASE_FRAME_CPU) },
				 cgroup = { .root = BASE_FRAMES_OF(BASE_FRAME_CGROUP) };

	expect_labels("app-1", &comm, " comm=app-1 ctx=task\n");
	expect_labels("a-b-12", &process, " comm=a-b pid=12 ctx=task\n");
	expect_labels("a/7-12/13", &thread, " comm=a/7 pid=12 tid=13 ctx=task\n");
	expect_labels("swapper-0", &process, " comm=swapper pid=0 ctx=task\n");
	expect_labels("nobody", &process, " comm=nobody ctx=task\n");
	expect_labels("cpu-0", &cpu, " cpu=0\n");
	expect_labels("/user.slice/x", &cgroup, " cgroup=/user.slice/x\n");
	expect_labels("[softirq]", &comm, " ctx=softirq\n");
	expect_labels("[lost:ring-full]", &comm, "\n");
}

/* Of text it is the place of a frame that tells, where it is known that it does. */
static void test_labels_of_text(void **state)
{
	for (int has_bases = 0; has_bases < 2; has_bases++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		_cleanup_decoded_ struct decoded d;

		profile_add(p, profile_child(p, NODE_ROOT, frame(p, "a-7", "", 0, FRAME_USER)), 1);
		profile_add(p, profile_child(p, NODE_ROOT, frame(p, "k-7", "", 0, FRAME_KERNEL)),
			    1);
		d = decoded_of(p, &(struct writer_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_PROCESS),
							 .nr_bases = has_bases });
		assert_string_equal(d.text.bytes, has_bases ? "a-7< 1 comm=a pid=7\nk-7_[k]< 1\n"
							    : "a-7< 1\nk-7_[k]< 1\n");
	}
}

static void test_values(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL), *q = NULL;
	_cleanup_decoded_ struct decoded d, diff;
	const struct writer_opts opts = { .facts.period_ns = 1000 };
	node_id a = profile_child(p, NODE_ROOT, frame(p, "a", "", 0, FRAME_USER));
	char *packed = NULL;
	size_t len;
	FILE *f;

	profile_add(p, NODE_ROOT, 2);
	profile_add(p, a, 3);
	d = decoded_of(p, &opts);
	assert_string_equal(d.text.bytes, "[empty]< 2 2000\na< 3 3000\n");
	q = profile_new(profile_frames(p));
	profile_add(q, profile_child(q, NODE_ROOT, frame(q, "a", "", 0, FRAME_USER)), 5);
	f = open_memstream(&packed, &len);
	assert_int_equal(pprof_write_diff(f, p, q, &opts, NULL), 0);
	fclose(f);
	decode(&diff, packed, len);
	assert_string_equal(diff.text.bytes, "a< 5 5000\n[empty]< -2 -2000 pprof::base=true\n"
					     "a< -3 -3000 pprof::base=true\n");
}

/* A time that no number holds: the counts stay. */
static void test_too_long(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_decoded_ struct decoded d;

	profile_add(p, NODE_ROOT, INT64_MAX);
	d = decoded_of(p, &(struct writer_opts){ .facts.period_ns = 2 });
	assert_string_equal(d.text.bytes, "[empty]< 9223372036854775807\n");
}

static void test_none(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_decoded_ struct decoded d = decoded_of(p, &(struct writer_opts){ 0 });

	assert_int_equal(d.nr_locations, 0);
	assert_int_equal(d.text.len, 0);
}

/* All names are there as folded text has them, in UTF-8 without control characters. */
static void test_hostile_names(void **state)
{
	_cleanup_profile_ struct profile *p = hostile_profile();
	_cleanup_decoded_ struct decoded d = decoded_of(p, &(struct writer_opts){ 0 });

	assert_int_equal(d.nr_locations, ARRAY_SIZE(hostile_names) + 1);
	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		frame_text_add(&text, profile_frames(p), profile_frame(p, n), false);
		location_named(&d, text.bytes);
	}
	for (size_t i = 0; i < d.nr_strings; i++) {
		_cleanup_strbuf_ struct strbuf again = STRBUF_INIT;

		text_escape(&again, d.strings[i], strlen(d.strings[i]));
		assert_string_equal(again.bytes, d.strings[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),	       cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_instructions),   cmocka_unit_test(test_labels),
		cmocka_unit_test(test_labels_of_text), cmocka_unit_test(test_values),
		cmocka_unit_test(test_too_long),       cmocka_unit_test(test_none),
		cmocka_unit_test(test_hostile_names),
	};

	return cmocka_run_group_tests_name("pprof", tests, NULL, NULL);
}
