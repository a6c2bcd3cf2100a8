#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/deps.sh [-n|-u] GROUP...: installs what Debian or Ubuntu lack for the groups
#
#   build  to build eddy          test   to build and run the tests
#   lint   for make lint, fuzz    bench  the peers that make bench compares with
#   kernels  for make check-kernels   cross  to build for arm64 elsewhere (make ARCH=arm64)
#   clangs   every clang that Debian 12 has from 14 on, for make check-kernels; those that this system
#            does not know are left out
#   fleet    databases that snapshots are loaded into   langs  compilers of other languages' programs
#   package  to make and try a package of Debian's: make deb, check-packages
#   browser  opens the pages that eddy writes, in the tests
#   awks     both awks that the tests are run by (a machine with mawk then has gawk as its awk)
#
# Silent and quick when nothing is missing.  What is missing is found by looking for the command
# or header itself, so a tool from elsewhere counts.  sudo is asked for only when something is
# missing and we are not root.  On other systems the names of Fedora's and Arch's packages are
# printed instead.  -n only says what is missing; -u fetches the lists of packages first.
# Fetching and installing are tried three times.
set -u

# group | found when | Debian, Ubuntu (a/b: the first that exists) | Fedora | Arch | why
list='
build | cmd:gcc               | gcc              | gcc                     | gcc        | the compiler
build | hdr:stdlib.h          | libc6-dev        | glibc-devel             | glibc      | headers of the C library
build | hdr:linux/bpf.h       | linux-libc-dev   | kernel-headers          | linux-api-headers | the kernel interface
build | cmd:make              | make             | make                    | make       | Makefile
build | cmd:clang             | clang            | clang                   | clang      | compiles bpf/ to BPF
build | cmd:bpftool           | bpftool/linux-tools-common | bpftool       | bpf        | makes the skeleton header of a BPF object
build | hdr:bpf/libbpf.h      | libbpf-dev       | libbpf-devel            | libbpf     | loads BPF
build | hdr:gelf.h            | libelf-dev       | elfutils-libelf-devel   | libelf     | libbpf needs it
build | hdr:elfutils/libdw.h  | libdw-dev        | elfutils-devel          | libelf     | dwarf.h; libdwfl in the tests
build | hdr:zlib.h            | zlib1g-dev       | zlib-devel              | zlib       | reads gzip
build | hdr:zstd.h            | libzstd-dev      | libzstd-devel           | zstd       | reads zstd
build | hdr:bzlib.h           | libbz2-dev       | bzip2-devel             | bzip2      | reads bzip2
build | hdr:libdeflate.h      | libdeflate-dev   | libdeflate-devel        | libdeflate | reads and writes gzip
build | hdr:ncursesw/curses.h,curses.h | libncurses-dev | ncurses-devel | ncurses  | the screen of eddy top
build | hdr:lzma.h            | liblzma-dev      | xz-devel                | xz         | packed symbol tables
build | hdr:libiberty/demangle.h,demangle.h | libiberty-dev | binutils-devel | binutils  | C++ and Rust names
build | hdr:seccomp.h         | libseccomp-dev   | libseccomp-devel        | libseccomp | shuts in what parses foreign files
build | hdr:capstone/capstone.h | libcapstone-dev | capstone-devel       | capstone   | shows instructions: eddy annotate
build | hdr:Zydis/Zydis.h     | libzydis-dev     | zydis-devel             | zydis      | decodes code that has no unwind tables
test  | hdr:cmocka.h          | libcmocka-dev    | libcmocka-devel         | cmocka     | unit tests
test  | cmd:g++               | g++              | gcc-c++                 | gcc        | the C++ workload
test  | cmd:jq                | jq               | jq                      | jq         | reads JSON in the tests
test  | cmd:dwz               | dwz              | dwz                     | dwz        | debug information in a file of its own
test  | cmd:xz                | xz-utils         | xz                      | xz         | packs files in the tests
test  | cmd:zstd              | zstd             | zstd                    | zstd       | packs files in the tests
test  | cmd:bzip2             | bzip2            | bzip2                   | bzip2      | packs files in the tests
test  | cmd:tmux              | tmux             | tmux                    | tmux       | a terminal for eddy top in the tests
test  | cmd:ps                | procps           | procps-ng               | procps-ng  | looks for processes in the tests
test  | cmd:ip                | iproute2         | iproute                 | iproute2   | a network of its own for packet steering
test  | cmd:dot               | graphviz         | graphviz                | graphviz   | draws every graph that is written
test  | cmd:mkfs.btrfs      | btrfs-progs      | btrfs-progs             | btrfs-progs | snapshots of programs in the tests
test  | cmd:xmllint           | libxml2-utils    | libxml2                 | libxml2    | reads the SVG that is written
test  | cmd:callgrind_annotate | valgrind        | valgrind                | valgrind   | reads the callgrind files that are written
test  | cmd:musl-gcc        | musl-tools       | musl-gcc                | musl       | programs of a C library without unwind tables
lint  | cmd:clang-format      | clang-format     | clang-tools-extra       | clang      | make lint
lint  | cmd:clang-tidy        | clang-tidy       | clang-tools-extra       | clang      | make lint
lint  | cmd:shellcheck        | shellcheck       | ShellCheck              | shellcheck | make lint
lint  | rt:fuzzer             | libclang-rt-dev/libclang-rt-14-dev/libclang-common-14-dev | compiler-rt | compiler-rt | make fuzz
kernels | cmd:qemu-system-x86_64 | qemu-system-x86 | qemu-system-x86 | qemu-system-x86 | boots other kernels
kernels | cmd:busybox         | busybox-static   | busybox                 | busybox    | all there is besides eddy in their root
kernels | cmd:cpio            | cpio             | cpio                    | cpio       | packs their root
kernels | file:/lib/systemd/systemd | systemd | systemd             | systemd    | runs the unit in one of them
cross | cmd:aarch64-linux-gnu-gcc | gcc-aarch64-linux-gnu | gcc-aarch64-linux-gnu | aarch64-linux-gnu-gcc | the compiler
cross | cmd:aarch64-linux-gnu-g++ | g++-aarch64-linux-gnu | gcc-c++-aarch64-linux-gnu | aarch64-linux-gnu-gcc | the C++ workload
cross | file:/usr/aarch64-linux-gnu/include/stdlib.h | libc6-dev-arm64-cross | sysroot-aarch64-fc41-glibc | aarch64-linux-gnu-glibc | headers of the C library
cross | file:/usr/aarch64-linux-gnu/include/asm/ptrace.h | linux-libc-dev-arm64-cross | kernel-cross-headers | aarch64-linux-gnu-linux-api-headers | the kernel interface
cross | cmd:qemu-aarch64-static | qemu-user-static | qemu-user-static | qemu-user-static | runs the unit tests
cross | cmd:qemu-system-aarch64 | qemu-system-arm | qemu-system-aarch64 | qemu-system-aarch64 | boots its kernels
clangs | cmd:clang-14       | clang-14         | clang14                 | clang14    | builds the sampler for the rows
clangs | cmd:clang-15       | clang-15         | clang15                 | clang15    | builds the sampler for the rows
clangs | cmd:clang-16       | clang-16         | clang16                 | clang16    | builds the sampler for the rows
clangs | cmd:clang-19       | clang-19         | clang19                 | clang19    | builds the sampler for the rows
clangs | cmd:clang-22       | clang-22         | clang22                 | clang22    | builds the sampler for the rows
awks  | cmd:mawk            | mawk             | mawk                    | mawk       | another awk for the tests
awks  | cmd:gawk            | gawk             | gawk                    | gawk       | another awk for the tests
langs | cmd:go              | golang-go        | golang                  | go         | compiles the Go programs of the tests
browser | cmd:chromium      | chromium/chromium-browser | chromium     | chromium   | opens pages in the tests
fleet | cmd:node            | nodejs           | nodejs                  | nodejs     | runs DuckDB in the tests
fleet | cmd:npm             | npm              | npm                     | npm        | fetches DuckDB
fleet | cmd:clickhouse-server | clickhouse-server | clickhouse-server     | clickhouse | loaded and asked in the tests
fleet | cmd:curl            | curl             | curl                    | curl       | talks to ClickHouse
package | cmd:dpkg-buildpackage | dpkg-dev     | dpkg-dev                | dpkg       | builds the package of make deb
package | file:/usr/share/build-essential/essential-packages-list | build-essential | gcc-c++ | base-devel | what every Debian package is built with
package | cmd:dh                | debhelper    | debhelper               | debhelper  | builds the package of make deb
package | cmd:lintian           | lintian      | lintian                 | lintian    | looks at the package
package | cmd:debootstrap       | debootstrap  | debootstrap             | debootstrap | roots that check-packages installs it in
bench | cmd:perf              | linux-perf/linux-tools-generic | perf      | perf       | compared with
bench | cmd:bpftrace          | bpftrace         | bpftrace                | bpftrace   | compared with
bench | cmd:htop              | htop             | htop                    | htop       | compared with
'

PATH=$PATH:/usr/sbin:/sbin:/usr/local/sbin

header_there() {
	local name dir
	for name in ${1//,/ }; do
		for dir in /usr/include /usr/local/include /usr/include/*-linux-gnu; do
			[[ -e $dir/$name ]] && return 0
		done
	done
	return 1
}

there() {
	case $1 in
	cmd:*) command -v "${1#cmd:}" >/dev/null ;;
	file:*) [[ -e ${1#file:} ]] ;;
	hdr:*) header_there "${1#hdr:}" ;;
	rt:*) [[ -e $(clang -print-file-name="libclang_rt.${1#rt:}-$(uname -m).a" 2>/dev/null) ||
		-e $(clang -print-file-name="libclang_rt.${1#rt:}.a" 2>/dev/null) ]] ;;
	esac
}

only_say=0
fresh=0
[[ ${1:-} == -n ]] && only_say=1 && shift
[[ ${1:-} == -u ]] && fresh=1 && shift
[[ $# -gt 0 ]] || set -- build test
for group in "$@"; do
	[[ $group =~ ^(build|test|lint|bench|kernels|clangs|awks|cross|fleet|langs|package|browser)$ ]] || {
		echo "tests/deps.sh: no group '$group' (build, test, lint, bench, kernels, clangs, awks, cross, fleet, langs, package, browser)" >&2
		exit 2
	}
done

debian=() fedora=() arch=() reasons=()
while IFS='|' read -r group check deb fed arc why; do
	group=${group// /} check=${check// /}
	[[ -n $group && " $* " == *" $group "* ]] || continue
	there "$check" && continue
	debian+=("${deb// /}") fedora+=("${fed// /}") arch+=("${arc// /}")
	check=${check#*:}
	reasons+=("$(printf '%-22s %s' "${check%%,*}" "${why# }")")
done <<<"$list"
((${#debian[@]})) || exit 0

unique() { printf '%s\n' "$@" | sort -u | tr '\n' ' '; }

echo "eddy: missing for $*:"
printf '  %s\n' "${reasons[@]}"
if ((only_say)); then
	exit 1
fi
if ! command -v apt-get >/dev/null; then
	echo "eddy: this is not Debian or Ubuntu; please install it by hand:"
	echo "  Fedora: dnf install $(unique "${fedora[@]}")"
	echo "  Arch:   pacman -S $(unique "${arch[@]}")"
	exit 1
fi

as_root=()
if [[ $(id -u) != 0 ]]; then
	command -v sudo >/dev/null || {
		echo "eddy: as root, please: apt-get install $(unique "${debian[@]%%/*}")" >&2
		exit 1
	}
	as_root=(sudo)
fi
apt() {
	local try
	for try in 1 2 3; do
		"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
			-o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" </dev/null && return
		((try == 3)) || sleep 5
	done
	return 1
}

# A name that no list knows may only mean that the lists are old or, in a fresh image, not there.
known() { apt-cache show "$1" >/dev/null 2>&1; }
pick() {
	local name
	for name in ${1//\// }; do
		known "$name" && echo "$name" && return 0
	done
	return 1
}
packages=() fetched=0
if ((fresh)); then
	apt update && fetched=1
fi
for names in "${debian[@]}"; do
	while ! name=$(pick "$names"); do
		((fetched)) && [[ " $* " == *" clangs "* ]] && {
			echo "eddy: apt knows no package $names: left out"
			continue 2
		}
		((fetched)) && {
			echo "eddy: apt knows no package ${names//\// or }" >&2
			exit 1
		}
		fetched=1
		apt update || exit 1
	done
	packages+=("$name")
done
((${#packages[@]})) || exit 1
install() { apt install --no-install-recommends "${packages[@]}"; }
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
echo "eddy: installing $(unique "${packages[@]}")"
if ! install >"$log" 2>&1; then
	# Lists that are there but old name versions that are gone.
	{ ((fetched)) || { apt update && install; }; } >>"$log" 2>&1 || {
		tail -n 30 "$log" >&2
		echo "eddy: apt-get could not install $(unique "${packages[@]}")" >&2
		exit 1
	}
fi
