#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 'make deb' and 'make static' of what is committed, in roots of Debian 12 and 13 that have git and
# make; the package in a root of the same release that has nothing else: it installs, samples, and
# leaves nothing behind; and the one file in a Debian 11 without libbpf and with an older libc.  As
# root; it needs debootstrap, a mirror, 5 GB and ten minutes.
#
# The roots are made in PACKAGE_ROOTS (default: /var/tmp/eddy-packages) and used again.  Mounts are
# made in mount namespaces of their own, so nothing is left mounted.  BUILT=1 takes the packages and
# the files that are there; SUITES=bookworm is Debian 12 alone.
set -u
. tests/tap.sh
dir=${PACKAGE_ROOTS:-/var/tmp/eddy-packages}
mkdir -p "$dir" 2>/dev/null
if [[ $(id -u) != 0 ]] || ! command -v debootstrap >/dev/null; then
	skip 'packages' 'needs root and debootstrap'
	finish
	exit
fi

make_root() { # SUITE NAME
	[[ -e $dir/$2/.complete ]] && return 0
	local mirror
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
		grep -v security | head -n 1)
	debootstrap --variant=minbase "$1" "$dir/$2" "$mirror" >"$dir/$2.log" 2>&1 || return 1
	touch "$dir/$2/.complete"
}

# A command in a root that has /proc, /sys and /dev of this machine.
inside() { # ROOT COMMAND...
	cp /etc/resolv.conf "$dir/$1/etc/"
	local root=$dir/$1
	shift
	# shellcheck disable=SC2016
	unshare --mount --propagation private sh -c 'root=$1; shift
		mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" &&
		mount --rbind /dev "$root/dev" &&
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$root" "$@"' \
		sh "$root" "$@" </dev/null
}

# Samples a command that computes, and finds it in what was written.
samples() { # ROOT PROGRAM
	# shellcheck disable=SC2016
	inside "$1" sh -c 'cd /tmp && rm -f x.folded* && "$1" record -F 499 -o x.folded -- \
			sh -c "i=0; while [ \$i -lt 400000 ]; do i=\$((i+1)); done" &&
		"$1" report --format folded x.folded | grep -q "^sh;"' sh "$2" >"$T/log" 2>&1 ||
		{ sed 's/^/# /' "$T/log"; return 1; }
}

# Every path of the root that bears the name.
traces() { # ROOT
	inside "$1" sh -c 'find / -xdev -path /proc -prune -o -path /sys -prune -o \
			-name "*eddy*" -print | grep -v "^/tmp\|^/var/cache" | sort'
}

# What make deb and make static need they install.
builds() { # SUITE TARGET
	local root=build-$1
	if [[ ! -e $dir/$root/eddy/.git ]]; then
		git clone -q --no-hardlinks . "$dir/$root/eddy" || return 1
	else
		git -C "$dir/$root/eddy" pull -q "$PWD" HEAD || return 1
	fi
	# shellcheck disable=SC2016
	inside "$root" sh -c 'export DEBIAN_FRONTEND=noninteractive; apt-get -qq update &&
		apt-get -qqy install git make && cd /eddy && make -s "$1"' sh "$2" \
		>"$dir/$root.$2.log" 2>&1 || { tail -n 20 "$dir/$root.$2.log"; return 1; }
}

# The package that was built for the release.
package() { # SUITE
	rm -rf "${dir:?}/$1/tmp"/*
	cp "$dir/build-$1/eddy/build/deb"/eddy_*.deb "$dir/$1/tmp/"
	inside "$1" sh -c 'apt-get -qq update && apt-get -qqy purge eddy' >/dev/null 2>&1
	traces "$1" >"$T/before"
	ok "$1: it installs" inside "$1" sh -c 'apt-get install -qqy /tmp/eddy_*.deb 2>&1'
	equal "$1: it says what it is" "eddy $(sed -n 's/^VERSION := //p' Makefile)" \
		"$(inside "$1" eddy --version | head -n 1 | cut -d' ' -f1-2)"
	ok "$1: it samples" samples "$1" /usr/bin/eddy
	ok "$1: its service is neither enabled nor started" inside "$1" sh -c \
		'! ls /etc/systemd/system/*.wants/eddy.service 2>/dev/null'
	ok "$1: it is removed" inside "$1" sh -c 'apt-get purge -qqy eddy >/dev/null 2>&1'
	traces "$1" >"$T/after"
	equal "$1: nothing is left" "$(cat "$T/before")" "$(cat "$T/after")"
}

ok 'a root of Debian 11' make_root bullseye bullseye
ok 'it has no libbpf' test -z "$(find "$dir/bullseye" -name 'libbpf*')"
for suite in ${SUITES:-bookworm trixie}; do
	ok "$suite: a root" make_root "$suite" "$suite"
	ok "$suite: a root to build in" make_root "$suite" "build-$suite"
	[[ -n ${BUILT:-} ]] || ok "$suite: make deb" builds "$suite" deb
	[[ -n ${BUILT:-} ]] || ok "$suite: make static" builds "$suite" static
	package "$suite"
	cp "$dir/build-$suite/eddy/build/static/eddy" "$dir/bullseye/tmp/"
	ok "$suite: the one file samples in Debian 11" samples bullseye /tmp/eddy
done
finish
