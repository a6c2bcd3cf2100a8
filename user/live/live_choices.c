// SPDX-License-Identifier: GPL-2.0-or-later
/* A text is another program's or another version's: what is not understood changes nothing. */
#include "live/live_choices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define MAX_WINDOW_S 86400
#define MAX_SORTS    (LIVE_MAX_VALUES + LIVE_MAX_TEXTS + 1) /* of any table */

static const char *const irq_names[] = { "split", "keep", "charge", "drop" };
static const char *const degree_names[] = { "none", "direct", "conservative", "full" };
static const char *const answers[] = { "no", "yes" };

void live_choices_print(const struct live_state *s, struct strbuf *to)
{
	const struct live_choice *c = &s->choice;

	strbuf_addstr(to, "# What eddy top begins with; remove this file to forget it.\n");
	strbuf_addf(to, "view %s\n", live_view_names[c->view]);
	strbuf_addf(to, "sort %zu\n", c->sort);
	if (s->window_s >= 0)
		strbuf_addf(to, "window %.9g\n", s->window_s);
	strbuf_addf(to, "irq %s\n", irq_names[s->irq]);
	strbuf_addf(to, "collapse %s\n", degree_names[c->degree]);
	strbuf_addf(to, "fade %s\n", answers[s->is_decayed]);
	strbuf_addf(to, "hide-kernel %s\n", answers[c->hide_kernel]);
	strbuf_addf(to, "hide-user %s\n", answers[c->hide_user]);
	strbuf_addf(to, "least-first %s\n", answers[c->is_inverted]);
	strbuf_addf(to, "follow %s\n", answers[s->is_following]);
}

/* Which of the names it is, -1: none. */
static int choice_of(const char *value, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(names[i], value))
			return (int)i;
	return -1;
}

static void take_window(struct live_state *s, const char *value)
{
	char *end;
	double seconds = strtod(value, &end);

	if (*value && !*end && isfinite(seconds) && seconds >= 0 && seconds <= MAX_WINDOW_S)
		s->window_s = seconds;
}

static bool take_answer(struct live_state *s, const char *word, const char *value)
{
	const struct {
		const char *word;
		bool *answer;
	} flags[] = {
		{ "fade", &s->is_decayed },
		{ "hide-kernel", &s->choice.hide_kernel },
		{ "hide-user", &s->choice.hide_user },
		{ "least-first", &s->choice.is_inverted },
		{ "follow", &s->is_following },
	};
	int answer = choice_of(value, answers, ARRAY_SIZE(answers));

	for (size_t i = 0; i < ARRAY_SIZE(flags) && answer >= 0; i++)
		if (!strcmp(flags[i].word, word)) {
			*flags[i].answer = answer;
			return true;
		}
	return false;
}

static void take_line(struct live_state *s, const char *word, const char *value,
		      unsigned int chosen)
{
	int which;

	/* The order is a column of the view that is remembered: both are taken, or neither. */
	if (take_answer(s, word, value))
		return;
	if (!strcmp(word, "view") && !(chosen & LIVE_CHOSE_VIEW)) {
		which = choice_of(value, live_view_names, NR_LIVE_VIEWS);
		s->choice.view = which >= 0 ? (enum live_view)which : s->choice.view;
	} else if (!strcmp(word, "sort") && !(chosen & LIVE_CHOSE_VIEW)) {
		s->choice.sort = strtoul(value, NULL, 10) % MAX_SORTS;
	} else if (!strcmp(word, "window") && !(chosen & LIVE_CHOSE_WINDOW)) {
		take_window(s, value);
	} else if (!strcmp(word, "irq") && !(chosen & LIVE_CHOSE_IRQ)) {
		which = choice_of(value, irq_names, ARRAY_SIZE(irq_names));
		s->irq = which >= 0 ? (uint8_t)which : s->irq;
	} else if (!strcmp(word, "collapse") && !(chosen & LIVE_CHOSE_DEGREE)) {
		which = choice_of(value, degree_names, ARRAY_SIZE(degree_names));
		s->choice.degree = which >= 0 ? (enum collapse_degree)which : s->choice.degree;
	}
}

void live_choices_take(struct live_state *s, const char *text, unsigned int chosen)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *space = strchr(line, ' ');

		if (!space || *line == '#')
			continue;
		*space = '\0';
		take_line(s, line, space + 1, chosen);
	}
}
