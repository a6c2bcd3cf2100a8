#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy annotate without the code that samples are in: what it needs, what is missing, what adds up.
. tests/tap.sh

hex() { printf %b "$(printf %s "$1" | sed 's/../\\x&/g')"; }
varint() {
	local v=$1
	for (( ; v > 127; v >>= 7)); do printf %02x $((v & 127 | 128)); done
	printf %02x "$v"
}
number() { varint $(($1 << 3)) && varint "$2"; }           # FIELD VALUE
bytes() { varint $(($1 << 3 | 2)) && varint $((${#2} / 2)) && printf %s "$2"; } # FIELD HEX
text() { bytes 6 "$(printf %s "$1" | od -An -v -tx1 | tr -d ' \n')"; }
# NAME PATH: three samples of the function at 0x1234 of the file, five at 0x1238; of a clock.
profile() {
	local at
	{
		for at in '' samples count cpu nanoseconds "$1" "$2" 00ff 'eddy 0.1.0' comm; do text "$at"; done
		bytes 1 "$(number 1 1 && number 2 2)"
		bytes 1 "$(number 1 3 && number 2 4)"
		bytes 3 "$(number 1 1 && number 2 4096 && number 3 8192 && number 5 6 && number 6 7)"
		bytes 5 "$(number 1 1 && number 2 5)"
		bytes 5 "$(number 1 2 && number 2 9)"
		bytes 4 "$(number 1 1 && number 2 1 && number 3 4660 && bytes 4 "$(number 1 1)")"
		bytes 4 "$(number 1 2 && number 2 1 && number 3 4664 && bytes 4 "$(number 1 1)")"
		bytes 4 "$(number 1 3 && bytes 4 "$(number 1 2)")"
		bytes 2 "$(bytes 1 0103 && bytes 2 0303)"
		bytes 2 "$(bytes 1 0203 && bytes 2 0505)"
		number 13 8
	} | tr -d '\n' >"$T/hex"
	hex "$(<"$T/hex")"
}
# Of a failure: its status and its one line.
fails() {
	{ "$EDDY" annotate "$@" 2>&3 >"$T/out"; } 3>&1
	echo "$? $(stat -c %s "$T/out")"
}

profile work /nonexistent/app >"$T/in.pb"
golden 'no file: addresses, and why' annotate/gone.txt < <("$EDDY" annotate work "$T/in.pb")
golden 'for programs' annotate/gone.tsv < <("$EDDY" annotate --format tsv work "$T/in.pb")
golden 'the hottest first' annotate/hottest.tsv < <("$EDDY" annotate --format tsv --sort samples \
	--limit 1 work "$T/in.pb")
equal 'from standard input' "$("$EDDY" annotate work "$T/in.pb")" \
	"$("$EDDY" annotate work - <"$T/in.pb")"
equal 'views are as before' 'comm;work 8' "$("$EDDY" report --format folded "$T/in.pb")"

cp "$EDDY" "$T/other"
profile work "$T/other" >"$T/other.pb"
ok 'another file stands there' grep -q 'build id differs' < <("$EDDY" annotate work "$T/other.pb")
echo 'no ELF' >"$T/text"
profile work "$T/text" >"$T/text.pb"
ok 'what is there is no program' grep -q 'text: no ELF file' < <("$EDDY" annotate work "$T/text.pb")
mkfifo "$T/fifo"
profile work "$T/fifo" >"$T/fifo.pb"
ok 'what is there is no file' grep -q 'cannot be opened' < <(timeout 300 "$EDDY" annotate work \
	"$T/fifo.pb")
profile $'ev\033[2Jil\n\t' $'/none\033[1m' >"$T/evil.pb"
golden 'hostile names' annotate/evil.txt < <("$EDDY" annotate 'ev*' "$T/evil.pb" &&
	"$EDDY" annotate --format tsv 'ev*' "$T/evil.pb")

equal 'no such function' $'eddy: wrok: no stack contains such a function; similar: work\n1 0' \
	"$(fails wrok "$T/in.pb")"
echo 'a;work 3' >"$T/in.folded"
equal 'a file without addresses' "eddy: $T/in.folded: no addresses of instructions are kept there \
(eddy record -o FILE.pb.gz keeps them)"$'\n1 0' "$(fails work "$T/in.folded")"
ok 'no function' grep -q 'no FUNCTION' < <(fails)
ok 'no recursion' grep -q 'collapse' < <(fails --collapse full work "$T/in.pb")
ok 'help' grep -q 'usage: eddy annotate' < <("$EDDY" annotate --help)
# In eddy top: the same page, of what is looked at.
source tests/tmux.sh
if command -v tmux >/dev/null; then
	screen_start 100 16 "cd $T; '$EDDY' top in.pb"
	ok 'eddy top: the function' shows '[.] work'
	keys a
	ok 'eddy top: a shows its instructions' shows '1238'
	equal 'eddy top: they are those of annotate' "$("$EDDY" annotate work "$T/in.pb" | head -1)" \
		"$(screen | head -1)"
	keys Escape
	ok 'eddy top: Esc leads back' shows '1/2 '
	keys q
else
	skip 'the same in eddy top' 'no tmux: tests/deps.sh test'
fi
finish
