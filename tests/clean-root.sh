#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/clean-root.sh [DIR]: the README's two commands, "make profile" and "make test", in a
# Debian that has nothing but git and make.  A package that tests/deps.sh forgets shows here.
# Run by hand, as root: it needs debootstrap, 2 GB and some minutes.
#
# A minimal Debian 12 is made in DIR (default: build/clean-root; one that is there is used
# again) from the mirror that this machine's apt is set up for; what is committed is cloned into
# it.  Mounts are made in a mount namespace of their own, so nothing is left mounted; the root is
# one of them, for unshare(1) wants to be in one.
set -eu
cd "$(dirname "$0")/.."
repository=$PWD
root=${1:-build/clean-root}
suite=bookworm

[[ $(id -u) == 0 ]] || { echo "tests/clean-root.sh: must be root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "tests/clean-root.sh: apt-get install debootstrap" >&2; exit 1; }
mkdir -p "$root"
root=$(cd "$root" && pwd)

if [[ ! -e $root/.complete ]]; then
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' |
		awk -v suite=$suite '$2 == suite { print $1; exit }')
	[[ -n $mirror ]] || { echo "tests/clean-root.sh: apt knows no mirror of $suite" >&2; exit 1; }
	debootstrap --variant=minbase --include=git,make $suite "$root" "$mirror" >"$root.log" 2>&1 || {
		tail -n 20 "$root.log" >&2
		exit 1
	}
	touch "$root/.complete"
fi
cp /etc/resolv.conf /etc/hosts "$root/etc/"
rm -rf "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d "$root"/etc/apt/apt.conf.d
cp -r /etc/apt/sources.list.d /etc/apt/apt.conf.d "$root/etc/apt/"
if [[ -e /etc/apt/sources.list ]]; then cp /etc/apt/sources.list "$root/etc/apt/"; fi
cp -r /etc/apt/trusted.gpg.d /etc/apt/keyrings "$root/etc/apt/" 2>/dev/null || true
cp -r /usr/share/keyrings "$root/usr/share/" 2>/dev/null || true
rm -rf "$root/eddy"
git clone -q --no-hardlinks "$repository" "$root/eddy"

cat >"$root/clean-root-steps" <<'STEPS'
#!/bin/sh
cd /eddy || exit 1
failed=0
for step in profile test; do
	echo "== make $step"
	from=$(date +%s)
	make -j2 "$step" </dev/null
	rc=$?
	echo "== make $step: exit status $rc, $(($(date +%s) - from)) s"
	[ $rc = 0 ] || failed=1
done
echo "== left behind in the clone, other than build/ and what make profile writes:"
git status --short
exit $failed
STEPS
chmod +x "$root/clean-root-steps"

# shellcheck disable=SC2016
exec unshare --mount --propagation private sh -c '
	mount --bind "$1" "$1" && cd "$1" && mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" &&
	mount -t tmpfs tmpfs "$1/tmp" &&
	exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		TERM=dumb chroot "$1" /clean-root-steps' sh "$root"
