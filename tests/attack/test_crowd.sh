#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Five hundred threads that compute beside a capture: it begins soon, it samples for as long as was
# asked for and not longer, and its files are there soon after.  What is sampled has its stacks.
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker
gives "$P/many_threads"
# What is judged is eddy: neither how long a shell takes here, nor the way from there to main().
renice -n -10 -p $$ >/dev/null
attacker_starts nice -n 10 ./many_threads 500 60
sleep 1
began_ms=$(($(date +%s%N) / 1000000))
record crowd -F 499 -d 3
written_ms=$(($(stat -c %.3Y "$T/crowd.folded" | tr -d .)))
attack_ends
equal 'exit status' 0 "$rc"
accounts crowd
start_ms=$(json crowd '.start | (.[0:19] + "Z" | fromdate) * 1000 + (.[20:23] | tonumber)')
lasted=$(lasted_ms crowd)
ok "the crowd was there: $(samples "$T/crowd.folded" many_threads) samples" \
	test "$(samples "$T/crowd.folded" many_threads)" -gt 100
ok "sampling lasted $lasted ms, as long as was asked for" test "$lasted" -ge 2990 -a "$lasted" -le 3100
ok "it began $((start_ms - began_ms)) ms after the command" test $((start_ms - began_ms)) -lt 4000
ok "its file was there $((written_ms - start_ms - lasted)) ms after the end" \
	test $((written_ms - start_ms - lasted)) -le 1000
read -r all complete _ <<<"$(stacks_of "$T/crowd.folded" many_threads)"
ok "$complete of $all stacks are whole" most 90 "$complete" "$all"
finish
