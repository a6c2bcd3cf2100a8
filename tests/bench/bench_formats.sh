#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Writing 260 000 distinct stacks (24 frames each, about 140 MB of folded text) in every format of
# stacks, to /dev/null: medians of ROUNDS (5), formats in turn.  pprof is to stay below 0.6 s and
# 60 MB.
. tests/bench/lib.sh
formats="folded folded.gz pprof speedscope svg"
"$B/bench/gen_folded" 260000 20000 24 60 >"$T/big.folded" || exit 1
for ((i = 0; i < ${ROUNDS:-5}; i++)); do
	for f in $formats; do
		"$B/bench/time_writer" "$f" "$T/big.folded" >>"$T/$f" || exit 1
	done
done
for f in $formats; do
	echo "$f: $(cut -d' ' -f1 "$T/$f" | median) s of CPU," \
		"$(cut -d' ' -f2 "$T/$f" | median) MB beside the profile"
done
