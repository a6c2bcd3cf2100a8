/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What formats want to know of the capture that stacks come from (struct writer_facts), of files by
 * the `.json` beside them: with the same result as of the capture itself when it ended.
 */
#ifndef EDDY_LOAD_CAPTURE_FACTS_H
#define EDDY_LOAD_CAPTURE_FACTS_H

#include "load/stack_files.h"
#include "output/writer.h"

/*
 * What all files say; what one does not say, or what differs, is not known.  The start is that of
 * the first, durations add up.
 */
struct writer_facts capture_facts_of_files(const struct stack_files *files);

#endif
