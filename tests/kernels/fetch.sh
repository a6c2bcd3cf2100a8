#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/kernels/fetch.sh DIR NAME...: puts Debian's cloud kernels into DIR/NAME/vmlinuz, where
# NAME is 5.10, 6.1 or 6.12, or one of these with -arm64.  What is there already stays.  Says on
# standard error what could not be had, and then exits with 1.
#
# The suites of security updates and of backports are small and usually have the kernels; the large
# ones are asked only when they do not.
set -u
folder=$1
shift
. tests/apt.sh

fail() {
	echo "tests/kernels/fetch.sh: $*" >&2
	exit 1
}

# Sets missing: those of the names that are not there yet.
look() {
	missing=()
	for name in "$@"; do [[ -s $folder/$name/vmlinuz ]] || missing+=("$name"); done
	((${#missing[@]}))
}
look "$@" || exit 0
archs=(amd64)
[[ "$*" == *-arm64* ]] && archs+=(arm64)
apt_begin "$folder/apt" "${archs[@]}" || fail "$apt_why"

# versions PACKAGE:ARCH SERIES: "version package" of the kernels that the package stood for, newest
# first; a mirror may lack the newest one for a while.
versions() {
	apt-cache show "$1" 2>/dev/null | awk -v series="$2." '
		$1 == "Version:" { version = $2 }
		$1 == "Depends:" { package = $2; sub(/[:,].*/, "", package) }
		!NF && index(version, series) == 1 { print version, package }
		!NF { version = "" }
		END { if (index(version, series) == 1) print version, package }' | sort -rV
}

get() {
	local name=$1 arch=amd64 version package
	[[ $name == *-arm64 ]] && arch=arm64
	while read -r version package; do
		apt_fetch "$package:$arch=$version" || continue
		mkdir -p "$folder/$name"
		dpkg-deb --fsys-tarfile "$apt_state"/deb/*.deb |
			tar -x -O --wildcards './boot/vmlinuz-*' >"$folder/$name/new" &&
			mv "$folder/$name/new" "$folder/$name/vmlinuz"
		rm -rf "$apt_state/deb"
		return
	done < <(versions "linux-image-cloud-$arch:$arch" "${name%-arm64}")
}

# try SUITE...: gets what is missing from the suites.
try() {
	apt_suites "$@"
	for name in "${missing[@]}"; do get "$name"; done
}
small=(bullseye-security bookworm-security bookworm-backports)
try "${small[@]}"
look "$@" || exit 0
try "${small[@]}" bullseye bookworm
look "$@" || exit 0
tail -n 3 "$apt_state/log" >&2
fail "could not be had: ${missing[*]}"
