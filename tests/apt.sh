# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by what fetches packages of other machines or releases and unpacks them beside the build:
# apt with a state of its own in a directory, on suites of the mirror that this machine is set up
# for. Neither the machine's sources nor its lists nor its architectures change, nothing is
# installed.
#   apt_begin DIR ARCH...  0, or 1 with apt_why
#   apt_suites SUITE...       fetches the lists of these; "-security" at the end of a name as it is
#   apt_fetch PACKAGE:ARCH[=VERSION]   the package as DIR/deb/*.deb, alone; 1 when it cannot be had

apt_begin() {
	local keys=/usr/share/keyrings/debian-archive-keyring.gpg targets state=$1
	shift
	apt_uri() { grep -m1 -E "/$1/*\$" <<<"$targets"; }
	command -v apt-get >/dev/null || { apt_why='no apt' && return 1; }
	[[ -e $keys ]] || { apt_why="no $keys" && return 1; }
	# shellcheck disable=SC2016 # apt expands it
	targets=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null)
	apt_main=$(apt_uri debian) || { apt_why='apt knows no mirror of Debian' && return 1; }
	apt_security=$(apt_uri debian-security) || apt_security=${apt_main%/}-security
	apt_main="deb [signed-by=$keys] $apt_main" apt_security="deb [signed-by=$keys] $apt_security"
	mkdir -p "$state"/{lists/partial,cache/archives/partial,preferences} || return 1
	apt_state=$(cd "$state" && pwd)
	: >"$apt_state/status"
	cat >"$apt_state/apt.conf" <<C
Dir::Etc::sourcelist "$apt_state/sources.list";
Dir::Etc::sourceparts "/nonexistent";
Dir::Etc::preferencesparts "$apt_state/preferences";
Dir::State::lists "$apt_state/lists";
Dir::State::status "$apt_state/status";
Dir::Cache "$apt_state/cache";
APT::Architecture "$(dpkg --print-architecture)";
APT::Architectures { $(printf '"%s"; ' "$@")};
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "2";
C
	export APT_CONFIG=$apt_state/apt.conf
}

apt_suites() {
	local suite
	for suite in "$@"; do
		case $suite in
		*-security) echo "$apt_security $suite main" ;;
		*) echo "$apt_main $suite main" ;;
		esac
	done >"$apt_state/sources.list"
	timeout 120 apt-get -qq update >"$apt_state/log" 2>&1
}

apt_fetch() {
	rm -rf "${apt_state:?}/deb" && mkdir "$apt_state/deb"
	(cd "$apt_state/deb" && timeout 120 apt-get -qq download "$1") >>"$apt_state/log" 2>&1
}
