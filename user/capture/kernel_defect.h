/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Defects of kernels that sampling can run into, found by version: they cannot be tried out, for
 * they lock up the machine.
 */
#ifndef EDDY_CAPTURE_KERNEL_DEFECT_H
#define EDDY_CAPTURE_KERNEL_DEFECT_H

#include <stdbool.h>

/* The version of the source that a kernel was made from. */
struct kernel_version {
	unsigned int major, minor, patch;
	bool patch_is_known; /* not by the names of some distributions */
};

/* Whether a kernel has a defect.  MAYBE: its version leaves it open. */
enum kernel_defect { KERNEL_DEFECT_NO, KERNEL_DEFECT_MAYBE, KERNEL_DEFECT_YES };

/*
 * release and build: uname(2)'s; signature: the text of Ubuntu's /proc/version_signature, "" where
 * there is none.  Distributions freeze the third number in the release ("6.1.0-56-amd64"): the true
 * one stands in Debian's build ("... Debian 6.1.192-2 (date)") and at the end of Ubuntu's signature
 * ("Ubuntu 6.2.0-39.40-generic 6.2.16").  0 or -EINVAL.
 */
int kernel_version_parse(const char *release, const char *build, const char *signature,
			 struct kernel_version *ret_version);

/*
 * A program at an interrupt that reads user memory takes the lock of the kernel's own mappings,
 * when CONFIG_HARDENED_USERCOPY checks where it reads to; on a CPU that holds the lock, that never
 * ends. From 5.19, mended by "mm: Fix copy_from_user_nofault()" in 6.4, 6.3.10 and 6.1.36. Seen:
 * parca-agent #1675 (and #2070), Debian bug 1033398.
 */
enum kernel_defect kernel_defect_usercopy(const struct kernel_version *version);

/*
 * An event of cpu-clock that the kernel stops at a sample (PERF_EVENT_IOC_REFRESH) waits in its
 * timer for the end of that timer.  6.16 and 6.17, mended by "perf/core: Fix system hang caused by
 * cpu-clock usage" in 6.18 and 6.17.8.  Seen: async-profiler #1578.  eddy's events never stop by
 * themselves.
 */
enum kernel_defect kernel_defect_clock_stop(const struct kernel_version *version);

/* The version of the running kernel; zeroes when it cannot be read. */
void kernel_version_here(struct kernel_version *ret_version);
/* The first of the above for the running kernel, as it was built and started. */
enum kernel_defect kernel_defect_usercopy_here(void);

#endif
