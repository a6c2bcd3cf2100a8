# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced after tests/tap.sh by tests of what is on a terminal; tmux is the terminal.
#   need_tmux              ends the test as skipped where there is none
#   screen_start W H COMMAND   a terminal of that size with a command in it, of sh
#   screen                 what it shows
#   steady                 the same, once it has drawn all that it is about to: for golden texts
#   keys KEY...            presses keys, as tmux calls them
#   shows TEXT             succeeds when it shows the text, now or within 30 s
terminals=0
tmux_() { tmux -L "eddy-$$-$terminals" -f /dev/null "$@"; }

need_tmux() {
	command -v tmux >/dev/null && return 0
	skip "$(basename "$0" .sh)" 'no tmux: tests/deps.sh test'
	finish
	exit 0
}

screen_end() { tmux_ kill-server 2>/dev/null; }
trap 'screen_end; rm -rf "$T"' EXIT

screen_start() {
	screen_end
	terminals=$((terminals + 1)) # a server that ends is not the next one
	tmux_ new-session -d -x "$1" -y "$2" "unset NO_COLOR; export LC_ALL=C.UTF-8 XDG_CONFIG_HOME='$T/config'; $3; sleep 600"
}
screen() { tmux_ capture-pane -p; }
# A text that is there may be the first of a screen that is still being drawn.
steady() {
	local before now i
	before=$(screen; echo .)
	for ((i = 0; i < 50; i++)); do
		sleep 0.1
		now=$(screen; echo .)
		[[ $now == "$before" ]] && break
		before=$now
	done
	printf '%s' "${now%.}"
}
keys() { tmux_ send-keys "$@"; }
shows() {
	local until=$((SECONDS + 30))
	while ((SECONDS < until)); do
		screen | grep -qF -- "$1" && return 0
		sleep 0.02
	done
	screen
	return 1
}
