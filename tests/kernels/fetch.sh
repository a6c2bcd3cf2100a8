#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/kernels/fetch.sh FOLDER NAME...: puts Debian's cloud kernels into FOLDER/NAME/vmlinuz, where
# NAME is 5.10, 6.1 or 6.12, or one of these with -arm64.  What is there already stays.  Says on
# standard error what could not be had, and then exits with 1.
#
# apt works in a state of its own under FOLDER/apt, on further suites of the mirror that this machine
# is set up for, so neither its sources nor its lists change.  The suites of security updates and of
# backports are small and usually have the kernels; the large ones are asked only when they do not.
set -u
folder=$1
shift
keys=/usr/share/keyrings/debian-archive-keyring.gpg

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
command -v apt-get >/dev/null || fail 'no apt'
[[ -e $keys ]] || fail "no $keys"

# uri NAME: the first address in apt's configuration whose path ends so.
# shellcheck disable=SC2016 # apt expands it
targets=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null)
uri() { grep -m1 -E "/$1/*\$" <<<"$targets"; }
main=$(uri debian) || fail 'apt knows no mirror of Debian'
security=$(uri debian-security) || security=${main%/}-security

archs=amd64
[[ "$*" == *-arm64* ]] && archs='amd64"; "arm64'
mkdir -p "$folder/apt"/{lists/partial,cache/archives/partial,preferences} || exit 1
folder=$(cd "$folder" && pwd)
state=$folder/apt
: >"$state/status"
cat >"$state/apt.conf" <<C
Dir::Etc::sourcelist "$state/sources.list";
Dir::Etc::sourceparts "/nonexistent";
Dir::Etc::preferencesparts "$state/preferences";
Dir::State::lists "$state/lists";
Dir::State::status "$state/status";
Dir::Cache "$state/cache";
APT::Architecture "amd64";
APT::Architectures { "$archs"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "2";
C
export APT_CONFIG=$state/apt.conf

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
	local name=$1 arch=amd64 version package deb
	[[ $name == *-arm64 ]] && arch=arm64
	while read -r version package; do
		rm -rf "${state:?}/deb" && mkdir "$state/deb"
		(cd "$state/deb" && timeout 120 apt-get -qq download "$package:$arch=$version") \
			>>"$state/log" 2>&1 || continue
		deb=$(echo "$state/deb"/*.deb)
		mkdir -p "$folder/$name"
		dpkg-deb --fsys-tarfile "$deb" | tar -x -O --wildcards './boot/vmlinuz-*' >"$folder/$name/new" &&
			mv "$folder/$name/new" "$folder/$name/vmlinuz"
		rm -rf "${state:?}/deb"
		return
	done < <(versions "linux-image-cloud-$arch:$arch" "${name%-arm64}")
}

# try SUITE...: gets what is missing from the suites, "-security" at the end of a name as it is.
try() {
	local suite
	for suite in "$@"; do
		case $suite in
		*-security) echo "deb [signed-by=$keys] $security $suite main" ;;
		*) echo "deb [signed-by=$keys] $main $suite main" ;;
		esac
	done >"$state/sources.list"
	timeout 120 apt-get -qq update >"$state/log" 2>&1
	for name in "${missing[@]}"; do get "$name"; done
}
small=(bullseye-security bookworm-security bookworm-backports)
try "${small[@]}"
look "$@" || exit 0
try "${small[@]}" bullseye bookworm
look "$@" || exit 0
tail -n 3 "$state/log" >&2
fail "could not be had: ${missing[*]}"
