// SPDX-License-Identifier: GPL-2.0-or-later
/* speedscope's JSON, read back by a parser of JSON: frames, stacks, weights, units, names. */
#include "unit/unit.h"

#include "output/speedscope.h"
#include "unit/output/hostile_names.h"
#include "util/json.h"

static struct json *written_json(const struct profile *p, const struct writer_opts *opts)
{
	size_t len;
	_cleanup_free_ char *bytes = written(&speedscope_writer, p, opts, &len);
	struct json *j = NULL;
	struct diag diag = { "" };

	if (json_parse(bytes, len, &j, &diag) < 0)
		fail_msg("%s", diag.text);
	return j;
}

static json_id nth(const struct json *j, json_id array, size_t n)
{
	json_id id = json_first(j, array);

	while (n--)
		id = json_next(j, id);
	return id;
}

static json_id profile_of(const struct json *j)
{
	return nth(j, json_member(j, JSON_ROOT, "profiles"), 0);
}

static json_id frames_of(const struct json *j)
{
	return json_member(j, json_member(j, JSON_ROOT, "shared"), "frames");
}

static void test_bytes(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct frame_table *t = profile_frames(p);
	struct frame f = { .name = frame_table_intern0(t, "read"),
			   .module = frame_table_intern0(t, "libc.so.6") };
	node_id n = profile_child(p, NODE_ROOT, frame_table_add_base(t, "a\"b"));
	size_t len;
	_cleanup_free_ char *got = NULL;

	profile_add(p, n, 2);
	profile_add(p, profile_child(p, n, frame_table_add(t, &f)), 3);
	got = written(&speedscope_writer, p, &(struct writer_opts){ .facts.period_ns = 1000 },
		      &len);
	assert_string_equal(
		got, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		     "\"exporter\":\"eddy " EDDY_VERSION "\",\n\"shared\":{\"frames\":[\n"
		     "{\"name\":\"a\\\"b\"},\n{\"name\":\"read\",\"file\":\"libc.so.6\"}]},\n"
		     "\"profiles\":[{\"type\":\"sampled\",\"name\":\"eddy\","
		     "\"unit\":\"nanoseconds\",\n\"startValue\":0,\"endValue\":5000,\n"
		     "\"samples\":[\n[0],\n[0,1]],\n\"weights\":[2000,\n3000]}]}\n");
}

static void test_none_and_one(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_json_ struct json *none = NULL, *one = NULL;
	const struct writer_opts opts = { .no_annotate = false };

	none = written_json(p, &opts);
	assert_int_equal(json_count(none, frames_of(none)), 0);
	assert_int_equal(json_count(none, json_member(none, profile_of(none), "samples")), 0);
	profile_add(p, NODE_ROOT, 1); /* a stack without frames */
	one = written_json(p, &opts);
	assert_int_equal(json_count(one, json_member(one, profile_of(one), "samples")), 1);
	assert_string_equal(json_string(one, json_member(one, nth(one, frames_of(one), 0), "name")),
			    "[empty]");
	assert_string_equal(json_string(one, json_member(one, profile_of(one), "unit")), "none");
}

/* A time that no number holds: the counts stay, and are said to be that. */
static void test_too_long(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_json_ struct json *j = NULL;

	profile_add(p, profile_child(p, NODE_ROOT, frame_table_add_text(profile_frames(p), "a", 1)),
		    UINT64_C(1) << 40);
	j = written_json(p, &(struct writer_opts){ .facts.period_ns = UINT64_C(1) << 23 });
	assert_string_equal(json_string(j, json_member(j, profile_of(j), "unit")), "none");
	assert_int_equal(json_integer(j, json_member(j, profile_of(j), "endValue")), UINT64_C(1)
											     << 40);
}

static void test_hostile_names(void **state)
{
	_cleanup_profile_ struct profile *p = hostile_profile();
	_cleanup_json_ struct json *j = written_json(p, &(struct writer_opts){ 0 });
	const char *name;

	assert_int_equal(json_count(j, frames_of(j)), ARRAY_SIZE(hostile_names) + 1);
	for (json_id f = json_first(j, frames_of(j)); f != JSON_NONE; f = json_next(j, f))
		for (name = json_string(j, json_member(j, f, "name")); *name; name++)
			assert_true((unsigned char)*name >= ' ' && *name != 0x7f);
	name = json_string(j, json_member(j, nth(j, frames_of(j), 3), "name"));
	assert_string_equal(name, hostile_names[3]);
	name = json_string(j,
			   json_member(j, nth(j, frames_of(j), ARRAY_SIZE(hostile_names)), "name"));
	assert_int_equal(strlen(name), HOSTILE_LONG_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_none_and_one),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_hostile_names),
	};

	return cmocka_run_group_tests_name("speedscope", tests, NULL, NULL);
}
