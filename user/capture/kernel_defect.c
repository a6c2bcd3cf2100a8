// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which kernels have which defect is a fact of their history: the numbers below are those of the
 * commits named in the header.  What a distribution mended by itself cannot be seen from here,
 * so its kernels of unknown or abandoned versions get a MAYBE.
 */
#include "capture/kernel_defect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "capture/host.h"

static bool parse_three(const char *text, unsigned int v[3], int *ret_end)
{
	return sscanf(text, "%3u.%3u.%4u%n", &v[0], &v[1], &v[2], ret_end) == 3;
}

/* The third number that stands behind `name`, in a version of the same first two. */
static bool patch_behind(const char *text, const char *name, struct kernel_version *version)
{
	const char *at = text ? strstr(text, name) : NULL;
	unsigned int v[3];
	int end;

	if (!at || !parse_three(at + strlen(name), v, &end) || v[0] != version->major ||
	    v[1] != version->minor)
		return false;
	version->patch = v[2];
	version->patch_is_known = true;
	return true;
}

/* "Ubuntu RELEASE VERSION" */
static bool patch_of_signature(const char *signature, struct kernel_version *version)
{
	const char *last = strncmp(signature, "Ubuntu ", 7) ? NULL : strrchr(signature, ' ');

	return last && patch_behind(last, " ", version);
}

int kernel_version_parse(const char *release, const char *build, const char *signature,
			 struct kernel_version *ret_version)
{
	struct kernel_version version = { 0 };
	unsigned int v[3] = { 0 };
	int end = 0;

	if (parse_three(release, v, &end)) {
		/* A third number of 0 with something behind it is a distribution's, but for "-rc1".
		 */
		version.patch_is_known = v[2] || !release[end] || !strncmp(release + end, "-rc", 3);
	} else if (sscanf(release, "%3u.%3u", &v[0], &v[1]) != 2) {
		return -EINVAL;
	}
	version.major = v[0];
	version.minor = v[1];
	version.patch = v[2];
	if (!patch_of_signature(signature, &version))
		patch_behind(build, "Debian ", &version);
	*ret_version = version;
	return 0;
}

static bool is_older(const struct kernel_version *v, unsigned int major, unsigned int minor)
{
	return v->major < major || (v->major == major && v->minor < minor);
}

/* A series that was mended in its patch number `mended`. */
static enum kernel_defect before_patch(const struct kernel_version *v, unsigned int mended)
{
	if (!v->patch_is_known)
		return KERNEL_DEFECT_MAYBE;
	return v->patch < mended ? KERNEL_DEFECT_YES : KERNEL_DEFECT_NO;
}

enum kernel_defect kernel_defect_usercopy(const struct kernel_version *v)
{
	if (is_older(v, 5, 19) || !is_older(v, 6, 4))
		return KERNEL_DEFECT_NO;
	if (v->major == 6 && v->minor == 1)
		return before_patch(v, 36);
	if (v->major == 6 && v->minor == 3)
		return before_patch(v, 10);
	/* Abandoned before it was mended; distributions went on by themselves. */
	return v->patch_is_known ? KERNEL_DEFECT_YES : KERNEL_DEFECT_MAYBE;
}

enum kernel_defect kernel_defect_clock_stop(const struct kernel_version *v)
{
	if (is_older(v, 6, 16) || !is_older(v, 6, 18))
		return KERNEL_DEFECT_NO;
	if (v->minor == 17)
		return before_patch(v, 8);
	return v->patch_is_known ? KERNEL_DEFECT_YES : KERNEL_DEFECT_MAYBE;
}

void kernel_version_here(struct kernel_version *ret_version)
{
	char signature[256] = "";
	struct utsname uts;

	*ret_version = (struct kernel_version){ 0 };
	host_read_text("/proc/version_signature", signature, sizeof(signature));
	signature[strcspn(signature, "\n")] = '\0';
	if (!uname(&uts))
		kernel_version_parse(uts.release, uts.version, signature, ret_version);
}

enum kernel_defect kernel_defect_usercopy_here(void)
{
	struct kernel_version version;
	char cmdline[4096] = "";

	host_read_text("/proc/cmdline", cmdline, sizeof(cmdline));
	if (strstr(cmdline, "hardened_usercopy=off") || strstr(cmdline, "hardened_usercopy=0") ||
	    host_kernel_config("CONFIG_HARDENED_USERCOPY") == 0)
		return KERNEL_DEFECT_NO;
	kernel_version_here(&version);
	return kernel_defect_usercopy(&version);
}
