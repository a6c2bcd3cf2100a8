// SPDX-License-Identifier: GPL-2.0-or-later
/* kcore is an ELF file of the kernel's own; a program is run once for each piece of a page. */
#include "capture/kernel_memory.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/load_error.h"
#include "capture/load_log.h"
#include "elf/elf_image.h"
#include "kernel_memory.skel.h"
#include "util/mem.h"

#define KCORE	   "/proc/kcore"
#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

struct kernel_memory {
	int fd; /* of kcore; -1: not that */
	struct elf_image kcore;
	struct kernel_memory_bpf *skel;
};

/* ---- /proc/kcore -------------------------------------------------------------------------- */

static bool kcore_open(struct kernel_memory *m)
{
	struct elf_source source;

	m->fd = open(KCORE, O_RDONLY | O_CLOEXEC);
	return m->fd >= 0 && elf_source_from_fd(m->fd, &source) >= 0 &&
	       elf_image_open_source(&source, &m->kcore) >= 0;
}

static int kcore_read(const struct kernel_memory *m, uint64_t address, void *buf, size_t len)
{
	uint64_t offset, there;

	if (!elf_image_bytes_at(&m->kcore, address, &offset, &there) || there < len ||
	    elf_image_read(&m->kcore, offset, buf, len) < 0)
		return -EFAULT;
	return 0;
}

/* ---- BPF ---------------------------------------------------------------------------------- */

static int bpf_open(struct kernel_memory *m, struct diag *ret_diag)
{
	LIBBPF_OPTS(bpf_object_open_opts, open_opts,
		    .btf_custom_path = access(KERNEL_BTF, R_OK) ? NULL : KERNEL_BTF);
	struct load_log log = { 0 };
	int err = 0;

	load_log_begin(&log);
	m->skel = kernel_memory_bpf__open_opts(&open_opts);
	if (!m->skel || kernel_memory_bpf__load(m->skel) < 0)
		err = errno;
	load_log_end(&log);
	if (err)
		load_error(err, log.text.len ? log.text.bytes : "", ret_diag);
	strbuf_deinit(&log.text);
	return -err;
}

/* Within a page. */
static int bpf_read(struct kernel_memory *m, uint64_t address, void *buf, size_t len)
{
	uint64_t args[1] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = args, .ctx_size_in = sizeof(args));
	struct kernel_memory_bpf__bss *memory = m->skel->bss;
	int r;

	memory->address = address;
	memory->nr_bytes = len;
	memory->status = -EFAULT;
	r = bpf_prog_test_run_opts(bpf_program__fd(m->skel->progs.eddy_kernel_memory), &run);
	if (r < 0 || *(volatile int *)&memory->status)
		return -EFAULT;
	memcpy(buf, memory->bytes, len);
	return 0;
}

static int bpf_read_all(struct kernel_memory *m, uint64_t address, char *buf, size_t len)
{
	const size_t page = sizeof(m->skel->bss->bytes);
	int r = 0;

	while (len && !r) {
		size_t piece = page - address % page;

		piece = piece < len ? piece : len;
		r = bpf_read(m, address, buf, piece);
		address += piece;
		buf += piece;
		len -= piece;
	}
	return r;
}

/* ---- both --------------------------------------------------------------------------------- */

int kernel_memory_open(struct kernel_memory **ret_memory, struct diag *ret_diag)
{
	_cleanup_(kernel_memory_freep) struct kernel_memory *m = xcalloc(1, sizeof(*m));
	int r;

	if (!kcore_open(m)) {
		if (m->fd >= 0)
			close(m->fd);
		m->fd = -1;
		r = bpf_open(m, ret_diag);
		if (r < 0)
			return r;
	}
	*ret_memory = take_ptr(m);
	return 0;
}

void kernel_memory_free(struct kernel_memory *m)
{
	if (!m)
		return;
	if (m->fd >= 0)
		close(m->fd);
	elf_image_deinit(&m->kcore);
	kernel_memory_bpf__destroy(m->skel);
	free(m);
}

int kernel_memory_read(struct kernel_memory *m, uint64_t address, void *buf, size_t len)
{
	return m->fd >= 0 ? kcore_read(m, address, buf, len) : bpf_read_all(m, address, buf, len);
}
