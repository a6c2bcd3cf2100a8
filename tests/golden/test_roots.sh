#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Root frames of files: several in one stack, what a cgroup's path says, and the hosts of many files.
. tests/tap.sh
trap 'rm -rf "$T"' EXIT
id=$(printf '%064x' 7)
# file PATH ROOT HOST: a file of standard input, and its .json
file() {
	mkdir -p "$(dirname "$1")"
	cat >"$1"
	printf '{"version":1,"host":"%s","root":"%s","samples":{}}\n' "$3" "$2" >"$1.json"
}
report() {
	"$EDDY" report --format folded "$@" 2>&1
}
file "$T/u.folded" unit,program h1 <<'E'
[hardirq];tick_[k] 1
[lost:ring-full] 2
[no unit];kworker;work_[k] 3
a.service;a;[truncated];f 4
a.service;a;main;f 5
E
equal 'program' '[hardirq];tick_[k] 1
[lost:ring-full] 2
a;[truncated];f 4
a;main;f 5
kworker;work_[k] 3' "$(report --root program "$T/u.folded")"
equal 'none' '[hardirq];tick_[k] 1
[lost:ring-full] 2
[truncated];f 4
main;f 5
work_[k] 3' "$(report --root none "$T/u.folded")"
equal 'what is not there is refused' \
	'eddy: --root comm: the stacks do not have it (record with --root comm)' \
	"$(report --root comm "$T/u.folded")"
equal 'neither is a function' 'f 9
work_[k] 3
tick_[k] 1' "$("$EDDY" report --format tsv "$T/u.folded" |
	awk -F'\t' 'NR > 1 && $2 && $7 !~ /^\[/ { print $7, $2 }')"
file "$T/c.folded" cgroup h1 <<E
/docker/$id;f 1
/s.slice/docker-$id.scope;f 2
/x.slice/x.service;g 4
E
equal 'container' "$id;f 3
[no container];g 4" "$(report --root container "$T/c.folded" | sort)"
equal 'unit' "[no unit];f 1
docker-$id.scope;f 2
x.service;g 4" "$(report --root unit "$T/c.folded" | sort)"

# ---- hosts ----------------------------------------------------------------------------------------

for host in h1 h2; do
	file "$T/s/$host/20261120T100000Z-60.folded" comm $host <<'E'
[softirq];x_[k] 1
a;f 3
E
done
hosts='h1;[softirq];x_[k] 1
h1;a;f 3
h2;[softirq];x_[k] 1
h2;a;f 3'
equal 'hosts of a directory' "$hosts" "$(report --root host,comm "$T/s" | grep -v '^eddy:')"
equal 'the host alone' "${hosts//a;/}" "$(report --root host "$T/s" | grep -v '^eddy:')"
equal 'hosts of files' "$hosts" "$(report --root host,comm "$T"/s/h?/*.folded)"
equal 'no .json, no host' "eddy: -: --root host: no .json that says its host" \
	"$(report --root host - <<<'a;f 1')"
"$EDDY" merge --root host,comm -o "$T/merged.folded" "$T/s" 2>/dev/null
equal 'merge keeps hosts apart' "$hosts" "$(cat "$T/merged.folded")"
equal 'and says so, so that reports can make it coarser' "host,comm|${hosts//a;/}" \
	"$(sed -n 's/.*"root": *"\([^"]*\)".*/\1/p' "$T/merged.folded.json")|$(
		report --root host "$T/merged.folded")"
equal 'merged again with a file of another host' 'h1 3
h2 3
h3 5' "$({
	file "$T/h3.folded" comm h3 <<<'a;f 5'
	"$EDDY" merge --root host -o - "$T/merged.folded" "$T/h3.folded"
} | awk -F'[; ]' '/;f / { print $1, $NF }')"
equal 'merge finds no finer frames' \
	'eddy: --root cpu: the stacks do not have it (record with --root cpu)' \
	"$(
		"$EDDY" merge --root cpu -o "$T/no.folded" "$T/merged.folded" 2>&1
		cat "$T/no.folded" 2>/dev/null
	)"
file "$T/m.folded" host,comm many <<<"$hosts"
equal 'a file with hosts' "$hosts" "$(report "$T/m.folded")"
equal 'and made coarser' "${hosts//a;/}" "$(report --root host "$T/m.folded")"
equal '--irq drop finds interrupts there' 'h1;a;f 3
h2;a;f 3' "$(report --irq drop "$T/m.folded" | grep -v '^eddy:')"
equal 'interrupts by host and class' 'softirq 2' "$("$EDDY" report --view irq --format tsv \
	"$T/m.folded" | awk -F'\t' 'NR > 1 && $1 == "softirq" { n += $5 } END { print "softirq", n }')"

# ---- perf script text -----------------------------------------------------------------------------

perf='a 7/8 [001] 1.5: 1 cycles: 
	401000 f+0x1 (/bin/a)
'
equal 'two of perf script text' 'cpu-1;a-7/8;f 1' "$(report --root cpu,thread - <<<"$perf")"
equal 'none takes no function' 'f 1' "$(report --root none - <<<"$perf")"
equal 'what it does not have' 'eddy: standard input: --root: perf script text does not have it' \
	"$(report --root unit - <<<"$perf")"
for bad in unit,unit none,comm host,comm,cpu,unit,program; do
	equal "--root $bad" 2 "$("$EDDY" report --root $bad </dev/null >/dev/null 2>&1; echo $?)"
done
finish
