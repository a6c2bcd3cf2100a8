#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole stacks against elfutils' libdwfl: the same samples walked again from copies of their stacks,
# by program.  What the columns mean stands in tests/live/dwfl_verdict.h; tests/noisy/test_dwfl.sh
# judges the same comparison.
#
#   SAMPLES (60000)
. tests/bench/lib.sh
need_root
[[ -x $B/live/dwfl_check ]] || { echo '(built for x86-64 only)'; exit 0; }
timeout -k 5 240 "$B/live/dwfl_check" -n "${SAMPLES:-60000}" -t 200 bash tests/live/dwfl_load.sh 2>"$T/err" |
	awk '$2 == "samples" {
		if (!head++) { printf "  %-15s", ""; for (i = 2; i < NF; i += 2) printf " %11s", $i; print "" }
		if ($3 < 100) { next }
		printf "  %-15s", $1; for (i = 3; i <= NF; i += 2) printf " %11s", $i; print ""
		next
	} { print "  " $0 }'
sed 's/^/  /' "$T/err"
