#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy report --view modules: for people, for programs, of folded text with and without a .json,
# of pprof and of perf script text.
source tests/tap.sh

printf '%s\n' 'db;main;[db+0x5];malloc;do_syscall_64_[k];ext4_sync_[k];memcpy_[k] 40' \
	'db;main;qsort;compare;qsort_r 12' \
	'db;main;do_syscall_64_[k];bpf_prog_6deef7357e7b4530_filter_[k];nf_nat_fn_[k] 5' \
	'[hardirq];tick_[k] 3' 'java;run_[j];[vdso+0xa30] 7' '[lost:ring-full] 2' >"$T/in.folded"
modules() { "$EDDY" report --view modules "$@"; }

golden "without a .json" views/modules_alone.txt < <(modules --root comm "$T/in.folded")
cat >"$T/in.folded.json" <<'JSON'
{"samples": {"due": 100}, "root": "comm", "modules": {
  "db": "compare;main", "java": "main", "libc.so.6": "malloc;qsort;qsort_r",
  "ext4": "ext4_sync_[k]", "nf_nat": "nf_nat_fn_[k]"}}
JSON
golden "for people" views/modules.txt < <(modules "$T/in.folded")
golden "for programs" views/modules.tsv < <(modules --format tsv "$T/in.folded")
golden "flat: whose each function is" views/modules_flat.txt \
	< <("$EDDY" report --min-percent 0 "$T/in.folded")
golden "three of them, by all they call" views/modules_three.txt \
	< <(modules --limit 3 --sort inclusive "$T/in.folded")
equal "of some stacks" "5	5	nf_nat	module" \
	"$(modules --format tsv --focus nf_nat_fn "$T/in.folded" | grep nf_nat)"
equal "by their own samples, for programs" "43 12 7 5" \
	"$(modules --format tsv --sort self --limit 4 "$T/in.folded" | sed 1d | cut -f2 | paste -sd' ')"
equal "self adds up to all samples" 69 \
	"$(modules --format tsv "$T/in.folded" | awk -F'\t' 'NR > 1 { n += $2 } END { print n }')"

# What is merged knows it too.
printf 'db;main;zlib_crc 4\n' >"$T/more.folded"
echo '{"samples": {"due": 9}, "root": "comm", "modules": {"libz.so.1": "zlib_crc"}}' \
	>"$T/more.folded.json"
"$EDDY" merge -o "$T/both.folded" "$T/in.folded" "$T/more.folded"
equal "merged files know all modules" "nf_nat libz.so.1" \
	"$(modules --format tsv "$T/both.folded" | grep -E 'libz|nf_nat' | cut -f3 | paste -sd' ')"
equal "two files, each with its own" "$(modules --format tsv "$T/both.folded")" \
	"$(modules --format tsv "$T/in.folded" "$T/more.folded")"

cat >"$T/in.perf" <<'PERF'
db 12 100.000001: 1 cpu-clock:
	ffffffff81000010 nf_fn+0x10 ([nf_nat])
	ffffffff81000020 do_syscall_64+0x20 ([kernel.kallsyms])
	7f0000001000 read+0x10 (/usr/lib/libc.so.6)
	55000000100 main+0x10 (/usr/bin/db)

PERF
golden "of perf script text" views/modules_perf.tsv < <(modules --format tsv "$T/in.perf")

# Functions of one name in two modules are two, of perf script text and of pprof that eddy wrote.
for program in db web; do
	printf '%s 1 1.5: 1 cycles: \n\t12 main+0x2 (/bin/%s)\n\n' $program $program
done >"$T/twins.perf"
"$EDDY" report -o "$T/twins.pb.gz" "$T/twins.perf"
for file in twins.perf twins.pb.gz; do
	equal "flat: two functions of one name, of $file" 'db main web main' \
		"$("$EDDY" report "$T/$file" | awk '$NF == "main" && NF == 6 { print $(NF - 1), $NF }' |
			sort | paste -sd' ')"
done
equal "pprof for programs: a function is its name, as in folded text" 1 \
	"$("$EDDY" report --format tsv "$T/twins.pb.gz" | grep -c '	main$')"

# Hostile: names, a .json of other forms.
printf 'm;a\033[2J_[k] 1\n' >"$T/hostile.folded"
cat >"$T/hostile.folded.json" <<'JSON'
{"modules": {"\u001b[2Jx\ty": "a\u001b[2J_[k]", "b": 7, "c": ["a"], "": "q"}}
JSON
ok "control characters are escaped" \
	bash -c "! '$EDDY' report --view modules --format tsv '$T/hostile.folded' | grep -q \$'\033'"
equal "nothing" "inclusive	self	module	kind" "$(modules --format tsv /dev/null)"
finish
