#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Long work on files says how far it is: from its second second on, on a terminal and nowhere else,
# in one line that is gone before anything else is written.
# shellcheck source=tests/tap.sh
. tests/tap.sh

cd "$T" || exit 1
printf 'a;b 3\n' >one.folded
echo '{"host": "h", "start": "2026-11-20T10:00:00.000Z", "end": "2026-11-20T10:00:10.000Z",' \
	'"samples": {"due": 9}}' | tee one.folded.json >slow.json
mkfifo slow
cat >run <<'SH'
stty cols ${COLUMNS_HERE:-80}
(sleep 1.3; echo 'a;c 1') >slow &
exec "$@"
SH
export TERM=xterm
unset NO_COLOR
# What comes to a terminal while two files are read, of which the first one is slow.
reading() { # ARG...
	script -qec "bash run '$EDDY' ${*@Q}" /dev/null </dev/null | tr -d '\n'
}
shown=$'\rreading 1 of 2 files (50 %)\e[K' gone=$'\r\e[K'
for command in 'report --format folded' 'merge -o sum.folded' 'export --clickhouse --table stacks'; do
	read -ra args <<<"$command"
	reading "${args[@]}" slow one.folded >out
	ok "$command: how far it is" grep -qF "$shown" out
	ok "$command: and then no more" grep -qF "$shown$gone" out
done
# Of one file: how much of it; of a pipe nobody knows how large it is.
cat >run_pipe <<'SH'
stty cols 80
line=$(printf 'main;work;leaf_%0200d 1' 7)
{ yes "$line" | head -c 9000000 | sed '$d'; sleep 1.3; yes "$line" | head -c 9000000 | sed '$d'; } |
	"$1" report --format folded -
SH
script -qec "bash run_pipe '$EDDY'" /dev/null </dev/null | tr -d '\n' >out
ok 'a pipe: how much was read' grep -qE $'\rreading standard input: (8|9|1[0-9]) MB\e\\[K' out
COLUMNS_HERE=20 reading report --format folded slow one.folded >out
ok 'a terminal of 20 columns: cut' grep -qF $'\rreading 1 of 2 file\e[K' out
reading report --format folded slow missing.folded >out
ok 'a message takes the place of the line' grep -qF "$gone"'eddy: missing.folded' out
NO_COLOR=1 reading report --format folded slow one.folded >out
equal 'none with NO_COLOR' 0 "$(grep -c reading out)"
TERM=dumb reading report --format folded slow one.folded >out
equal 'none on a dumb terminal' 0 "$(grep -c reading out)"
(bash run "$EDDY" report --format folded slow one.folded) >out 2>&1 </dev/null
equal 'none where there is no terminal' $'a;b 3\na;c 1' "$(grep -v stty out)"
finish
