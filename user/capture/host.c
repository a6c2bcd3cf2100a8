// SPDX-License-Identifier: GPL-2.0-or-later
/* Small readers of /proc and /sys; whatever cannot be read is reported as not there. */
#include "capture/host.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "util/cleanup.h"

bool host_has_capability(enum host_capability cap)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	uint64_t set;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %" SCNx64, &set) == 1)
			return set >> cap & 1;
	return false;
}

bool host_has_bpf(void)
{
	/* No command has this number: refused as unknown, or for want of privileges. */
	return syscall(SYS_bpf, 0x7fffffff, NULL, 0) >= 0 || errno != ENOSYS;
}

ssize_t host_read_text(const char *path, char *text, size_t bytes)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, bytes - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	return n;
}

int host_kernel_config(const char *option)
{
	char boot[sizeof("/boot/config-") + sizeof(((struct utsname *)0)->release)], line[512];
	size_t len = strlen(option);
	struct utsname uts;
	int answer = 0;
	gzFile f;

	if (uname(&uts))
		return -ENOENT;
	snprintf(boot, sizeof(boot), "/boot/config-%s", uts.release);
	f = gzopen(boot, "re"); /* reads plain text too */
	if (!f)
		f = gzopen("/proc/config.gz", "re");
	if (!f)
		return -ENOENT;
	while (!answer && gzgets(f, line, sizeof(line)))
		answer = !strncmp(line, option, len) && line[len] == '=' &&
			 (line[len + 1] == 'y' || line[len + 1] == 'm');
	gzclose(f);
	return answer;
}

int host_sysctl(const char *name, int64_t *ret_value)
{
	char path[256], text[64];
	int64_t value;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/sys/%s", name);
	n = host_read_text(path, text, sizeof(text));
	if (n < 0)
		return n;
	if (sscanf(text, "%" SCNd64, &value) != 1)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

void host_lockdown(char mode[32])
{
	char text[128], *begin, *end;

	*mode = '\0';
	if (host_read_text("/sys/kernel/security/lockdown", text, sizeof(text)) < 0)
		return;
	begin = strchr(text, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (end)
		snprintf(mode, 32, "%.*s", (int)(end - begin - 1), begin + 1);
}

void host_kernel_version(unsigned int *ret_major, unsigned int *ret_minor)
{
	struct utsname uts;

	*ret_major = *ret_minor = 0;
	if (!uname(&uts) && sscanf(uts.release, "%u.%u", ret_major, ret_minor) != 2)
		*ret_major = *ret_minor = 0;
}

uint64_t host_bpf_memory_limit(void)
{
	struct rlimit limit;
	unsigned int major, minor;

	host_kernel_version(&major, &minor);
	if (!major || major > 5 || (major == 5 && minor >= 11) ||
	    host_has_capability(HOST_CAP_SYS_RESOURCE) || getrlimit(RLIMIT_MEMLOCK, &limit) < 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

uint64_t host_user_address_mask(void)
{
	return UINT64_MAX >> __builtin_clzll((uintptr_t)__builtin_frame_address(0));
}
