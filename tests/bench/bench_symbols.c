// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What naming costs: kallsyms, a 200 MB program with half a million functions, a short process,
 * a look-up at each level of the cache, and compiled code.
 */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "symbol/elf_symbols_read.h"
#include "symbol/kallsyms.h"
#include "symbol/perf_map.h"
#include "symbol/symbolizer.h"
#include "util/mem.h"

#define NR_FUNCTIONS 500000
#define STRIDE	     320
#define TEXT	     0x400000ull
#define TEXT_OFFSET  0x1000ull

/* CPU time, user and kernel: the machine may be busy with other things. */
static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static long rss_kib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

/* The sections of a program of 500 000 functions, in random order, with C++ names. */
static void write_sections(FILE *f, const struct strbuf *names, const Elf64_Sym *symbols)
{
	uint64_t text_bytes = (uint64_t)NR_FUNCTIONS * STRIDE, at = TEXT_OFFSET + text_bytes;
	uint64_t sym_bytes = (NR_FUNCTIONS + 1) * sizeof(*symbols);
	Elf64_Shdr s[4] = {
		[1] = { .sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = TEXT,
			.sh_offset = TEXT_OFFSET,
			.sh_size = text_bytes },
		[2] = { .sh_type = SHT_SYMTAB,
			.sh_offset = at,
			.sh_size = sym_bytes,
			.sh_link = 3,
			.sh_entsize = sizeof(*symbols) },
		[3] = { .sh_type = SHT_STRTAB, .sh_offset = at + sym_bytes, .sh_size = names->len },
	};
	Elf64_Ehdr e = { .e_type = ET_EXEC,
			 .e_machine = EM_X86_64,
			 .e_version = 1,
			 .e_phoff = sizeof(e),
			 .e_shoff = at + sym_bytes + names->len,
			 .e_ehsize = sizeof(e),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 1,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = 4 };
	Elf64_Phdr p = { .p_type = PT_LOAD,
			 .p_flags = PF_R | PF_X,
			 .p_offset = TEXT_OFFSET,
			 .p_vaddr = TEXT,
			 .p_filesz = text_bytes,
			 .p_memsz = text_bytes };

	memcpy(e.e_ident, ELFMAG "\2\1\1", 7);
	fwrite(&e, sizeof(e), 1, f);
	fwrite(&p, sizeof(p), 1, f);
	fseek(f, (long)at, SEEK_SET);
	fwrite(symbols, sizeof(*symbols), NR_FUNCTIONS + 1, f);
	fwrite(names->bytes, 1, names->len, f);
	fwrite(s, sizeof(*s), 4, f);
}

static void write_program(const char *path)
{
	Elf64_Sym *symbols = xcalloc(NR_FUNCTIONS + 1, sizeof(*symbols));
	struct strbuf names = STRBUF_INIT;
	FILE *f = fopen(path, "w");

	strbuf_add(&names, "", 1);
	for (uint32_t i = 0; i < NR_FUNCTIONS; i++) {
		uint32_t at = (uint64_t)i * 300007 % NR_FUNCTIONS;

		symbols[i + 1] = (Elf64_Sym){ .st_name = names.len,
					      .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					      .st_shndx = 1,
					      .st_value = TEXT + (uint64_t)at * STRIDE,
					      .st_size = STRIDE };
		strbuf_addf(&names, "_ZN9namespace5group12some_class_%07uIiSaIiEE6methodERKS1_m",
			    i);
		strbuf_add(&names, "", 1);
	}
	if (!f)
		abort();
	write_sections(f, &names, symbols);
	fclose(f);
	free(symbols);
	strbuf_deinit(&names);
}

static void bench_kallsyms(void)
{
	double start = now_us(), took;
	int fd = open("/proc/kallsyms", O_RDONLY);
	struct kallsyms *k;
	char buf[65536];

	if (kallsyms_read(fd, &k) < 0) {
		puts("kallsyms: hidden");
		return;
	}
	took = now_us() - start;
	lseek(fd, 0, SEEK_SET);
	start = now_us();
	while (read(fd, buf, sizeof(buf)) > 0)
		;
	printf("kallsyms: %zu symbols in %.1f ms (%.1f ms of it in the kernel), %.1f bytes each\n",
	       kallsyms_nr(k), took / 1e3, (now_us() - start) / 1e3,
	       (double)kallsyms_bytes(k) / kallsyms_nr(k));
	kallsyms_free(k);
	close(fd);
}

static void bench_program(const char *path)
{
	struct strbuf name = STRBUF_INIT;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_symbols *t;
	long before = rss_kib();
	double start = now_us(), built;
	uint64_t found;

	if (elf_symbols_read(&(struct elf_symbols_input){ .fd = fd, .debug_fd = -1 }, &t) < 0)
		abort();
	built = now_us() - start;
	printf("program: %zu functions indexed in %.1f ms, %.1f bytes each; peak RSS +%.1f MiB\n",
	       elf_symbols_nr(t), built / 1e3, (double)elf_symbols_bytes(t) / elf_symbols_nr(t),
	       (rss_kib() - before) / 1024.0);
	start = now_us();
	for (uint32_t i = 0; i < 100000; i++) {
		uint64_t at = (uint64_t)i * 7919 % NR_FUNCTIONS;

		if (elf_symbols_find(t, TEXT + at * STRIDE + 5, &found) < 0)
			abort();
	}
	printf("program: found in %.0f ns", (now_us() - start) / 100);
	start = now_us();
	for (uint32_t i = 0; i < 20000; i++) {
		strbuf_reset(&name);
		elf_symbols_name(t, TEXT + (uint64_t)i * 7919 % NR_FUNCTIONS * STRIDE, &name);
	}
	printf(", named in %.0f ns\n", (now_us() - start) / 20);
	strbuf_deinit(&name);
	elf_symbols_unref(t);
}

/* A child whose mappings are this program's; median of many. */
static int double_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void bench_process(struct symbolizer *s)
{
	enum { ROUNDS = 301 };
	double took[ROUNDS], start = now_us();
	char line[4096];
	FILE *maps = fopen("/proc/self/maps", "r");
	int nr_lines = 0;

	symbolizer_process_seen(s, getpid());
	printf("process: met with all files new in %.0f us", now_us() - start);
	for (int i = 0; i < ROUNDS; i++) {
		symbolizer_process_gone(s, getpid());
		start = now_us();
		symbolizer_process_seen(s, getpid());
		took[i] = now_us() - start;
	}
	while (maps && fgets(line, sizeof(line), maps))
		nr_lines++;
	if (maps)
		fclose(maps);
	qsort(took, ROUNDS, sizeof(*took), double_compare);
	printf(", with known files in %.1f us (median; %d mappings)\n", took[ROUNDS / 2], nr_lines);
}

/* As many addresses as a busy second has: 2000 stacks of 25 frames out of 5000 addresses. */
static void bench_lookups(struct symbolizer *s)
{
	enum { NR = 5000, ROUNDS = 200 };
	uint64_t base = (uintptr_t)printf & ~0xfffull, size;
	uint64_t kernel = symbolizer_kernel_address(s, "vfs_read", &size);
	pid_t pid = getpid();
	double start = now_us();
	volatile frame_id sink;

	for (uint64_t i = 0; i < NR; i++)
		sink = symbolizer_user(s, pid, base + i * 16);
	printf("look-up: first time %.0f ns", (now_us() - start) * 1e3 / NR);
	start = now_us();
	for (int round = 0; round < ROUNDS; round++)
		for (uint64_t i = 0; i < NR; i++)
			sink = symbolizer_user(s, pid, base + i * 16);
	printf(", again %.1f ns", (now_us() - start) * 1e3 / NR / ROUNDS);
	start = now_us();
	for (int round = 0; round < ROUNDS; round++)
		for (uint64_t i = 0; i < NR; i++)
			sink = symbolizer_kernel(s, kernel + i * 16);
	printf(", kernel %.1f ns", (now_us() - start) * 1e3 / NR / ROUNDS);
	symbolizer_process_gone(s, pid);
	symbolizer_process_seen(s, pid);
	start = now_us();
	for (uint64_t i = 0; i < NR; i++)
		sink = symbolizer_user(s, pid, base + i * 16);
	printf(", known code in a new process %.0f ns\n", (now_us() - start) * 1e3 / NR);
	(void)sink;
}

static void bench_jit(void)
{
	int fd = memfd_create("map", MFD_CLOEXEC);
	struct strbuf text = STRBUF_INIT;
	struct perf_map *m = perf_map_new(fd);
	double start;

	for (int i = 0; i < 100000; i++)
		strbuf_addf(&text, "%llx 40 LazyCompile:*function_%d /srv/app/index.js:%d\n",
			    0x7f0000000000ull + (uint64_t)i * 48271 % 100000 * 64, i, i);
	if (write(fd, text.bytes, text.len) != (ssize_t)text.len)
		abort();
	start = now_us();
	perf_map_refresh(m, PERF_MAP_MAX_BYTES);
	printf("perf map: %zu names indexed in %.1f ms, %.1f bytes each", perf_map_nr(m),
	       (now_us() - start) / 1e3, (double)perf_map_bytes(m) / perf_map_nr(m));
	dprintf(fd, "7e0000000000 40 one_more\n");
	start = now_us();
	perf_map_refresh(m, PERF_MAP_MAX_BYTES);
	printf(", one more in %.2f ms\n", (now_us() - start) / 1e3);
	perf_map_free(m);
	strbuf_deinit(&text);
}

int main(void)
{
	char path[] = "/tmp/eddy-bench-XXXXXX";
	int fd = mkstemp(path);
	struct frame_table *frames = frame_table_new();
	struct symbolizer_stats st;
	struct symbolizer *s;
	pid_t child;

	if (fd < 0)
		return 1;
	close(fd);
	child = fork(); /* its memory is not ours, so that RSS means something */
	if (!child) {
		write_program(path);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	bench_kallsyms();
	bench_program(path);
	unlink(path);
	s = symbolizer_new(frames, &(struct symbolizer_opts){ 0 });
	bench_process(s);
	bench_lookups(s);
	symbolizer_get_stats(s, &st);
	printf("symbolizer: %" PRIu64 " KiB held, %" PRIu64 " files\n", st.bytes >> 10,
	       st.nr_files);
	bench_jit();
	symbolizer_free(s);
	frame_table_unref(frames);
	return 0;
}
