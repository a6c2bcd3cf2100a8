// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Figures of the table compiler: rows, bytes a row, ns a raw row, for the files that running
 * processes have mapped, for all ELF files of the usual directories, and for those of them that
 * came in Debian's packages (what else is installed differs from machine to machine).  A first pass
 * over the same files brings them into the page cache and is not counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "unwind/elf_unwind.h"
#include "util/hash.h"
#include "util/mem.h"

#define MAX_FILES 16384

static struct {
	struct {
		uint64_t dev, ino;
		char *path;
	} file[MAX_FILES];
	size_t nr_files;
} set;

static void set_add(const char *path, const struct stat *st)
{
	if (!S_ISREG(st->st_mode) || set.nr_files == MAX_FILES)
		return;
	for (size_t i = set.nr_files; i-- > 0;)
		if (set.file[i].ino == st->st_ino && set.file[i].dev == st->st_dev)
			return;
	set.file[set.nr_files].dev = st->st_dev;
	set.file[set.nr_files].ino = st->st_ino;
	set.file[set.nr_files++].path = xstrdup(path);
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	char magic[4];
	int fd;

	if (type != FTW_F || st->st_size < 64)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, magic, 4) == 4 && !memcmp(magic, "\177ELF", 4))
		set_add(path, st);
	close(fd);
	return 0;
}

static void add_mapped(void)
{
	glob_t maps;

	if (glob("/proc/[0-9]*/maps", 0, NULL, &maps))
		return;
	for (size_t i = 0; i < maps.gl_pathc; i++) {
		FILE *f = fopen(maps.gl_pathv[i], "re");
		char line[4096], perms[8], *path;
		struct stat st;

		while (f && fgets(line, sizeof(line), f)) {
			line[strcspn(line, "\n")] = 0;
			path = strchr(line, '/');
			if (path && sscanf(line, "%*s %7s", perms) == 1 && perms[2] == 'x' &&
			    stat(path, &st) == 0)
				set_add(path, &st);
		}
		if (f)
			fclose(f);
	}
	globfree(&maps);
}

static void add_packaged(void)
{
	glob_t lists;

	if (glob("/var/lib/dpkg/info/*.list", 0, NULL, &lists))
		return;
	for (size_t i = 0; i < lists.gl_pathc; i++) {
		FILE *f = fopen(lists.gl_pathv[i], "re");
		char path[4096];
		struct stat st;

		while (f && fgets(path, sizeof(path), f)) {
			path[strcspn(path, "\n")] = '\0';
			if (!lstat(path, &st) && S_ISREG(st.st_mode))
				visit(path, &st, FTW_F, NULL);
		}
		if (f)
			fclose(f);
	}
	globfree(&lists);
}

struct sums {
	uint64_t tables, raw_rows, rows, pages, fdes, rules, frame_ns;
	struct unwind_defects defects;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void build_all(struct sums *sums)
{
	for (size_t i = 0; i < set.nr_files; i++) {
		int fd = open(set.file[i].path, O_RDONLY | O_CLOEXEC);
		struct unwind_table *table;
		struct elf_source source;

		if (fd >= 0 && elf_source_from_fd(fd, &source) >= 0) {
			table = elf_unwind_read(&source, NULL);
			sums->tables += table->kind == EDDY_FILE_TABLE;
			sums->raw_rows += table->nr_raw_rows;
			sums->rows += table->nr_rows;
			sums->pages += table->nr_pages;
			sums->fdes += table->nr_fdes;
			sums->rules += unwind_rules_count(table->rules);
			for (int k = 0; k < NR_UNWIND_DEFECTS; k++)
				sums->defects.count[k] += table->defects.count[k];
			unwind_table_free(table);
		}
		if (fd >= 0)
			close(fd);
	}
}

static void measure(const char *what)
{
	struct sums sums = { 0 };
	uint64_t start, took, bytes;

	build_all(&sums);
	sums = (struct sums){ 0 };
	start = now_ns();
	build_all(&sums);
	took = now_ns() - start;
	bytes = sums.rows * 4 + sums.pages * 8;
	printf("%s: %zu files, %" PRIu64 " tables, %" PRIu64 " FDEs, %" PRIu64 " raw rows, %" PRIu64
	       " rows, %" PRIu64 " rules\n",
	       what, set.nr_files, sums.tables, sums.fdes, sums.raw_rows, sums.rows, sums.rules);
	printf("%s: %.3f s, %.1f ns a raw row, %.1f MB, %.3f bytes a row\n", what,
	       (double)took / 1e9, (double)took / (double)sums.raw_rows, (double)bytes / 1e6,
	       (double)bytes / (double)sums.rows);
	printf("%s: defects", what);
	for (int k = 0; k < NR_UNWIND_DEFECTS; k++)
		if (sums.defects.count[k])
			printf(" %s %" PRIu64, unwind_defect_name(k), sums.defects.count[k]);
	printf("\n");
	for (size_t i = 0; i < set.nr_files; i++)
		free(set.file[i].path);
	set.nr_files = 0;
}

int main(int argc, char **argv)
{
	add_mapped();
	measure("mapped by running processes");
	if (argc > 1)
		for (int i = 1; i < argc; i++)
			nftw(argv[i], visit, 64, FTW_PHYS);
	else {
		nftw("/usr/bin", visit, 64, FTW_PHYS);
		nftw("/usr/sbin", visit, 64, FTW_PHYS);
		nftw("/usr/lib", visit, 64, FTW_PHYS);
	}
	measure(argc > 1 ? "given files" : "/usr/bin /usr/sbin /usr/lib");
	if (argc == 1) {
		add_packaged();
		measure("Debian's packages");
	}
	return 0;
}
