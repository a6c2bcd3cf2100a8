#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/lint/run.sh: what can be checked without running the program; TAP, one line a check.
# Looks at every file that git knows or would add.  clang-tidy's good answers are kept under
# $B/lint, keyed by the preprocessed text, so that a second run costs little.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
jobs=${JOBS:-$(nproc)}
# shellcheck source=tests/tap.sh
. tests/tap.sh

files() { git ls-files -co --exclude-standard -- "$@" | while read -r f; do [[ -e $f ]] && echo "$f"; done; }
mapfile -t c_files < <(files '*.c' '*.h' '*.cc' | grep -v '^vmlinux/')
mapfile -t scripts < <(files '*.sh' '.ci/run')
mapfile -t texts < <(files '*.c' '*.h' '*.cc' '*.rs' '*.S' '*.sh' '*.mk' 'Makefile' '.ci/run')

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

unfinished() {
	! grep -nE '\b(TODO|FIXME|XXX)\b' "${texts[@]}" README.md docs/* 2>/dev/null |
		grep -v '^tests/lint/run.sh:'
}

# A function body runs from "{" to "}" in the first column.  A longer one says why in a comment
# before it that begins with "long:".
short_functions() {
	awk '
	FNR == 1 { start = 0; excuse = -9 }
	/(\/\*|^ \*) long: [a-z]/ { excuse = FNR }
	/^[{]/ { start = FNR }
	/^[}]/ && start {
		if (FNR - start - 1 > 60 && start - excuse > 12) {
			print FILENAME ":" start ": function of " FNR - start - 1 " lines (at most 60)"
			bad = 1
		}
		start = 0
	}
	END { exit bad }' "${c_files[@]}"
}

formatted() {
	# The assembly of a naked function or a table may be laid out by hand: clang-format off.
	printf '%s\n' "${c_files[@]}" | xargs -P "$jobs" -n 8 clang-format --dry-run -Werror
}

tidy_flags=(-std=gnu11 -Iuser -Iinclude -I"$B/gen" -D_GNU_SOURCE -DEDDY_VERSION='"lint"')
tidy_one() {
	local f=$1 sum stamp rc
	sum=$({ cat .clang-tidy; clang "${tidy_flags[@]}" -E "$f"; } 2>/dev/null | sha256sum | cut -c1-32)
	stamp=$B/lint/${f//\//_}.$sum
	[[ -e $stamp ]] && return 0
	timeout 300 clang-tidy --quiet "$f" -- "${tidy_flags[@]}" >"$stamp.log" 2>&1
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
	files 'user/*.c' | xargs -P "$jobs" -I{} bash -c "$(declare -p tidy_flags); tidy_one {}"
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

long_files() {
	wc -l "${c_files[@]}" | awk '$2 != "total" && $1 > 600 { print $2 ": " $1 " lines (about 500)"; bad = 1 }
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

ok 'a licence line in every file' spdx
ok 'a file opens with what it is' introduced
ok 'floors include only what their row names' tests/lint/includes.sh
ok 'nothing unfinished is marked' unfinished
ok 'functions of at most 60 lines' short_functions
ok 'files of about 500 lines' long_files
ok 'lines of at most 100 columns' narrow
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
