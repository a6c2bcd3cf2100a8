#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/sysroot.sh DIR ARCH: unpacks into DIR what eddy links with, for Debian's ARCH (arm64) and
# of this machine's release, for a cross-compiler.  Says what it could not have, and exits with 1.
#
# The libraries come without their shared halves, so that what is linked with them needs nothing but
# the C library where it runs.  That one is the cross-compiler's own.
set -u
folder=$1 arch=$2
. tests/apt.sh
packages=(libbpf-dev libelf-dev libdw-dev zlib1g-dev libdeflate-dev liblzma-dev libbz2-dev libzstd-dev libiberty-dev libseccomp-dev
	libncurses-dev libcapstone-dev
	libcmocka-dev libcmocka0 busybox-static)

fail() {
	echo "tests/sysroot.sh: $*" >&2
	exit 1
}
if [[ -e $folder/.complete && $(<"$folder/.complete") == "${packages[*]}" ]]; then
	touch "$folder/.complete"
	exit 0
fi
. /etc/os-release
[[ $ID == debian && -n ${VERSION_CODENAME:-} ]] || fail 'only where Debian is: it takes packages of the same release'
apt_begin "$folder.apt" "$(dpkg --print-architecture)" "$arch" || fail "$apt_why"
apt_suites "$VERSION_CODENAME" "$VERSION_CODENAME-security"
for package in "${packages[@]}"; do
	if ! apt_fetch "$package:$arch" || ! dpkg-deb -x "$apt_state"/deb/*.deb "$folder"; then
		tail -n 3 "$apt_state/log" >&2
		fail "$package for $arch could not be had"
	fi
done
find "$folder" -name '*.so' -xtype l -delete
# Some are no links but text for the linker, and name shared halves too.
find "$folder" -name '*.so' -type f -size -8 -exec grep -lIZ INPUT {} + | xargs -0 -r rm
rm -rf "$apt_state"
echo "${packages[*]}" >"$folder/.complete"
