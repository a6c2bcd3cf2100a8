# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the tests of this directory, one for each kernel, which then call
#   row NAME     Debian's kernel of that series in an emulator, as fetch.sh names it; NAME-arm64 with
#                what was cross-built (B=build/arm64, RUNNER: what runs that here)
#   row host     this machine's own kernel, where that is safe: no CPU goes, nothing is locked down
# Workloads of known truth are recorded there and judged here, each row by the same checks; what
# cannot be checked in a row is skipped by name.
. tests/tap.sh
. tests/live/live.sh
. tests/live/irq.sh
K=${B:-build}/kernels

# eddy ARG...: the program that was built, here.
eddy() {
	# shellcheck disable=SC2086 # words
	${RUNNER:-} "$EDDY" "$@"
}

recorded() {
	[[ $(cat "$T/$1.rc") == 0 ]] || {
		cat "$T/$1.err"
		return 1
	}
}
# holds NAME: accounts for every sample, and where it says what was due, no more came than that
holds() {
	identity "$1" && jq -e '.samples | .delivered <= .due * 1.05 + 10' "$T/$1.folded.json"
}
# refused NAME WORD: exit status 1, one line that holds the word, no file
refused() {
	cat "$T/$1.err"
	[[ $(cat "$T/$1.rc") == 1 && $(wc -l <"$T/$1.err") == 1 && ! -e $T/$1.folded ]] &&
		grep -qE "^eddy: .*($2)" "$T/$1.err"
}

# ---- stacks ----------------------------------------------------------------------------------

split=(split_half split_three_tenths split_fifth)
# What a workload has done: an emulator that has to wait lets processor time go on.
blocks() {
	awk -v name="$2" '$1 == "blocks" && $2 == name { print $3 }' "$1"
}
# shares NAME PROGRAM: the functions have their shares, and nothing is between them and the root.
shares() {
	local f k n=0 whole=0 bad=0
	for f in "${split[@]}"; do
		n=$((n + $(samples "$T/$1.folded" "$f")))
		whole=$((whole + $(blocks "$T/$1.out" "$f")))
	done
	for f in "${split[@]}"; do
		k=$(samples "$T/$1.folded" main split_caller "$f" "$2")
		awk -v k="$k" -v n="$n" -v t="$(blocks "$T/$1.out" "$f")" -v whole="$whole" -v z="$Z" 'BEGIN {
			p = t / whole
			d = z * sqrt(n * p * (1 - p)) + 1.5
			exit !(n >= 60 && k >= n * p - d && k <= n * p + d)
		}' || bad=1
	done
	((bad)) && head -n 40 "$T/$1.out" "$T/$1.err" "$T/$1.folded"
	return $bad
}
complete() {
	jq -c .user_stacks "$T/$1.folded.json"
	# In execve there is no stack to be walked; a slow emulator is there for long.  It also takes long
	# to read a table: how many samples wait for one in vain is its speed, and here only bounded.
	jq -e --argjson share "$2" '.user_stacks | (.total - (.broken.exec // 0)) as $all |
		(.broken.pending // 0) as $waited | ($all - $waited) as $n |
		$n >= 60 and $waited <= $all / 2 and .complete >= $n * $share - 1' "$T/$1.folded.json"
}
counted() {
	jq -c '.event, .counter, .notes[0]' "$T/counter.folded.json"
	jq -e '(.event | endswith("/event=0x11/u")) and .counter.running_ns > 0 and
		(.notes[0] | contains("of the kernel nothing was asked for"))' "$T/counter.folded.json"
}
# All 100 levels, and the same above and below them in every sample of the innermost function.
depth() {
	awk '
	/;at_the_bottom[; ]/ {
		n = split($0, frame, ";")
		d = 0
		for (i = 1; i <= n; i++) d += frame[i] ~ /^(self_recurse|mutual_p[io]ng)$/
		count[d] += $NF
		all += $NF
	}
	END { for (d in count) print d, count[d]; exit !(all >= 30 && count[100] >= all * 0.97 - 1) }' "$T/deep.folded"
}
# The kernel's share of the time is what the kernel accounts for (both are samples of a kind, the
# kernel's at its tick, and entering and leaving is booked differently: a fifth may lie between),
# and it stands under who asked for it, through the entry of system calls.
through_kernel() {
	awk '
	FNR == NR { if ($1 == "times") share = $3 / ($2 + $3); next }
	/;main;read_zeroes[; ]/ { all += $NF }
	/;main;read_zeroes;.*_\[k\]/ { kernel += $NF }
	/;main;read_zeroes;.*(do_syscall_64|el0_svc)[^;]*_\[k\];.*vfs_read_\[k\]/ { reads += $NF }
	END {
		print kernel + 0, reads + 0, all + 0, share
		exit !(all >= 50 && kernel / all > share - 0.2 && reads > kernel / 3)
	}' "$T/syscalls.out" "$T/syscalls.folded"
}
# walked NAME: what the sampler walked of kernel stacks is what the kernel gives, and is most of
# them.  On arm64, and without ORC tables, it walks none.
walked() {
	cat "$T/$1.check" "$T/$1.err"
	awk -v least="$2" '{
		for (i = 1; i < NF; i += 2) n[$i] = $(i + 1)
		bad = n["task"] < 60 || n["differed"] || n["checked"] != n["walked"] ||
			(n["tables"] ? n["walked"] < n["task"] * least : n["walked"])
	} END { exit NR != 1 || bad }' "$T/$1.check"
}
# share NAME: how many were
share() {
	sed -n 's/.*\btask \([0-9]*\).*\bwalked \([0-9]*\).*/\2 of \1 were walked/p' "$T/$1.check"
}
# A softirq that a system call ran stands on more than 12 frames, all of them the kernel's: cut there,
# it may not hang directly under a user's frame.
marked_as_cut() {
	awk '/^flood_.*;net_rx_action_/ { all += $NF; if (/^[^;]*;\[truncated\];/) marked += $NF }
		END { print marked + 0, all + 0; exit !(all >= 10 && marked == all) }' "$T/shallow_flood.folded"
}
# Of the threads whose waits are long enough for an emulator: all as they say, to 5 %, what of it was
# for a CPU to 5 % of their lives (an emulator that has to wait itself does so between two readings of
# clocks, the kernel's and eddy's), and what has a whole stack where they wait, without frame pointers.
# What stands apart is for how long a thread was between its clocks and its name: there a busy machine
# preempts it, and nobody knows for how long it was under which.
waits() {
	local unwoken
	unwoken=$(jq '.samples.unwoken // 0' "$T/waits.folded.json")
	cat "$T/waits.err"
	jq -c .samples,.user_stacks "$T/waits.folded.json"
	awk -v unwoken="$unwoken" '
	BEGIN {
		n = split("nanosleep futex epoll spin-1 spin-2 yield", names, " ")
		for (i = 1; i <= n; i++) {
			f = "wait_" names[i]
			sub(/spin-[12]/, "spinning", f)
			sub(/yield/, "yielding", f)
			at["w-" names[i]] = f
		}
	}
	FNR == NR { if ($1 == "truth") {
		waited[$2] = ($3 - $4) / 1000; run[$2] = $5 / 1000; slack[$2] = $6 / 1000
		life[$2] = $3 / 1000
	} next }
	{
		who = $0
		sub(/;.*/, "", who)
		all[who] += $NF
		if ($0 ~ /\[(runqueue|preempted)\] [0-9]*$/) runnable[who] += $NF
		if (!index($0, ";[truncated];")) whole[who] += $NF
		if (who in at && index($0, ";" at[who] ";")) there[who] += $NF
	}
	function near(name, what, got, want) {
		most = (what == "runnable" ? life[name] : want) * 0.05 + 20000 + slack[name]
		if (what == "runnable") most += unwoken
		if (got > want + most || got < want - most) {
			print name, what, got, want, slack[name]
			bad++
		}
	}
	END {
		for (name in at) {
			near(name, "waited", all[name], waited[name])
			near(name, "runnable", runnable[name], run[name])
			near(name, "there", there[name], whole[name])
			if (whole[name] < all[name] / 2) {
				print name, "whole", whole[name], all[name]
				bad++
			}
			nr++
		}
		exit bad || nr != 6
	}' "$T/waits.out" "$T/waits.folded"
}
# A page fault is an event that is counted and not timed: each of them is there.
faults() {
	local n
	n=$(samples "$T/faults.folded" stack_bottom)
	echo "$n of 2000"
	[[ $n == 2000 ]]
}

# chain NAME PERCENT REGEX: so many of the complete user stacks in main are exactly that.  What main
# itself calls of libc before and after its work is none of it: an emulator may be long in that, and
# a signal may come there.
start='_start;(__libc_start_main[^;]*|\[libc[^;]*\]);((__libc_start_call_main|\[libc[^;]*\]);)?main'
chain() {
	re="^$start($3)?\$" awk -v p="$2" '
	/;main[; ]/ {
		n = $NF
		sub(/ [0-9]+$/, "")
		sub(/(;[^;]*_\[k\].*)$/, "")
		sub(/^[^;]*;/, "")
		if ($0 ~ /;(truth|printf|exit)/ || $0 ~ /;main(;(strto[a-z]*|sigaction|\[(libc|ld)[^;]*\]))+$/) next
		all += n
		if ($0 ~ ENVIRON["re"]) hit += n
		else if (shown++ < 5) print n, $0
	}
	END { print hit + 0, all + 0; exit !(all >= 60 && hit >= all * p / 100 - 1) }' "$T/$1.folded"
}
dig20=$(for _ in 1 2 3 4 5 6 7 8 9 10; do printf 'dig;dig;'; done)
signal='(__restore_rt|__kernel_rt_sigreturn|\[(libc|vdso)[^;]*\])'
chains() {
	ok "$row guarded: CET or signed return addresses" chain guarded 97 ";${dig20}chain_leaf"
	ok "$row signal: through the frame of a signal" chain signal 97 \
		"(;(arm(;setitimer)?|interrupted(;tiny)?))?(;$signal(;handler(;.*)?)?)?"
	ok "$row signal: most of them from the loop" chain signal 80 \
		";interrupted(;tiny)?(;$signal(;handler(;.*)?)?)?"
	ok "$row signal: it came in the loop and in its callee" grep -qE ";interrupted;tiny;$signal;handler" \
		"$T/signal.folded"
	ok "$row vdso: through the vdso" chain vdso 97 ';clock_reader(;[^;]*(clock_gettime|plt|c_vdso)[^;]*(;.*)?)?'
	ok "$row vdso: it has names" grep -qE \
		';clock_reader;(.*;)?(clock_gettime|\[libc[^;]*\]);(__kernel_)?clock_gettime[; ]' "$T/vdso.folded"
	ok "$row plt: through the PLT" chain plt 97 ";plt_caller(;.*)?"
}

# ---- processes that come and go --------------------------------------------------------------

# Processes of 5 ms that fork and exec: what they run is known all the same.
storm() {
	awk '
	!/^\[/ { all += $NF }
	/\[unknown\+/ { unknown += $NF }
	/;main;storm_child_work[; ]/ { work += $NF }
	END {
		print work + 0, unknown + 0, all + 0
		exit !(work >= 50 && unknown * 20 <= all)
	}' "$T/storm.folded"
}
# What runs after an exec has the names of the new program only.
execs() {
	awk '
	/^split_nofp;/ { s += $NF; if (/;(self_recurse|mutual_|at_the_bottom)/) bad = 1 }
	/^recursion_nofp;/ { r += $NF; if (/;split_(half|three_tenths|fifth|caller)[; ]/) bad = 1 }
	END { print s + 0, r + 0; exit bad || !s || !r }' "$T/exec.folded"
}
on_cpu() {
	awk '/^cpu-1;.*;split_caller;/ { n += $NF } END { print n + 0; exit n < 30 }' "$T/$1.folded"
}

# ---- interrupts ------------------------------------------------------------------------------

# By the names that this kernel has: receiving is a softirq's work, no task's stack holds an
# interrupt, and the stack pointer agrees with the names.
interrupts() {
	eddy report --view irq --format tsv "$T/flood.folded" >"$T/irq.tsv" || return 1
	cat "$T/irq.tsv"
	awk -F '\t' '$1 == "softirq" && $3 == "net_rx_action" { n += $5 } END { exit !(n >= 5) }' "$T/irq.tsv"
}
separated() {
	eddy report --collapse none --format folded --irq split "$T/flood.folded" >"$T/flood.split" || return 1
	[[ $(samples "$T/flood.split") == "$(samples "$T/flood.folded")" ]] || return 1
	! grep -v '^\[' "$T/flood.split" | grep -E ";$interrupt"
}
agreed() {
	jq -c .irq "$T/flood.folded.json"
	[[ $(json flood '"\(.irq.hardirq) \(.irq.softirq) \(.irq.nmi)"') == \
		"$(tail -n +2 "$T/irq.tsv" | awk -F '\t' '{ n[$1] += $5 }
			END { print n["hardirq"] + 0, n["softirq"] + 0, n["nmi"] + 0 }')" ]] &&
		jq -e '.irq | .agree > 0 and .disagree * 100 <= .agree + 100 and
			.agree + .disagree + .silent == ([.matrix[][]] | add)' "$T/flood.folded.json"
}

# ---- what is allowed and what is not ---------------------------------------------------------

# doctor: names the kernel, finds everything, has sampled, and knows of no defect: none of these
# versions has one.
healthy() {
	cat "$T/doctor.out"
	[[ $(cat "$T/doctor.rc") == 0 ]] && ! grep -qE '^NO|lock up' "$T/doctor.out" &&
		grep -qF "Linux $(cat "$T/kernel")," "$T/doctor.out" &&
		grep -qE '^ok +sampling: [1-9]' "$T/doctor.out"
}
works() {
	recorded "$1" && identity "$1" && (($(samples "$T/$1.folded" split_caller main) > 0))
}
# With and without CAP_SYS_ADMIN it is known what a sample costs in the kernel.
priced() {
	works "$1" && jq -e '.cost.bpf_ns_per_sample | . > 0 and . < 1e9' "$T/$1.folded.json"
}
# Either there is no such limit, or it is named, and what is advised works.
limit() {
	if [[ $(cat "$T/kernel") == 5.10.* ]]; then
		refused limit RLIMIT_MEMLOCK && recorded small && identity small
	else
		works limit
	fi
}
# Debian's kernels then ask for CAP_SYS_ADMIN.
paranoid() {
	works paranoid || { refused paranoid perf_event_paranoid && diagnosed paranoid perf_event_paranoid; }
}
diagnosed() {
	cat "$T/$1.doctor"
	grep -qE "^NO .*($2)" "$T/$1.doctor"
}
# locked: integrity is no hindrance, confidentiality is named.
locked() {
	works integrity && refused confidentiality lockdown && diagnosed confidentiality lockdown
}
quiet() {
	! grep -E 'BUG: (unable|KASAN|scheduling|spinlock|sleeping)|WARNING: CPU|Oops|general protection' "$T/dmesg"
}

# ---- the row ---------------------------------------------------------------------------------

no_end() {
	tail -n 30 "$T/out/console" "$T/out/log"
	return 1
}
# boot TRIES NAME ARG...: boot.sh with the ARGs, until the guest comes to its end; sets $boots.
boot() {
	local tries=$1 name=$2
	shift 2
	boots=1
	until tests/kernels/boot.sh "$@"; do
		# What the emulator brought down will not fall again at once; what eddy did, will.
		boots=$((boots + 1))
		((boots < tries)) || {
			ok "$name: boots and comes to its end" no_end
			finish
		}
		mv "$T/out" "$T/fallen$boots"
	done
}
# verified NAME: instructions of each program of NAME.bpf.o, or what the verifier said
verified() {
	awk 'NF == 4 && $3 ~ /^[0-9]+$/ { printf "%s%s %d", sep, $2, $3; sep = ", "; n++; next } { print }
		END { exit n < 5 }' "$T/$1.verified"
}
loaded() {
	verified "$1" && [[ $(cat "$T/$1.verified.rc") == 0 ]]
}
# Every compiler that tests/deps.sh names makes a program that loads: on the oldest kernel, which has
# least room and looks at most, and on this one.  Elsewhere an emulator would take minutes for it.
has_compilers() { [[ $row == 5.10* || $row == host ]]; }
compilers() {
	local name
	has_compilers || return 0
	for name in $(sed -n 's/^clangs *| *cmd:\(clang-[0-9]*\) .*/\1/p' tests/deps.sh); do
		if [[ -e $T/$name.verified ]]; then
			ok "$row $name: its programs load: $(verified "$name") instructions verified" loaded "$name"
		else
			skip "$row $name" 'not installed: tests/deps.sh clangs'
		fi
	done
}
judge() {
	local name captures='split deep fp guarded signal vdso plt syscalls flood switches faults storm exec'
	[[ -e $T/away.rc ]] && captures+=' away blink'
	ok "$row: the programs load: $(verified sampler) instructions verified" loaded sampler
	compilers
	ok "$row: doctor finds nothing wrong" healthy
	if [[ -e $T/slow.doctor ]]; then
		ok "$row: doctor samples as fast as it may" grep -qE '^ok +sampling: [1-9]' "$T/slow.doctor"
	fi
	for name in $captures; do
		ok "$row $name: records" recorded "$name"
		ok "$row $name: accounts for every sample" holds "$name"
	done
	if [[ -e $T/counter.rc ]]; then
		ok "$row counter: records" recorded counter
		ok "$row counter: accounts for every sample" holds counter
		ok "$row counter: is what was asked for, and had a counter" counted
		ok "$row counter: shares by the CPU's cycles in user mode" shares counter split_nofp
	else
		skip "$row counter" 'this machine has no counter that is known here'
	fi
	ok "$row faults: each has its time, or is counted as without" jq -e \
		'.timeline.timed + .timeline.untimed == .samples.kept and .timeline.timed > 1000' \
		"$T/faults.folded.json"
	ok "$row waits: records" recorded waits
	ok "$row waits: each thread waits where it says, as long as it says" waits
	ok "$row split: shares by .eh_frame" shares split split_nofp
	ok "$row split: stacks are complete" complete split 0.97
	ok "$row deep: 100 calls deep" depth
	ok "$row fp: shares by frame pointer" shares fp cpu_split
	chains
	ok "$row syscalls: from main into the kernel" through_kernel
	ok "$row kernel: the stacks that are walked are the kernel's own: $(share kernel)" walked kernel 0.9
	for name in probed graphed; do
		if [[ -e $T/$name.check ]]; then
			ok "$row $name: so they are where returns are $name: $(share $name)" walked $name 0.2
		else
			skip "$row $name" 'the probes and tracers of this machine stay as they are'
		fi
	done
	if [[ -e $T/shallow_flood.rc ]]; then
		ok "$row shallow: so they are where the kernel gives 12 frames: $(share shallow)" walked shallow 0.9
		ok "$row shallow: records" recorded shallow_flood
		ok "$row shallow: accounts for every sample" holds shallow_flood
		ok "$row shallow: stacks that the kernel has cut are marked" marked_as_cut
	else
		skip "$row shallow" 'kernel.perf_event_max_stack of this machine stays as it is'
	fi
	ok "$row faults: each is there" faults
	ok "$row storm: short processes have names" storm
	ok "$row exec: names of the new program only" execs
	ok "$row flood: receiving stands under its softirq" interrupts
	ok "$row flood: no task's stack holds an interrupt" separated
	ok "$row flood: names and stack pointer agree" agreed
	for name in away blink; do
		if [[ -e $T/$name.rc ]]; then
			ok "$row $name: a CPU that comes again is sampled" on_cpu $name
		else
			skip "$row $name" 'no CPU of this machine is taken away'
		fi
	done
	ok "$row noresource: root without CAP_SYS_RESOURCE" works noresource
	if [[ -e $T/paranoid.rc ]]; then
		ok "$row paranoid: what CAP_PERFMON is worth where perf_event_paranoid is 3" paranoid
	else
		skip "$row paranoid" 'the sysctl of this machine stays as it is'
	fi
	ok "$row user: no root, with capabilities" priced user
	ok "$row nocaps: no root, no capabilities" refused nocaps 'CAP_PERFMON and CAP_BPF|CAP_BPF and CAP_PERFMON'
	ok "$row nobpfcap: without CAP_BPF" refused nobpfcap CAP_BPF
	ok "$row noperfmon: without CAP_PERFMON" refused noperfmon CAP_PERFMON
	ok "$row nobpf: no system call bpf" refused nobpf 'CONFIG_BPF_SYSCALL'
	ok "$row noperf: no system call perf_event_open" refused noperf 'CONFIG_PERF_EVENTS'
	ok "$row nobtf: no BTF" refused nobtf CONFIG_DEBUG_INFO_BTF
	ok "$row nocaps: doctor says so" diagnosed nocaps 'CAP_BPF'
	ok "$row nobpf: doctor says so" diagnosed nobpf 'CONFIG_BPF_SYSCALL'
	ok "$row nobtf: doctor says so" diagnosed nobtf 'CONFIG_DEBUG_INFO_BTF'
	ok "$row limit: 8 MiB of locked memory suffice, or are named" limit
	if [[ -e $T/confidentiality.rc ]]; then
		ok "$row lockdown: integrity works, confidentiality is named" locked
		ok "$row: the kernel has no complaint" quiet
	else
		skip "$row lockdown" 'this machine is not locked down'
		skip "$row: the kernel's complaints" 'they may be of others'
	fi
	echo "# note: $(cat "$T/kernel"): up after $(cat "$T/booted") s, ended after $(cat "$T/ended") s;" \
		"verified $(verified sampler)"
}

# missing ARCH: why rows of that architecture cannot be run here; empty when they can.
missing() {
	local tool
	for tool in "qemu-system-$1" busybox cpio jq; do
		command -v "$tool" >/dev/null || {
			echo "no $tool"
			return
		}
	done
	ldd "$(command -v busybox)" >/dev/null 2>&1 && echo 'busybox is not static'
}

files() {
	local guarded=deep_cet
	[[ $row == *-arm64 ]] && guarded=deep_signed
	mkdir "$T/files"
	cp "$W/chains/c_$guarded" "$T/files/c_guarded"
	cp "$W"/chains/c_{signal,vdso,plt} "$W"/{cpu_split,syscalls,irq_udp_flood,many_stacks,process_storm,confine} "$EDDY" "$K/verify" "${B:-build}/live/kernel_check" \
		"${B:-build}/bpf/sampler.bpf.o" tests/kernels/guest.sh "$T/files"
	if has_compilers; then find "$K" -maxdepth 1 -name 'clang-*.bpf.o' -exec cp {} "$T/files" \;; fi
	cp "$W/nofp/cpu_split" "$T/files/split_nofp"
	cp "$W/nofp/recursion" "$T/files/recursion_nofp"
	cp "$W/nofp/waits" "$T/files/waits_nofp"
	chmod -R a+rX "$T/files" # whatever the umask: users without rights run them
}

row() {
	local arch=x86_64 why boots=1
	row=$1
	[[ $row == *-arm64 ]] && arch=arm64
	if [[ $row == host ]]; then
		need_sampling
		files
		mkdir "$T/out"
		chmod 755 "$T"
		(cd "$T/out" && PATH=$T/files:$PATH unshare -m sh "$T/files/guest.sh" >log 2>&1)
	else
		why=$(missing ${arch/arm64/aarch64})
		if [[ -z $why ]]; then
			# One at a time: they share a state of apt.
			mkdir -p build/kernels
			why=$(flock build/kernels/.lock tests/kernels/fetch.sh build/kernels "$row" 2>&1) && why=
		fi
		if [[ -n $why || ! -s build/kernels/$row/vmlinuz ]]; then
			skip "kernel $row" "${why##*fetch.sh: }"
			finish
		fi
		files
		boot 5 "$row" $arch "build/kernels/$row/vmlinuz" "$T/out" "$T"/files/*
	fi
	mv "$T"/out/* "$T"
	judge
	((boots == 1)) || echo "# note: came to its end only when booted for the $boots. time"
	finish
}
