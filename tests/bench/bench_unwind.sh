#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Unwinding without frame pointers: how many user stacks of a distribution's programs are whole and
# what a sample costs in the kernel (all of the sampler: kernel stack and counting too); a compile
# farm with tables loaded before and cold; perf's DWARF mode on the same compiler; how much a
# compiler is slowed down.
#
# A program is measured alone on one CPU, in real time, so that nothing else is sampled there; a
# second instance that stands still has its tables loaded before the start.  What is not installed
# is left out: xz-utils openssl sqlite3 git nodejs perl python3 clang, rustc.
#
#   ROUNDS (3)   PARTS ("programs farm perf slowdown")
. tests/bench/lib.sh
need_root
rounds=${ROUNDS:-3}
parts=${PARTS:-programs farm perf slowdown}
cpu=$(($(nproc) - 1))
pinned=(taskset -c "$cpu")
alone=("${pinned[@]}")
"${pinned[@]}" chrt -f 10 true 2>/dev/null && alone+=(chrt -f 10)
wants() { [[ " $parts " == *" $1 "* ]]; }

for ((i = 0; i < 1000; i++)); do
	echo "int f$i(int x) { for (int i = 0; i < x; i++) x += x / (i + $i + 1); return x; }"
done >"$T/many.c"
cc1=$(gcc -print-prog-name=cc1)

# ---- programs --------------------------------------------------------------------------------

# "NAME|COMMAND", each one to three seconds of work
program() {
	case $1 in
	python3) echo 'import json
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
for i in range(100):
    fib(24)
    for j in range(300): json.loads(json.dumps({"a": list(range(200)), "b": {"c": "x" * 50}}))
    sorted(range(100000), key=lambda x: -x)' >"$T/load.py"
		[[ -x /usr/bin/python3 ]] && run=(/usr/bin/python3 "$T/load.py") ;;
	perl) run=(perl -e 'sub f { my $n = shift; $n < 2 ? $n : f($n - 1) + f($n - 2) } f(25); my %h;
		for (1 .. 900000) { my $s = "k$_ abc"; $s =~ s/(\d+)/<$1>/; $h{substr $s, 0, 3}++ if $s =~ /^k.*c$/ } sort { $a cmp $b } map { "$_" } 1 .. 200000') ;;
	xz) [[ -e $T/big ]] || head -c 4000000 "$cc1" >"$T/big"
		run=(xz -6 -k -c "$T/big") ;;
	openssl) run=(openssl speed -seconds 1 -bytes 8192 sha256) ;;
	cc1) run=("$cc1" -quiet -O2 "$T/many.c" -o /dev/null) ;;
	clang) run=(clang -O3 -c "$T/many.c" -o /dev/null) ;;
	git) [[ -e $T/new ]] || {
			seq 1 3000000 | sed 's/.*/line & of the file/' >"$T/old"
			awk 'NR % 7 { print } !(NR % 5) { print NR }' "$T/old" >"$T/new"
		}
		run=(git --no-pager diff --no-index --patience "$T/old" "$T/new") ;;
	sqlite3) run=(sqlite3 :memory: 'create table t(a, b); with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000000)
		insert into t select i, hex(i * 7) from n; create index x on t(b); select count(*), max(b) from t where b like "%3%" group by a % 10;') ;;
	node) echo 'function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
for (let i = 0; i < 90; i++) { fib(30); const o = []; for (let j = 0; j < 30000; j++) o.push({ j, s: "x" + j }); JSON.parse(JSON.stringify(o)).sort((a, b) => b.j - a.j); }' >"$T/load.js"
		run=(node "$T/load.js") ;;
	rust) [[ -x $T/rust ]] || rustc -O -o "$T/rust" tests/live/workloads/rust_names.rs 2>/dev/null
		run=("$T/rust" 2) ;;
	esac
	command -v "${run[0]}" >/dev/null
}

# holder COMMAND...: starts it and stops it at once, so that its files are mapped; sets $held
holder() {
	"$@" >/dev/null 2>&1 </dev/null &
	held=$!
	sleep 0.4
	kill -STOP $held 2>/dev/null
}
release() {
	kill -KILL $held 2>/dev/null
	wait $held 2>/dev/null
}
# facts FILE: completeness, frame-pointer share, ns a sample, samples, frames a stack
facts() {
	jq -r '.user_stacks as $u | "complete \($u.complete / ([$u.total, 1] | max) * 100) fp \($u.fp_steps / ([$u.total, 1] | max) * 100)" +
		" ns \(.cost.bpf_ns_per_sample) total \($u.total) frames \(.frames.user / ([$u.total, 1] | max))" +
		" broken \([$u.broken | to_entries[] | select(.value > 0) | "\(.key)=\(.value)"] | join(",") | if . == "" then "-" else . end)"' "$1.json"
}
programs() {
	local name round
	echo "programs, one at a time on CPU $cpu, tables loaded before; medians of $rounds:"
	printf '  %-9s %8s %9s %8s %8s %10s %10s  %s\n' program samples complete 'with FP' frames 'ns @999' 'ns @99' 'broken @999'
	for name in python3 perl xz openssl cc1 clang git sqlite3 node rust; do
		if ! program $name; then
			printf '  %-9s (not here)\n' $name
			continue
		fi
		for ((round = 0; round < rounds; round++)); do
			for hz in 999 99; do
				holder "${run[@]}"
				"$EDDY" record -F $hz -C "$cpu" --only-command -o "$T/p.folded" -- "${alone[@]}" "${run[@]}" \
					>/dev/null 2>"$T/p.err" </dev/null
				release
				facts "$T/p.folded" >>"$T/$name.$hz"
			done
		done
		f() { field "$1" <"$T/$name.$2" | median; }
		printf '  %-9s %8.0f %7.2f %% %6.2f %% %8.1f %10.0f %10.0f  %s\n' $name "$(f total 999)" "$(f complete 999)" \
			"$(f fp 999)" "$(f frames 999)" "$(f ns 999)" "$(f ns 99)" "$(field broken <"$T/$name.999" | tail -n 1)"
	done
}

# ---- a compile farm --------------------------------------------------------------------------

# cold PROGRAM...: copies of programs that nothing has mapped yet, in a new directory $cold: their
# own inodes, and those of all their libraries but the C library's.
cold() {
	local file
	rm -rf "$T/cold"
	cold=$T/cold
	mkdir "$cold"
	for file; do cp -L "$file" "$cold/"; done
	while read -r file; do
		cp -L "$file" "$cold/"
	done < <(ldd "${@/#*\//$cold/}" | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|ld-linux.*)\.so/ { print $3 }' | sort -u)
}
gcc_parts() {
	local part
	for part in gcc cc1 as; do command -v "$(gcc -print-prog-name=$part)"; done
}
# One process whose tables come while its stacks are deep.
cold_clang() {
	local round cold clang
	clang=$(command -v clang) || return
	head -n 300 "$T/many.c" >"$T/some.c"
	for ((round = 0; round < rounds; round++)); do
		cold "$clang"
		"$EDDY" record -F 999 --only-command -o "$T/p.folded" -- env LD_LIBRARY_PATH="$cold" "$cold/clang" \
			-resource-dir "$(clang -print-resource-dir)" -O3 -c "$T/some.c" -o /dev/null >/dev/null 2>"$T/p.err"
		facts "$T/p.folded" >>"$T/cold.clang"
	done
	printf '  %-14s complete %6.2f %%, %s samples  (%s)\n' 'one cold clang' "$(field complete <"$T/cold.clang" | median)" \
		"$(field total <"$T/cold.clang" | median)" "$(field broken <"$T/cold.clang" | tail -n 1)"
}
farm() {
	local files how round gcc cold parts
	mapfile -t parts < <(gcc_parts)
	mapfile -t files < <(ls user/*/*.c | head -n 40)
	{
		printf 'all:'
		printf ' %s' "${files[@]//\//_}"
		echo
		for file in "${files[@]}"; do
			printf '%s:\n\t$(CC) -O2 -Iuser -Iinclude -I%s/gen -D_GNU_SOURCE -DEDDY_VERSION=\\"0\\" -c -o /dev/null %s\n' \
				"${file//\//_}" "$B" "$file"
		done
	} >"$T/Makefile"
	mkfifo "$T/never"
	for ((round = 0; round < rounds; round++)); do
		for how in preloaded.999 preloaded.99 cold.999 cold.99; do
			cold "${parts[@]}"
			gcc=(env LD_LIBRARY_PATH="$cold" "$cold/gcc" "-B$cold/" -isystem "$(gcc -print-file-name=include)")
			if [[ $how == preloaded* ]]; then
				sleep 1000 >"$T/never" &
				held=$!
				"${gcc[@]}" -pipe -x c -O2 -c -o /dev/null - <"$T/never" &
				make -f - <"$T/never" >/dev/null 2>&1 &
				sh <"$T/never" &
				sleep 0.4
			fi
			"$EDDY" record -v -F "${how#*.}" --only-command -o "$T/farm.folded" -- \
				make -s -j2 -f "$T/Makefile" CC="${gcc[*]}" >/dev/null 2>"$T/farm.err"
			facts "$T/farm.folded" >>"$T/farm.$how"
			[[ $how == preloaded* ]] && release
			wait 2>/dev/null
		done
	done
	echo "compile farm, make -j2 of ${#files[@]} files with gcc -O2, a compiler of its own each time, medians of $rounds:"
	for how in preloaded.999 preloaded.99 cold.999 cold.99; do
		printf '  %-14s complete %6.2f %%, %s samples, %s ns a sample  (%s)\n' "$how Hz" \
			"$(field complete <"$T/farm.$how" | median)" "$(field total <"$T/farm.$how" | median)" \
			"$(field ns <"$T/farm.$how" | median)" "$(field broken <"$T/farm.$how" | tail -n 1)"
	done
}

# ---- perf's copies of the stack --------------------------------------------------------------

perf_dwarf() {
	local from ms whole all bytes
	program cc1
	have perf || return 0
	echo 'the same cc1 with perf record --call-graph dwarf, 999 Hz, once each:'
	"$EDDY" record -F 999 -C "$cpu" --only-command -o "$T/p.folded" -- "${pinned[@]}" "${run[@]}" 2>/dev/null
	ms=$(jq -r --argjson now "$(date +%s%N)" '(.end | (sub("\\.[0-9]+Z$"; "Z") | fromdate) * 1000 +
		(capture("\\.(?<f>[0-9]{3})Z$").f | tonumber)) as $stop | $now / 1e6 - $stop | floor' "$T/p.folded.json")
	printf '  %-12s complete %6.2f %%, %8d KB, stop to folded %6.1f s\n' eddy "$(facts "$T/p.folded" | field complete)" \
		$(($(cat "$T/p.folded" "$T/p.folded.json" | wc -c) / 1024)) "$(divide "$ms" 1000)"
	for bytes in 8192 32768; do
		rm -f "$T/perf.data"
		perf record -q -N -e cpu-clock -F 999 --call-graph dwarf,$bytes -o "$T/perf.data" "${pinned[@]}" "${run[@]}" >/dev/null 2>&1
		from=$(date +%s%N)
		timeout 240 perf --buildid-dir "$T/buildid" script --no-inline -F comm,pid,ip,sym -i "$T/perf.data" >"$T/perf.script" 2>/dev/null
		ms=$((($(date +%s%N) - from) / 1000000))
		read -r whole all < <(awk '!NF { n++; w += seen; seen = 0 } $2 ~ /^(_start|__libc_start)/ { seen = 1 } END { print w + 0, n + 0 }' "$T/perf.script")
		printf '  %-12s complete %6.2f %%, %8d KB, stop to text   %6.1f s (%d samples)\n' "dwarf,$bytes" \
			"$(divide $((whole * 100)) "$all")" $(($(stat -c %s "$T/perf.data") / 1024)) "$(divide $ms 1000)" "$all"
	done
}

# ---- slow-down -------------------------------------------------------------------------------

slowdown() {
	local round how
	head -n 400 "$T/many.c" >"$T/some.c"
	run=("$cc1" -quiet -O2 "$T/some.c" -o /dev/null)
	for ((round = 0; round < rounds * 4 + 1; round++)); do
		for how in base null eddy eddy99; do
			case $how in
			null) "$B/bench/minimal" "$B/bench/null.bpf.o" 999 60 >/dev/null & ;;
			eddy) "$EDDY" record -F 999 -d 60 -o "$T/s.folded" 2>/dev/null & ;;
			eddy99) "$EDDY" record -F 99 -d 60 -o "$T/s.folded" 2>/dev/null & ;;
			*) sleep 60 & ;;
			esac
			held=$!
			sleep 0.6
			"$B/bench/usage" "$T/slow.$how" "${alone[@]}" "${run[@]}"
			if [[ $how == eddy* ]]; then kill -INT $held; else kill $held; fi
			wait $held 2>/dev/null
		done
	done
	echo "cc1 -O2 alone on CPU $cpu, user + system seconds, median (and least) of $((rounds * 4 + 1)), in turn:"
	all_cpu_s() { awk '{ for (i = 1; i < NF; i++) { if ($i == "user") u = $(i + 1); if ($i == "system") s = $(i + 1) } print u + s }' "$T/slow.$1"; }
	cpu_s() { all_cpu_s "$1" | median; }
	least() { all_cpu_s "$1" | sort -g | head -n 1; }
	more() { awk -v a="$1" -v b="$2" 'BEGIN { print (a / b - 1) * 100 }'; }
	for how in base null eddy99 eddy; do
		printf '  %-8s %6.3f s  %+5.1f %%   (%6.3f s  %+5.1f %%)\n' $how "$(cpu_s $how)" "$(more "$(cpu_s $how)" "$(cpu_s base)")" \
			"$(least $how)" "$(more "$(least $how)" "$(least base)")"
	done
	echo '  (null: a BPF program that returns at once, at 999 Hz; eddy at 999, eddy99 at 99 Hz)'
	printf '  eddy at 999 Hz against null: %+.1f %% by medians, %+.1f %% by the least\n' \
		"$(more "$(cpu_s eddy)" "$(cpu_s null)")" "$(more "$(least eddy)" "$(least null)")"
}
divide() { awk -v a="$1" -v b="$2" 'BEGIN { print b ? a / b : 0 }'; }

wants programs && programs
wants farm && farm && cold_clang
wants perf && perf_dwarf
wants slowdown && slowdown
echo "load after: $(cut -d' ' -f1-3 /proc/loadavg)"
