/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What somebody who looks at a table has chosen, and what each key changes of it.  Pure: no
 * terminal, no clock, no samples.
 */
#ifndef EDDY_LIVE_LIVE_STATE_H
#define EDDY_LIVE_LIVE_STATE_H

#include "live/live_table.h"

/* Characters are themselves; what is no character stands above all of them. */
enum live_key {
	LIVE_KEY_NONE = 0,
	LIVE_KEY_TAB = 9,
	LIVE_KEY_ENTER = 10,
	LIVE_KEY_ESCAPE = 27,
	LIVE_KEY_ERASE = 127,
	LIVE_KEY_UP = 0x110000,
	LIVE_KEY_DOWN,
	LIVE_KEY_PAGE_UP,
	LIVE_KEY_PAGE_DOWN,
	LIVE_KEY_HOME,
	LIVE_KEY_END,
	LIVE_KEY_HELP,
	LIVE_KEY_FILTER,
	LIVE_KEY_SORT,
	LIVE_KEY_RESIZE,
	LIVE_KEY_LEFT,
	LIVE_KEY_RIGHT,
	LIVE_KEY_CLICK, /* of the mouse: live_state_click() knows the row */
};

/* What is to be done after a key. */
enum live_effect {
	LIVE_DRAW = 1 << 0,   /* the screen is another */
	LIVE_TABLE = 1 << 1,  /* the table is */
	LIVE_PASSES = 1 << 2, /* the passes are: `irq`, or the view */
	LIVE_ZERO = 1 << 3,   /* forget all samples so far */
	LIVE_QUIT = 1 << 4,
	LIVE_WRITE = 1 << 5,	/* write what is shown */
	LIVE_REMEMBER = 1 << 7, /* the choices */
	LIVE_JUMP = 1 << 6,	/* to the window of the time in `typed` */
	LIVE_ANNOTATE = 1 << 8, /* is_page: the selected function by instruction */
};

enum live_prompt { LIVE_NO_PROMPT, LIVE_SEARCH, LIVE_FILTER, LIVE_TIME };

enum {
	LIVE_TYPED_BYTES = 64,
	LIVE_MAX_ZOOMED = 32,
	LIVE_MESSAGE_BYTES = 640,
	LIVE_MODULE_BYTES = 4096
};

struct live_state {
	struct live_choice choice; /* filter points to `filter` while there is one */
	enum live_view before;	   /* where Esc leads from LIVE_CALLS */
	uint8_t irq;		   /* enum irq_mode */
	bool is_live;		   /* else it is a replay, which nothing is added to */
	double window_s;	   /* 0: all; negative: one interval */
	size_t to, nr;		   /* the window's end among nr intervals; to 0: the newest */
	size_t cursor, top;	   /* rows of the table: selected, first on the screen */
	size_t nr_visible;	   /* rows on the screen; set by who draws */
	uint64_t key;		   /* of the selected row */
	char *name;		   /* and its name: keys are others after a new generation */
	uint64_t generation;
	uint64_t last_key_ms;
	bool is_paused, is_help, sorts_once;
	bool is_decayed;		  /* older samples count less: half after window_s */
	bool is_following;		  /* the selected row, on the first row too */
	char message[LIVE_MESSAGE_BYTES]; /* until the next key; escaped when it is shown */
	char module[LIVE_MODULE_BYTES];	  /* choice.module points here */
	struct live_folds folds, tasks;	  /* choice.folds and choice.tasks do */
	enum live_prompt prompt;
	char typed[LIVE_TYPED_BYTES], filter[LIVE_TYPED_BYTES], search[LIVE_TYPED_BYTES];
	size_t help_top;
	/* Instead of a table: lines of whoever did LIVE_ANNOTATE; they are not for ever. */
	bool is_page;
	const char *const *page;
	size_t nr_page, page_top;

	bool is_pair;		      /* callers and callees stand side by side; set by who draws */
	size_t side_top[2];	      /* of them, rows above the first on the screen */
	size_t flame_top;	      /* levels above the first on the screen */
	frame_id zoom[LIVE_MAX_ZOOM]; /* choice.zoom points here */
	uint16_t zooms[LIVE_MAX_ZOOMED]; /* frames of the zooms before, which Esc leads to */
	size_t nr_zooms;
};

void live_state_init(struct live_state *s, const struct live_choice *choice, bool is_live);
/* Of decayed samples. */
double live_state_half_life_s(const struct live_state *s);
void live_state_deinit(struct live_state *s);

/* A key was pressed while this table was there; the enum live_effect's. */
unsigned int live_state_key(struct live_state *s, const struct live_table *t, uint32_t key,
			    uint64_t now_ms);

/* The mouse was pressed on a row. */
unsigned int live_state_click(struct live_state *s, const struct live_table *t, size_t row,
			      uint64_t now_ms);

/*
 * The frames are in another table now (`to`; that of choice.of_frame was `from`): the function is
 * looked for there, and where it is not there is nothing to show about it any more.  So are those
 * that are zoomed on.
 */
void live_state_carry(struct live_state *s, const struct frame_table *from,
		      const struct frame_table *to);

#define LIVE_FREEZE_MS 3000
/*
 * There is a new table in place of `before` (zeroed: there was none).  While the cursor is off the
 * first row and a key was pressed within LIVE_FREEZE_MS, its rows are put into the order of before;
 * the selected row stays selected.  Returns whether it was put so.
 */
bool live_state_follow(struct live_state *s, const struct live_table *before, struct live_table *t,
		       uint64_t now_ms);

/* Lines of help about the keys; *ret_nr of them. */
const char *const *live_state_help(bool is_live, size_t *ret_nr);

#endif
