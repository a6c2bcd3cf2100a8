# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the attacks after tests/tap.sh and tests/live/live.sh: users without any rights, who are
# made for this run and removed at its end with all that runs as them.
#   need_attacker            ends the test as skipped where this machine cannot sample
#   attacker COMMAND...      as the hostile user, in its home $A (0755); `other` is a second one, in $O
#   attacker_starts COMMAND...  the same in the background; $! is its PID.  other_starts too
#   attack_ends              ends all that runs as the hostile user
#   gives FILE...            copies files to $A, as the hostile user's own
#   timed COMMAND...         runs it; $took_ms, $rc
#   stacks_of FILE COMM      "samples complete named": of the stacks under that base frame, those
#                            without [truncated], and those whose every frame has a name
#   lasted_ms NAME           from the first moment of a capture's samples to the last
#   in_time NAME SECONDS [LATE]  tests that its samples end, and then its file is there, within a
#                            second (or LATE) of the time that it was asked for, from its first
#                            moment on: loading before that takes three seconds at most, and a shell
#                            may wait for its start
#   costed NAME ARG...       record, timed; the processor time of all eddy's processes in $cpu_ms,
#                            the program's memory in $rss
#   beside NAME SECONDS      tests what every capture beside an attack must fulfil
#   points K1 N1 K2 N2       percentage points between two shares, as an integer of hundredths
# The attack's programs stand in $P, where the users may run them.
P=${B:-build}/attack

# A user of this name, or, where none can be made, a number that nobody has.
make_user() {
	local name=$1 try
	for try in 1 2 3 4 5; do
		if useradd -M -N -d "$2" -s /bin/false "$name" >/dev/null 2>&1; then
			id -u "$name"
			return
		fi
		id -u "$name" >/dev/null 2>&1 && userdel "$name" >/dev/null 2>&1
		sleep 0.2
	done
	try=$((62000 + RANDOM % 2000))
	while getent passwd "$try" >/dev/null; do try=$((try + 1)); done
	echo "$try"
}
# All that runs as a user, until nothing does: some processes make others.
end_processes() {
	local try pids
	for try in $(seq 100); do
		pids=$(ps -e -o pid= -o uid= -o stat= | awk -v uid="$1" '$2 == uid && $3 !~ /^Z/ { print $1 }')
		[[ $pids ]] || return 0
		# shellcheck disable=SC2086 # a list
		kill -KILL $pids 2>/dev/null
		sleep 0.02
	done
}
leave() {
	[[ -n ${A_UID:-} ]] && end_processes "$A_UID"
	[[ -n ${O_UID:-} ]] && end_processes "$O_UID"
	[[ -n ${A_UID:-} ]] && userdel "eddyatk$$" >/dev/null 2>&1
	[[ -n ${O_UID:-} ]] && userdel "eddyoth$$" >/dev/null 2>&1
	rm -rf "$T"
}
need_attacker() {
	need_sampling
	umask 022
	chmod 711 "$T"
	A=$T/attacker O=$T/other
	mkdir "$A" "$O"
	# Built under umask 077, or below a directory of root's, they are nobody else's to run.
	cp -r "$P" "$T/programs" && chmod -R u=rwX,go=rX "$T/programs"
	P=$T/programs
	trap leave EXIT
	trap 'exit 1' INT TERM HUP
	A_UID=$(make_user "eddyatk$$" "$A")
	O_UID=$(make_user "eddyoth$$" "$O")
	chown "$A_UID:$A_UID" "$A"
	chown "$O_UID:$O_UID" "$O"
}
as() {
	local uid=$1 home=$2
	shift 2
	cd "$home" && exec setpriv --reuid="$uid" --regid="$uid" --clear-groups --no-new-privs \
		env -i PATH="$PATH" HOME="$home" LC_ALL=C "$@" </dev/null
}
attacker() { (as "$A_UID" "$A" "$@"); }
other() { (as "$O_UID" "$O" "$@"); }
attacker_starts() { (as "$A_UID" "$A" "$@") >/dev/null 2>&1 & }
other_starts() { (as "$O_UID" "$O" "$@") >/dev/null 2>&1 & }
attack_ends() { end_processes "$A_UID"; }
gives() {
	cp "$@" "$A" && chown -R "$A_UID:$A_UID" "$A"
}

timed() {
	local from
	from=$(date +%s%N)
	"$@"
	rc=$?
	took_ms=$((($(date +%s%N) - from) / 1000000))
}
stacks_of() {
	comm=$2 awk '
	{
		count = $NF
		stack = substr($0, 1, length($0) - length(count) - 1)
		n = split(stack, frame, ";")
		if (frame[1] != ENVIRON["comm"])
			next
		named = 1
		for (i = 2; i <= n; i++)
			if (frame[i] ~ /^\[.*\+0x[0-9a-f]+\]/ || frame[i] ~ /^\[(unknown|anon)/)
				named = 0
		all += count
		if (frame[2] != "[truncated]")
			complete += count
		if (named)
			all_named += count
	}
	END { print all + 0, complete + 0, all_named + 0 }' "$1"
}
lasted_ms() {
	json "$1" '[.start, .end] | map(.[0:19] as $s | ($s + "Z" | fromdate) * 1000 + (.[20:23] | tonumber)) |
		.[1] - .[0]'
}
in_time() {
	local start_ms end_ms written_ms
	read -r start_ms end_ms <<<"$(json "$1" '[.start, .end] |
		map((.[0:19] + "Z" | fromdate) * 1000 + (.[20:23] | tonumber)) | map(tostring) | join(" ")')"
	written_ms=$(stat -c %.3Y "$T/$1.folded" | tr -d .)
	end_ms=$((end_ms - start_ms)) written_ms=$((written_ms - start_ms))
	ok "$1: sampling ended after $end_ms ms, the file came after $written_ms ms" \
		test "$end_ms" -ge $(($2 * 1000 - 10)) -a "$end_ms" -le $((($2 + 1) * 1000)) -a \
		"$written_ms" -le $((($2 + ${3:-1}) * 1000))
}
# The kernel's count, by a cgroup of its own; where none can be made, eddy's own.
costed() {
	local name=$1 mount group=
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	[[ $mount ]] && mkdir "$mount/eddycost$$" 2>/dev/null && group=$mount/eddycost$$
	timed grouped "$group" "$@"
	cpu_ms=$(json "$name" '.cost.cpu_seconds * 1000 | floor')
	rss=$(json "$name" '.cost.max_rss_bytes')
	if [[ $group ]]; then
		local usage
		usage=$(awk '$1 == "usage_usec" { print int($2 / 1000) }' "$group/cpu.stat")
		cpu_ms=${usage:-$cpu_ms}
		until_true 10 rmdir "$group"
	fi
}
grouped() {
	local group=$1
	shift
	(
		[[ $group ]] && echo "$BASHPID" >"$group/cgroup.procs"
		record "$@"
		exit "$rc"
	)
}
beside() {
	equal "$1: exit status" 0 "$rc"
	accounts "$1"
	in_time "$1" "$2"
}
points() {
	awk -v a="$1" -v b="$2" -v c="$3" -v d="$4" 'BEGIN {
		if (!b || !d) { print 10000; exit }
		p = 10000 * (a / b - c / d)
		printf "%d\n", p < 0 ? -p : p
	}'
}
