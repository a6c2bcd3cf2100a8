#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy report --view syscalls: for people, for programs, in part, and nothing.
source tests/tap.sh

printf '%s\n' 'db;main;do_syscall_64_[k];__x64_sys_fsync_[k];ext4_sync_file_[k] 40' \
	'db;main;do_syscall_64_[k];__x64_sys_pread64_[k];vfs_read_[k] 12' \
	'db;main;read;do_syscall_64_[k];__x64_sys_pread64_[k] 3' \
	'db;main;do_syscall_64_[k];syscall_exit_to_user_mode_[k] 2' \
	'sh;do_syscall_64_[k];__x64_sys_clone_[k];asm_sysvec_apic_timer_interrupt_[k];tick_[k] 5' \
	'sh;do_syscall_64_[k];__x64_sys_clone_[k];copy_process_[k] 7' \
	'db;main;compute 31' >"$T/in.folded"
golden "for people" views/syscalls.txt < <("$EDDY" report --view syscalls "$T/in.folded")
golden "for programs" views/syscalls.tsv < <("$EDDY" report --view syscalls --format tsv "$T/in.folded")
golden "two of them" views/syscalls_two.txt < <("$EDDY" report --view syscalls --limit 2 "$T/in.folded")
equal "with interrupts on them" "12	clone" \
	"$("$EDDY" report --view syscalls --format tsv --irq keep "$T/in.folded" | grep clone)"
equal "in order, those without a name too" '2	[unnamed] 1	read' "$(printf '%s\n' \
	'm;do_syscall_64_[k] 2' 'm;__x64_sys_read_[k] 1' |
	"$EDDY" report --view syscalls --format tsv --limit 2 - | tail -n +2 | paste -sd' ')"
equal "in none" "inclusive	name" "$(echo 'a;b 1' | "$EDDY" report --view syscalls --format tsv -)"
printf 'm;__x64_sys_\033[2J_[k] 1\n' >"$T/hostile.folded"
equal "a hostile name" '1	\x1b[2J' \
	"$("$EDDY" report --view syscalls --format tsv "$T/hostile.folded" | tail -n 1)"
finish
