#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# dist/deb.sh VERSION COMMIT: a Debian package in build/deb, made of what is committed, looked at
# by lintian.  Its maintainer is DEB_MAINTAINER, or who committed last.  What it needs besides
# 'make deps' it names.
set -eu
cd "$(dirname "$0")/.."
version=$1 commit=$2
maintainer=${DEB_MAINTAINER:-$(git log -1 --format='%an <%ae>')}
for tool in dpkg-buildpackage dh lintian git; do
	command -v "$tool" >/dev/null ||
		{ echo "dist/deb.sh: no $tool (apt-get install dpkg-dev debhelper lintian git)" >&2; exit 1; }
done
out=$PWD/build/deb tree=$PWD/build/deb/eddy-$version
rm -rf "$out"
mkdir -p "$tree"
git archive HEAD | tar -x -C "$tree"
cp -r "$tree/dist/debian" "$tree/debian"
sed -i "s/^Maintainer:.*/Maintainer: $maintainer/" "$tree/debian/control"
echo "$commit" >"$tree/.commit"
{
	printf 'eddy (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n' "$version"
	printf ' -- %s  %s\n' "$maintainer" \
		"$(git log -1 --format=%aD)"
} >"$tree/debian/changelog"
(cd "$tree" && dpkg-buildpackage --unsigned-source --unsigned-changes --build=binary) \
	>"$out/build.log" 2>&1 || { tail -n 30 "$out/build.log" >&2; exit 1; }
rm -rf "$tree" # make takes what it finds under build/ as its own
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$out"/eddy_*.changes
ls "$out"/eddy_*.deb
