#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/leftovers.sh: what tests could leave behind on this machine, a line each: processes that run
# programs of this checkout or of the tests' scratch directories, mounts, users, cgroups, network
# namespaces, pinned BPF objects, and the sysctls that tests touch.  .ci/run compares what it says
# before and after.
cd "$(dirname "$0")/.." || exit 1
here=$PWD tmp=${TMPDIR:-/tmp}
for pid in /proc/[0-9]*; do
	exe=$(readlink "$pid/exe" 2>/dev/null) || continue
	case $exe in
	"$here"/* | "$tmp"/eddy-*) echo "process ${pid#/proc/} $exe" ;;
	esac
done
awk '{ print "mount", $5 }' /proc/self/mountinfo | grep -E 'eddy|/land\.' | sort
cut -d: -f1 /etc/passwd | grep '^eddy' | sed 's/^/user /'
find /sys/fs/cgroup -type d -name 'eddy*' -printf 'cgroup %p\n' 2>/dev/null
find /run/netns -mindepth 1 -printf 'network namespace %f\n' 2>/dev/null
find /sys/fs/bpf -mindepth 1 -printf 'pinned %p\n' 2>/dev/null
losetup -ln -O NAME,BACK-FILE 2>/dev/null | grep eddy | sed 's/^/loop /'
for name in kernel/perf_event_paranoid kernel/kptr_restrict kernel/perf_event_max_stack \
	kernel/perf_cpu_time_max_percent kernel/bpf_stats_enabled; do
	echo "sysctl $name $(cat "/proc/sys/$name" 2>/dev/null)"
done
exit 0
