#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What `eddy snapshot` does with files: a window of 20 000 stacks written, packed at several levels,
# fsync beside a process that writes to the same disk, retention over 100 000 files.  DIR is where:
# on a disk, not on tmpfs.  WINDOW is a file of stacks to write instead of random ones, whose names
# are noise and pack badly.
set -u
D=$(mktemp -d "${DIR:-/var/tmp}/eddy-bench.XXXXXX") || exit 1
trap 'rm -rf "$D"' EXIT
if [[ ${WINDOW:-} ]]; then
	cp "$WINDOW" "$D/window.folded" || exit 1
else
	"$B/bench/gen_folded" 20000 5000 25 60 >"$D/window.folded" || exit 1
fi
ls -l "$D/window.folded" | awk '{ print "window: " $5 " bytes of folded text" }'
stat -f -c 'file system: %T' "$D"
"$B/bench/time_snapshot" "$D/window.folded" "$D"
