// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that the sampler asks for, over maps that are none: each is opened at once, told of before
 * any frame names it, and has a table when the thread has made one; what cannot be opened or read
 * is asked for again when that may help, and not with each sample.
 */
#include "capture/unwind_loader.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "capture/mapping_open.h"
#include "capture/running_files.h"
#include "capture/vdso.h"
#include "unit/unit.h"
#include "unwind/elf_unwind.h"
#include "unwind/unwind_parse.h"
#include "util/mem.h"

/* Compiled once more, with as many numbers of files as the test says. */
static uint32_t max_number = EDDY_FRAME_FILE_MASK;
#undef EDDY_FRAME_FILE_MASK
#define EDDY_FRAME_FILE_MASK max_number
#include "capture/file_numbers.c"

#define SECOND_NS 1000000000ull
#define MAX_LOG	  4096
#define NR_ROWS	  100

static struct {
	uint64_t now_ns;
	int open_error; /* of mapping_open(); 0: it opens */
	int read_error; /* of mapping_read(), the same */
	int parse_error;
	int add_error;
	unsigned int nr_running; /* files of running processes */
	char log[MAX_LOG];	 /* what was done, in order */
	pthread_mutex_t reading, building, walking;
} fake = { .reading = PTHREAD_MUTEX_INITIALIZER,
	   .building = PTHREAD_MUTEX_INITIALIZER,
	   .walking = PTHREAD_MUTEX_INITIALIZER };

/* "add 3 table;" */
static void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *fmt, ...)
{
	size_t len = strlen(fake.log);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(fake.log + len, sizeof(fake.log) - len, fmt, ap);
	va_end(ap);
}

static void notes_are(const char *want)
{
	assert_string_equal(fake.log, want);
	fake.log[0] = '\0';
}

/* ---- what it stands on -------------------------------------------------------------------- */

int clock_gettime(clockid_t clock, struct timespec *t)
{
	t->tv_sec = fake.now_ns / SECOND_NS;
	t->tv_nsec = fake.now_ns % SECOND_NS;
	return 0;
}

int mapping_open(struct worker_pool *pool, const struct asked_mapping *asked)
{
	return fake.open_error ? fake.open_error : memfd_create("file", MFD_CLOEXEC);
}

/* The thread waits here as long as the test holds the lock. */
int mapping_read(struct worker_pool *pool, const struct asked_mapping *asked, int fd,
		 const struct file_watch_fds *watch, struct mapped_copy *ret_copy)
{
	pthread_mutex_lock(&fake.reading);
	pthread_mutex_unlock(&fake.reading);
	if (fake.read_error)
		return fake.read_error;
	*ret_copy = (struct mapped_copy){ .fd = memfd_create("copy", MFD_CLOEXEC), .watch = -1 };
	return 0;
}

bool running_files_each(struct worker_pool *pool, const struct file_watch_fds *watch,
			bool (*is_to_end)(void *ctx), running_file_fn fn, void *ctx)
{
	pthread_mutex_lock(&fake.walking);
	pthread_mutex_unlock(&fake.walking);
	for (unsigned int i = 1; i <= fake.nr_running && !is_to_end(ctx); i++) {
		const struct eddy_file_event ev = { .key.ino = i };
		const struct asked_mapping asked = { .ev = &ev, .owner = OWNER_SYSTEM };
		struct mapped_copy copy = { .fd = memfd_create("copy", MFD_CLOEXEC), .watch = -1 };
		int fd = memfd_create("file", MFD_CLOEXEC);

		fn(ctx, &asked, fd, NULL, &copy);
		close(fd);
		close(copy.fd);
	}
	return true;
}

/* And here as long as the test holds the lock. */
struct unwind_table *elf_unwind_read(const struct elf_source *source, struct unwind_rules *rules)
{
	struct unwind_table *t = xcalloc(1, sizeof(*t));

	pthread_mutex_lock(&fake.building);
	pthread_mutex_unlock(&fake.building);
	t->kind = EDDY_FILE_TABLE;
	t->nr_rows = NR_ROWS;
	return t;
}

/* What this machine's own is, and whether it has one, is another test's. */
bool vdso_read(struct unwind_table **ret_table, int *ret_fd)
{
	*ret_table = xcalloc(1, sizeof(**ret_table));
	*ret_fd = memfd_create("vdso", MFD_CLOEXEC);
	return true;
}

void unwind_parse(const struct worker_request *request, struct worker_answer *answer)
{
	answer->status = fake.parse_error;
}

struct unwind_table *unwind_parsed(const struct worker_answer *answer, struct unwind_rules *rules)
{
	return answer->status ? NULL : elf_unwind_read(NULL, rules);
}

struct unwind_maps {
	struct eddy_unwind_rules rules;
};

int unwind_maps_new(const struct unwind_maps_fds *fds, uint64_t max_bytes,
		    struct unwind_maps **ret_maps, struct diag *ret_diag)
{
	*ret_maps = xcalloc(1, sizeof(**ret_maps));
	return 0;
}

void unwind_maps_free(struct unwind_maps *m)
{
	free(m);
}

void unwind_maps_age(struct unwind_maps *m)
{
}

int unwind_maps_add(struct unwind_maps *m, const struct eddy_unwind_key *key, uint32_t id,
		    const struct unwind_table *table)
{
	note("add %llu%s%s;", (unsigned long long)key->ino, table ? " table" : "",
	     fake.add_error ? " fails" : "");
	return fake.add_error;
}

bool unwind_maps_have_room(const struct unwind_maps *m, const struct unwind_table *table)
{
	return true;
}

void unwind_maps_settle(struct unwind_maps *m)
{
	note("settle;");
}

void unwind_maps_forget(struct unwind_maps *m, const struct eddy_unwind_key *key)
{
	note("forget %llu;", (unsigned long long)key->ino);
}

bool unwind_maps_was_used(struct unwind_maps *m, const struct eddy_unwind_key *key)
{
	return false;
}

void unwind_maps_look_again(struct unwind_maps *m)
{
	note("look;");
}

void unwind_maps_find(struct unwind_maps *m, const struct eddy_unwind_key *key, uint64_t offset,
		      struct late_place *ret_place)
{
	ret_place->kind = LATE_PLACE_TABLE;
	ret_place->file = key->ino;
}

void unwind_maps_get_stats(const struct unwind_maps *m, struct unwind_maps_stats *ret_stats)
{
	*ret_stats = (struct unwind_maps_stats){ 0 };
}

/* ---- the loader --------------------------------------------------------------------------- */

static void on_file(void *ctx, uint32_t file, const struct met_file *met)
{
	assert_true(file > 0 && fcntl(met->fd, F_GETFD) & FD_CLOEXEC);
	note("told %s;", strcmp(met->path, "[vdso]") ? "file" : met->path);
	close(met->fd);
}

static struct unwind_loader *begin_early(void)
{
	const struct unwind_loader_opts opts = { .max_bytes = NR_ROWS * sizeof(uint32_t),
						 .on_file = on_file };
	struct unwind_loader *l = NULL;

	fake.now_ns = 1000 * SECOND_NS;
	fake.open_error = fake.read_error = fake.add_error = 0;
	fake.log[0] = '\0';
	assert_int_equal(unwind_loader_new(&opts, &l, NULL), 0);
	return l;
}

static void use_maps(struct unwind_loader *l, uint64_t wait_ns)
{
	const struct unwind_maps_fds fds = { 0 };

	assert_int_equal(unwind_loader_use_maps(l, &fds, wait_ns, NULL), 0);
}

static struct unwind_loader *begin(void)
{
	struct unwind_loader *l = begin_early();

	use_maps(l, 20 * SECOND_NS);
	fake.log[0] = '\0';
	return l;
}

static void ask(struct unwind_loader *l, uint64_t ino)
{
	const struct eddy_file_event ev = { .type = EDDY_EVENT_FILE,
					    .key = { .ino = ino },
					    .shown = { .ino = ino } };

	unwind_loader_request(l, &ev);
}

/* Until all that was asked for has been made; the descriptor says when there is some. */
static void wait_made(struct unwind_loader *l)
{
	struct pollfd fd = { .fd = unwind_loader_poll_fd(l), .events = POLLIN };

	while (unwind_loader_is_busy(l)) {
		assert_int_equal(poll(&fd, 1, 20000), 1);
		unwind_loader_poll(l);
	}
}

static struct unwind_loader_stats stats(struct unwind_loader *l)
{
	struct unwind_loader_stats s;

	unwind_loader_get_stats(l, &s);
	return s;
}

/* ---- tests -------------------------------------------------------------------------------- */

static void running_files_come_first(void **state)
{
	struct unwind_loader *l;

	fake.nr_running = 2;
	l = begin_early();
	use_maps(l, 20 * SECOND_NS);
	notes_are("add 0 table;told [vdso];told file;add 1 table;told file;add 2 table;settle;");
	assert_int_equal(stats(l).nr_preloaded, 2);
	assert_int_equal(stats(l).nr_requests, 0);
	unwind_loader_free(l);
	fake.nr_running = 0;
}

/* Polls until so many files that nobody asked for have come. */
static void wait_preloaded(struct unwind_loader *l, uint64_t nr)
{
	struct pollfd fd = { .fd = unwind_loader_poll_fd(l), .events = POLLIN };

	while (stats(l).nr_preloaded < nr) {
		assert_int_equal(poll(&fd, 1, 20000), 1);
		unwind_loader_poll(l);
	}
}

static void what_is_not_read_in_time_comes_later(void **state)
{
	struct unwind_loader *l;

	fake.nr_running = 3;
	pthread_mutex_lock(&fake.walking);
	l = begin_early();
	use_maps(l, 0);
	notes_are("add 0 table;told [vdso];settle;");
	ask(l, 2);
	wait_made(l);
	notes_are("told file;add 2 table;");
	pthread_mutex_unlock(&fake.walking);
	wait_preloaded(l, 2);
	/* The one that was asked for is not told again. */
	notes_are("told file;add 1 table;told file;add 3 table;");
	unwind_loader_free(l);
	fake.nr_running = 0;
}

/* Thousands are not kept open: the thread waits until they are taken, or nobody will. */
static void much_that_is_not_taken_waits(void **state)
{
	struct unwind_loader *l;

	fake.nr_running = 1000;
	l = begin_early();
	use_maps(l, 20 * SECOND_NS);
	assert_int_equal(stats(l).nr_preloaded, 1000);
	unwind_loader_free(l);
	l = begin_early();
	unwind_loader_free(l);
	fake.nr_running = 0;
}

static void a_file_is_told_before_its_table(void **state)
{
	struct late_mapping asked = { .key.ino = 7 }, other = { .key.ino = 8 };
	struct unwind_loader *l = begin();
	struct late_place place;

	pthread_mutex_lock(&fake.reading);
	pthread_mutex_lock(&fake.building);
	ask(l, 7);
	assert_true(unwind_loader_is_busy(l));
	unwind_loader_poll(l); /* draining waits for neither */
	pthread_mutex_unlock(&fake.reading);
	unwind_loader_poll(l);
	notes_are("");
	assert_true(unwind_loader_is_busy(l));
	pthread_mutex_unlock(&fake.building);
	wait_made(l);
	notes_are("told file;add 7 table;");
	asked.moment = other.moment = unwind_loader_moment(l);
	unwind_loader_find(l, &asked, 0, &place);
	assert_int_equal(place.kind, LATE_PLACE_TABLE);
	unwind_loader_find(l, &other, 0, &place);
	assert_int_equal(place.kind, LATE_PLACE_PENDING);
	unwind_loader_free(l);
}

static void what_cannot_be_opened(void **state)
{
	struct unwind_loader *l = begin();

	fake.open_error = -ESRCH; /* its process ended: another may have it mapped */
	ask(l, 7);
	wait_made(l);
	notes_are("forget 7;");
	assert_int_equal(stats(l).nr_gone, 1);
	fake.open_error = -ENODEV;
	ask(l, 8);
	wait_made(l);
	notes_are("add 8;");
	assert_int_equal(stats(l).nr_refused, 0);
	fake.open_error = -EACCES; /* for a while, without a table */
	ask(l, 9);
	wait_made(l);
	notes_are("add 9;");
	assert_int_equal(stats(l).nr_refused, 1);
	unwind_loader_poll(l);
	notes_are("");
	fake.now_ns += 1.5 * SECOND_NS;
	unwind_loader_poll(l);
	notes_are("forget 9;look;");
	assert_int_equal(stats(l).nr_requests, 3);
	assert_int_equal(stats(l).nr_stalled, 0);
	fake.open_error = -ETIMEDOUT; /* the same, with a cause of its own */
	ask(l, 10);
	wait_made(l);
	notes_are("add 10;");
	assert_int_equal(stats(l).nr_refused, 1);
	assert_int_equal(stats(l).nr_stalled, 1);
	unwind_loader_free(l);
}

/* Its parser died, or lied: names can be had, a table cannot. */
static void what_cannot_be_parsed(void **state)
{
	struct unwind_loader *l = begin();

	fake.parse_error = -EPIPE;
	ask(l, 7);
	wait_made(l);
	notes_are("told file;add 7;");
	assert_int_equal(stats(l).nr_refused, 1);
	fake.parse_error = 0;
	ask(l, 8);
	wait_made(l);
	notes_are("told file;add 8 table;");
	assert_int_equal(stats(l).nr_refused, 1);
	unwind_loader_free(l);
}

static void what_cannot_be_read(void **state)
{
	struct unwind_loader *l = begin();

	fake.read_error = -ENODEV;
	ask(l, 7);
	wait_made(l);
	notes_are("add 7;");
	fake.read_error = -ESTALE; /* another file is mapped there now: asked for again once */
	ask(l, 8);
	wait_made(l);
	notes_are("forget 8;");
	assert_int_equal(stats(l).nr_refused, 1);
	fake.read_error = -ETIMEDOUT;
	ask(l, 9);
	wait_made(l);
	notes_are("add 9;");
	assert_int_equal(stats(l).nr_stalled, 1);
	fake.read_error = 0;
	fake.now_ns += 1.5 * SECOND_NS;
	unwind_loader_poll(l);
	notes_are("forget 9;look;");
	ask(l, 9);
	wait_made(l);
	notes_are("told file;add 9 table;");
	unwind_loader_free(l);
}

/* Each waits with a descriptor: there is a bound, beyond it they are asked for again. */
static void the_worker_is_behind(void **state)
{
	struct unwind_loader *l = begin();
	unsigned int nr = 0;

	pthread_mutex_lock(&fake.building);
	for (fake.log[0] = '\0'; nr < 10000; nr++) {
		ask(l, 1 + nr);
		if (strstr(fake.log, "forget"))
			break;
		fake.log[0] = '\0';
	}
	assert_true(nr >= 64 && nr < 1024);
	assert_int_equal(stats(l).maps.limits.nr[LIMIT_PLACES], 1);
	assert_int_equal(stats(l).nr_refused + stats(l).nr_gone, 0);
	fake.log[0] = '\0';
	pthread_mutex_unlock(&fake.building);
	wait_made(l);
	fake.log[0] = '\0';
	ask(l, 1 + nr);
	wait_made(l);
	assert_memory_equal(fake.log, "told file;", 10);
	ask(l, 2 + nr);
	unwind_loader_free(l); /* in the middle of its work */
}

/* No number is left: the file goes without a table for some seconds, not for ever. */
static void all_numbers_are_taken(void **state)
{
	struct unwind_loader *l = begin();

	max_number = 2; /* the vdso's, and another one */
	ask(l, 7);
	wait_made(l);
	notes_are("told file;add 7 table;");
	ask(l, 8);
	wait_made(l);
	notes_are("add 8;");
	assert_int_equal(stats(l).maps.limits.nr[LIMIT_NUMBERS], 1);
	assert_false(unwind_loader_is_busy(l));
	max_number = 3;
	fake.now_ns += 1.5 * SECOND_NS;
	unwind_loader_poll(l);
	notes_are("forget 8;look;");
	ask(l, 8);
	wait_made(l);
	notes_are("told file;add 8 table;");
	assert_int_equal(stats(l).maps.limits.nr[LIMIT_NUMBERS], 1);
	unwind_loader_free(l);
}

/* Tables that were not used lately make way; until their room is free, the new one waits. */
static void a_table_waits_for_room(void **state)
{
	struct unwind_loader *l = begin();

	ask(l, 7);
	fake.add_error = -ENOSPC;
	wait_made(l);
	notes_are("told file;add 7 table fails;");
	assert_int_equal(stats(l).maps.limits.nr[LIMIT_WAITING], 0);
	ask(l, 6); /* one more than may wait */
	wait_made(l);
	notes_are("told file;add 6 table fails;forget 6;");
	assert_int_equal(stats(l).maps.limits.nr[LIMIT_WAITING], 1);
	unwind_loader_poll(l);
	fake.now_ns += UNWIND_MAPS_REST_SECONDS * SECOND_NS;
	unwind_loader_poll(l);
	notes_are("");
	fake.add_error = 0;
	fake.now_ns += SECOND_NS;
	unwind_loader_poll(l);
	notes_are("add 7 table;");
	unwind_loader_poll(l);
	notes_are("");
	/* What cannot be put there for another reason is asked for again. */
	fake.add_error = -E2BIG;
	ask(l, 8);
	wait_made(l);
	notes_are("told file;add 8 table fails;forget 8;");
	unwind_loader_free(l);
}

/* A test that failed may hold them. */
static int locks_begin(void **state)
{
	pthread_mutex_init(&fake.reading, NULL);
	pthread_mutex_init(&fake.building, NULL);
	pthread_mutex_init(&fake.walking, NULL);
	fake.nr_running = 0;
	max_number = 1 << 20;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(running_files_come_first, locks_begin),
		cmocka_unit_test_setup(what_is_not_read_in_time_comes_later, locks_begin),
		cmocka_unit_test_setup(much_that_is_not_taken_waits, locks_begin),
		cmocka_unit_test_setup(a_file_is_told_before_its_table, locks_begin),
		cmocka_unit_test_setup(what_cannot_be_opened, locks_begin),
		cmocka_unit_test_setup(what_cannot_be_read, locks_begin),
		cmocka_unit_test_setup(what_cannot_be_parsed, locks_begin),
		cmocka_unit_test_setup(the_worker_is_behind, locks_begin),
		cmocka_unit_test_setup(all_numbers_are_taken, locks_begin),
		cmocka_unit_test_setup(a_table_waits_for_room, locks_begin),
	};

	return cmocka_run_group_tests_name("unwind_loader", tests, NULL, NULL);
}
