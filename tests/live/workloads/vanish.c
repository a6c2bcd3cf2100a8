// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vanish HOW LIBRARY [SECONDS]: what is read of a process is gone or wrong when it is read.
 * The library (libshared_work.so) is copied, loaded, and called after the copy is
 *   deleted     unlinked
 *   replaced    another file of that name renamed over it (a text)
 *   truncated   cut behind what is mapped: no symbols, no section headers
 *   garbled     its symbols and section headers overwritten
 *   exit        nothing is done, but it all happens in children that live 2 ms each
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

static char copy[64];

static int copy_library(const char *from)
{
	static char block[1 << 20];
	int in = open(from, O_RDONLY), out = mkstemp(copy);
	ssize_t len;

	if (in < 0 || out < 0)
		return -1;
	while ((len = read(in, block, sizeof(block))) > 0)
		if (write(out, block, len) != len)
			return -1;
	close(in);
	close(out);
	return 0;
}

/* Where the part that is mapped ends: behind it stand symbols, debug information and headers. */
static off_t mapped_end(void)
{
	Elf64_Phdr segments[32];
	Elf64_Ehdr header;
	off_t end = 0;
	int fd = open(copy, O_RDONLY);

	if (fd < 0 || read(fd, &header, sizeof(header)) != sizeof(header) || header.e_phnum > 32 ||
	    pread(fd, segments, sizeof(segments), header.e_phoff) < 0)
		return -1;
	for (int i = 0; i < header.e_phnum; i++)
		if (segments[i].p_type == PT_LOAD &&
		    (off_t)(segments[i].p_offset + segments[i].p_filesz) > end)
			end = segments[i].p_offset + segments[i].p_filesz;
	close(fd);
	return end;
}

static int spoil(const char *how)
{
	static const char junk[4096] = "not an ELF file any more";
	char other[80];
	struct stat st;
	int fd;

	if (!strcmp(how, "deleted"))
		return unlink(copy);
	if (!strcmp(how, "truncated"))
		return truncate(copy, mapped_end());
	if (!strcmp(how, "replaced")) {
		snprintf(other, sizeof(other), "%s.new", copy);
		fd = open(other, O_WRONLY | O_CREAT, 0600);
		if (fd < 0 || write(fd, junk, sizeof(junk)) < 0 || close(fd))
			return -1;
		return rename(other, copy);
	}
	fd = open(copy, O_WRONLY);
	if (fd < 0 || fstat(fd, &st))
		return -1;
	for (off_t at = mapped_end(); at < st.st_size; at += sizeof(junk))
		if (pwrite(fd, junk, sizeof(junk), at) < 0)
			return -1;
	return close(fd);
}

static int short_lives(void (*work)(uint64_t), uint64_t want)
{
	for (uint64_t used = 0; used < want; used += 2000000) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (!pid) {
			work(2000000);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t want = argc > 3 ? atof(argv[3]) * 1e9 : 1e9, from;
	void (*work)(uint64_t);
	void *library;
	int bad = 0;

	if (argc < 3)
		return 2;
	snprintf(copy, sizeof(copy), "/tmp/eddy-vanish.XXXXXX");
	if (copy_library(argv[2]))
		return 1;
	library = dlopen(copy, RTLD_NOW);
	work = library ? (void (*)(uint64_t))dlsym(library, "shared_exported") : NULL;
	if (!work)
		return fprintf(stderr, "%s\n", dlerror()), 1;
	from = thread_cpu_ns();
	if (!strcmp(argv[1], "exit"))
		bad = short_lives(work, want);
	else
		bad = spoil(argv[1]) != 0;
	while (!bad && strcmp(argv[1], "exit") && thread_cpu_ns() - from < want)
		work(5000000);
	unlink(copy);
	truth("shared_hidden", want);
	return bad;
}
