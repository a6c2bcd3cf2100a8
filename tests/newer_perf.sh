#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/newer_perf.sh DIR: puts into DIR a perf that is newer than this system's, from the backports
# of its Debian release, beside what is installed and without installing it; prints its version.
# Fails, saying why, where there is none.
set -u
dir=${1:?DIR}
mkdir -p "$dir/lists/partial" "$dir/archives/partial" "$dir/root" && cd "$dir" || exit 1
command -v apt-get >/dev/null || { echo 'no apt-get'; exit 1; }
# shellcheck disable=SC1091
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# shellcheck disable=SC2016 # these are apt's variables
apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
	awk -v r="$release" '$2 == r && $3 == "main" {
		print "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]", $1,
			r "-backports main"
		exit }' >sources.list
[[ -s sources.list ]] || { echo "apt knows no main of '$release'"; exit 1; }
apt() {
	apt-get -qq -o Dir::Etc::sourcelist="$PWD/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$PWD/lists" -o Dir::Cache="$PWD" -o Acquire::Retries=3 \
		-o APT::Sandbox::User=root "$@" 2>&1
}
apt update && apt download linux-perf || exit 1
# Its libraries: of the release itself, or of the backports where they are newer there.
for package in linux-perf libtraceevent1; do
	[[ $package == linux-perf ]] || apt download "$package" >/dev/null ||
		apt-get -qq -o APT::Sandbox::User=root download "$package" 2>&1 || exit 1
	dpkg -x "$package"_*.deb root || exit 1
done
libraries=$(dirname "$(find "$PWD/root" -name 'libtraceevent.so.1' | head -n 1)")
mkdir -p bin && cat >bin/perf <<END || exit 1
#!/bin/sh
LD_LIBRARY_PATH='$libraries' exec '$PWD/root/usr/bin/perf' "\$@"
END
chmod +x bin/perf && bin/perf --version
