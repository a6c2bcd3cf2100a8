#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --root cgroup, unit, container and program: whose a sample is is known when it is taken, so that
# processes of 2 ms have it whose cgroup is gone before anybody could look.
. tests/tap.sh
. tests/live/live.sh
need_sampling
mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
slice=/eddy-test-$$.slice
id=$(printf '%064x' $$)
box=$slice/docker-$id.scope
cleanup() {
	jobs -p | xargs -r kill 2>/dev/null
	wait
	[[ $mount ]] && find "$mount$slice" -depth -type d -exec rmdir {} + 2>/dev/null
	rm -rf "$T"
}
trap cleanup EXIT
if [[ -z $mount ]] || ! mkdir "$mount$slice" "$mount$box" 2>/dev/null; then
	skip '--root unit, container' 'no cgroup2 where groups can be made'
	finish
fi

# Short programs, each in a cgroup of its own that is made for it and removed behind it.
JOBS=100
jobs_run() {
	sleep 0.3
	for ((i = 0; i < JOBS; i++)); do
		mkdir "$mount$slice/job-$i.service"
		(echo $BASHPID >"$mount$slice/job-$i.service/cgroup.procs" &&
			exec "$W/static_prog" 0.002) >/dev/null
		rmdir "$mount$slice/job-$i.service"
	done
}
(echo $BASHPID >"$mount$box/cgroup.procs" && exec "$W/threads" 30) >/dev/null &
record all -F 4999 -d 60 --irq keep --root cgroup,unit,container,program -- \
	bash -c "$(declare -f jobs_run); JOBS=$JOBS W=$W mount=$mount slice=$slice; jobs_run"
equal 'exit status' 0 "$rc"
accounts all
equal 'the .json says what there is' cgroup,unit,container,program "$(json all .root)"
ok 'no cgroup is without its path' bash -c "! grep -F '[cgroup-' '$T/all.folded'"
short=$(awk -F';' -v prefix="$slice/job-" '$4 == "static_prog" && index($1, prefix) == 1 {
		unit = substr($1, length(prefix) - 3)
		if ($2 == unit && $3 == "[no container]")
			good[unit]
		else
			print > "/dev/stderr"
	}
	END { print length(good) }' "$T/all.folded")
ok "processes of 2 ms whose cgroup is gone have it ($short of $JOBS)" \
	test "$short" -ge $((JOBS * 6 / 10))
ok 'a short process is nowhere else' awk -F';' -v prefix="$slice/job-" \
	'$4 == "static_prog" && index($1, prefix) != 1 { print; bad = 1 } END { exit bad }' \
	"$T/all.folded"
want="$box;docker-$id.scope;$id;threads;"
ok 'container: its id; program: the leader of threads with other names' \
	awk -v want="$want" 'index($0, ";thread_forty") { n++; if (index($0, want) != 1) bad = 1 }
	END { exit bad || !n }' "$T/all.folded"

# ---- what --root cgroup prints is what -G takes ---------------------------------------------------

record group -F 499 -d 0.5 -G "$box" --root container
equal '-G /PATH' 0 "$rc"
accounts group
ok '-G takes a path as it is printed' awk -v want="$id;" \
	'/^\[/ { next } index($0, want) != 1 { print; bad = 1 } { n++ } END { exit bad || !n }' \
	"$T/group.folded"
odd=$slice/$'a;b\tc'
mkdir "$mount$odd"
"$W/spin" 30 &
echo $! >"$mount$odd/cgroup.procs"
record odd -F 499 -d 0.3 --root cgroup -p $!
printed=$(grep -m 1 "^$slice" "$T/odd.folded" | cut -d';' -f1)
equal 'a name that cannot be printed as it is' "$slice/a:b\\x09c" "$printed"
record odd2 -F 499 -d 0.3 -G "$printed" --root cgroup
equal '-G takes that, too' 0 "$rc"
ok 'and finds it' grep -q -F "$printed;" "$T/odd2.folded"
record none -d 0.1 -G /eddy-no-such-group
equal 'no such cgroup' '1 eddy: no cgroup '\''/eddy-no-such-group'\'' (of version 2)' \
	"$rc $(cat "$T/none.err")"
record host -F 199 -d 0.3 --root host,program
ok '--root host,program' grep -q "^$(uname -n);spin;" "$T/host.folded"

# ---- fewer of them afterwards ---------------------------------------------------------------------

report() {
	"$EDDY" report --format folded "$@" 2>&1
}
sum=$(samples "$T/all.folded")
for root in cgroup unit container program unit,program program,container none; do
	equal "report --root $root keeps all" "$sum" "$(report --root $root "$T/all.folded" | samples -)"
done
ok 'report --root container' grep -q "^$id;" <(report --root container "$T/all.folded")
equal 'what was not recorded is refused' \
	"eddy: --root thread: the stacks do not have it (record with --root thread)" \
	"$(report --root thread "$T/all.folded")"
finish
