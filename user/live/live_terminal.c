// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is drawn comes as escaped text (util/text_escape.h), so no name can do more than be shown.
 * Names begin at a column that ncurses is told, so they stay in line also where it and
 * util/text_width.h disagree about a character before them.
 */
#include "live/live_terminal.h"

#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>

#include "output/flame_layout.h"
#include "util/mem.h"
#include "util/text_width.h"

#define WHEEL_ROWS 3

/* What writing to it may take before it is looked what holds it up, and how often then. */
#define PATIENCE_MS 250
#define CLOSING_MS  1000

struct live_terminal {
	SCREEN *screen;
	bool is_ascii, has_colour;
	size_t mouse_x, mouse_y;
	uint32_t again; /* a key that a movement of the mouse stands for, to come so often yet */
	unsigned int nr_again;
};

/* What gives the terminal back; of the process, as the terminal is. */
static struct {
	struct termios before;
	char leave[192]; /* sequences: attributes off, cursor on, no mouse, the other screen */
	size_t nr;
	volatile bool is_taken;
} rescue;

static void add_sequence(const char *sequence)
{
	size_t len = sequence && sequence != (char *)-1 ? strlen(sequence) : 0;

	if (rescue.nr + len > sizeof(rescue.leave))
		return;
	if (len)
		memcpy(rescue.leave + rescue.nr, sequence, len);
	rescue.nr += len;
}

void live_terminal_rescue(void)
{
	if (!rescue.is_taken)
		return;
	rescue.is_taken = false;
	if (write(STDOUT_FILENO, rescue.leave, rescue.nr) < 0)
		return;
	tcsetattr(STDIN_FILENO, TCSANOW, &rescue.before);
}

static void prepare_rescue(void)
{
	static const char *const names[] = { "sgr0", "cnorm", "rmkx", "rmcup" };

	rescue.nr = 0;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		add_sequence(tigetstr(names[i]));
	/* What ncurses asks for, whatever the terminal calls it. */
	add_sequence("\033[?1006;1000l");
	rescue.is_taken = true;
}

/* ---- one that takes nothing ----------------------------------------------------------------- */

/* Of the process, too: a signal handler asks. */
static struct {
	bool (*is_to_end)(void);
	volatile bool is_closing;
	volatile unsigned int nr_ticks; /* of this writing, since it is to end */
} stuck;

/*
 * A write that waits would keep us from ending.  One who stopped the terminal sees its end; only
 * what nobody takes even so is thrown away.
 */
static void on_tick(int sig)
{
	int err = errno;

	if (!stuck.is_closing && !stuck.is_to_end())
		return;
	if (stuck.nr_ticks++ == 0) {
		tcflow(STDOUT_FILENO, TCOOFF); /* else TCOON does not undo a Ctrl-S */
		tcflow(STDOUT_FILENO, TCOON);
	} else {
		tcflush(STDOUT_FILENO, TCOFLUSH);
	}
	errno = err;
}

static void ticks_begin(unsigned int first_ms)
{
	const struct itimerval timer = {
		.it_value = { first_ms / 1000, first_ms % 1000 * 1000L },
		.it_interval = { 0, PATIENCE_MS * 1000L },
	};

	stuck.nr_ticks = 0;
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void ticks_end(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
}

static void catch_ticks(bool (*is_to_end)(void))
{
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART };

	/* In the background, what the handler does would stop us. */
	sigaddset(&action.sa_mask, SIGTTOU);
	stuck.is_to_end = is_to_end;
	stuck.is_closing = false;
	sigaction(SIGALRM, &action, NULL);
}

/* A pair of colours for each kind of bar: those that colour-blind people can tell apart. */
static bool open_colours(void)
{
	static const struct {
		short text, bar;
	} colours[NR_FLAME_PAINTS] = {
		[FLAME_USER] = { COLOR_BLACK, COLOR_YELLOW },
		[FLAME_KERNEL] = { COLOR_BLACK, COLOR_CYAN },
		[FLAME_INTERRUPT] = { COLOR_WHITE, COLOR_MAGENTA },
		[FLAME_JIT] = { COLOR_BLACK, COLOR_GREEN },
		[FLAME_INLINED] = { COLOR_BLACK, COLOR_WHITE },
		[FLAME_BASE] = { COLOR_WHITE, COLOR_BLUE },
	};

	if (!has_colors() || start_color() == ERR)
		return false;
	use_default_colors();
	for (size_t i = 0; i < NR_FLAME_PAINTS; i++)
		init_pair(i + 1, colours[i].text, colours[i].bar);
	return true;
}

int live_terminal_open(const struct live_terminal_opts *opts, struct live_terminal **ret_terminal,
		       struct diag *ret_diag)
{
	struct live_terminal *t;
	SCREEN *screen;

	if (tcgetattr(STDIN_FILENO, &rescue.before) < 0)
		return diag_set(ret_diag, errno, "terminal: %s", strerror(errno));
	if (!opts->is_ascii && !setlocale(LC_CTYPE, ""))
		setlocale(LC_CTYPE, "C.UTF-8");
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return diag_set(ret_diag, ENOTTY,
				"the terminal is of a kind that is not known here (TERM): --batch "
				"prints plain tables");
	prepare_rescue();
	catch_ticks(opts->is_to_end);
	t = xcalloc(1, sizeof(*t));
	t->screen = screen;
	t->is_ascii = opts->is_ascii;
	t->has_colour = opts->has_colour && open_colours();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0);
	*ret_terminal = t;
	return 0;
}

void live_terminal_free(struct live_terminal *t)
{
	if (!t)
		return;
	rescue.is_taken = false;
	stuck.is_closing = true;
	ticks_begin(CLOSING_MS);
	curs_set(1);
	endwin();
	delscreen(t->screen);
	ticks_end();
	free(t);
}

/* ---- keys ----------------------------------------------------------------------------------- */

static uint32_t function_key(wint_t key)
{
	static const struct {
		wint_t from;
		uint32_t to;
	} keys[] = {
		{ KEY_LEFT, LIVE_KEY_LEFT },	 { KEY_RIGHT, LIVE_KEY_RIGHT },
		{ KEY_UP, LIVE_KEY_UP },	 { KEY_DOWN, LIVE_KEY_DOWN },
		{ KEY_PPAGE, LIVE_KEY_PAGE_UP }, { KEY_NPAGE, LIVE_KEY_PAGE_DOWN },
		{ KEY_HOME, LIVE_KEY_HOME },	 { KEY_END, LIVE_KEY_END },
		{ KEY_ENTER, LIVE_KEY_ENTER },	 { KEY_BACKSPACE, LIVE_KEY_ERASE },
		{ KEY_RESIZE, LIVE_KEY_RESIZE }, { KEY_F(1), LIVE_KEY_HELP },
		{ KEY_F(4), LIVE_KEY_FILTER },	 { KEY_F(6), LIVE_KEY_SORT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].from == key)
			return keys[i].to;
	return LIVE_KEY_NONE;
}

static uint32_t mouse_key(struct live_terminal *t)
{
	MEVENT event;

	if (getmouse(&event) == ERR)
		return LIVE_KEY_NONE;
	t->mouse_x = event.x;
	t->mouse_y = event.y;
	if (event.bstate & BUTTON1_PRESSED)
		return LIVE_KEY_CLICK;
	t->again = event.bstate & BUTTON4_PRESSED ? LIVE_KEY_UP : LIVE_KEY_DOWN;
	t->nr_again = WHEEL_ROWS - 1;
	return t->again;
}

void live_terminal_mouse(const struct live_terminal *t, size_t *ret_x, size_t *ret_y)
{
	*ret_x = t->mouse_x;
	*ret_y = t->mouse_y;
}

uint32_t live_terminal_key(struct live_terminal *t)
{
	uint32_t key = LIVE_KEY_NONE;
	wint_t c;
	int r;

	if (t->nr_again) {
		t->nr_again--;
		return t->again;
	}
	/* Keys that mean nothing here are passed over. */
	while (!key && (r = get_wch(&c)) != ERR) {
		if (r == KEY_CODE_YES)
			key = c == KEY_MOUSE ? mouse_key(t) : function_key(c);
		else if (c == '\r')
			key = LIVE_KEY_ENTER;
		else if (c == '\b')
			key = LIVE_KEY_ERASE;
		else if (c < LIVE_KEY_UP)
			key = c;
	}
	return key;
}

void live_terminal_size(const struct live_terminal *t, size_t *ret_width, size_t *ret_height)
{
	*ret_width = COLS;
	*ret_height = LINES;
}

bool live_terminal_is_ready(const struct live_terminal *t)
{
	struct pollfd fd = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&fd, 1, 0) > 0;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* The few that are drawn with have another form; a '?' for each column of any other. */
static void add_ascii(struct strbuf *to, const char *character, size_t len)
{
	static const char *const forms[][2] = {
		{ "▏", "|" }, { "…", "~" }, { "▁", "0" }, { "▂", "1" }, { "▃", "3" },
		{ "▄", "4" }, { "▅", "5" }, { "▆", "6" }, { "▇", "8" }, { "█", "9" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (strlen(forms[i][0]) == len && !memcmp(forms[i][0], character, len)) {
			strbuf_addstr(to, forms[i][1]);
			return;
		}
	for (size_t w = text_width(character, len); w; w--)
		strbuf_addch(to, '?');
}

static void to_ascii(struct strbuf *to, const char *text, size_t len)
{
	for (size_t at = 0; at < len;) {
		size_t next = at + 1;

		while (next < len && ((unsigned char)text[next] & 0xc0) == 0x80)
			next++;
		if (next == at + 1 && !(text[at] & 0x80))
			strbuf_addch(to, text[at]);
		else
			add_ascii(to, text + at, next - at);
		at = next;
	}
}

static attr_t attributes(const struct live_terminal *t, const struct live_span *span)
{
	switch ((enum live_style)span->style) {
	case LIVE_PLAIN:
		break;
	case LIVE_BOLD:
		return A_BOLD;
	case LIVE_REVERSE:
		return A_REVERSE;
	case LIVE_BAR:
		return t->has_colour ? COLOR_PAIR(span->paint + 1) : A_REVERSE;
	case LIVE_BAR_CHOSEN:
		return t->has_colour ? COLOR_PAIR(span->paint + 1) | A_BOLD | A_UNDERLINE : A_BOLD;
	}
	return A_NORMAL;
}

static void show_span(const struct live_terminal *t, size_t y, const struct live_span *span)
{
	_cleanup_strbuf_ struct strbuf ascii = STRBUF_INIT;
	attr_t attrs = attributes(t, span);

	attrset(attrs);
	if (attrs & (A_REVERSE | A_COLOR))
		mvhline(y, span->at, ' ' | attrs, span->width);
	if (!t->is_ascii) {
		mvaddnstr(y, span->at, span->text.bytes, span->text.len);
		return;
	}
	to_ascii(&ascii, span->text.bytes, span->text.len);
	mvaddnstr(y, span->at, ascii.bytes, ascii.len);
}

void live_terminal_show(struct live_terminal *t, const struct live_screen *screen)
{
	erase();
	for (size_t y = 0; y < screen->height; y++)
		for (size_t i = 0; i < screen->lines[y].nr; i++)
			show_span(t, y, &screen->lines[y].spans[i]);
	attrset(A_NORMAL);
	ticks_begin(PATIENCE_MS);
	refresh();
	ticks_end();
}
