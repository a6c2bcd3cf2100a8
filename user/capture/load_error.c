// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel answers many different hindrances with the same EPERM.  What is known to hinder is
 * asked for first, the most certain before the less certain; what is left is told in the words of
 * the verifier or of libbpf.
 */
#include "capture/load_error.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "capture/host.h"
#include "capture/load_log.h"
#include "util/text_escape.h"

#define MAX_REASON_BYTES 240

static bool is_permitted(void)
{
	return host_has_capability(HOST_CAP_SYS_ADMIN) ||
	       (host_has_capability(HOST_CAP_BPF) && host_has_capability(HOST_CAP_PERFMON));
}

static int not_permitted(int err, struct diag *ret_diag)
{
	char lockdown[32];

	host_lockdown(lockdown);
	if (!strcmp(lockdown, "confidentiality"))
		return diag_set(
			ret_diag, err,
			"kernel lockdown is in confidentiality mode, in which BPF may not read "
			"the kernel's memory: boot with lockdown=integrity");
	/* The verifier says EACCES too: then it is not for want of privileges. */
	if (!is_permitted())
		return diag_set(
			ret_diag, err,
			"loading BPF programs is not permitted: run as root, or grant CAP_BPF "
			"and CAP_PERFMON ('eddy doctor' tells what is missing)");
	if (err == EPERM && host_bpf_memory_limit() != UINT64_MAX)
		return diag_set(ret_diag, err,
				"BPF maps may take %" PRIu64
				" KiB only (RLIMIT_MEMLOCK, which counts "
				"before Linux 5.11): run 'ulimit -l unlimited' before, or grant "
				"CAP_SYS_RESOURCE, or try '--unwind fp --map-memory 1M'",
				host_bpf_memory_limit() >> 10);
	return 0;
}

int load_error(int err, const char *log, struct diag *ret_diag)
{
	_cleanup_strbuf_ struct strbuf line = { 0 }, reason = { 0 };
	int r;

	if (err == ENOSYS)
		return diag_set(
			ret_diag, err,
			"there is no system call bpf: the kernel was built without "
			"CONFIG_BPF_SYSCALL, or a seccomp filter (a container's?) hides it");
	if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		return diag_set(
			ret_diag, err,
			"this kernel has no BTF (/sys/kernel/btf/vmlinux): eddy needs one built "
			"with CONFIG_DEBUG_INFO_BTF");
	r = not_permitted(err, ret_diag);
	if (r < 0)
		return r;
	load_log_reason(log, MAX_REASON_BYTES, &line);
	text_escape(&reason, line.bytes, line.len);
	return diag_set(ret_diag, err, "the BPF sampler cannot be loaded: %s%s%s (more with -v)",
			strerror(err), reason.len ? ": " : "", reason.len ? reason.bytes : "");
}
