// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * time_lines FILE NR [lines]: what the places in the source of so many addresses of a file cost,
 * addresses by chance (a fixed seed) in its .text, asked as a window asks: CPU, memory, frames.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "elf/elf_image.h"
#include "symbol/source_parse.h"

static double cpu_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Rising, each once; how many. */
static size_t choose(int fd, uint64_t *addresses, size_t nr)
{
	struct elf_image img = { 0 };
	const struct elf_section *text;
	uint64_t x = 88172645463325252ull;
	size_t n = 0;

	if (elf_image_open(fd, &img) < 0 || !(text = elf_image_section_by_name(&img, ".text")))
		return 0;
	for (size_t i = 0; i < nr; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		addresses[i] = text->addr + x % text->bytes;
	}
	qsort(addresses, nr, sizeof(*addresses), compare);
	for (size_t i = 0; i < nr; i++)
		if (!n || addresses[n - 1] != addresses[i])
			addresses[n++] = addresses[i];
	elf_image_deinit(&img);
	return n;
}

int main(int argc, char **argv)
{
	size_t nr = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, done = 0, questions = 0;
	int fd = nr ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	uint64_t *addresses = calloc(nr + 1, sizeof(*addresses)), cpu_ns;
	struct rusage usage;
	double before;

	if (fd < 0 || !addresses || !(nr = choose(fd, addresses, nr))) {
		fprintf(stderr, "usage: time_lines FILE NR [lines]\n");
		return 2;
	}
	before = cpu_s();
	while (done < nr) {
		const struct source_question q = { .fd = fd,
						   .alt_fd = -1,
						   .addresses = addresses + done,
						   .nr = nr - done,
						   .with_lines = argc > 3 };
		struct source_table *table;
		struct dwarf_alt alt;
		int r = source_parse(&q, &table, &alt, &cpu_ns);

		if (r <= 0) {
			fprintf(stderr, "time_lines: %s: %s\n", argv[1], strerror(-r));
			return 1;
		}
		source_table_free(table);
		done += (size_t)r;
		questions++;
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%zu addresses in %zu questions: %.2f s of CPU, %.0f MiB\n", nr, questions,
	       cpu_s() - before, (double)usage.ru_maxrss / 1024);
	return 0;
}
