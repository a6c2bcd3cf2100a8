// SPDX-License-Identifier: GPL-2.0-or-later
/* One thread samples, a mutex around a short list is all that it shares. */
#include "top/top_sampler.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "profile/profile_trim.h"
#include "util/mem.h"

#define MAX_WAITING	  8		     /* intervals */
#define MAX_WAITING_BYTES ((size_t)64 << 20) /* of the one that the others are added to */

/* Whoever looks wants to see something at once, and what is more than chance soon after. */
static const uint64_t short_ns[] = { 40000000, 200000000 };

struct cpu_taken {
	uint64_t delivered, idle; /* since the start */
};

struct top_sampler {
	struct capture_run *run;
	size_t nr_short; /* intervals that are shorter, still to come */
	int signals_fd, stop_fd, news_fd;
	pthread_t thread;
	bool is_running;
	struct cpu_taken *cpus; /* by number, when the last window ended; the thread's */
	uint32_t nr_cpus;
	bool wants_places; /* atomic */

	pthread_mutex_t mutex; /* for all that follows */
	struct top_interval waiting[MAX_WAITING];
	size_t nr;
	bool has_ended;
	int err; /* of the capture; then `diag` says why */
	struct diag diag;
};

void top_interval_deinit(struct top_interval *i)
{
	profile_free(i->stacks);
	free(i->source);
	free(i->unit);
	free(i->blind);
	free(i->cpus);
	*i = (struct top_interval){ 0 };
}

/* ---- what is handed over ------------------------------------------------------------------- */

static char *source_of(const struct capture_account *a)
{
	if (a->rate.period)
		return xasprintf("%s, every %" PRIu64 "%s", a->event->name, a->rate.period,
				 a->event->is_clock ? " ns" : "");
	return xasprintf("%s, %" PRIu64 " Hz", a->event->name, a->rate.freq_hz);
}

static struct top_interval interval_of(struct capture_window *window)
{
	const struct capture_account *a = &window->account;
	const struct sampler_stats *s = &a->sampler;

	return (struct top_interval){
		.stacks = take_ptr(window->profile), /* with frames of its own */
		.account = { .start_ms = a->start_ms,
			     .end_ms = a->end_ms,
			     .seconds = a->seconds,
			     .cpu_seconds = s->enabled_ns / 1e9,
			     .due = s->due,
			     .delivered = s->delivered,
			     .idle = s->idle,
			     .filtered = s->filtered,
			     .kept = s->kept,
			     .lost = a->nr_lost,
			     .own_seconds = a->cpu_seconds,
			     .bpf_seconds = s->bpf_ns / 1e9,
			     .has_due = s->due_is_known,
			     .is_counted = true },
		.source = source_of(a),
		.unit = capture_account_unit(a),
		.blind = a->nr_notes ? xstrdup(a->notes[0]) : NULL,
	};
}

/* Two that nobody took become one, in memory that is bounded. */
static void add_up(struct top_interval *into, struct top_interval *from)
{
	struct profile *trimmed;

	if (profile_merge(into->stacks, from->stacks) >= 0)
		live_account_add(&into->account, &from->account);
	top_interval_deinit(from);
	if (profile_bytes(into->stacks) < MAX_WAITING_BYTES)
		return;
	trimmed = profile_trim(into->stacks, MAX_WAITING_BYTES / 2, NULL, &(uint64_t){ 0 });
	profile_free(into->stacks);
	into->stacks = trimmed;
}

static void tell(const struct top_sampler *s)
{
	eventfd_write(s->news_fd, 1);
}

/* What came on each CPU since the window before; one that nothing ever came on is not sampled. */
static void add_cpus(struct top_sampler *s, struct top_interval *interval)
{
	interval->cpus = xcalloc(s->nr_cpus, sizeof(*interval->cpus));
	for (uint32_t cpu = 0; cpu < s->nr_cpus; cpu++) {
		struct cpu_taken now, *before = &s->cpus[cpu];
		struct live_cpu *c = &interval->cpus[interval->nr_cpus];
		uint64_t taken;

		capture_run_get_cpu(s->run, cpu, &now.delivered, &now.idle);
		if (!now.delivered)
			continue;
		interval->nr_cpus++;
		taken = now.delivered - before->delivered;
		c->cpu = cpu;
		c->busy_percent = taken ? 100 - 100.0 * (now.idle - before->idle) / taken : -1;
		*before = now;
	}
}

static void hand_over(struct top_sampler *s, struct capture_window *window)
{
	struct top_interval interval = interval_of(window);

	add_cpus(s, &interval);
	pthread_mutex_lock(&s->mutex);
	if (s->nr == MAX_WAITING) {
		add_up(&s->waiting[0], &s->waiting[1]);
		memmove(s->waiting + 1, s->waiting + 2, (s->nr - 2) * sizeof(interval));
		s->nr--;
	}
	s->waiting[s->nr++] = interval;
	pthread_mutex_unlock(&s->mutex);
	tell(s);
}

int top_sampler_take(struct top_sampler *s, struct top_interval *ret_interval,
		     struct diag *ret_diag)
{
	eventfd_t value;
	int r = TOP_NOTHING;

	pthread_mutex_lock(&s->mutex);
	if (s->nr) {
		*ret_interval = s->waiting[0];
		memmove(s->waiting, s->waiting + 1, --s->nr * sizeof(*s->waiting));
		r = TOP_TAKEN;
	} else if (s->has_ended) {
		r = s->err < 0 ? s->err : TOP_ENDED;
		if (s->err < 0)
			*ret_diag = s->diag;
	}
	if (!s->nr && !s->has_ended)
		eventfd_read(s->news_fd, &value);
	pthread_mutex_unlock(&s->mutex);
	return r;
}

/* ---- the thread ----------------------------------------------------------------------------- */

static int sample(struct top_sampler *s, struct diag *diag)
{
	struct capture_wait wait = { .signals_fd = s->signals_fd, .fd = s->stop_fd };

	for (;;) {
		_cleanup_capture_window_ struct capture_window window = { 0 };
		int r, wake;

		wait.timeout_ns = s->nr_short ? short_ns[ARRAY_SIZE(short_ns) - s->nr_short] : 0;
		wake = capture_run_wait(s->run, &wait, NULL, diag);
		if (wake < 0)
			return wake;
		if (wake != CAPTURE_WAKE_WINDOW && wake != CAPTURE_WAKE_TIMEOUT) {
			r = capture_run_stop(s->run, &window, diag);
			if (r >= 0)
				hand_over(s, &window);
			return r;
		}
		s->nr_short = wake == CAPTURE_WAKE_WINDOW || !s->nr_short ? 0 : s->nr_short - 1;
		/* One that cannot be ended goes on: nothing is lost, and the next try may do. */
		if (capture_run_end_window(s->run, &window, diag) >= 0)
			hand_over(s, &window);
		capture_run_set_places(s->run, __atomic_load_n(&s->wants_places, __ATOMIC_ACQUIRE));
	}
}

static void *thread_main(void *arg)
{
	struct top_sampler *s = arg;
	struct diag diag = { "" };
	int err = sample(s, &diag);

	pthread_mutex_lock(&s->mutex);
	__atomic_store_n(&s->has_ended, true, __ATOMIC_RELEASE);
	s->err = err;
	s->diag = diag;
	pthread_mutex_unlock(&s->mutex);
	tell(s);
	return NULL;
}

/* The signals of a terminal are not for this thread: who draws must be woken by them. */
static int start_thread(struct top_sampler *s)
{
	sigset_t terminal, before;
	int err;

	sigemptyset(&terminal);
	sigaddset(&terminal, SIGWINCH);
	sigaddset(&terminal, SIGTSTP);
	sigaddset(&terminal, SIGCONT);
	sigaddset(&terminal, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &terminal, &before);
	err = pthread_create(&s->thread, NULL, thread_main, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	s->is_running = !err;
	return -err;
}

int top_sampler_start(const struct capture_request *request, bool is_first_short, int signals_fd,
		      struct top_sampler **ret_sampler, struct diag *ret_diag)
{
	_cleanup_(top_sampler_freep) struct top_sampler *s = xcalloc(1, sizeof(*s));
	int r;

	pthread_mutex_init(&s->mutex, NULL);
	s->nr_short = is_first_short ? ARRAY_SIZE(short_ns) : 0;
	s->signals_fd = signals_fd;
	s->nr_cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	s->cpus = xcalloc(s->nr_cpus, sizeof(*s->cpus));
	s->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->stop_fd < 0 || s->news_fd < 0)
		return diag_set(ret_diag, errno, "eventfd: %s", strerror(errno));
	r = capture_run_open(request, &s->run, ret_diag);
	if (r >= 0)
		r = capture_run_start(s->run, ret_diag);
	if (r < 0)
		return r;
	r = start_thread(s);
	if (r < 0)
		return diag_set(ret_diag, -r, "no thread to sample: %s", strerror(-r));
	/* Sampling is urgent (util/priority.h), looking at it is not. */
	setpriority(PRIO_PROCESS, 0, 0);
	*ret_sampler = take_ptr(s);
	return 0;
}

void top_sampler_want_places(struct top_sampler *s, bool places)
{
	__atomic_store_n(&s->wants_places, places, __ATOMIC_RELEASE);
}

bool top_sampler_has_ended(const struct top_sampler *s)
{
	return __atomic_load_n(&s->has_ended, __ATOMIC_ACQUIRE);
}

void top_sampler_free(struct top_sampler *s)
{
	if (!s)
		return;
	if (s->is_running) {
		eventfd_write(s->stop_fd, 1);
		pthread_join(s->thread, NULL);
	}
	capture_run_free(s->run);
	while (s->nr)
		top_interval_deinit(&s->waiting[--s->nr]);
	closep(&s->stop_fd);
	closep(&s->news_fd);
	pthread_mutex_destroy(&s->mutex);
	free(s->cpus);
	free(s);
}

int top_sampler_fd(const struct top_sampler *s)
{
	return s->news_fd;
}
