#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What make makes again and what not, in a copy of the tree: the BPF object, its skeleton, what
# includes that, and a floor.  What the linking of everything would do is only asked for (make -n).
# shellcheck disable=SC2317 # functions are called by ok
. tests/tap.sh
unset MAKEFLAGS MFLAGS MAKELEVEL CC CPPFLAGS LDFLAGS CLANG SAN B
export CFLAGS=-O0

for tool in clang bpftool; do
	PATH=$PATH:/usr/sbin:/usr/local/sbin command -v $tool >/dev/null && continue
	skip 'what make makes again' "no $tool: tests/deps.sh build"
	finish
done
mkdir "$T/tree"
tar -c Makefile bpf include vmlinux user tests/deps.sh tests/*/*.mk tests/live/workloads/*.mk \
	tests/live/workloads/chains/chains.mk |
	tar -x -C "$T/tree"
cd "$T/tree" || exit 1
targets='build/obj/capture/sampler.o build/lib/profile.a'

# made [ARG]...: the kinds of things that make makes, with how many of each
made() {
	make "$@" $targets >"$T/log" 2>&1 || {
		cat "$T/log"
		return
	}
	awk '$1 ~ /^[A-Z]+$/ { n[$1]++ } END {
		printf "BPF %d, SKEL %d, CC %d, AR %d\n", n["BPF"], n["SKEL"], n["CC"], n["AR"]
	}' "$T/log"
}
floor=$(find user/profile -name '*.c' | wc -l)
# again NAME WANT [ARG]...
again() {
	local name=$1 want=$2
	shift 2
	equal "$name" "$want" "$(made "$@")"
}
# touched FILE: after all that was made, however coarse the clock of the file system is
touched() {
	find . -type f -exec touch -r Makefile {} +
	touch "$1"
}
nothing='BPF 0, SKEL 0, CC 0, AR 0'
sampler='BPF 1, SKEL 1, CC 1, AR 0'
# Skeletons of all BPF programs stand before anything of their floor is compiled.
programs=$(find bpf -name '*.bpf.c' | wc -l)
all="BPF $programs, SKEL $programs, CC 1, AR 0"

again 'from nothing' "BPF $programs, SKEL $programs, CC $((floor + 1)), AR 1"
again 'again: nothing' "$nothing"

# ---- what is missing -----------------------------------------------------------------------------

rm -rf build/bpf build/gen
again 'without build/bpf and build/gen' "$all"
rm -rf build/gen
again 'without build/gen' "BPF 0, SKEL $programs, CC 1, AR 0"
rm build/bpf/sampler.bpf.o
again 'without the BPF object' "$sampler"
rm build/obj/profile/frame.o
again 'without an object of a floor' 'BPF 0, SKEL 0, CC 1, AR 1'
rm build/obj/profile/frame.d build/bpf/sampler.bpf.d
again 'without what says which headers an object includes' 'BPF 1, SKEL 1, CC 2, AR 1'
again 'again: nothing' "$nothing"

# ---- what has changed ----------------------------------------------------------------------------

for header in bpf/orc.bpf.h include/unwind_step.h; do
	touched $header
	again "$header" "$sampler"
done
touched vmlinux/vmlinux.h
again 'vmlinux/vmlinux.h' "$all"
touched user/profile/frame.h
ok 'a header of a floor: what includes it' grep -qE '^BPF 0, SKEL 0, CC [1-9][0-9]*, AR 1$' <(made)

# ---- other flags, another compiler ---------------------------------------------------------------

again 'WERROR=1: nothing comes out differently' "$nothing" WERROR=1
again 'CFLAGS' "BPF 0, SKEL 0, CC $((floor + 1)), AR 1" CFLAGS=-O1
again 'CFLAGS, again' "$nothing" CFLAGS=-O1
again 'CFLAGS are others again' "BPF 0, SKEL 0, CC $((floor + 1)), AR 1"
# No link: where clang is one to ccache, what to run is told by the name.
printf '#!/bin/sh\nexec clang "$@"\n' >other-clang
chmod +x other-clang
again 'CLANG' "$all" CLANG="$PWD/other-clang"
again 'CLANG, again' "$nothing" CLANG="$PWD/other-clang"
again 'CLANG is another again' "$all"
again 'again: nothing' "$nothing"
make -n build/eddy LDFLAGS=-Wl,-z,now >"$T/log" 2>&1
ok 'LDFLAGS: the program is linked again' grep -q "'LD' 'build/eddy'" "$T/log"
make -n SAN=1 build/san/lib/profile.a >"$T/log" 2>&1
ok 'SAN=1: in a folder of its own' grep -q 'fsanitize=.* -o build/san/obj/profile/frame.o' "$T/log"
equal 'SAN=1: what was made without stays' '' "$(grep -oE ' -o build/(obj|bpf)/.*' "$T/log")"

# ---- sources that come and go --------------------------------------------------------------------

members() {
	ar t build/lib/profile.a | sort | xargs
}
before=$(members)
printf '#define GONE 1\n' >user/profile/gone.h
printf '#include "profile/gone.h"\nconst int gone_is = GONE;\n' >user/profile/gone.c
again 'a new source' 'BPF 0, SKEL 0, CC 1, AR 1'
ok 'it is in the archive' grep -qw gone.o <(members)
mv user/profile/gone.h user/profile/went.h
sed -i 's/gone\.h/went.h/' user/profile/gone.c
again 'a header with a new name' 'BPF 0, SKEL 0, CC 1, AR 1'
rm user/profile/gone.c user/profile/went.h
again 'a source that is gone' 'BPF 0, SKEL 0, CC 0, AR 1'
equal 'is not in the archive' "$before" "$(members)"
again 'again: nothing' "$nothing"
finish
