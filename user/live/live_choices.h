/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Choices as text, to be remembered: a line for each, a word and a value.
 *
 *	view flame
 *	window 30
 */
#ifndef EDDY_LIVE_LIVE_CHOICES_H
#define EDDY_LIVE_LIVE_CHOICES_H

#include "live/live_state.h"

void live_choices_print(const struct live_state *s, struct strbuf *to);

/* Choices that were made otherwise: what is remembered of them is of no use. */
enum live_chosen {
	LIVE_CHOSE_VIEW = 1 << 0,
	LIVE_CHOSE_WINDOW = 1 << 1,
	LIVE_CHOSE_IRQ = 1 << 2,
	LIVE_CHOSE_DEGREE = 1 << 3,
};
/* Makes the choices of a text but those; lines that mean nothing here are passed over. */
void live_choices_take(struct live_state *s, const char *text, unsigned int chosen);

#endif
