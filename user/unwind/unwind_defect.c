// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of defects, in the order of the enum. */
#include "unwind/unwind_defect.h"

#include "util/mem.h"

static const char *const defect_names[] = {
	[UNWIND_DEFECT_RECORD] = "record",	 [UNWIND_DEFECT_CIE] = "cie",
	[UNWIND_DEFECT_ENCODING] = "encoding",	 [UNWIND_DEFECT_OUTSIDE] = "outside",
	[UNWIND_DEFECT_OVERLAP] = "overlap",	 [UNWIND_DEFECT_PROGRAM] = "program",
	[UNWIND_DEFECT_RULE] = "rule",		 [UNWIND_DEFECT_SEGMENT] = "segment",
	[UNWIND_DEFECT_ROWS] = "rows",		 [UNWIND_DEFECT_COMPRESSED] = "compressed",
	[UNWIND_DEFECT_TOO_LARGE] = "too-large", [UNWIND_DEFECT_READ] = "read",
};

_Static_assert(ARRAY_SIZE(defect_names) == NR_UNWIND_DEFECTS, "every defect has a name");

const char *unwind_defect_name(enum unwind_defect defect)
{
	return (unsigned int)defect < NR_UNWIND_DEFECTS ? defect_names[defect] : "invalid";
}
