// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop of the screen: intervals in, keys in, at most ten screens a second out, and none while
 * the terminal takes nothing.  Sampling goes on in its own thread whatever happens here.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "util/terminal.h"
#include "top/top_config.h"
#include "top/top_run.h"
#include "live/live_terminal.h"
#include "run/signals.h"
#include "util/clock.h"
#include "util/mem.h"

#define FRAME_MS 100
#define PAGE_MS	 900

struct screen {
	struct top *top;
	struct top_sampler *sampler; /* NULL: a replay */
	struct live_terminal *terminal;
	struct live_state state;
	struct live_table table; /* that is shown */
	struct live_status status;
	struct live_screen screen; /* that is shown */
	char *source, *blind;	   /* of the status */
	struct live_cpu *cpus;	   /* the same */
	unsigned int effects;	   /* enum live_effect: still to be done */
	uint64_t page_ms;	   /* when its lines were made */
	uint64_t drawn_ms;	   /* when the last one was */
	uint64_t serial;	   /* of the past interval that is looked at; 0: of none */
	uint32_t held;		   /* a click that is about what is not seen yet */
	bool has_more;		   /* keys, that standard input may not tell of any more */
	bool is_unseen;		   /* the table is not what was drawn last */
	bool is_frozen;		   /* rows stand in an older order */
	bool has_ended;
};

static uint64_t now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/* ---- when it dies --------------------------------------------------------------------------- */

static const int deadly[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };

static void on_deadly(int sig)
{
	live_terminal_rescue();
	raise(sig); /* as it would have ended: SA_RESETHAND */
}

/* What samples takes the signals that end it; of a replay they wait. */
static const struct top_sampler *sampling;

static bool is_to_end(void)
{
	return sampling ? top_sampler_has_ended(sampling) : signals_are_pending();
}

static void catch_deadly(void)
{
	struct sigaction action = { .sa_handler = on_deadly, .sa_flags = SA_RESETHAND };

	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		sigaction(deadly[i], &action, NULL);
}

/* ---- what is shown -------------------------------------------------------------------------- */

/* The choices of the state become those that tables are made by. */
static void take_choice(struct screen *s)
{
	struct top_request *o = s->top->asked;

	o->choice = s->state.choice;
	if (!(s->effects & LIVE_PASSES))
		return;
	o->passes.irq.mode = s->state.irq;
	top_use_passes(s->top);
	s->effects &= ~LIVE_PASSES;
}

/* A table may be drawn again when the next interval is there already. */
static void copy_cpus(struct screen *s)
{
	free(s->cpus);
	s->cpus = xcalloc(s->status.nr_cpus, sizeof(*s->cpus));
	if (s->status.nr_cpus)
		memcpy(s->cpus, s->status.cpus, s->status.nr_cpus * sizeof(*s->cpus));
	s->status.cpus = s->cpus;
	free(s->blind);
	s->blind = s->status.blind ? xstrdup(s->status.blind) : NULL;
	s->status.blind = s->blind;
}

static int make_table(struct screen *s, struct diag *diag)
{
	struct top_table made;
	struct live_window *w = s->top->window;
	const struct frame_table *frames;
	struct top_range range = { 0 };
	size_t to;
	int r;

	s->state.nr = live_window_nr(w);
	if (s->state.to > s->state.nr)
		s->state.to = s->state.nr;
	to = s->state.to ? s->state.to : s->state.nr;
	range.from = !to		     ? 0
		     : s->state.window_s < 0 ? to - 1
					     : live_window_from(w, to, s->state.window_s);
	range.to = to;
	range.half_life_s = s->state.is_decayed ? live_state_half_life_s(&s->state) : 0;
	frames = profile_frames(live_window_raw(w));
	if (s->table.frames && s->table.frames != frames)
		live_state_carry(&s->state, s->table.frames, frames);
	if (!live_views_share_passes(s->state.choice.view, s->top->asked->choice.view))
		s->effects |= LIVE_PASSES;
	take_choice(s);
	r = top_make_table(s->top, &range, &made, diag);
	if (r < 0)
		return r;
	s->status = made.status;
	free(s->source);
	s->source = xstrdup(s->status.source);
	s->status.source = s->source;
	copy_cpus(s);
	s->is_frozen = live_state_follow(&s->state, &s->table, &made.table, now_ms());
	live_table_deinit(&s->table);
	s->table = made.table;
	s->effects &= ~LIVE_TABLE;
	s->is_unseen = true;
	return 0;
}

static int draw(struct screen *s, struct diag *diag)
{
	struct live_screen screen = { 0 };
	int r;

	live_terminal_size(s->terminal, &screen.width, &screen.height);
	s->state.choice.columns = screen.width;
	r = s->effects & LIVE_TABLE ? make_table(s, diag) : 0;

	if (r < 0)
		return r;
	live_screen_draw(&s->state, &s->table, &s->status, &screen);
	live_terminal_show(s->terminal, &screen);
	live_screen_deinit(&s->screen);
	s->screen = screen;
	s->drawn_ms = now_ms();
	s->is_unseen = false;
	s->effects &= ~LIVE_DRAW;
	return 0;
}

/* ---- what comes in -------------------------------------------------------------------------- */

static void make_page(struct screen *s)
{
	s->state.page = top_annotation_lines(s->top->annotation, &s->state.nr_page);
	s->page_ms = now_ms();
}

/* A page begins, or ends. */
static void do_page(struct screen *s)
{
	struct live_state *state = &s->state;
	struct top *t = s->top;

	if (s->sampler)
		top_sampler_want_places(s->sampler, state->is_page);
	if (!state->is_page) {
		top_annotation_free(take_ptr(t->annotation));
		return;
	}
	top_annotate(t, s->table.frames, s->table.rows[state->cursor].frame);
	make_page(s);
}

static unsigned int do_file(struct screen *s, unsigned int effects)
{
	struct live_state *state = &s->state;
	size_t at = 0;

	if (effects & LIVE_WRITE)
		top_write_shown(s->top, &s->table, state->message, sizeof(state->message));
	if (effects & LIVE_REMEMBER)
		top_config_remember(state);
	if (effects & LIVE_JUMP)
		at = top_window_at(s->top, state->typed, state->message, sizeof(state->message));
	if (at)
		state->to = at == state->nr && state->is_live ? 0 : at;
	effects &= ~(unsigned int)(LIVE_WRITE | LIVE_JUMP | LIVE_REMEMBER);
	return effects | LIVE_DRAW | (at ? LIVE_TABLE : 0);
}

static unsigned int click(struct screen *s)
{
	size_t x, y;

	live_terminal_mouse(s->terminal, &x, &y);
	return live_state_click(&s->state, &s->table, live_screen_row_at(&s->screen, x, y),
				now_ms());
}

static void take_key(struct screen *s, uint32_t key)
{
	s->effects |= key == LIVE_KEY_CLICK ? click(s)
					    : live_state_key(&s->state, &s->table, key, now_ms());
	/* Bars are as many as the screen has columns. */
	if (key == LIVE_KEY_RESIZE && s->state.choice.view == LIVE_FLAME)
		s->effects |= LIVE_TABLE;
	if (s->effects & LIVE_ZERO) {
		live_window_clear(s->top->window);
		s->state.to = 0;
		s->effects |= LIVE_TABLE;
	}
	s->effects &= ~LIVE_ZERO;
	if (s->effects & LIVE_ANNOTATE)
		do_page(s);
	s->effects &= ~(unsigned int)LIVE_ANNOTATE;
	if (s->effects & (LIVE_WRITE | LIVE_JUMP | LIVE_REMEMBER))
		s->effects = do_file(s, s->effects);
}

static uint32_t next_key(struct screen *s)
{
	uint32_t key = s->held;

	s->held = LIVE_KEY_NONE;
	return key ? key : live_terminal_key(s->terminal);
}

/*
 * All that wait, until a screen is due: each is about the table that the one before leads to, which
 * need not have been seen for that.
 */
static int take_keys(struct screen *s, struct diag *diag)
{
	uint32_t key;
	int r = 0;

	s->has_more = false;
	while (r >= 0 && !(s->effects & LIVE_QUIT) && (key = next_key(s)) != LIVE_KEY_NONE) {
		s->has_more = true;
		if (key == LIVE_KEY_CLICK && (s->is_unseen || s->effects & LIVE_TABLE)) {
			s->held = key;
			return 0;
		}
		if (s->effects & LIVE_TABLE)
			r = make_table(s, diag);
		if (r >= 0)
			take_key(s, key);
		if (s->is_unseen && now_ms() >= s->drawn_ms + FRAME_MS)
			return r;
		s->has_more = false;
	}
	return r;
}

/* Intervals have other numbers when old ones go or are added up: what is looked at stays. */
static void keep_past(struct screen *s)
{
	struct live_state *state = &s->state;
	bool is_gone;

	if (!state->to || !s->serial || !live_window_nr(s->top->window))
		return;
	state->nr = live_window_nr(s->top->window);
	state->to = live_window_find(s->top->window, s->serial, &is_gone) + 1;
	if (!is_gone)
		return;
	s->serial = live_window_serial(s->top->window, state->to - 1);
	snprintf(state->message, sizeof(state->message),
		 "that window has made way for newer ones; this is the oldest that is left");
	s->effects |= LIVE_DRAW | LIVE_TABLE;
}

static void note_past(struct screen *s)
{
	size_t to = s->state.to;

	s->serial = s->state.is_live && to && to <= live_window_nr(s->top->window)
			    ? live_window_serial(s->top->window, to - 1)
			    : 0;
}

static int take_intervals(struct screen *s, struct diag *diag)
{
	int r;

	while ((r = top_take_interval(s->top, s->sampler, diag)) == TOP_TAKEN)
		if (!s->state.is_paused && !s->state.to)
			s->effects |= LIVE_DRAW | LIVE_TABLE;
	if (s->state.is_page && now_ms() >= s->page_ms + PAGE_MS)
		make_page(s);
	keep_past(s);
	s->has_ended |= r == TOP_ENDED;
	return r < 0 ? r : 0;
}

/* Milliseconds until there is something to do without anything coming in; -1: never. */
static int timeout_ms(const struct screen *s)
{
	uint64_t now = now_ms(), until;

	if (s->has_more && !s->effects)
		return 0;
	if (s->effects)
		return now >= s->drawn_ms + FRAME_MS ? FRAME_MS
						     : (int)(s->drawn_ms + FRAME_MS - now);
	if (!s->is_frozen || s->state.is_paused)
		return -1;
	until = s->state.last_key_ms + LIVE_FREEZE_MS;
	return until > now ? (int)(until - now) + 1 : 0;
}

/*
 * As poll(2).  That the terminal has another size comes as a key, and is let in only here: else it
 * would come before the wait, or while a table is made, and be seen at the next key.
 */
static int wait_for(struct screen *s, struct pollfd *fds, nfds_t nr)
{
	int ms = timeout_ms(s);
	const struct timespec left = { ms / 1000, ms % 1000 * 1000000L };
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	sigdelset(&mask, SIGWINCH);
	return ppoll(fds, nr, ms < 0 ? NULL : &left, &mask);
}

static int step(struct screen *s, int signals_fd, struct diag *diag)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = s->sampler ? top_sampler_fd(s->sampler) : signals_fd, .events = POLLIN },
	};
	int r = wait_for(s, fds, ARRAY_SIZE(fds));

	/* EINTR: the terminal has another size, or it is in the foreground again. */
	if (r < 0 && errno != EINTR)
		return diag_set(diag, errno, "poll: %s", strerror(errno));
	r = 0;
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		s->has_ended = true; /* the terminal is gone */
	if (s->sampler)
		r = take_intervals(s, diag);
	else
		s->has_ended |= signals_are_pending();
	if (r >= 0)
		r = take_keys(s, diag);
	note_past(s);
	if (s->is_frozen && !s->state.is_paused &&
	    now_ms() >= s->state.last_key_ms + LIVE_FREEZE_MS)
		s->effects |= LIVE_DRAW | LIVE_TABLE;
	if (r < 0 || s->has_ended || !s->effects || s->effects & LIVE_QUIT)
		return r < 0 ? r : 0;
	if (now_ms() < s->drawn_ms + FRAME_MS || !live_terminal_is_ready(s->terminal))
		return 0;
	return draw(s, diag);
}

static void screen_deinit(struct screen *s)
{
	live_terminal_free(s->terminal);
	sampling = NULL;
	top_sampler_free(s->sampler);
	live_screen_deinit(&s->screen);
	live_table_deinit(&s->table);
	live_state_deinit(&s->state);
	free(s->source);
	free(s->blind);
	free(s->cpus);
}

/* ---- begin and end -------------------------------------------------------------------------- */

/* What is said while the screen is there already; the last one stays. */
static char warned[LIVE_MESSAGE_BYTES];

static void keep_warning(const char *text)
{
	snprintf(warned, sizeof(warned), "%s", text);
}

/* The header is there before sampling begins, which takes its time. */
static int begin_sampling(struct screen *s, const struct capture_request *request, int signals_fd,
			  struct diag *diag)
{
	struct capture_request quiet = *request;
	int r = draw(s, diag);

	quiet.warn = keep_warning;
	quiet.is_watched = true;
	if (r >= 0)
		r = top_sampler_start(&quiet, true, signals_fd, &s->sampler, diag);
	sampling = s->sampler;
	/* Nothing else is new: to draw again now would put off the first numbers. */
	if (*warned) {
		snprintf(s->state.message, sizeof(s->state.message), "%s", warned);
		s->effects |= LIVE_DRAW;
	}
	return r;
}

int top_screen_run(struct top *t, const struct capture_request *request, int signals_fd,
		   struct diag *diag)
{
	__attribute__((cleanup(screen_deinit))) struct screen s = {
		.top = t,
		.table.text = STRBUF_INIT,
		.effects = LIVE_DRAW | LIVE_TABLE,
	};
	const struct live_terminal_opts opts = { .is_ascii = terminal_is_ascii(),
						 .has_colour = terminal_has_colour(STDOUT_FILENO),
						 .is_to_end = is_to_end };
	int r;

	live_state_init(&s.state, &t->asked->choice, t->is_live);
	s.state.window_s =
		t->asked->window_s < 0 && t->is_live ? TOP_DEFAULT_WINDOW_S : t->asked->window_s;
	s.state.irq = t->asked->passes.irq.mode;
	if (!t->is_live)
		s.state.to = 1;
	top_config_recall(&s.state, s.top->asked->given / TOP_CHOSEN);
	/* The view and the passes of the options are what stands so far. */
	s.effects |= s.state.irq != t->asked->passes.irq.mode ? LIVE_PASSES : 0;
	r = live_terminal_open(&opts, &s.terminal, diag);
	if (r < 0)
		return r;
	catch_deadly();
	terminal_block_resizes();
	if (request)
		r = begin_sampling(&s, request, signals_fd, diag);
	while (r >= 0 && !s.has_ended && !(s.effects & LIVE_QUIT))
		r = step(&s, signals_fd, diag);
	return r;
}
