#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What `eddy snapshot` does with files: a window of 20 000 stacks written, packed at several levels,
# fsync beside a process that writes to the same disk, retention over 100 000 files.  DIR is where:
# on a disk, not on tmpfs.
set -u
D=$(mktemp -d "${DIR:-/var/tmp}/eddy-bench.XXXXXX") || exit 1
trap 'rm -rf "$D"' EXIT
"$B/bench/gen_folded" 20000 5000 25 60 >"$D/window.folded" || exit 1
ls -l "$D/window.folded" | awk '{ print "window: " $5 " bytes of folded text" }'
stat -f -c 'file system: %T' "$D"
"$B/bench/time_snapshot" "$D/window.folded" "$D"
