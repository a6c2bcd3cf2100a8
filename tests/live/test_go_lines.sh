#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A stripped Go program: calls that its compiler inlined and the lines of all of them, by what its
# runtime knows.
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/live/live.sh
. tests/live/live.sh
need_sampling
command -v go >/dev/null || {
	skip 'a stripped Go program' 'no go'
	finish
}

cat >"$T/lines.go" <<'END'
package main

import "time"

var sink int

func leaf(n int) int {
	for i := 0; i < 1000; i++ {
		n += i ^ sink
	}
	return n
}

func middle(n int) int {
	return leaf(n) * 3
}

//go:noinline
func work(n int) int {
	return middle(n) + 1
}

func main() {
	for end := time.Now().Add(400 * time.Millisecond); time.Now().Before(end); {
		for i := 0; i < 500; i++ {
			sink += work(i)
		}
	}
}
END
ok 'it is built' env -u GOFLAGS GOCACHE="$(realpath "$B")/gocache" GO111MODULE=off CGO_ENABLED=0 \
	go build -ldflags='-s -w' -trimpath -o "$T/lines" "$T/lines.go"
record lines --lines --inline -F 999 -U --only-command -- "$T/lines"
equal 'status' 0 "$rc"
accounts lines
sed 's, at [^;]*/\([a-z0-9_]*\.go:\), at \1,g; s, at \./, at ,g' "$T/lines.folded" >"$T/short.folded"
chain='main.main at lines.go:26;main.work at lines.go:20;main.middle at lines.go:15_[i];main.leaf at lines.go'
ok 'the chain and its lines' grep -qF "$chain:9_[i]" "$T/short.folded"
all=$(samples "$T/short.folded")
ok 'nearly all samples have it' most 90 "$(grep -F "$chain" "$T/short.folded" |
	awk '{ n += $NF } END { print n + 0 }')" "$all"
ok 'up to where the program begins' grep -qE 'runtime.main at proc.go:[0-9]+;main.main' "$T/short.folded"
record own --lines -F 999 -U --only-command -- "$T/lines"
equal 'without --inline no frame is added' 0 "$(grep -c '_\[i\]' "$T/own.folded")"
ok 'and a function is at the line that calls' grep -qE ';main\.work at [^;]*lines\.go:20 ' "$T/own.folded"
finish
