/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a count stands for, in words.  Most often it is a sample, and nothing is said; else
 *
 *	"context-switches, each sample weighed by its period"	unit "events": a frequency
 *	"samples, each stands for 1000 context-switches"	a fixed period
 *	"microseconds"						of waiting
 */
#ifndef EDDY_CLI_COUNT_UNIT_H
#define EDDY_CLI_COUNT_UNIT_H

#include "run/capture_account.h"
#include "util/json.h"

/* What the counts of a capture are; NULL: samples.  free(). */
char *count_unit_of_capture(const struct capture_account *a);
/* The same of a file, by the `.json` beside it; NULL also where that does not say. */
char *count_unit_of_sidecar(const struct json *sidecar);

#endif
