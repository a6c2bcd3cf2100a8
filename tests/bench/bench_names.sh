#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Naming at scale: STACKS (20 000) distinct user stacks over 300 files, most of them programs and
# libraries that are installed (stripped, but for the names that are linked by), 30 with a symbol
# table and 30 with .gnu_debugdata, which are made here.  CPU time and memory of all processes
# together; then each libLLVM that is installed alone, one stack in it.  Medians of five
# (tests/bench/time_names.c says of what); the files are in the page cache.
. tests/bench/lib.sh
timed=$B/bench/time_names

# Programs and libraries of at most 32 MB, NR of them, evenly out of all.
installed() { # NR
	local file magic
	find /usr/bin /usr/sbin /usr/lib/*-linux-gnu -maxdepth 1 -type f -size -32M -size +8k |
		sort | while read -r file; do
			IFS= read -rN 4 magic <"$file"
			[[ $magic == $'\x7fELF' ]] && echo "$file"
		done >"$T/installed"
	awk -v want="$1" -v have="$(wc -l <"$T/installed")" \
		'int(NR * want / have) > int((NR - 1) * want / have)' "$T/installed"
}

# A library of some hundred to some thousand functions, half of them C++, one of eight exported.
library() { # NUMBER FILE
	awk -v seed="$1" 'BEGIN {
		nr = 300 + seed * 97 % 3000
		for (i = 0; i < nr; i++) {
			name = i % 2 ? sprintf("_ZN7part%03d9some_name%06dERKS0_m", seed, i) : \
				sprintf("part%d_function_%d", seed, i)
			printf ".text\n.globl %s\n", name
			if (i % 8) printf ".hidden %s\n", name
			printf ".type %s,@function\n%s:\n.cfi_startproc\n.skip %d,0x90\nret\n", \
				name, name, 40 + i * 31 % 300
			printf ".cfi_endproc\n.size %s,.-%s\n", name, name
		}
		print ".section .note.GNU-stack,\"\",@progbits"
	}' >"$T/part.s"
	gcc -shared -nostdlib -Wl,--build-id=sha1 -o "$2" "$T/part.s"
}

# As distributions do it that have .gnu_debugdata: functions alone, those not linked by, packed.
pack_symbols() { # FILE
	nm "$1" --defined-only --format=posix | awk '$2 ~ /[Tt]/ { print $1 }' | sort >"$T/all"
	nm -D "$1" --defined-only --format=posix | awk '{ print $1 }' | sort >"$T/linked"
	comm -23 "$T/all" "$T/linked" >"$T/keep"
	objcopy -S --keep-symbols="$T/keep" "$1" "$T/mini" 2>/dev/null
	objcopy --only-keep-debug "$T/mini" "$T/mini.debug" && xz -f "$T/mini.debug"
	strip "$1"
	objcopy --add-section .gnu_debugdata="$T/mini.debug.xz" "$1"
}

values() { field "$1" <"$T/$2" | median; }
mib() { values "$1" names | awk '{ printf "%.1f", $1 / 1024 }'; }

mapfile -t files < <(installed 240)
mkdir "$T/made"
for i in {1..60}; do
	library "$i" "$T/made/part$i.so"
	((i > 30)) && pack_symbols "$T/made/part$i.so"
	files+=("$T/made/part$i.so")
done
"$timed" "${STACKS:-20000}" "${files[@]}" >"$T/names"
echo "${#files[@]} files of $(($(cat "${files[@]}" | wc -c) / 1000000)) MB," \
	"${STACKS:-20000} stacks: $(($(values frames names) / 2)) frames, with a name $(($(values named names) / 2))"
echo "cold: $(values cold_ms names) ms of CPU of all processes from begin to end" \
	"($(values told_ms names) until all have names; of it the process itself" \
	"$(values own_ms names), kallsyms $(values kallsyms_ms names))," \
	"$(values names_clock_ms names) ms by the clock"
echo "memory of all processes: $(mib pss_kib) MiB, tables $(mib tables_kib) MiB"
echo "warm: a look-up $(values lookup_ns names) ns, a frame of a stack $(values again_ns names) ns"
for file in /usr/lib/*-linux-gnu/libLLVM*.so*; do
	[[ -f $file && ! -L $file ]] || continue
	"$timed" 1 "$file" >"$T/one"
	echo "${file##*/}: ready after $(values names_clock_ms one) ms," \
		"$(values names_ms one) ms of CPU of all processes, $(values tables_kib one) KiB"
done
