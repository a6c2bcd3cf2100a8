// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Roots made coarser, from thread to process to name to none, and refused where they would be
 * finer.
 */
#include "unit/unit.h"

#include "analysis/reroot.h"
#include "util/mem.h"

static node_id stack(struct profile *p, const char *text, uint64_t weight)
{
	char copy[256], *save = NULL;
	node_id n = NODE_ROOT;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *f = strtok_r(copy, ";", &save); f; f = strtok_r(NULL, ";", &save))
		n = profile_child(p, n, frame_table_add_text(profile_frames(p), f, strlen(f)));
	assert_int_equal(profile_add(p, n, weight), 0);
	return n;
}

static struct base_frames frames_of(const char *text)
{
	struct base_frames b = BASE_FRAMES_OF(NR_BASE_FRAMES);

	if (*text == '?') /* "?": nothing is known; "host,?": but for the host */
		return b;
	if (!strcmp(text, "host,?"))
		return base_frames_under_host(&b);
	assert_true(base_frames_parse(text, &b));
	return b;
}

static int reroot(const struct profile *p, const char *had, const char *to, struct profile **ret,
		  struct diag *diag)
{
	struct base_frames from = frames_of(had), into = frames_of(to);

	return profile_reroot(p, &from, &into, ret, diag);
}

static void check(const char *const *in, const char *had, const char *to, const char *const *want)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_profile_ struct profile *got = NULL, *wanted = NULL;

	for (; *in; in++)
		stack(p, *in, 1);
	wanted = profile_new(profile_frames(p));
	assert_int_equal(reroot(p, had, to, &got, NULL), 0);
	assert_non_null(got);
	for (; *want; want++)
		stack(wanted, *want, 1);
	assert_int_equal(profile_nr_nodes(got), profile_nr_nodes(wanted));
	for (node_id n = 0; n < profile_nr_nodes(got); n++) {
		assert_int_equal(profile_frame(got, n), profile_frame(wanted, n));
		assert_int_equal(profile_self(got, n), profile_self(wanted, n));
	}
}

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void test_coarser(void **state)
{
	check(LIST("a-1/2;f", "a-1/3;f", "a-4/4;g", "[hardirq];f-9", "ksoftirqd/0;f"), "?",
	      "process", LIST("a-1;f", "a-1;f", "a-4;g", "[hardirq];f-9", "ksoftirqd/0;f"));
	check(LIST("a-1/2;f", "a-1/3;f", "a-4;g-1", "k/0-7;f", "-5;f"), "?", "comm",
	      LIST("a;f", "a;f", "a;g-1", "k/0;f", "-5;f"));
	/* What is left is no mark, and no kernel function. */
	check(LIST("[hardirq]-5;f", "x_[k]-6/7;f"), "?", "comm",
	      LIST("\\x5bhardirq];f", "x_\\x5bk];f"));
	check(LIST("a;f;g", "b;f", "[truncated];h", "[softirq];x_[k]", "entry_[k];y_[k]"), "?",
	      "none", LIST("f;g", "f", "[truncated];h", "[softirq];x_[k]", "entry_[k];y_[k]"));
}

static void test_refused(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_profile_ struct profile *cpus = profile_new(NULL);
	struct profile *got = NULL;
	struct diag diag = { 0 };

	stack(p, "a-1;f", 1);
	stack(p, "[hardirq];f", 1);
	assert_int_equal(reroot(p, "?", "thread", &got, &diag), -ENODATA);
	assert_string_equal(diag.text, "--root thread: the stacks do not have it "
				       "(record with --root thread)");
	assert_int_equal(reroot(p, "?", "cpu", &got, &diag), -ENODATA);
	assert_int_equal(reroot(p, "?", "cgroup", &got, &diag), -ENODATA);
	stack(cpus, "cpu-0;f", 1);
	assert_int_equal(reroot(cpus, "?", "cpu", &got, &diag), 0);
	assert_null(got); /* as they are */
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* By what is known of them: a choice, in another order, and what a cgroup's path says. */
static void test_several(void **state)
{
	check(LIST("u.service;p;f", "[no unit];q;g", "[softirq];x_[k]", "[lost:ring-full]"),
	      "unit,program", "program", LIST("p;f", "q;g", "[softirq];x_[k]", "[lost:ring-full]"));
	check(LIST("u.service;p;f", "[no unit];q;g"), "unit,program", "program,unit",
	      LIST("p;u.service;f", "q;[no unit];g"));
	check(LIST("u.service;p;f", "[no unit];q;g"), "unit,program", "none", LIST("f", "g"));
	check(LIST("/s/a.service;f", "/;g", "/docker/" ID ";h", "[cgroup-7];k"), "cgroup", "unit",
	      LIST("a.service;f", "[no unit];g", "[no unit];h", "[cgroup-7];k"));
	check(LIST("/s/a.service;f", "/docker/" ID ";h"), "cgroup", "container",
	      LIST("[no container];f", ID ";h"));
	check(LIST("/docker/" ID "/x.scope;f"), "cgroup", "container,unit", LIST(ID ";x.scope;f"));
	check(LIST("h1;a-1/2;f", "h1;[hardirq];x_[k]", "h2;b-1/3;f"), "host,thread", "host",
	      LIST("h1;f", "h1;[hardirq];x_[k]", "h2;f"));
	check(LIST("h1;a-1/2;f", "h1;[nmi];x_[k]"), "host,?", "host,comm",
	      LIST("h1;a;f", "h1;[nmi];x_[k]"));
}

static void test_several_refused(void **state)
{
	static const char *const refused[][2] = {
		{ "comm", "process" },	{ "unit,program", "comm" },
		{ "unit", "cgroup" },	{ "?", "program" },
		{ "?", "host" },	{ "comm", "unit,comm" },
		{ "?", "cpu,process" },
	};
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct profile *got = NULL;

	stack(p, "a-1;b-2;f", 1);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		assert_int_equal(reroot(p, refused[i][0], refused[i][1], &got, NULL), -ENODATA);
}

/* What is not known may have the forms of all that is asked for. */
static void test_several_by_form(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct profile *got = NULL;

	stack(p, "cpu-3;a-1;f", 1);
	stack(p, "[hardirq];f", 1);
	assert_int_equal(reroot(p, "?", "cpu,process", &got, NULL), 0);
	assert_null(got);
	assert_int_equal(reroot(p, "?", "process,cpu", &got, NULL), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_coarser),		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_several),		cmocka_unit_test(test_several_refused),
		cmocka_unit_test(test_several_by_form),
	};

	return cmocka_run_group_tests_name("reroot", tests, NULL, NULL);
}
