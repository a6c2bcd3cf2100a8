#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The screen of eddy top in a terminal, over files: every view, sizes, keys, and the end.
source tests/tap.sh
source tests/tmux.sh
need_tmux

printf '%s\n' 'main;a;b;a;b;c 10' 'main;a;b;c 5' 'main;fact;fact;fact;mul 7' 'main;fact;fact 3' \
	'main;leaf 5' 'main;asm_sysvec_apic_timer_interrupt_[k];timer_[k] 2' >"$T/known.folded"
cd "$T" && mkdir -p dir/h || exit 1
for i in 0 1 2; do
	sed "s/leaf/leaf_$i/" known.folded >"dir/h/20261120T1000${i}0Z-10.folded"
done
cd "$OLDPWD" || exit 1

screen_start 80 24 "cd $T; '$EDDY' top known.folded; s=\$?; stty -a >after; echo status \$s"
ok "the first screen" shows '1/10'
golden "functions, 80x24" top/screen_functions.txt < <(steady)
n=1
for view in functions tree calls cycles irq processes flame modules; do
	keys $((n++))
	ok "$view" shows "$(printf '\n%s  ' $view)"
	ok "$view: drawn whole" shows "irq split"
done
keys 2
ok "the tree" shows 'recursion collapsed: conservative'
golden "tree, 80x24" top/screen_tree.txt < <(steady)
keys Down Left
ok "Left folds" shows '+ [.] a'
golden "tree, folded" top/screen_folded.txt < <(steady)
keys Right
ok "Right opens" shows '  [.] b'
keys C
ok "C folds all" shows '2/2 '
keys E
ok "E opens all" shows '/13 '
keys s s s s
ok "s sorts the tree, by names at last" shows 'by call tree'
golden "tree by names, 80x24" top/screen_tree_names.txt < <(steady)
keys s r
ok "r folds more" shows 'recursion collapsed: full'
keys 1
ok "functions again" shows 'by self %'
keys s
ok "s sorts by the next column" shows 'by incl %'
keys / l e a
ok "what is typed is shown" shows 'search: lea_'
keys Enter Enter
ok "Enter shows the callers of what was found" shows 'caller    [.] main'
golden "calls, 80x24" top/screen_calls.txt < <(steady)
keys Escape
ok "Esc goes back" shows 'functions  by'
keys f m u l Enter
ok "f leaves what holds the text" shows '1/1 '
keys Escape
ok "Esc shows all" shows '/10'
keys i
ok "i: interrupts stay" shows 'irq keep'
tmux_ resize-window -x 40 -y 10
ok "smaller" shows '…'
golden "functions, 40x10" top/screen_small.txt < <(steady)
tmux_ resize-window -x 200 -y 50
ok "larger" shows 'not known, no .json beside the stacks'
keys '?'
ok "help" shows 'this page'
golden "help, 200x50" top/screen_help.txt < <(steady)
keys Escape

# Wide: side by side.  A flame graph, zoomed, and back; with the mouse, in ASCII, without colours.
tmux_ resize-window -x 110 -y 16
keys Escape 1 / f a c t Enter Enter
ok "callers and callees side by side" shows 'callees'
golden "calls, 110x16" top/screen_pair.txt < <(steady)
keys Right Down Enter
ok "Enter goes on to a callee" shows '1/2 '
keys 7 g
ok "a flame graph" shows '100.00 %  32'
golden "flame, 110x16" top/screen_flame.txt < <(steady)
ok "in colours" grep -q $'\033\[[0-9;]*4[1-7]m' <(tmux_ capture-pane -pe)
keys Down Down Enter
ok "Enter zooms" shows '46.88 %  15'
golden "zoomed, 110x16" top/screen_zoomed.txt < <(steady)
keys Escape
ok "Esc shows all of it" shows '3/15 '
# What a terminal sends when the mouse is pressed at column 88, line 8.
tmux_ send-keys -l $'\033[M x('
ok "a click selects" shows '10  user  [.] fact'
screen_start 80 14 "cd $T; NO_COLOR=1 LC_ALL=C '$EDDY' top --view flame known.folded"
ok "flame, in ASCII" shows '|[.] main'
ok "NO_COLOR" grep -vq $'\033\[[0-9;]*4[1-7]m' <(tmux_ capture-pane -pe)
screen_start 80 24 "cd $T; '$EDDY' top known.folded; s=\$?; stty -a >after; echo status \$s"
ok "again" shows '1/10'

# Many keys, many sizes.
for ((i = 0; i < 10; i++)); do
	keys j j k G g Tab d Enter e e 2 - + C E I F 7 j Enter Right 2 r '<' '>' Space Space K K s S n / x Escape f y Escape
	tmux_ resize-window -x $((20 + i * 9)) -y $((3 + i * 2))
done
tmux_ resize-window -x 80 -y 24
keys Escape 1
ok "it lives through storms of keys and sizes" shows 'functions  by'
keys q
ok "q ends it" shows 'status 0'
ok "the terminal is as it was" grep -qE '(^| )icanon.* echo( |$)' <(tr '\n' ' ' <"$T/after")

screen_start 80 24 "cd $T; '$EDDY' top known.folded"
ok "again" shows '1/10'
keys d Down Enter
ok "d, Enter: the functions of a module" shows 'module [kernel]'
keys Escape 1 I
ok "I turns the order round" shows 'least first'
keys 3 w
ok "w writes what is shown" shows '.folded: '
equal "the stacks that hold the function" 'main;a;b;a;b;c 10 main;a;b;c 5' \
	"$(cat "$T"/eddy-top-*.folded | tr '\n' ' ' | sed 's/ $//')"

printf '%s\n' 'make-10/10;m 3' 'make-10/11;m 4' 'make-20/20;m 9' 'sh-5/5;m 8' '[lost:map-full] 1' \
	>"$T/threads.folded"
screen_start 80 16 "cd $T; '$EDDY' top threads.folded"
ok "stacks of threads" shows '1/'
keys p Right Down Down Right
ok "a comm, its processes, the threads of one" shows '1/'
golden "processes, 80x16" top/screen_processes.txt < <(steady)
keys C
ok "all folded" shows '+ make'

# What is remembered, when it is asked for.
screen_start 80 24 "cd $T; '$EDDY' top --window all dir"
ok "nothing was remembered" shows 'all samples'
ok "nor written" test ! -e "$T/config"
keys e 7
ok "e lets samples fade" shows 'half-life 10 s'
keys 1 ']'
ok "their counts are parts" shows '22.5'
keys w
ok "which are not written" shows 'not written'
keys 7 i W
ok "W remembers" shows 'remembered in'
screen_start 80 24 "cd $T; '$EDDY' top known.folded"
ok "the view comes back" shows 'flame  half-life 10 s  irq keep'
screen_start 80 24 "cd $T; '$EDDY' top --view tree --irq split known.folded"
ok "options are stronger" shows 'tree  recursion collapsed: conservative  half-life 10 s  irq split'
equal "plain tables know nothing of it" functions "$(XDG_CONFIG_HOME=$T/config "$EDDY" top --batch \
	"$T/known.folded" | grep -x functions)"
chmod 0777 "$T/config/eddy"
screen_start 80 24 "cd $T; '$EDDY' top known.folded"
ok "what others may have put there is not read" shows 'not recalled'
golden "not recalled, 80x24" top/screen_not_recalled.txt \
	< <(steady | sed 's/not recalled.*/not recalled/')
keys 2 W
ok "nor replaced" shows 'not remembered'
rm -r "$T/config"

# Whoever stopped the terminal cannot keep it from ending.
screen_start 80 24 "cd $T; '$EDDY' top known.folded; s=\$?; stty -a >stopped; echo status \$s"
ok "again" shows '1/10'
keys C-s
pkill -TERM -P "$(tmux_ display-message -p '#{pane_pid}')"
ok "SIGTERM ends it on a terminal that is stopped" shows 'status 0'
ok "and gives it back" grep -qE '(^| )icanon.* echo( |$)' <(tr '\n' ' ' <"$T/stopped")

screen_start 80 24 "cd $T; TZ=UTC '$EDDY' top dir; echo status \$?"
ok "snapshots: the first" shows 'window 1 of 3'
keys ']'
ok "] is the next" shows 'leaf_1'
keys ']' ']'
ok "up to the last" shows 'window 3 of 3'
keys '['
ok "[ is the one before" shows 'window 2 of 3'
keys J 10:00:25 Enter
ok "J jumps to a time" shows 'window 3 of 3'
keys J never Enter
ok "which must be one" shows 'never'
keys '<' '>' '>' '>' '>' '>'
ok "a longer window adds them up" shows 'leaf_0'
keys C-c
ok "Ctrl-C ends it" shows 'status 0'

# Names of others; a terminal without UTF-8.
printf 'm;\xff\x1b[2J\xe6\xbc\xa2\xe5\xad\x97\x1b]0:x\x07 3\n' >"$T/hostile.folded"
screen_start 80 10 "cd $T; '$EDDY' top hostile.folded"
ok "hostile names are shown" shows '\xff\x1b[2J漢字\x1b]0:x\x07'
screen_start 80 10 "cd $T; LC_ALL=C '$EDDY' top hostile.folded"
ok "in ASCII" shows '\xff\x1b[2J????\x1b]0:x\x07'
screen_start 80 10 "cd $T; TERM=dumb '$EDDY' top known.folded; echo status \$?"
ok "TERM=dumb: a table" shows 'status 0'
screen_start 80 10 "cd $T; TERM=no-such '$EDDY' top known.folded; echo status \$?"
ok "a terminal that is not known" shows 'status 1'
finish
