// SPDX-License-Identifier: GPL-2.0-or-later
/* Our own vdso, as a table and as a file in memory. */
#include "capture/vdso.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unwind/elf_unwind.h"
#include "util/cleanup.h"

/* A vdso's section headers are its end. */
static size_t vdso_bytes(const Elf64_Ehdr *vdso)
{
	return vdso->e_shoff + (size_t)vdso->e_shnum * vdso->e_shentsize;
}

bool vdso_read(struct unwind_table **ret_table, int *ret_fd)
{
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	_cleanup_close_ int fd = -1;
	struct elf_source source;

	if (!vdso)
		return false;
	source = elf_source_from_bytes(vdso, vdso_bytes(vdso));
	*ret_table = elf_unwind_read_vdso(&source, NULL);
	fd = memfd_create("vdso", MFD_CLOEXEC);
	*ret_fd = fd >= 0 && write(fd, vdso, source.len) == (ssize_t)source.len ? take_fd(&fd) : -1;
	return true;
}
