#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/lint/run.sh: what can be checked without running the program; TAP, one line a check.
# Looks at every file that git knows or would add.  clang-tidy's good answers are kept under
# $B/lint, keyed by the preprocessed text, so that a second run costs little.
#
#   ANALYZE=1    with clang's analyzer, which takes most of the time: make check-analyzer
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
jobs=${JOBS:-$(nproc)}
analyze=quick
[[ ${ANALYZE:-} != 1 ]] || analyze=all
# shellcheck source=tests/tap.sh
. tests/tap.sh

files() { git ls-files -co --exclude-standard -- "$@" | while read -r f; do [[ -e $f ]] && echo "$f"; done; }
mapfile -t c_files < <(files '*.c' '*.h' '*.cc' | grep -v '^vmlinux/')
mapfile -t own_c < <(files 'user/*.[ch]' 'bpf/*.[ch]' 'include/*.h')
mapfile -t scripts < <(files '*.sh' '.ci/run')
mapfile -t texts < <(files '*.c' '*.h' '*.cc' '*.rs' '*.S' '*.sh' '*.mk' '*.js' '*.css' \
	'Makefile' '.ci/run')

# The licence stands in the first line, or in the second under #!.
spdx() {
	local f want bad=0
	for f in "${texts[@]}"; do
		case $f in
		bpf/*.c | *.bpf.c | vmlinux/* | */vmlinux.h) want='GPL-2.0( OR BSD-2-Clause)?( \*/)?$' ;;
		bpf/* | include/*) want='GPL-2.0(-or-later)?( \*/)?$' ;;
		*) want='GPL-2.0-or-later( \*/)?$' ;;
		esac
		head -n 2 "$f" | grep -qE "SPDX-License-Identifier: $want" && continue
		echo "$f:1: no SPDX-License-Identifier: $want"
		bad=1
	done
	return $bad
}

# The line after the licence begins a comment: what the file is.
introduced() {
	awk '
	FNR == 1 { next_line = 0 }
	FNR == next_line && !/^(\/\*|#)( |$)/ {
		print FILENAME ":" FNR ": does not open with what it is"
		bad = 1
	}
	FNR <= 2 && /SPDX-License-Identifier/ { next_line = FNR + 1 }
	END { exit bad }' "${c_files[@]}" "${scripts[@]}"
}

# A regex that is given by -v goes through the escapes of strings, and each awk has its own idea of \[
# there: by the environment (ENVIRON) it comes as it is.
portable_awk() {
	local f name bad=0
	for f in "${scripts[@]}"; do
		for name in $(grep -oE -- '-v [a-z_]+=' "$f" | sed 's/-v //; s/=//' | sort -u); do
			grep -nE "~ *$name\b|(match|sub|split)\([^)]*, *$name\b|g?sub\($name\b" "$f" /dev/null || continue
			echo "$f: $name is a regex and given by -v: use ENVIRON"
			bad=1
		done
	done
	! grep -nE -- "awk .*-v [a-z_]+='[^']*\\\\" "${scripts[@]}" && ((!bad))
}

unfinished() {
	! grep -nE '\b(TODO|FIXME|XXX)\b' "${texts[@]}" README.md docs/* 2>/dev/null |
		grep -v '^tests/lint/run.sh:'
}

# A function body runs from "{" to "}" in the first column.  A longer one says why in a comment
# before it that begins with "long:", and no other one does.
short_functions() {
	awk '
	FNR == 1 { unneeded(); start = 0; file = FILENAME }
	/(\/\*|^ \*) long: [a-z]/ { unneeded(); excuse = FNR }
	/^[{]/ { start = FNR }
	/^[}]/ && start {
		lines = FNR - start - 1
		if (lines > 60 && excuse && start - excuse <= 12) {
			excuse = 0
		} else if (lines > 60) {
			print FILENAME ":" start ": function of " lines " lines (at most 60)"
			bad = 1
		}
		unneeded()
		start = 0
	}
	function unneeded()
	{
		if (excuse) {
			print file ":" excuse ": \"long:\" before no function of more than 60 lines"
			bad = 1
		}
		excuse = 0
	}
	END { unneeded(); exit bad }' "${c_files[@]}"
}

formatted() {
	# The assembly of a naked function or a table may be laid out by hand: clang-format off.
	printf '%s\n' "${c_files[@]}" | xargs -P "$jobs" -n 8 clang-format --dry-run -Werror
}

tidy_flags=(-std=gnu11 -Iuser -Iinclude -I"$B/gen" -D_GNU_SOURCE -DEDDY_VERSION='"lint"')
tidy_one() {
	local f=$1 sum stamp rc checks=()
	[[ $2 == all ]] || checks=(--checks='-clang-analyzer-*')
	sum=$({ cat .clang-tidy; echo "${checks[@]}"; clang "${tidy_flags[@]}" -E "$f"; } 2>/dev/null | sha256sum | cut -c1-32)
	stamp=$B/lint/${f//\//_}.$sum
	[[ -e $stamp ]] && return 0
	timeout 1800 clang-tidy --quiet "${checks[@]}" "$f" -- "${tidy_flags[@]}" >"$stamp.log" 2>&1
	rc=$?
	# What the analyzer finds in a header that bpftool wrote is not ours to mend.
	if ((rc == 0)) || { ((rc == 1)) && grep -q "^$B/gen/.*: error:" "$stamp.log" &&
		! grep -E ': error:' "$stamp.log" | grep -qv "^$B/gen/"; }; then
		rm -f "$B/lint/${f//\//_}".* && : >"$stamp"
	else
		grep -vE '^[0-9]+ warnings? (treated as errors|generated)' "$stamp.log"
		rm -f "$stamp.log"
		return 1
	fi
}
tidy() {
	mkdir -p "$B/lint"
	export -f tidy_one
	export B
	files 'user/*.c' | sed "s/\$/ $analyze/" |
		xargs -P "$jobs" -L 1 bash -c "$(declare -p tidy_flags)"'; tidy_one "$@"' tidy
}

shellchecked() {
	shellcheck -s bash -x -S warning -e SC1091,SC2034,SC2046,SC2154 "${scripts[@]}"
}

# What begins with #! is run, what does not is sourced.
executable() {
	local f bad=0
	for f in "${scripts[@]}"; do
		if head -n 1 "$f" | grep -q '^#!'; then
			[[ -x $f ]] && continue
			echo "$f: has #! but is not executable"
		else
			[[ ! -x $f ]] && continue
			echo "$f: is executable but has no #!"
		fi
		bad=1
	done
	return $bad
}

# Variables and constants of the program, of whatever type: a line that begins in the first column,
# has no bracket before it ends or a value begins, and is no type.  The one that reads memory is a
# program of its own.
bpf_variables() {
	! grep -nE '^[a-zA-Z_][a-zA-Z_0-9]* [^()]*(;|=.*|SEC\(.*)$' $(files 'bpf/*.h' 'bpf/*.c') |
		grep -vE '^bpf/(variables\.bpf\.h|kernel_memory\.bpf\.c):' |
		grep -vE '^[^:]*:[0-9]+:(typedef .*|(struct|enum|union) ([a-zA-Z_0-9]+|[^=]*\{[^=]*\}));$'
}

# clang-format looks at code only: comments are laid out by hand.
narrow() {
	awk '
	{
		line = $0
		while ((i = index(line, "\t")))
			line = substr(line, 1, i - 1) substr("        ", 1 + (i - 1) % 8) substr(line, i + 1)
		if (length(line) > 100) {
			print FILENAME ":" FNR ": " length(line) " columns (at most 100)"
			bad = 1
		}
	}
	END { exit bad }' "${c_files[@]}"
}

# Control statements stand in at most two others: one behind four tabs would be the fourth.
nested() {
	! grep -nE $'^\t\t\t\t+(if|for|while|switch|do)( |$)' "${own_c[@]}" /dev/null
}

# unexcused EXCUSES: of the lines "FILE:NAME WHAT..." of standard input those that are none of the
# array's, which gives a reason for each; and those of the array that no line needs.  Fails when
# there are any.
unexcused() {
	local -n excuses=$1
	local -A needed=()
	local name what bad=0
	while read -r name what; do
		[[ -n $name ]] || continue
		needed[$name]=1
		[[ -z ${excuses[$name]:-} ]] || continue
		echo "$name: $what"
		bad=1
	done
	for name in "${!excuses[@]}"; do
		[[ -z ${needed[$name]:-} ]] || continue
		echo "tests/lint/run.sh: $1: nothing needs the excuse of $name"
		bad=1
	done
	return $bad
}

# Functions of more than five parameters, each with its reason; by the file that defines it.
declare -A wide=(
	[bpf/take.bpf.h:stacks_take]='what two programs share of a sample, in registers'
	[bpf/waits.bpf.h:switch_out]='the arguments of a tracepoint, and what was looked up already'
	[user/load/windows.c:windows_read]='what all windows share, and a list out'
	[user/live/live_screen.c:live_draw_row]='where on a screen, and what'
	[user/analysis/estimate.c:estimate_cycle]='one cycle of a walk: what all share, and its own'
	[user/analysis/rate_test.c:binomial_tails]='four numbers of a formula, and its two results'
	[user/capture/cpu_events.c:cpu_events_open]='an array is two parameters'
	[user/view/outputs.c:render]='what all outputs share, and its own'
	[user/load/diff_base.c:diff_base_exposure]='what is known of one side'
	[user/util/time_point.c:time_points_resolve]='a range in, a range out'
	[user/util/atomic_file.c:atomic_file_open_new]='three names of one file'
	[user/util/far_file.c:far_read]='pread() with its five, and who is asked'
	[user/util/far_file.c:request_run]='request and answer, both of bytes with a length'
	[user/annotate/annotate_code.c:place_in_kernel]='of the kernel and of the function, two answers'
	[user/load/windows.c:read_stacks]='one window, what all share, the page'
	[user/output/html_diff.c:html_diff_write]='a diff, what a writer needs, two accounts'
	[user/symbol/disassembly.c:next]='a place in code is three numbers'
	[user/util/worker_wire.c:wire_send]='head, bytes and a descriptor in one message'
)
# From a function's name in the first column to the bracket that closes its parameters, where a body
# follows: a declaration has as many.
parameters() {
	awk '
	FNR == 1 { on = 0 }
	/^[a-zA-Z_].*\(/ && !/^(typedef|DEFINE_|struct [a-z_]+ [{])/ && !/=/ {
		text = ""
		at = FNR
		on = 1
	}
	on { text = text " " $0 }
	on && /^[{]/ { count() }
	on && /[;{]$|^[{]/ { on = 0 }
	function count(  name, rest, depth, i, c, n)
	{
		name = text
		sub(/\(.*/, "", name)
		sub(/.*[ *]/, "", name)
		rest = text
		sub(/^[^(]*\(/, "", rest)
		n = 1
		for (i = 1; i <= length(rest) && depth >= 0; i++) {
			c = substr(rest, i, 1)
			depth += (c == "(") - (c == ")")
			n += c == "," && !depth
		}
		if (n > 5)
			print FILENAME ":" name, "line " at ": " n " parameters (at most 5)"
	}' "${own_c[@]}" | unexcused wide
}

# Below cli/ nothing has a state of its own but these: what can be written, by the archives.
declare -A variables=(
	[user/util/hash.c:hash_key]='chosen before main(), for all tables of the process'
	[user/util/owner.c:subordinate]='read before main(), for all shares of the process'
	[user/util/strbuf.c:strbuf_empty]='one NUL, never written'
	[user/capture/load_log.c:open_log]='libbpf has one printing function for the process'
	[user/run/signals.c:inherited]='signals belong to the process; what it had is put back for a child'
	[user/run/signals.c:inherited_mask]='the same'
	[user/run/signals.c:inherited_pipe]='the same'
	[user/live/live_terminal.c:stuck]='the alarm of the process, which looks after its writes'
	[user/top/top_screen.c:sampling]='whom the alarm of the process asks whether it is to end'
	[user/top/top_screen.c:warned]='what a callback without a context was told'
	[user/live/live_terminal.c:rescue]='the terminal of the process, for when it dies'
)
stateless() {
	local archive
	for archive in "$B"/lib/*.a; do
		[[ -e $archive ]] || { echo "$B/lib nothing is built"; continue; }
		[[ $archive == */cli.a ]] && continue
		nm -f sysv "$archive" | awk -F'|' -v floor="$(basename "$archive" .a)" '
			/^Symbols from .*\.o\]:$/ { file = $0; sub(/.*\[/, "", file); sub(/\.o\]:$/, "", file) }
			{ section = $7; gsub(/ /, "", section); gsub(/ /, "", $1) }
			section ~ /^\.data\.rel\.ro/ { next }
			section ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ {
				sub(/\.[0-9][^.]*$/, "", $1)
				print "user/" floor "/" file ".c:" $1, "can be written"
			}'
	done | unexcused variables
}

# A header has the guard of its path and compiles by itself; a file of C includes its own one first.
headers() {
	local f want bad=0
	for f in $(files 'user/*.h' 'include/*.h' 'bpf/*.h'); do
		want=EDDY_$(sed -E 's,^(user|include|bpf)/,,; s,^eddy_,,' <<<"$f" | tr 'a-z/.-' 'A-Z___')
		[[ $(grep -m 2 '^#' "$f") == "#ifndef $want"$'\n'"#define $want" ]] && continue
		echo "$f:1: does not begin with the guard $want"
		bad=1
	done
	for f in $(files 'user/*.c'); do
		want=${f#user/}
		want=${want%.c}.h
		[[ ! -e user/$want || $(grep -m 1 '^#include' "$f") == "#include \"$want\"" ]] && continue
		echo "$f:1: does not include \"$want\" first"
		bad=1
	done
	# shellcheck disable=SC2016 # the inner shell's
	files 'user/*.h' | B=$B xargs -P "$jobs" -n 8 bash -c '
		for f; do clang -std=gnu11 -D_GNU_SOURCE -Iuser -Iinclude -I"$B/gen" -w -fsyntax-only -x c "$f" || bad=1; done
		exit $((bad))' - || bad=1
	return $bad
}

# Only analysis/pipeline.c knows the passes and their order.  Two show what one of them does, and merge
# changes the base frames of stacks that are as they were written.
passes() {
	! grep -nE '\b(irq_separate|calltree_collapse|profile_reroot|profile_focus)\(' \
		$(files 'user/*.c' | grep -vE '^user/analysis/(pipeline|irq_pass|calltree_collapse|reroot|focus)\.c$' |
			grep -vE '^user/(analysis/irq_effect|view/view_tree|cli/merge)\.c$')
}

# tests/unit/FLOOR/test_X.c is about user/FLOOR/X, or test_X_WHAT.c about a part of it.
mirrored() {
	local f name bad=0
	for f in $(files 'tests/unit/*/test_*.c'); do
		name=${f#tests/unit/}
		name=user/${name%/*}/$(basename "$f" .c | sed 's/^test_//')
		until [[ -e $name.c || -e $name.h || -e include/${name##*/}.h || ${name##*/} != *_* ]]; do
			name=${name%_*}
		done
		[[ -e $name.c || -e $name.h || -e include/${name##*/}.h ]] && continue
		echo "$f: there is no such file in user/ that it could be about"
		bad=1
	done
	return $bad
}

# By characters, whatever awk takes for one.  What eddy prints is as wide as it is.
pages() {
	LC_ALL=C awk '
	FNR == 1 { lines = 0 }
	{ line = $0; gsub(/[\200-\277]/, "", line) }
	length(line) > 100 && !/^eddy: / {
		print FILENAME ":" FNR ": " length(line) " columns (at most 100)"
		bad = 1
	}
	FILENAME == "docs/DESIGN.md" && FNR == 301 {
		print FILENAME ":" FNR ": at most 300 lines"
		bad = 1
	}
	END { exit bad }' $(files '*.md' 'docs/*.md' 'docs/*.8')
}

long_files() {
	wc -l "${c_files[@]}" | awk '
	{ most = $2 ~ /^tests\// ? 600 : 450 }
	$2 != "total" && $1 > most { print $2 ": " $1 " lines (at most " most ")"; bad = 1 }
	END { exit bad }'
}

# docs/eddy.8 and --help name the same options; without a built program there is nothing to ask.
manual() {
	local command help option bad=0 all=
	[[ -x $B/eddy ]] || { echo "$B/eddy is not built"; return 1; }
	for command in '' $("$B/eddy" --help | awk '/^  [a-z]/ { print $1 }'); do
		grep -qE "^\.(It )?(Ic|Nm eddy) $command" docs/eddy.8 || { echo "docs/eddy.8: no $command"; bad=1; }
		help=$("$B/eddy" ${command:+"$command"} --help)
		all+=$help
		for option in $(grep -oE -- '--[a-z][a-z-]+' <<<"$help" | sort -u); do
			[[ $option == --help ]] && continue
			grep -qE "Fl -${option#--}( |$)" docs/eddy.8 || { echo "docs/eddy.8: no $option ($command)"; bad=1; }
		done
	done
	for option in $(grep -oE 'Fl -[a-z][a-z-]+' docs/eddy.8 | cut -d- -f2- | sort -u); do
		grep -qE -- "--$option\b" <<<"$all" || { echo "docs/eddy.8: --$option is in no --help"; bad=1; }
	done
	return $bad
}

# Messages have one voice: standard error is cli/command.c's, and below cli/ nobody prints at all.
one_voice() {
	! git grep -nwE 'stderr|STDERR_FILENO|perror|psignal' -- 'user/*.[ch]' ':!user/cli/command.c' \
		':!user/cli/progress.c' &&
		! git grep -nE '\b(v?printf|puts|putchar) *\(' -- 'user/*.[ch]' ':!user/cli' |
			grep -vE 'format\(printf'
}

# What DESIGN says of the floors is what the build goes by.
floors_table() {
	[[ $(make -s print-floors-table | grep -c '^|') -gt 10 ]] || { echo 'no table of floors'; return 1; }
	diff <(make -s print-floors-table) \
		<(sed -n '/^<!-- floors: /,/^<!-- floors end/ { /^|/p }' docs/DESIGN.md)
}

# docs/DESIGN.md says of every map of the BPF programs who writes it, who reads it and how long.
maps_table() {
	local name names bad=0
	names=$(grep -hoE '[a-z_]+ SEC\("\.maps"\)' $(files 'bpf/*.h' 'bpf/*.c') | cut -d ' ' -f 1)
	[[ -n $names ]] || { echo 'bpf/: no maps are found'; return 1; }
	for name in $names; do
		grep -qE "^\|[^|]*\`$name\`[^|]*\|" docs/DESIGN.md && continue
		echo "docs/DESIGN.md: no row of the table of maps has the map $name"
		bad=1
	done
	return $bad
}

ok 'a licence line in every file' spdx
ok 'a file opens with what it is' introduced
ok 'floors include only what their row names' tests/lint/includes.sh
ok 'docs/DESIGN.md has the table of floors' floors_table
ok 'docs/DESIGN.md has every map of the BPF programs' maps_table
ok 'standard error is written in one place' one_voice
ok 'variables of the BPF program stand in variables.bpf.h' bpf_variables
ok 'nothing unfinished is marked' unfinished
ok 'no awk is given a regex by -v' portable_awk
ok 'functions of at most 60 lines' short_functions
ok 'functions of at most five parameters' parameters
ok 'nesting of at most three' nested
ok 'no variables below cli/ but those listed' stateless
ok 'only the pipeline calls passes' passes
ok 'unit tests have the name of what they test' mirrored
ok 'headers have a guard and compile alone, and come first in their own file' headers
ok 'files of at most 450 lines, tests of 600' long_files
ok 'lines of at most 100 columns' narrow
ok 'pages of at most 100 columns, and DESIGN.md of 300 lines' pages
ok 'scripts are executable, what is sourced is not' executable
ok 'the manual and --help name the same options' manual
for tool in clang-format:formatted clang-tidy:tidy shellcheck:shellchecked; do
	if command -v "${tool%:*}" >/dev/null; then
		ok "${tool%:*} has nothing to say" "${tool#*:}"
	else
		skip "${tool%:*}" "not installed: tests/deps.sh lint"
	fi
done
finish
