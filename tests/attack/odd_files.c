// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * odd_files KIND DIRECTORY NR SECONDS: makes NR libraries, the file DIRECTORY/ready, and computes
 * in all of them.  x86-64.
 *	rows	   each has an .eh_frame of 48 MB, by which every one of 16 million bytes of code
 *		   has another rule of unwinding than the one before
 *	sparse	   each is said to have 1 TiB, and its sections lie in holes: some larger than
 *		   memory, others as large as eddy reads them at most
 *	truncated  each is cut off and written again all the time, a new file every now and then
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TEXT_AT	    4096u
#define FRAMES_AT   (32ull << 20)
#define ROW_BYTES   3
#define MAX_ROWS    (16u << 20)
#define MIB	    (1ull << 20)
#define GIB	    (1ull << 30)
#define SPARSE_FILE (1024 * GIB)

struct range {
	const char *name;
	uint32_t type;
	uint64_t at, bytes;
};

/* mov $100000, %ecx; 1: dec %ecx; jnz 1b; ret */
static const uint8_t text[] = { 0xb9, 0xa0, 0x86, 0x01, 0x00, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void write_at(int fd, const void *bytes, size_t len, uint64_t at)
{
	if (pwrite(fd, bytes, len, (off_t)at) != (ssize_t)len)
		fail("pwrite");
}

/* A CIE, and an FDE with two rules in turn; the bytes of both. */
static uint64_t write_frames(int fd, uint32_t nr_rows)
{
	static const uint8_t cie[] = { 20, 0,	 0,  0, 0,    0,    0, 0, 1,	'z', 'R', 0,
				       1,  0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1,   0,	  0 };
	const size_t nr_bytes = (size_t)nr_rows * ROW_BYTES;
	const uint32_t len = (uint32_t)(13 + nr_bytes + (3 - (nr_bytes + 1) % 4 + 4) % 4);
	uint8_t *fde = calloc(1, len + 8);
	const uint32_t head[] = { len, sizeof(cie) + 4,
				  (uint32_t)(TEXT_AT - (FRAMES_AT + sizeof(cie) + 8)), nr_rows };

	memcpy(fde, head, sizeof(head));
	for (uint32_t i = 0; i < nr_rows; i++)
		memcpy(fde + sizeof(head) + 1 + (size_t)i * ROW_BYTES,
		       (uint8_t[]){ 0x41, 0x0e, i % 2 ? 16 : 24 }, ROW_BYTES);
	write_at(fd, cie, sizeof(cie), FRAMES_AT);
	write_at(fd, fde, len + 4, FRAMES_AT + sizeof(cie)); /* a zero ends the section */
	free(fde);
	return sizeof(cie) + len + 8;
}

/* The headers, with sections where they are said to be; their names stand at the end. */
static void write_headers(int fd, const struct range *ranges, unsigned int nr, uint64_t text_bytes,
			  uint64_t end)
{
	Elf64_Ehdr e = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_type = ET_DYN,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_phoff = sizeof(e),
			 .e_shoff = end + 4096,
			 .e_ehsize = sizeof(e),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 1,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = nr + 2,
			 .e_shstrndx = nr + 1 };
	const Elf64_Phdr load = { .p_type = PT_LOAD,
				  .p_flags = PF_R | PF_X,
				  .p_offset = TEXT_AT,
				  .p_vaddr = TEXT_AT,
				  .p_filesz = text_bytes,
				  .p_memsz = text_bytes,
				  .p_align = 4096 };
	Elf64_Shdr sections[32] = { 0 };
	char names[1024] = "";
	size_t len = 1;

	for (unsigned int i = 0; i <= nr; i++) {
		const struct range *r = i < nr ? &ranges[i] : NULL;

		sections[i + 1] = (Elf64_Shdr){ .sh_name = len,
						.sh_type = r ? r->type : SHT_STRTAB,
						.sh_flags = SHF_ALLOC,
						.sh_addr = r ? r->at : 0,
						.sh_offset = r ? r->at : end,
						.sh_size = r ? r->bytes : sizeof(names),
						.sh_link = i + 2,
						.sh_entsize = sizeof(Elf64_Sym) };
		len += sprintf(names + len, "%s", r ? r->name : ".shstrtab") + 1;
	}
	write_at(fd, &e, sizeof(e), 0);
	write_at(fd, &load, sizeof(load), sizeof(e));
	write_at(fd, text, sizeof(text), TEXT_AT);
	write_at(fd, names, sizeof(names), end);
	write_at(fd, sections, (nr + 2) * sizeof(*sections), e.e_shoff);
}

static int create(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);

	if (fd < 0)
		fail(path);
	return fd;
}

static void write_rows(int fd, uint32_t nr_rows)
{
	const struct range frames = { ".eh_frame", SHT_PROGBITS, FRAMES_AT,
				      write_frames(fd, nr_rows) };

	write_headers(fd, &frames, 1, nr_rows < 4096 ? 4096 : nr_rows, FRAMES_AT + frames.bytes);
}

/* Larger than what is read, and as large. */
static void write_sparse(int fd)
{
	static const struct range ranges[] = {
		{ ".symtab", SHT_SYMTAB, GIB, 400 * GIB },
		{ ".strtab", SHT_STRTAB, 401 * GIB, 400 * GIB },
		{ ".dynsym", SHT_DYNSYM, 900 * GIB, 20 * GIB },
		{ ".dynstr", SHT_STRTAB, 920 * GIB, 20 * GIB },
		{ ".eh_frame", SHT_PROGBITS, 64 * MIB, 64 * MIB },
		{ ".debug_frame", SHT_PROGBITS, 128 * MIB, 64 * MIB },
		{ ".gopclntab", SHT_PROGBITS, 192 * MIB, 64 * MIB },
		{ ".plt", SHT_PROGBITS, 256 * MIB, 64 * MIB },
		{ ".rela.plt", SHT_RELA, 320 * MIB, 128 * MIB },
		{ ".gnu_debugdata", SHT_PROGBITS, 512 * MIB, 128 * MIB },
	};

	if (ftruncate(fd, SPARSE_FILE) < 0)
		fail("ftruncate");
	write_headers(fd, ranges, sizeof(ranges) / sizeof(*ranges), 512 * MIB, 960 * GIB);
}

static void *map(const char *path)
{
	int fd = open(path, O_RDONLY);
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, TEXT_AT);

	close(fd);
	return at;
}

/* Computes in a file, again when that was cut off. */
static void compute(const char *path, time_t end)
{
	while (time(NULL) < end) {
		void *at;

		if (fork()) {
			wait(NULL);
			continue;
		}
		alarm(1);
		at = map(path);
		while (at != MAP_FAILED)
			((void (*)(void))(uintptr_t)at)();
		_exit(0);
	}
	exit(0);
}

static void cut(const char *path, unsigned int round)
{
	int fd;

	if (round % 20 == 0)
		unlink(path);
	fd = round % 20 ? open(path, O_RDWR) : create(path);
	if (fd < 0 || ftruncate(fd, round % 3 ? FRAMES_AT + 4096 : 100) < 0)
		fail(path);
	usleep(2000);
	write_rows(fd, 1u << 20);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *kind = argc == 5 ? argv[1] : "", *directory = argc == 5 ? argv[2] : "";
	const uint32_t nr = argc == 5 ? (uint32_t)atoi(argv[3]) : 0;
	const time_t end = time(NULL) + (argc == 5 ? atoi(argv[4]) : 0);
	const int is_cut = !strcmp(kind, "truncated");
	void (**code)(void) = calloc(nr + 1, sizeof(*code));
	char path[4096];

	for (uint32_t i = 0; i < nr; i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/%u.so", directory, i);
		fd = create(path);
		if (!strcmp(kind, "sparse"))
			write_sparse(fd);
		else
			write_rows(fd, is_cut ? 1u << 20 : MAX_ROWS);
		close(fd);
		if (is_cut && !fork())
			compute(path, end);
		*(void **)&code[i] = is_cut ? NULL : map(path);
	}
	snprintf(path, sizeof(path), "%s/ready", directory);
	close(open(path, O_WRONLY | O_CREAT, 0644));
	for (unsigned int round = 0; nr && time(NULL) < end; round++)
		for (uint32_t i = 0; i < nr; i++) {
			snprintf(path, sizeof(path), "%s/%u.so", directory, i);
			if (is_cut)
				cut(path, round);
			else
				code[i]();
		}
	return nr == 0;
}
