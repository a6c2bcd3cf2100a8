/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a count stands for, in words.  Most often it is a sample, and nothing is said; else
 *
 *	"context-switches, each sample weighed by its period"	unit "events": a frequency
 *	"samples, each stands for 1000 context-switches"	a fixed period
 *	"microseconds"						of waiting
 */
#ifndef EDDY_ARCHIVE_COUNT_UNIT_H
#define EDDY_ARCHIVE_COUNT_UNIT_H

#include "archive/sidecar_read.h"

/* What counts of an event are that has this period (0: none); NULL: samples.  free(). */
char *count_unit_words(enum sidecar_unit unit, const char *event, bool is_clock, uint64_t period);
/* The same of a file, by the `.json` beside it; NULL also where that does not say. */
char *count_unit_of_sidecar(const struct json *sidecar);

#endif
