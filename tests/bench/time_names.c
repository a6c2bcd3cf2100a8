// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * time_names STACKS FILE...: what it costs to name that many distinct user stacks over these ELF
 * files, as a capture does it: by a collector, a symbolizer, workers and their parsers.
 *
 * A stack has 20 frames: the outer 12 in one file, the inner 8 in another, with calls at 160
 * places of each.  Neighbours share their outer frames.  Prints words and values, of ROUNDS rounds
 * of each kind, each in a process of its own that has read nothing before:
 *	cold_ms		all processes' CPU time from their begin to their end, all stacks named
 *	told_ms		the same until all have names, as the pool tells it: what a capture's
 *			cost.cpu_seconds counts
 *	own_ms		of it, the process itself; kallsyms_ms: until the symbolizer was there
 *	names_ms	of told_ms, what came after that; names_clock_ms: the same by the clock
 *	again_ns	a frame of a stack that is named again, the profile's node with it
 *	lookup_ns	a look-up of an address, of all in turn
 *	tables_kib	of symbols; files, frames, named: how many
 * and, of rounds that are looked at every 10 ms, pss_kib: the most memory of all processes together
 * (PSS: what several of them share counts once).
 */
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/collector.h"
#include "util/clock.h"
#include "util/far_file.h"
#include "util/mem.h"
#include "util/worker_pool.h"

#include "random.h"

enum { ROUNDS = 5, PLACES = 160, FRAMES = 20, OUTER_FRAMES = 12 };

struct file {
	const char *path;
	uint64_t places[PLACES]; /* ELF addresses */
};

struct files {
	struct file *list;
	size_t nr;
};

/* ---- stacks ------------------------------------------------------------------------------- */

/* The largest section with code. */
static bool find_text(int fd, Elf64_Shdr *ret_text)
{
	Elf64_Ehdr e;

	ret_text->sh_size = 0;
	if (pread(fd, &e, sizeof(e), 0) != sizeof(e) || memcmp(e.e_ident, ELFMAG "\2\1", 6) ||
	    e.e_shentsize != sizeof(Elf64_Shdr))
		return false;
	for (unsigned int i = 0; i < e.e_shnum; i++) {
		Elf64_Shdr s;

		if (pread(fd, &s, sizeof(s), (off_t)(e.e_shoff + i * sizeof(s))) != sizeof(s))
			return false;
		if (s.sh_type == SHT_PROGBITS && s.sh_flags & SHF_EXECINSTR &&
		    s.sh_size > ret_text->sh_size)
			*ret_text = s;
	}
	return ret_text->sh_size > 0;
}

static void files_add(struct files *files, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct file *f = &files->list[files->nr];
	Elf64_Shdr text;

	if (fd < 0 || !find_text(fd, &text)) {
		fprintf(stderr, "%s: has no code\n", path);
		return;
	}
	f->path = path;
	for (size_t i = 0; i < PLACES; i++)
		f->places[i] = text.sh_addr + test_random_below(text.sh_size);
	files->nr++;
}

/*
 * Stack i.  Which calls its frames are at is told by its number among those of the same file: the
 * further out, the fewer bits of it.
 */
static void make_stack(const struct files *files, size_t i, struct eddy_stack_event *ev)
{
	const size_t file = i % files->nr, nr = i / files->nr;
	const size_t inner = test_mix(i) % files->nr;

	for (size_t depth = 0; depth < FRAMES; depth++) {
		const bool is_outer = depth < OUTER_FRAMES;
		const size_t at = is_outer ? file : inner;
		const size_t shift = is_outer ? (OUTER_FRAMES - depth) / 2 : 0;
		const uint64_t call = test_mix(at << 40 | depth << 32 | nr >> shift) % PLACES;

		ev->frames[FRAMES - 1 - depth] = EDDY_FRAME_FILE |
						 (at + 1) << EDDY_FRAME_FILE_SHIFT |
						 files->list[at].places[call];
	}
}

static struct eddy_stack_event *stack_new(void)
{
	struct eddy_stack_event *ev = xcalloc(1, sizeof(*ev) + FRAMES * sizeof(ev->frames[0]));

	ev->type = EDDY_EVENT_STACK;
	ev->nr_user = FRAMES;
	ev->flags = EDDY_SAMPLE_USER_MODE;
	ev->user_end = EDDY_END_ROOT;
	return ev;
}

/* ---- one round ---------------------------------------------------------------------------- */

struct naming_of {
	struct worker_pool *pool;
	struct symbolizer *symbolizer;
	struct collector *collector;
};

static void meet_file(struct naming_of *n, uint32_t number, const char *path)
{
	struct far_stat st = { 0 };
	struct worker_key key = far_inode(1, number, OWNER_SYSTEM);
	int fd = far_open(n->pool, &key, path, &st);

	if (fd < 0) {
		fprintf(stderr, "%s: %d\n", path, fd);
		exit(1);
	}
	symbolizer_add_file(n->symbolizer, number, &(struct met_file){ fd, &st, path, NULL });
}

static uint64_t all_cpu_ns(const struct naming_of *n)
{
	struct worker_pool_stats workers;

	worker_pool_get_stats(n->pool, &workers);
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) + workers.cpu_ns;
}

static void name_all(struct naming_of *n, const struct files *files, size_t nr_stacks)
{
	_cleanup_free_ struct eddy_stack_event *ev = stack_new();

	for (size_t i = 0; i < nr_stacks; i++) {
		make_stack(files, i, ev);
		collector_count(n->collector, collector_stack(n->collector, ev), 1, 1);
	}
	collector_settle(n->collector);
}

static double ns_each(uint64_t start_ns, size_t nr)
{
	return (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start_ns) / nr;
}

static double time_again(struct naming_of *n, const struct files *files, size_t nr_stacks)
{
	const uint64_t start_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	name_all(n, files, nr_stacks);
	return ns_each(start_ns, nr_stacks * FRAMES);
}

static double time_lookups(struct naming_of *n, const struct files *files)
{
	uint64_t start_ns;
	volatile frame_id sink;

	for (int round = 0; round < 2; round++) {
		start_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		for (size_t place = 0; place < PLACES; place++)
			for (size_t i = 0; i < files->nr; i++)
				sink = symbolizer_file(n->symbolizer, i + 1,
						       files->list[i].places[place]);
	}
	(void)sink;
	return ns_each(start_ns, files->nr * PLACES);
}

static void print_state(const struct naming_of *n)
{
	struct symbolizer_stats symbols;
	struct collector_stats stacks;

	symbolizer_get_stats(n->symbolizer, &symbols);
	collector_get_stats(n->collector, &stacks);
	printf(" tables_kib %" PRIu64 " files %" PRIu64 " frames %" PRIu64 " named %" PRIu64 "\n",
	       symbols.bytes >> 10, symbols.nr_files, stacks.frames_user, stacks.frames_user_named);
}

enum kind { COLD, WARM, LOOKED_AT };

/* In a process of its own. */
static void run_round(const struct files *files, size_t nr_stacks, enum kind kind)
{
	struct frame_table *frames = frame_table_new();
	struct naming_of n = { 0 };
	const uint64_t start_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t kallsyms_ns, clock_begin_ns, own_ns;

	if (worker_pool_new(&n.pool) < 0)
		exit(1);
	n.symbolizer = symbolizer_new(frames, &(struct symbolizer_opts){ .pool = n.pool });
	n.collector = collector_new(n.symbolizer, frames, &(struct collector_opts){ 0 });
	kallsyms_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start_ns;
	clock_begin_ns = clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < files->nr; i++)
		meet_file(&n, i + 1, files->list[i].path);
	name_all(&n, files, nr_stacks);
	own_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start_ns;
	if (kind == COLD) {
		const double told_ms = (all_cpu_ns(&n) - start_ns) / 1e6;

		printf("told_ms %.1f own_ms %.1f kallsyms_ms %.1f names_ms %.1f "
		       "names_clock_ms %.1f\n",
		       told_ms, own_ns / 1e6, kallsyms_ns / 1e6, told_ms - kallsyms_ns / 1e6,
		       (clock_ns(CLOCK_MONOTONIC) - clock_begin_ns) / 1e6);
	}
	if (kind == WARM) {
		printf("again_ns %.1f", time_again(&n, files, nr_stacks));
		printf(" lookup_ns %.1f", time_lookups(&n, files));
		print_state(&n);
	}
	fflush(stdout);
	_exit(0); /* with all its memory: the workers end when it is gone */
}

/* ---- memory of all processes together ----------------------------------------------------- */

static long pss_kib(const char *pid)
{
	char path[64], line[256];
	long kib = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/smaps_rollup", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Pss: %ld", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

static pid_t session_of(const char *pid)
{
	char path[64], text[512] = "", *after_comm;
	int session = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fgets(text, sizeof(text), f) && (after_comm = strrchr(text, ')')))
		sscanf(after_comm, ") %*c %*d %*d %d", &session);
	fclose(f);
	return session;
}

static long session_pss_kib(pid_t session)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	long kib = 0;

	while (proc && (d = readdir(proc)))
		if (d->d_name[0] >= '1' && d->d_name[0] <= '9' && session_of(d->d_name) == session)
			kib += pss_kib(d->d_name);
	if (proc)
		closedir(proc);
	return kib;
}

static pid_t begin_round(const struct files *files, size_t nr_stacks, enum kind kind)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		exit(1);
	if (!pid) {
		setsid();
		run_round(files, nr_stacks, kind);
	}
	return pid;
}

static double children_ms(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

/* Its workers and their parsers end when it has ended, and are ours then. */
static void run_unseen(const struct files *files, size_t nr_stacks, enum kind kind)
{
	const double before_ms = children_ms();

	begin_round(files, nr_stacks, kind);
	while (wait(NULL) > 0)
		;
	if (kind == COLD)
		printf("cold_ms %.1f\n", children_ms() - before_ms);
}

static void run_looked_at(const struct files *files, size_t nr_stacks)
{
	pid_t pid = begin_round(files, nr_stacks, LOOKED_AT);
	long most = 0, now;

	while (!waitpid(pid, NULL, WNOHANG)) {
		now = session_pss_kib(pid);
		if (now > most)
			most = now;
		usleep(10000);
	}
	while (wait(NULL) > 0)
		;
	printf("pss_kib %ld\n", most);
}

int main(int argc, char **argv)
{
	struct files files = { 0 };
	size_t nr_stacks;

	if (argc < 3 || !(nr_stacks = strtoul(argv[1], NULL, 10)))
		return 2;
	files.list = xcalloc(argc, sizeof(*files.list));
	for (int i = 2; i < argc; i++)
		files_add(&files, argv[i]);
	if (!files.nr)
		return 1;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	for (int i = 0; i < ROUNDS; i++) {
		run_unseen(&files, nr_stacks, COLD);
		run_unseen(&files, nr_stacks, WARM);
		run_looked_at(&files, nr_stacks);
	}
	free(files.list);
	return 0;
}
