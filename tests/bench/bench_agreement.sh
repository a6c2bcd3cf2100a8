#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Does eddy see what perf sees?  Both sample the same 20 s at 999 Hz; the shares of the 20 hottest
# functions (all by self, the kernel's by inclusive samples) are compared by the two-proportion z test,
#
#     z = (p1 - p2) / sqrt(p (1 - p) (1/n1 + 1/n2)),    p = (k1 + k2) / (n1 + n2)
#
# at a familywise level of 1 % over the 20 (Bonferroni: 0.05 % each, |z| < 3.48).  User functions are
# compared by self only: perf walks by frame pointers, which most programs do not have.
. tests/bench/lib.sh
need_root
have perf || exit 0
seconds=${SECONDS_EACH:-20}

load_start
perf record -q -e cpu-clock -F 999 -a -g -N -o "$T/perf.data" -- sleep "$seconds" >/dev/null 2>&1 &
"$EDDY" record -F 999 -d "$seconds" --no-demangle --irq keep -o "$T/eddy.folded" 2>/dev/null
wait $!
load_stop

# Both to "comm;frames" and a count: names as in the files, one for all the unnamed.
perf --buildid-dir "$T/buildid" script --no-inline --no-demangle -F comm,pid,ip,sym -i "$T/perf.data" 2>/dev/null | awk '
	/^$/ { if (!idle && n) { line = ""; for (i = n; i; i--) line = line ";" f[i]; print comm line " 1" } n = 0; next }
	/^[^ \t]|^ *[^ ].* +[0-9]+ *$/ && !/^\t/ { comm = $1; idle = /^ *swapper/; n = 0; next }
	{ mark = $1 ~ /^ffff/ ? "_[k]" : ""; sub(/^[ \t]*[0-9a-f]+ /, ""); sub(/\+0x[0-9a-f]+$/, ""); sub(/@@?[A-Z].*/, ""); gsub(/;/, ":"); f[++n] = $0 ~ /^\[unknown\]|^$/ ? "[unnamed]" : $0 mark }' >"$T/perf.folded"
sed -E 's/_\[[ji]\]//g; s/\[[^];]*\+0x[0-9a-f]+\]/[unnamed]/g' "$T/eddy.folded" >"$T/eddy.plain"

awk '
function take(who, line,    count, n, i, frame, seen) {
	count = line
	sub(/.* /, "", count)
	sub(/ [0-9]+$/, "", line)
	n = split(line, frame, ";")
	if (n < 2 || frame[1] ~ /^\[lost/)
		return
	total[who] += count
	self[who, frame[n]] += count
	names[frame[n]] = 1
	for (i = 2; i <= n; i++)
		if (!((who, frame[i]) in seen)) {
			seen[who, frame[i]] = 1
			incl[who, frame[i]] += count
			names[frame[i]] = 1
		}
}
FNR == NR { take("e", $0); next }
{ take("p", $0) }
function compare(kind, value, only,    k, i, best, name, used, e, p, pool, z, worst, bad) {
	printf "%s samples, 20 hottest functions; n = %d eddy, %d perf:\n", kind, total["e"], total["p"]
	for (k = 0; k < 20; k++) {
		best = ""
		for (name in names)
			if (!(name in used) && name ~ only && name != "[unnamed]" && name != "[truncated]" && value["e", name] + value["p", name] > (best == "" ? 0 : value["e", best] + value["p", best]))
				best = name
		if (best == "")
			break
		used[best] = 1
		e = value["e", best] / total["e"]
		p = value["p", best] / total["p"]
		pool = (value["e", best] + value["p", best]) / (total["e"] + total["p"])
		z = pool < 1 ? (e - p) / sqrt(pool * (1 - pool) * (1 / total["e"] + 1 / total["p"])) : 0
		printf "  %6.2f %% %6.2f %%  z %6.2f %s %s\n", e * 100, p * 100, z, (z > 3.48 || z < -3.48) ? "DIFFERS" : "       ", best
		bad += z > 3.48 || z < -3.48
	}
	printf "  %d of %d differ by more than sampling error allows\n", bad, k
}
END {
	if (!total["e"] || !total["p"]) { print "no samples"; exit 1 }
	compare("self", self, "")
	compare("inclusive (kernel functions)", incl, "_\\[k\\]$")
}' "$T/eddy.plain" "$T/perf.folded"
