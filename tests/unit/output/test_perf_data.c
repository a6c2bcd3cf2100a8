// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf.data, taken apart here: each record is as long as it says and a multiple of eight, every
 * address of a sample lies in what its task has mapped before, and weights are all there.
 */
#include "unit/unit.h"

#include <linux/perf_event.h>

#include "output/perf_data.h"
#include "profile/kernel_place.h"
#include "profile/timeline.h"
#include "unit/output/hostile_names.h"
#include "util/strbuf.h"

#define MAX_MAPS 4096

struct map {
	uint32_t pid;
	uint64_t start, bytes, offset;
	const char *name;
};

struct decoded {
	char *bytes;
	struct map maps[MAX_MAPS];
	size_t nr_maps, nr_samples, nr_comms, nr_build_ids;
	uint64_t period;
	struct strbuf text;  /* "pid/tid comm: name+offset<...\n" a sample */
	struct strbuf times; /* "time weight " a sample */
	char comm[64];
};

static uint32_t get32(const char *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static uint64_t get64(const char *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static void add_map(struct decoded *d, const char *at, size_t name_at)
{
	const struct map m = {
		.pid = get32(at + 8),
		.start = get64(at + 16),
		.bytes = get64(at + 24),
		.offset = get64(at + 32),
		.name = at + name_at,
	};

	assert_true(d->nr_maps < MAX_MAPS);
	for (size_t i = 0; i < d->nr_maps; i++)
		assert_true(d->maps[i].pid != m.pid ||
			    m.start >= d->maps[i].start + d->maps[i].bytes ||
			    d->maps[i].start >= m.start + m.bytes);
	d->maps[d->nr_maps++] = m;
}

static void add_address(struct decoded *d, uint32_t pid, uint64_t address)
{
	const uint32_t owner = address >> 63 ? UINT32_MAX : pid;

	for (size_t i = 0; i < d->nr_maps; i++) {
		const struct map *m = &d->maps[i];

		if (m->pid != owner || address < m->start || address >= m->start + m->bytes)
			continue;
		strbuf_addf(&d->text, "%s+%llx<", m->name,
			    (unsigned long long)(address >> 63 ? address
							       : address - m->start + m->offset));
		return;
	}
	fail_msg("%llx is not mapped by %u", (unsigned long long)address, pid);
}

static void add_sample(struct decoded *d, const char *at, size_t size)
{
	const uint32_t pid = get32(at + 16);
	const uint64_t nr = get64(at + 48);

	assert_int_equal(size, 56 + 8 * nr);
	strbuf_addf(&d->text, "%u/%u %s: ", pid > 4194304 ? 0 : pid,
		    get32(at + 20) > 4194304 ? 0 : get32(at + 20), d->comm);
	for (uint64_t i = 0; i < nr; i++) {
		const uint64_t address = get64(at + 56 + 8 * i);

		if (address >= PERF_CONTEXT_MAX)
			strbuf_addstr(&d->text, address == PERF_CONTEXT_USER ? "u " : "k ");
		else
			add_address(d, pid, address);
	}
	strbuf_addf(&d->text, " %llu\n", (unsigned long long)get64(at + 40));
	strbuf_addf(&d->times, "%llu %llu ", (unsigned long long)get64(at + 24),
		    (unsigned long long)get64(at + 40));
	d->period += get64(at + 40);
	d->nr_samples++;
}

static void add_record(struct decoded *d, const char *at)
{
	const struct perf_event_header *h = (const void *)at;

	switch (h->type) {
	case PERF_RECORD_COMM:
		snprintf(d->comm, sizeof(d->comm), "%s", at + 16);
		d->nr_comms++;
		break;
	case PERF_RECORD_MMAP:
		add_map(d, at, 40);
		break;
	case PERF_RECORD_MMAP2:
		add_map(d, at, 72);
		break;
	case PERF_RECORD_SAMPLE:
		add_sample(d, at, h->size);
		break;
	case 67:
		d->nr_build_ids++;
		break;
	default:
		assert_true(h->type == 64 || h->type == 78);
	}
}

static void decode(struct decoded *d, const struct profile *p, const struct writer_opts *opts)
{
	size_t len, at = 16;

	*d = (struct decoded){ .text = STRBUF_INIT, .times = STRBUF_INIT };
	d->bytes = written(&perf_data_writer, p, opts, &len);
	assert_memory_equal(d->bytes, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	while (at < len) {
		const struct perf_event_header *h = (const void *)(d->bytes + at);

		assert_true(h->size >= sizeof(*h) && h->size <= len - at);
		assert_int_equal(h->size % 8, 0);
		add_record(d, d->bytes + at);
		at += h->size;
	}
}

static void decoded_deinit(struct decoded *d)
{
	free(d->bytes);
	strbuf_deinit(&d->text);
	strbuf_deinit(&d->times);
}
#define _cleanup_decoded_ __attribute__((cleanup(decoded_deinit)))

static frame_id placed(struct profile *p, const char *name, const char *path, uint64_t address)
{
	struct frame_table *t = profile_frames(p);
	const bool is_kernel = !*path;
	const struct frame f = {
		.name = frame_table_intern0(t, name),
		.module = frame_table_intern0(t, is_kernel ? "[kernel]" : "m"),
		.start = 1,
		.origin = is_kernel ? FRAME_KERNEL : FRAME_USER,
	};

	return frame_table_add_place(t, &(struct frame_place){
						.function = frame_table_add(t, &f),
						.path = frame_table_intern0(t, path),
						.build_id = frame_table_intern(t, "\x01\x02", 2),
						.address = address,
						.base = is_kernel ? 0xffffffff81000000 : 0x1000,
					});
}

static void test_stacks(void **state)
{
	const struct writer_opts opts = { .root = BASE_FRAMES_OF(BASE_FRAME_THREAD),
					  .facts = { .event = "cpu-clock", .period_ns = 1000 } };
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct frame_table *t = profile_frames(p);
	_cleanup_decoded_ struct decoded d;
	frame_id stack[] = {
		frame_table_add_base(t, "app-12/13"),
		frame_table_add_base(t, "[truncated]"),
		frame_table_add(t, &(struct frame){ .name = frame_table_intern0(t, "jitted"),
						    .module = frame_table_intern0(t, "[jit]"),
						    .origin = FRAME_JIT }),
		placed(p, "main", "/bin/app", 0x5432),
		frame_table_add(t, &(struct frame){ .name = frame_table_intern0(t, "in"),
						    .origin = FRAME_INLINED }),
		placed(p, "read", "/lib/libc.so", 0x5432),
		placed(p, "vfs_read", "", 0xffffffff81234567),
	};

	profile_add(p, profile_stack(p, stack, 7), 3);
	profile_add(p, profile_stack(p, stack, 4), 2);
	stack[0] = frame_table_add_base(t, "[softirq]");
	profile_add(p, profile_stack(p, stack, 1), 4);
	decode(&d, p, &opts);
	assert_string_equal(d.text.bytes, "12/13 app: u /bin/app+4432<[jitted_[j]]+0< 2000\n"
					  "12/13 app: k [kernel.kallsyms]_text+ffffffff81234567<"
					  "u /lib/libc.so+4432</bin/app+4432<[jitted_[j]]+0< 3000\n"
					  "0/0 [softirq]:  4000\n");
	assert_int_equal(d.nr_build_ids, 3);
	assert_int_equal(d.nr_comms, 2);
}

static frame_id in_kernel(struct frame_table *t, const char *name, const char *module,
			  uint64_t base, uint64_t offset)
{
	const struct frame f = { .name = frame_table_intern0(t, name),
				 .module = frame_table_intern0(t, module),
				 .start = base == KERNEL_PLACE_MODULE ? 0x1000 : 0,
				 .unnamed = !base,
				 .origin = FRAME_KERNEL };
	const struct frame_place place = { .function = frame_table_add(t, &f),
					   .address = base + offset,
					   .base = base };

	return base ? frame_table_add_place(t, &place) : place.function;
}

/* The kernel's parts have memory of their own each, for perf as well. */
static void test_kernel_parts(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct frame_table *t = profile_frames(p);
	_cleanup_decoded_ struct decoded d;
	const frame_id stack[] = {
		frame_table_add_base(t, "app"),
		in_kernel(t, "vfs_read", "[kernel]", KERNEL_PLACE_TEXT, 0x123),
		in_kernel(t, "[kernel]", "[kernel]", 0, 0),
		in_kernel(t, "ext4_read", "ext4", KERNEL_PLACE_MODULE, 0x1010),
		in_kernel(t, "xfs_read", "xfs", KERNEL_PLACE_MODULE, 0x1030),
		in_kernel(t, "bpf_prog_1", "bpf", KERNEL_PLACE_PASSING, 0x1010),
		in_kernel(t, "bpf_prog_1", "bpf", KERNEL_PLACE_PASSING, 0x1020),
		in_kernel(t, "bpf_prog_2", "bpf", KERNEL_PLACE_PASSING, 1ull << 40),
	};

	profile_add(p, profile_stack(p, stack, ARRAY_SIZE(stack)), 1);
	decode(&d, p, &(struct writer_opts){ 0 });
	assert_string_equal(
		d.text.bytes,
		"0/0 app: k [bpf_prog_2]+8000000000ffffff<[bpf_prog_1]+8000000001002020<"
		"[bpf_prog_1]+8000000001002010<[xfs_read]+8000000002002030<"
		"[ext4_read]+8000000003003010<[kernel]+8000000004004000<"
		"[kernel.kallsyms]_text+ffffffff81000123< 1\n");
	assert_int_equal(d.maps[0].offset, KERNEL_PLACE_TEXT);
	for (size_t i = 1; i < d.nr_maps; i++)
		assert_int_equal(d.maps[i].offset, 0);
}

/* Two tasks: each is told of its own. */
static void test_tasks(void **state)
{
	const struct writer_opts opts = { .root = BASE_FRAMES_OF(BASE_FRAME_PROCESS) };
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct frame_table *t = profile_frames(p);
	_cleanup_decoded_ struct decoded d;

	for (int i = 0; i < 200; i++) {
		char base[32];
		frame_id stack[2];

		snprintf(base, sizeof(base), "c-%d", 1 + i % 100);
		stack[0] = frame_table_add_base(t, base);
		stack[1] = placed(p, "f", i % 3 ? "/bin/a" : "/bin/b", 0x2000 + 4096 * (i % 7));
		profile_add(p, profile_stack(p, stack, 2), 1);
	}
	decode(&d, p, &opts);
	assert_int_equal(d.period, 200);
	assert_int_equal(d.nr_comms, 100);
	assert_true(d.nr_maps <= 200);
}

/* Samples have the time of their slot, in its order; what has none comes behind. */
static void test_times(void **state)
{
	_cleanup_timeline_ struct timeline *t = timeline_new(TIMELINE_DEFAULT_NS, 5000000000, 100);
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_decoded_ struct decoded d;
	const struct writer_opts opts = { .timeline = t };
	frame_id f = placed(p, "f", "/bin/f", 0x3000), g = placed(p, "g", "/bin/f", 0x4000);
	node_id at_f = profile_stack(p, &f, 1), at_g = profile_stack(p, &g, 1);

	profile_add(p, at_f, 7);
	profile_add(p, at_g, 5);
	profile_follow(p);
	timeline_add(t, 5020000001, at_g, 4);
	timeline_add(t, 5000000001, at_f, 2);
	timeline_add(t, 5020000002, at_f, 1);
	timeline_add(t, 5029999999, at_f, 1);
	decode(&d, p, &opts);
	assert_string_equal(d.times.bytes, "5000000001 2 5020000001 2 5020000001 4 0 3 0 1 ");
	assert_int_equal(d.period, 12);
}

/* No name makes a record that is none, and deep stacks are cut where a record ends. */
static void test_hostile(void **state)
{
	_cleanup_profile_ struct profile *p = hostile_profile(), *deep = profile_new(NULL);
	_cleanup_profile_ struct profile *none = profile_new(NULL);
	_cleanup_decoded_ struct decoded d, e, empty;
	frame_id f = placed(deep, "f", "/bin/f", 0x3000);
	node_id n = NODE_ROOT;

	decode(&d, p, &(struct writer_opts){ 0 });
	assert_int_equal(d.period, profile_total(p));
	for (int i = 0; i < 20000; i++)
		n = profile_child(deep, n, f);
	profile_add(deep, n, 1);
	decode(&e, deep, &(struct writer_opts){ 0 });
	assert_int_equal(e.nr_samples, 1);
	decode(&empty, none, &(struct writer_opts){ 0 });
	assert_int_equal(empty.nr_samples, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks),	cmocka_unit_test(test_kernel_parts),
		cmocka_unit_test(test_tasks),	cmocka_unit_test(test_times),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests_name("perf_data", tests, NULL, NULL);
}
