#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/lint/includes.sh: a floor includes only what its row of user/floors.mk names.
# Prints each breach as file:line: message and exits 1 when there is one.
#
#   user/FLOOR/x.[ch]        may include "FLOOR/...", "USED/..." and the interface (include/)
#   include/                 nothing but itself, the kernel's <linux/...> and vmlinux.h
#   bpf/                     itself and the interface
#   symbol, unwind, ...      system headers are not looked at: the linker and review see to those
set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck disable=SC2046
make -s print-floors | awk '
FILENAME == "-" {
	sub(/:/, "", $1)
	floors[$1] = 1
	allowed[$1, $1] = 1
	for (i = 2; i <= NF; i++)
		allowed[$1, $i] = 1
	next
}
FNR == 1 {
	split(FILENAME, part, "/")
	top = part[1]
	floor = top == "user" ? part[2] : ""
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	name = quoted[2]
	slash = index(name, "/")
	dir = slash ? substr(name, 1, slash - 1) : ""
	if (top == "user" && !(floor in floors))
		wrong("user/" floor " is no floor of user/floors.mk")
	else if (top == "user" && (dir in floors) && !((floor, dir) in allowed))
		wrong(floor " may not use " dir)
	else if (top != "user" && (dir in floors))
		wrong(top "/ may not use user/")
	else if (top == "user" && name ~ /^\.\.\//)
		wrong("no relative includes")
	else if (top == "user" && floor == "symbol" && dir == "profile" && name != "profile/frame.h" &&
		 name != "profile/frame_role.h" && name != "profile/foreign_name.h")
		wrong("symbol may use profile/frame.h and names only")
	else if (top == "user" && name ~ /\.skel\.h$/ && floor != "capture")
		wrong("skeletons belong to capture")
}
function wrong(what)
{
	print FILENAME ":" FNR ": \"" name "\": " what
	bad = 1
}
END { exit bad }
' - $(git ls-files -co --exclude-standard 'user/*.[ch]' 'include/*.h' 'bpf/*.[ch]')
