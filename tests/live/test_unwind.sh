#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs of one known chain of calls each, nearly all of them without frame pointers,
# must come out with exactly that chain; what cannot be unwound must be counted by its reason and
# stand under [truncated].  They wait at a gate, run together in one capture by processor
# time, and are told apart by the name of their process.
. tests/tap.sh
. tests/live/live.sh
need_sampling
chains=$W/chains
[[ -x $chains/c_deep ]] || {
	skip unwind 'these workloads are built for x86-64 only'
	finish
}
chains=$PWD/$chains seconds=${CHAIN_SECONDS:-0.35}

# ---- chains ----------------------------------------------------------------------------------

libc='\[lib(c|pthread)[^;]*\]'
start="_start;(__libc_start_main[^;]*|$libc);((__libc_start_call_main|$libc);)?main"
thread="(_*clone3?|$libc);(start_thread|$libc)"
signal="(__restore_rt|$libc)"
# mawk knows no {20}
times() { local i; for ((i = 0; i < $2; i++)); do printf %s "$1"; done; }
dig20=$(times 'dig;' 20) dig5=$(times 'dig;' 5)

# stacks FILE COMM: "COUNT USER;FRAMES" of the samples of a process that have a user stack
stacks() {
	awk -v comm="$2;" 'index($0, comm) == 1 {
		n = $NF
		s = substr($0, length(comm) + 1, length($0) - length(comm) - length(n) - 1)
		sub(/(^|;)[^;]*_\[k\].*/, "", s)
		# Being in main is right, and so is starting and ending threads.
		if (s != "" && s !~ /;(pthread_create|__libc_thread_freeres|__madvise)/) print n, s
	}' "$1"
}
count() { re=$1 awk '{ n = $1; sub(/^[^ ]* /, ""); all += n; if ($0 ~ ENVIRON["re"]) hit += n } END { print hit + 0, all + 0 }'; }
# chain FILE COMM PERCENT REGEX [OF]: so many of the process's user stacks are exactly that; only those
# that have OF in them are looked at
chain() {
	local hit all
	read -r hit all < <(stacks "$1" "$2" | grep -- "${5:-}" | count "^($4|$start)\$")
	ok "$2: $hit of $all stacks are the chain" most "$3" "$hit" "$all"
	most "$3" "$hit" "$all" >/dev/null ||
		stacks "$1" "$2" | re="^($4|$start)\$" awk '{
			n = $1; sub(/^[^ ]* /, ""); if ($0 !~ ENVIRON["re"]) print n, $0 }' |
		sort | uniq -c | sort -rn | head -n 8 | cut -c1-300 | sed 's/^/# /'
}
# whole FILE COMM REGEX: nearly all user stacks of a process match
whole() {
	# shellcheck disable=SC2046
	most 70 $(stacks "$1" "$2" | count "$3")
}
# broken FILE [COMM]: samples under [truncated]
broken() {
	awk -v comm="${2:+$2;}" 'index($0, comm) == 1 && /(^|;)\[truncated\][; ]/ { n += $NF } END { print n + 0 }' "$1"
}
# Every user stack is complete or broken for a reason, and broken ones are marked in the text.
honest() {
	ok "$1: complete and broken add up, and broken ones stand under [truncated]" \
		jq -e --argjson marked "$(broken "$T/$1.folded")" '.user_stacks |
			([.broken[]] | add // 0) as $broken |
			.total == .complete + $broken and $broken == $marked and .fp_steps <= .total' \
		"$T/$1.folded.json"
}

# ---- all of them together -------------------------------------------------------------------------------

export CHAIN_GATE=$T/gate
mkfifo "$CHAIN_GATE"
pids=()
cleanup() {
	((${#pids[@]})) && kill "${pids[@]}" 2>/dev/null
	wait 2>/dev/null
	umount -l "$T/place" 2>/dev/null
	rm -rf "$T"
}
trap cleanup EXIT

# waiting PROGRAM ARG...: starts it; it waits at the gate.
waiting() {
	"$@" &
	pids+=($!)
}
named() {
	CHAIN_NAME=$1 "${@:2}" &
	pids+=($!)
}
for name in deep deep_fp deep_cet deep_static deep_stfp deep_stpie deep_clang thread signal sigalt vdso plt drap \
	sort syscall throw vfork jit jit_nofp jit_fake jit_push nocfi coroutine storm; do
	[[ -x $chains/c_$name ]] && waiting "$chains/c_$name" "$seconds"
done
waiting "$chains/c_resolve" "$seconds" "$chains/libmany.so"
waiting "$chains/c_plugin" "$seconds" "$chains/libplugin.so"
waiting "$chains/c_swap" "$seconds" "$chains/libplugin.so" "$chains/libplugin2.so"
waiting "$chains/c_pageout" "$seconds" "$T/stack"
named c_tenk "$chains/c_deep" "$seconds" 20 10000
CHAIN_EARLY=1 named c_big "$chains/c_plugin" "$seconds" "$chains/libbig.so"

# Files that are not where they were, or were never anywhere.
cp "$chains/c_deep" "$T/c_deleted"
named c_deleted "$T/c_deleted" "$seconds"
named c_memfd "$chains/c_memfd" "$chains/c_deep" "$seconds"
mkdir "$T/place" "$T/upper" "$T/work" "$T/lower"
cp "$chains/c_deep" "$T/lower"
if unshare -m mount -t tmpfs tmpfs "$T/place" 2>/dev/null; then
	named c_tmpfs unshare -m sh -c \
		'mount -t tmpfs tmpfs "$1" && cp "$2" "$1/deep" && exec "$1/deep" "$3"' - \
		"$T/place" "$chains/c_deep" "$seconds"
fi
overlay=lowerdir=$T/lower,upperdir=$T/upper,workdir=$T/work
if unshare -m mount -t overlay -o "$overlay" overlay "$T/place" 2>/dev/null; then
	named c_overlay unshare -m sh -c 'mount -t overlay -o "$1" overlay "$2" && exec "$2/c_deep" "$3"' - \
		"$overlay" "$T/place" "$seconds"
fi
CHAIN_NAME=c_pidns unshare -pf "$chains/c_deep" "$seconds" &
unshare=$!

# A library replaced while a process has the old one mapped.
cp "$chains/libplugin.so" "$T/libswap.so"
CHAIN_EARLY=1 named c_old "$chains/c_plugin" "$seconds" "$T/libswap.so"

# .eh_frame that lies: the program itself does not look at it.
objcopy --dump-section .eh_frame="$T/eh" "$chains/c_deep" "$T/copy"
size=$(stat -c %s "$T/eh")
{
	head -c $((size / 2)) "$T/eh"
	head -c $((size - size / 2)) /dev/zero
} >"$T/eh.cut"
gzip -c "$chains/c_deep" | tail -c +64 | head -c "$size" >"$T/eh.random"
# Lengths of 2 GiB, of nearly everything, and of the 64-bit form; then a CIE that is its own.
{
	printf '\xff\xff\xff\x7f'
	tail -c +5 "$T/eh" | head -c $((size / 2 - 4))
	printf '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x04\x00\x00\x00\x04\x00\x00\x00'
	tail -c +$((size / 2 + 21)) "$T/eh"
} >"$T/eh.length"
for bad in cut random length; do
	objcopy --update-section .eh_frame="$T/eh.$bad" "$chains/c_deep" "$T/c_$bad" 2>"$T/objcopy" ||
		skip "corrupted .eh_frame ($bad)" "$(head -n 1 "$T/objcopy")"
	[[ -x $T/c_$bad ]] && waiting "$T/c_$bad" "$seconds"
done

# All stand at the gate: the gate is what they are opening.
wait_at_gate() {
	local i pid
	for ((i = 0; i < 100; i++)); do
		for pid in "${pids[@]}"; do
			[[ $(cat "/proc/$pid/comm" 2>/dev/null) == c_* ]] || { sleep 0.1; continue 2; }
			grep -q '^State:.S' "/proc/$pid/status" || { sleep 0.1; continue 2; }
		done
		return 0
	done
}
wait_at_gate
read -r child < <(ps -o pid= --ppid $unshare)
pids+=("$child")
rm "$T/c_deleted"
cp "$chains/libplugin2.so" "$T/libnew.so"
mv "$T/libnew.so" "$T/libswap.so"
CHAIN_EARLY=1 named c_new "$chains/c_plugin" "$seconds" "$T/libswap.so"
sleep 0.2

# One that did not come is a failure of its own, and not of all others.
alive=()
for pid in "${pids[@]}"; do
	[[ -n $pid && -d /proc/$pid ]] && alive+=("$pid")
done
equal 'together: all are at the gate' "${#pids[@]}" "${#alive[@]}"
pids=("${alive[@]}")

record together -v -F 999 --irq keep -p "$(IFS=,; echo "${pids[*]}")" -- bash -c '
	exec 9<>"$CHAIN_GATE" # open as long as this runs: who comes late finds it open
	for pid; do
		while [[ -d /proc/$pid ]] && ! grep -q "^State:.Z" /proc/$pid/status 2>/dev/null; do sleep 0.05; done
	done' - "${pids[@]}"
equal 'together: exit status' 0 "$rc"
if ((rc)); then # nobody opened the gate: they would wait for ever
	sed 's/^/# /' "$T/together.err"
	kill -9 "${pids[@]}" "$unshare" 2>/dev/null
	finish
fi
accounts together
honest together
together=$T/together.folded

for name in deep deep_fp deep_cet deep_static deep_stfp deep_stpie deep_clang; do
	[[ -x $chains/c_$name ]] && chain "$together" c_$name 99 "$start;${dig20}chain_leaf"
done
chain "$together" c_thread 99 "$thread;thread_body;chain_leaf"
# A signal may come in the call that arms the timer, too, while that is still on its way out.
hit_by_signal="$start;(arm(;_*setitimer)?|interrupted(;tiny)?)(;$signal(;handler(;.*)?)?)?"
chain "$together" c_signal 98 "$hit_by_signal"
chain "$together" c_sigalt 98 "$hit_by_signal"
for name in signal sigalt; do
	ok "c_$name: the signal came in the loop and in its callee" test \
		"$(stacks "$together" c_$name | grep -cE 'interrupted;(__restore_rt|\[lib)')$(stacks "$together" c_$name |
			grep -cE 'tiny;(__restore_rt|\[lib)')" != 00
done
chain "$together" c_vdso 99 "$start;clock_reader(;(__)?clock_gettime.*)?"
ok 'c_vdso: names of the vdso' most 20 "$(samples "$together" c_vdso clock_gettime)" "$(samples "$together" c_vdso)"
chain "$together" c_plt 99 "$start;plt_caller(;[^;]*(strnlen|strcspn|toupper|libc|plt)[^;]*(;.*)?)?"
chain "$together" c_resolve 95 "$start;resolver(;.*)?"
ok 'c_resolve: the lazy binding under its caller' test \
	"$(stacks "$together" c_resolve | grep -cE ';resolver;many_calls;(_dl_runtime_resolve[^;]*|\[ld-[^;]*);')" -gt 0
chain "$together" c_plugin 95 "$start(;plugin_entry;plugin_work;chain_leaf|;_*dlopen.*)"
chain "$together" c_swap 97 "$start;swapper(;plugin_entry;(plugin_work|other_work);chain_leaf|;_*dl[^_].*)?"
ok 'c_swap: one library in its place' most 20 "$(samples "$together" c_swap plugin_work)" "$(samples "$together" c_swap)"
ok 'c_swap: and the other' most 20 "$(samples "$together" c_swap other_work)" "$(samples "$together" c_swap)"
chain "$together" c_drap 99 "$start;drap_outer;drap_inner;chain_leaf"
chain "$together" c_sort 99 "$start;sorter(;(qsort[^;]*|$libc)(;(msort[^;]*|$libc))*;compare;chain_leaf)?"
chain "$together" c_syscall 99 "$start;reader(;(__)?read)?"
# For a few instructions before a landing pad libgcc's frame says another caller than it has, see
# docs/DESIGN.md: such a stack is broken, and known by where it breaks.
misled='\[truncated\];(dig_down|catcher)(\.cold)?;_Unwind_(RaiseException|Resume)(;.*)?'
if [[ -x $chains/c_throw ]]; then
	chain "$together" c_throw 99 "$misled|$start;catcher(\.cold)?(;.*)?"
	read -r hit all < <(stacks "$together" c_throw | count "^$misled\$")
	ok "c_throw: $hit of $all are broken where libgcc misleads" most 94 $((all - hit)) "$all"
fi
chain "$together" c_vfork 99 "$start;vforker(;_*(vfork|wait4|waitpid).*)?"
chain "$together" c_storm 99 "$thread;(thread_body;${dig20}chain_leaf|stormer(;.*)?)"
chain "$together" c_tenk 99 "$start;${dig20}chain_leaf"
chain "$together" c_big 99 "$start;plugin_entry;plugin_work;chain_leaf"
# Not known by name before: their first samples wait for a table.
for name in deleted memfd tmpfs overlay pidns; do
	if grep -q "^c_$name;" "$together"; then
		chain "$together" c_$name 95 "$start;${dig20}chain_leaf"
	else
		skip "c_$name" 'cannot be set up here'
	fi
done
chain "$together" c_old 99 "$start;plugin_entry;plugin_work;chain_leaf"
chain "$together" c_new 99 "$start;plugin_entry;other_work;chain_leaf"

# What tables do not describe.
chain "$together" c_jit 99 "$start;jit_caller(;\[[^;]*\])?"
ok 'c_jit: counted as found by frame pointer' jq -e --argjson n "$(stacks "$together" c_jit | count 'jit_caller;\[' | cut -d' ' -f1)" \
	'.user_stacks.fp_steps >= $n and $n > 30' "$together.json"
chain "$together" c_jit_push 99 "$start;jit_caller(;\[[^;]*\])?(;\[[^;]*\])?"
chain "$together" c_jit_nofp 99 "(\[truncated\];\[[^;]*\]|$start;jit_caller)"
chain "$together" c_jit_fake 99 "(\[truncated\];\[[^;]*\]|$start;jit_caller)"
chain "$together" c_nocfi 99 "(\[truncated\];without_cfi|$start;asm_caller)"
chain "$together" c_pageout 95 '\[truncated\];(dig;)*pageout_leaf'
chain "$together" c_coroutine 99 "(\[truncated\];)?($start;)?((__start_context|$libc);)?coroutine;chain_leaf"
# reason NAME COMM [COMM...]: counted at least for the broken stacks of the process, and not for all
# but those of the further ones too
reason() {
	local n most=0 comm
	n=$(broken "$together" "$2")
	for comm in "${@:2}"; do most=$((most + $(broken "$together" "$comm"))); done
	ok "$2: $n broken, counted as $1" jq -e --arg r "$1" --argjson n "$n" --argjson most "$most" \
		'.user_stacks.broken[$r] as $c | $n > 30 and $c >= $n * 0.98 and $c <= $most * 1.3 + 20' "$together.json"
}
reason jit c_jit_nofp c_jit_fake
reason no-info c_nocfi c_cut c_random c_length # of those their code tells some frames, and not all
reason fault c_pageout
for bad in cut random length; do
	[[ -x $T/c_$bad ]] || continue
	ok "c_$bad: sampled, complete or marked" most 95 \
		$(stacks "$together" c_$bad | count '^(\[truncated\]|_start;.*;main)(;|$)')
done
ok 'together: hardly anything is ended by a mapping that moved' most 99.98 \
	$(json together '.user_stacks | "\(.total - (.broken["vma-race"] // 0)) \(.total)"')

# ---- one at a time ---------------------------------------------------------------------------

unset CHAIN_GATE
alone() {
	local name=$1
	shift
	record "$name" -F 999 --irq keep --only-command "$@"
	equal "$name: exit status" 0 "$rc"
	accounts "$name"
	honest "$name"
}
if [[ -x $chains/c_compat ]]; then
	alone compat -- "$chains/c_compat"
	ok '32-bit: one frame, counted' most 95 $(json compat '.user_stacks | "\(.broken.compat32) \(.total)"')
	ok '32-bit: under [truncated]' test "$(samples "$T/compat.folded" '[truncated]' _start)" -gt 20
else
	skip '32-bit program' "$WCC cannot build any"
fi

alone fp --unwind fp -- "$chains/c_deep_stfp" 0.2
ok '--unwind fp: 20 deep where there are frame pointers' whole "$T/fp.folded" c_deep_stfp "main;${dig20}chain_leaf\$"
ok '--unwind fp: every such stack has frame-pointer steps' most 90 $(json fp '.user_stacks | "\(.fp_steps) \(.total)"')
alone nofp --unwind fp -- "$chains/c_deep" 0.2
equal '--unwind fp: none is whole without frame pointers' 0 \
	"$(stacks "$T/nofp.folded" c_deep | count "^$start;${dig20}chain_leaf\$" | cut -d' ' -f1)"
alone eh --unwind eh -- "$chains/c_jit" 0.2
ok '--unwind eh: no frame-pointer step is taken' jq -e '.user_stacks.fp_steps == 0' "$T/eh.folded.json"
ok '--unwind eh: the code of the JIT is counted' most 60 $(json eh '.user_stacks | "\(.broken.jit) \(.total)"')
ok '--unwind eh: the code of the JIT stands alone' whole "$T/eh.folded" c_jit '^\[truncated\];\[[^;]*\]$'

alone cut --max-depth 6 -- "$chains/c_deep" 0.2
ok '--max-depth 6: six frames' whole "$T/cut.folded" c_deep "^\[truncated\];${dig5}chain_leaf\$"
ok '--max-depth 6: counted as depth' most 85 $(json cut '.user_stacks | "\(.broken.depth) \(.total)"')
alone whole --max-depth 1023 -- "$chains/c_deep_static" 0.4 950
ok '--max-depth 1023: 950 deep is whole' whole "$T/whole.folded" c_deep_static "^$start;$(times 'dig;' 950)chain_leaf\$"

# Different programs at the same addresses, one after the other.
alone turns -- bash -c 'for ((i = 0; i < 10; i++)); do "$1/c_deep_static" 0.02; "$1/c_deep_stfp" 0.02; done' - "$chains"
for name in deep_static deep_stfp; do
	# Of 20 ms a program starts for one, in functions of its own.
	chain "$T/turns.folded" c_$name 95 "$start;${dig20}chain_leaf" chain_leaf
done

# Go: no .eh_frame; goroutines on stacks of their own, which call the vdso and the collector on the
# thread's.  (A root is where a goroutine or a thread begins.)
if [[ -x $chains/c_go ]]; then
	strip -o "$T/c_gone" "$chains/c_go" # its names are those that the runtime knows
	goroutine='runtime\.goexit[^;]*;(main\.main[^;]*;)?'
	for go in "$chains/c_go" "$T/c_gone"; do
		name=${go##*/}
		alone "$name" -- "$go" 2
		echo "# note: $name: $(json "$name" '.user_stacks | tostring')"
		ok "$name: 99 % are complete" most 99 $(json "$name" '.user_stacks | "\(.complete) \(.total)"')
		equal "$name: none by frame pointer" 0 "$(json "$name" .user_stacks.fp_steps)"
		for what in "a function without a frame:main\.leaf:main\.digger;$(times 'main\.dig;' 20)main\.leaf" \
			"the vdso on the thread's stack:clock_gettime:main\.clocker;(main\.clock;)?time\.[Nn]ow[^;]*;.*clock_gettime[^;]*"; do
			IFS=: read -r case some whole <<<"$what"
			read -r hit all < <(stacks "$T/$name.folded" "$name" | grep -- "$some" | count "^$goroutine$whole\$")
			ok "$name: $case: $hit of $all stacks are the chain" most 95 "$hit" "$all"
		done
	done
	read -r hit all < <(stacks "$T/c_gone.folded" c_gone | count "^[^[]*(\\[vdso[^[]*)?\$")
	ok "c_gone: $hit of $all stacks have all names" most 99 "$hit" "$all"
else
	skip 'a Go program' 'no go here'
fi

# A library written again in place, same inode and other code: new tables and new names.
alone rewritten -v -- bash -c 'cp "$1/libplugin.so" "$2"; "$1/c_plugin" 0.3 "$2"; cat "$1/libplugin2.so" >"$2"
	sleep 0.3; "$1/c_plugin" 0.3 "$2"' - "$chains" "$T/librewritten.so"
for work in plugin_work other_work; do # each has half of the time
	ok "rewritten in place: $work in its program's own frames" most 25 \
		"$(stacks "$T/rewritten.folded" c_plugin | count "^$start;plugin_entry;$work;chain_leaf\$" | cut -d' ' -f1)" \
		"$(samples "$T/rewritten.folded" c_plugin)"
done
ok 'rewritten in place: seen' grep -qE '[1-9][0-9]* rewritten' "$T/rewritten.err"

# Programs on overlayfs that nobody has seen before: the sampler knows them by the file of the layer,
# /proc/PID/maps prints the one in front of it.  Their first samples wait for a table.
mkdir "$T/new" "$T/new/lower" "$T/new/upper" "$T/new/work" "$T/new/place"
overlay=lowerdir=$T/new/lower,upperdir=$T/new/upper,workdir=$T/new/work
for ((i = 0; i < 12; i++)); do cp "$chains/c_deep" "$T/new/lower/c_new$i"; done
# late NAME: samples that waited for a table
late() { sed -n 's/.* \([0-9]*\) samples waited.*/\1/p' "$T/$1.err"; }
if unshare -m mount -t overlay -o "$overlay" overlay "$T/new/place" 2>/dev/null; then
	CHAIN_NAME=c_over alone overlay -v -- unshare -m sh -c 'mount -t overlay -o "$1" overlay "$2" || exit
		for program in "$2"/c_new*; do "$program" 0.4; done' - "$overlay" "$T/new/place"
	pending=$(json overlay '.user_stacks.broken.pending // 0')
	ok "overlayfs: of $(late overlay) samples that waited nearly all are whole, $pending are not" \
		test "$(late overlay)" -ge 8 -a $((pending * 4)) -le "$(late overlay)"
	chain "$T/overlay.folded" c_over 97 "$start;${dig20}chain_leaf"
else
	skip 'new programs on overlayfs' 'overlayfs cannot be mounted here'
fi

# Without CAP_CHECKPOINT_RESTORE a mapped file is opened by its path, and one that was deleted not at
# all: that one is asked for once and then not for a second, and no sample waits for it.
chmod 755 "$T"
mkdir -m 777 "$T/able"
install -m 755 "$EDDY" "$T/able/eddy"
# unable NAME COMMAND...: samples it for a second while it runs
unable() {
	local name=$1 pid
	shift
	"$@" &
	pid=$!
	until_true 10 grep -q '^c_' "/proc/$pid/comm"
	exe=$(readlink "/proc/$pid/exe")
	[[ $name == removed ]] && rm "$1"
	timeout -k 5 60 "$W/confine" -u 65534 -k bpf,perfmon,syslog,sys_ptrace,dac_read_search "$T/able/eddy" record -v \
		-F 999 --irq keep -p $pid -d 1 -o "$T/able/$name.folded" >"$T/$name.out" 2>"$T/$name.err"
	rc=$?
	kill $pid
	wait $pid 2>/dev/null
	mv "$T/able/$name".folded* "$T"
}
asked() { sed -n 's/.* \([0-9]*\) asked for later.*/\1/p' "$T/$1.err"; }
cp "$chains/c_deep" "$T/c_removed"
unable removed "$T/c_removed" 30
if ((rc)); then
	skip 'without CAP_CHECKPOINT_RESTORE' "$(tail -n 1 "$T/removed.err")"
else
	accounts removed
	honest removed
	ok "a deleted file: $(samples "$T/removed.folded" c_removed) samples, asked for $(asked removed) times, $(late removed) waited" \
		test "$(samples "$T/removed.folded" c_removed)" -ge 50 -a "$(asked removed)" -ge 1 -a "$(asked removed)" -le 5 \
		-a "$(late removed)" -le 10
	if unshare -m mount -t overlay -o "$overlay" overlay "$T/new/place" 2>/dev/null; then
		unable by_path unshare -m sh -c 'mount -t overlay -o "$1" overlay "$2" && exec "$2/c_new0" 30' - "$overlay" "$T/new/place"
		accounts by_path
		# The kernel tells the path of a file in another mount namespace from that one's root.
		if [[ $exe == "$T/new/place/c_new0" ]]; then
			chain "$T/by_path.folded" c_new0 97 "$start;${dig20}chain_leaf"
		else
			skip 'overlayfs without CAP_CHECKPOINT_RESTORE' "in a chroot, $exe leads nowhere"
		fi
	else
		skip 'overlayfs without CAP_CHECKPOINT_RESTORE' 'overlayfs cannot be mounted here'
	fi
fi

# How soon they go is the machine's to say.
alone processes -- env PATH="$PATH:/usr/sbin" bash -c '"$1" 1
	tasks=$(for id in $(sed -n "s/^map_id:[[:space:]]*//p" /proc/$PPID/fdinfo/*); do
		bpftool -j map show id "$id" | jq -r "select(.name == \"tasks\").id"
	done)
	for ((i = 0; i < 20; i++)); do
		sleep 0.5
		n=$(bpftool -j map dump id "$tasks" | jq length)
		((n >= 50)) || break
	done
	echo "$n"' - "$W/process_storm"
if PATH=$PATH:/usr/sbin command -v bpftool >/dev/null; then
	ok "a storm of processes: those that ended are not sampled by their number: $(tail -n 1 "$T/processes.out") are left" \
		awk '{ n = $1 } END { exit !(n > 0 && n < 50) }' "$T/processes.out"
else
	skip 'processes that ended' 'no bpftool'
fi
ok 'a storm of processes: nearly all are whole' most 95 \
	$(json processes '.user_stacks | "\(.complete) \(.total)"')

# ---- less room than the tables need ----------------------------------------------------------

if command -v clang >/dev/null; then
	for ((i = 0; i < 2000; i++)); do
		echo "int f$i(int x) { for (int i = 0; i < x; i++) x += x / (i + $i + 1); return x; }"
	done >"$T/many.c"
	record room -v -F 499 --irq keep --max-table-memory 4M --only-command -- sh -c "clang -O2 -c -o '$T/many.o' '$T/many.c'; '$chains/c_deep' 1"
	equal '--max-table-memory 4M: exit status' 0 "$rc"
	accounts room
	honest room
	ok '--max-table-memory 4M: never more' grep -qE 'of rows in [0-4] MiB' "$T/room.err"
	ok '--max-table-memory 4M: tables make way' grep -qE '[1-9][0-9]* evicted' "$T/room.err"
	chain "$T/room.folded" c_deep 60 "$start;${dig20}chain_leaf"
	equal '--max-table-memory 4M: no whole stack is a wrong one' 0 \
		"$(stacks "$T/room.folded" c_deep | grep -v truncated | grep -vcE " ($start;(dig;){0,20}|_start|\[|_dl)")"
else
	skip '--max-table-memory' 'no clang'
fi
finish
