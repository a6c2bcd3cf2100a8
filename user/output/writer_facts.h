/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filling in what is known of a capture (struct writer_facts), from a capture or from a `.json`. */
#ifndef EDDY_OUTPUT_WRITER_FACTS_H
#define EDDY_OUTPUT_WRITER_FACTS_H

#include "output/writer.h"

/* A name that is too long is not known. */
void writer_facts_set_event(struct writer_facts *f, const char *event);
/* By is_weighed, which is to be set before.  period: of a clock nanoseconds; one of both is 0. */
void writer_facts_set_period(struct writer_facts *f, bool is_clock, uint64_t freq_hz,
			     uint64_t period);
/* Since 1970; what is no time of a capture is not known. */
void writer_facts_set_time(struct writer_facts *f, uint64_t start_ms, uint64_t end_ms);

#endif
