// SPDX-License-Identifier: GPL-2.0-or-later
/* Units and containers in paths as runtimes make them, and in paths that only look like it. */
#include "unit/unit.h"

#include <string.h>

#include "profile/cgroup_parts.h"
#include "util/cleanup.h"
#include "util/mem.h"

#define ID  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID2 "ffffffffffffffff0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice"

static void expect(const char *want, const char *got, size_t len)
{
	if (!want) {
		assert_null(got);
		return;
	}
	assert_non_null(got);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(got, want, len);
}

static void test_paths(void **state)
{
	static const struct {
		const char *path, *unit, *container;
	} cases[] = {
		{ "/", NULL, NULL },
		{ "", NULL, NULL },
		{ "/system.slice", NULL, NULL },
		{ "/system.slice/cron.service", "cron.service", NULL },
		{ "/init.scope", "init.scope", NULL },
		{ "/.service/.scope", NULL, NULL },
		{ "/user.slice/user-0.slice/user@0.service/app.slice/a.service", "a.service",
		  NULL },
		{ "/user.slice/user-0.slice/session-3.scope", "session-3.scope", NULL },
		{ "/system.slice/ssh.service/inner/", "ssh.service", NULL },
		{ "/docker/" ID, NULL, ID },
		{ "/docker/" ID "/docker/" ID2, NULL, ID2 },
		{ "/docker/" ID "/system.slice/nginx.service", "nginx.service", ID },
		{ "/system.slice/docker-" ID ".scope", "docker-" ID ".scope", ID },
		{ "/machine.slice/libpod-" ID ".scope/container", "libpod-" ID ".scope", ID },
		{ "/machine.slice/libpod-conmon-" ID ".scope", "libpod-conmon-" ID ".scope", NULL },
		{ "/system.slice/crio-conmon-" ID ".scope", "crio-conmon-" ID ".scope", NULL },
		{ "/libpod_parent/libpod-" ID, NULL, ID },
		{ POD "/cri-containerd-" ID ".scope", "cri-containerd-" ID ".scope", ID },
		{ POD "/crio-" ID ".scope", "crio-" ID ".scope", ID },
		{ "/kubepods/besteffort/pod1-2/" ID, NULL, ID },
		{ "/system.slice/containerd.service/kubepods-pod1.slice:cri-containerd:" ID,
		  "containerd.service", ID },
		{ "/lxc/web", NULL, "web" },
		{ "/lxc.payload.web/init.scope", "init.scope", "web" },
		{ "/lxc.payload/web/x", NULL, "web" },
		{ "/lxc.monitor.web", NULL, NULL },
		{ "/lxc.monitor/web", NULL, NULL },
		{ "/machine.slice/systemd-nspawn@deb.service/payload", "systemd-nspawn@deb.service",
		  "deb" },
		{ "/machine.slice/machine-deb.scope", "machine-deb.scope", "deb" },
		{ "/machine.slice/machine-qemu\\x2d1.scope", "machine-qemu\\x2d1.scope", NULL },
		{ "/x/" ID "0", NULL, NULL }, /* 65 digits */
		{ "/x/a" ID, NULL, NULL },
		{ "/x/G123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", NULL,
		  NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		/* Of its size, so that reading on is seen. */
		size_t len = strlen(cases[i].path), got_len = 0;
		_cleanup_free_ char *path = xmalloc(len + 1);
		const char *got;

		memcpy(path, cases[i].path, len);
		path[len] = 'x'; /* it ends by its length */
		got = cgroup_unit(path, len, &got_len);
		expect(cases[i].unit, got, got_len);
		got = cgroup_container(path, len, &got_len);
		expect(cases[i].container, got, got_len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_paths) };

	return cmocka_run_group_tests_name("cgroup_parts", tests, NULL, NULL);
}
