#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Pages (-o x.html) in Chromium, offline: what their script finds equals what eddy finds, they ask
# nobody for anything, and hostile names are no more than text.
source tests/tap.sh

# Without a browser: a page holds no address and no name of what it shows.
printf 'main;</script><script>alert(1)</script> 3\nmain;f 4\n' >"$T/in.folded"
echo '{ "samples": { "due": 7, "kept": 7 }, "host": "</script>" }' >"$T/in.folded.json"
for command in report merge; do
	ok "$command: writes a page" "$EDDY" $command -o "$T/$command.html" "$T/in.folded"
	equal "$command: three scripts' tags, of the data and of the viewer" 2 \
		"$(grep -o '</script>' "$T/$command.html" | wc -l)"
	equal "$command: no address in it" '' "$(grep -oE '(https?:)?//[a-z]+\.' "$T/$command.html")"
done
equal 'the same stacks, the same page' "$(sha256sum <"$T/report.html")" \
	"$("$EDDY" report -o "$T/again.html" "$T/in.folded" && sha256sum <"$T/again.html")"

if ! command -v chromium >/dev/null; then
	skip 'pages in a browser' 'no chromium: tests/deps.sh browser'
	finish
fi

# browse FILE NR WHAT: the page's DOM, once WHAT stands in NR of its lines (its scripts wait for
# streams, and how long those take is the machine's load); what the console said is in $T/console.
browse() {
	local budget
	for budget in 3000 10000 60000; do
		browse_for "$1" $budget >"$T/dom"
		[[ $(grep -c "$3" "$T/dom") -ge $2 ]] && break
	done
	cat "$T/dom"
}
browse_for() {
	rm -rf "$T/profile"
	timeout 300 chromium --headless --no-sandbox --disable-gpu --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--disable-dev-shm-usage --host-resolver-rules='MAP * ~NOTFOUND' \
		--user-data-dir="$T/profile" --enable-logging=stderr --virtual-time-budget="$2" \
		--window-size=1280,800 --dump-dom "file://$1" 2>"$T/log"
	grep CONSOLE "$T/log" >"$T/console"
}

# ---- the same numbers ----------------------------------------------------------------------------

# Random stacks: short names, much recursion, some of it in interrupts.  Each awk has a rand() of its
# own, and what follows from these stacks is written down: so the numbers are made here.
random_stacks() {
	awk -v seed="$1" -v names="$2" -v depth="$3" -v lines="$4" '
	function random() { state = state * 16807 % 2147483647; return state / 2147483647 }
	BEGIN {
		state = seed * 48271 + 11; split(names, name, " "); nr = split(names, name, " ")
		for (l = 0; l < lines; l++) {
			line = random() < 0.2 ? (random() < 0.5 ? "[softirq]" : "[hardirq]") : "main"
			for (d = 1 + int(random() * depth); d > 0; d--)
				line = line ";" name[1 + int(random() * nr)]
			print line, 1 + int(random() * random() * 1000)
		}
	}'
}
mkdir "$T/pages" "$T/sides"
random_stacks 1 'a b c d' 12 60 >"$T/pages/0.folded"
random_stacks 2 'a b c d e f g h i j k l m' 9 300 >"$T/pages/1.folded"
random_stacks 3 'a b' 40 200 >"$T/pages/2.folded"
random_stacks 4 'a_[k] b c_[k] d b_[k] a c' 25 500 >"$T/pages/3.folded"
{
	random_stacks 5 'a b c' 3 30
	echo 'main;a;b;a;b;c 10'
	echo 'm;a;b;c;a;c;x 1'
} >"$T/pages/4.folded"

# As tests/golden/page/check.js says it.
by_eddy() {
	local in=$1 degree
	report() { "$EDDY" report "$@" "$in"; }
	printf 'sum\t%s samples\n' "$(report --format folded | awk '{ sum += $NF } END { print sum + 0 }')"
	printf 'search\t%s\n' "$(report --focus b --focus c --format folded |
		awk '{ sum += $NF } END { print sum + 0 }')"
	report --format folded | grep -v '^\[' | sed 's/^/task\t/'
	for degree in none direct conservative full; do
		report --collapse $degree --format tsv | tail -n +2 | cut -f 1-4,6- | sed "s/^/flat $degree\t/"
		report --collapse $degree --view cycles --format tsv | tail -n +2 | sed "s/^/cycles $degree\t/"
		report --collapse $degree --view tree --format tsv | awk -F '\t' -v OFS='\t' 'NR > 1 {
			path[$4] = path[$4 - 1] ";" $8
			print $1, $2, $3, $4, $5, $6, $7, path[$4]
		}' | sed "s/^/tree $degree\t/"
		report --collapse $degree --format folded | sed "s/^/folded $degree\t/"
		grep -q '\bb\b' "$in" || continue
		for view in callees callers; do
			report --collapse $degree --view $view --of b --format folded | sed "s/^/$view $degree\t/"
		done
	done | sed 's/&/\&amp;/g'
}

# What changed: some stacks of another seed, some left out, some with another count.
{
	random_stacks 2 'a b c d e f g h i j k l m' 9 250
	random_stacks 6 'a b new' 9 50
} >"$T/sides/5.folded"
printf 'main;b;a 700\nmain;b;c;b 90\nmain;gone 60\n[softirq];x_[k] 40\nmain 3\n' >"$T/sides/6.folded"
printf 'main;b;a 41\nmain;b;c;b 5\nmain;new;a 30\n[softirq];x_[k] 30\n' >"$T/sides/7.folded"

cat >"$T/pages/known.folded" <<'END'
main;a;b;a;b;c 10
main;a;b;c 5
main;fact;fact;fact;mul 7
main;fact;fact 3
main;leaf 5
main;irq_handler_[k];timer_[k] 2
END
: >"$T/pages/none.folded"
echo 'main 1' >"$T/pages/one.folded"
# The policy allows the page's own script alone: the tests' stands in a page without one.
frames=''
for in in "$T"/pages/*.folded; do
	"$EDDY" report -o "$in.html" "$in"
done
cp "$T/pages/1.folded" "$T/sides/1.folded"
echo '{ "samples": { "due": 9000 } }' >"$T/sides/6.folded.json"
echo '{ "samples": { "due": 500 } }' >"$T/sides/7.folded.json"
"$EDDY" diff -o "$T/pages/d1.folded.html" "$T"/sides/{1,5}.folded
"$EDDY" diff -o "$T/pages/d2.folded.html" "$T"/sides/{6,7}.folded
# A directory of six windows: stacks that come and go, one window without a .json, one empty.
mkdir -p "$T/snap/h"
for i in 0 1 2 3 4 5; do
	f=$T/snap/h/20261120T100${i}00Z-60.folded
	random_stacks 1$i 'a b c d e' 6 $((i == 4 ? 0 : 40)) | sed "s/;a/;a$((i / 2))/" |
		awk '{ n = $NF; sub(/ [0-9]+$/, ""); c[$0] += n } END { for (s in c) print s, c[s] }' |
		LC_ALL=C sort >"$f"
	[[ $i = 3 ]] || echo "{ \"samples\": { \"due\": $((9000 + i)), \"delivered\": 9000,
		\"idle\": 70$i, \"kept\": 1$i, \"lost\": $i } }" >"$f.json"
done
"$EDDY" report -o "$T/pages/w.folded.html" "$T/snap" 2>/dev/null
# Fifty windows: functions that stay, rise, come, go, burst and drift; one lasts for no tick, and of
# the last nothing is known.
mkdir -p "$T/chance/h"
for i in {0..49}; do
	f=$T/chance/h/20261120T10$(printf %02d "$i")00Z-60.folded
	awk -v w="$i" '
	function random() { state = state * 16807 % 2147483647; return state / 2147483647 }
	function put(stack, n) { if (n >= 1) print "main;" stack " " int(n) }
	BEGIN {
		state = (w + 1) * 48271
		if (w == 30) exit
		wave = w % 24 < 12 ? w % 24 : 24 - w % 24
		put("huge", 100000 + 600 * random())
		for (f = 1; f <= 14; f++) put("a;same" f, 20 * f + 10 * random() * sqrt(f))
		put("a;rises;b", 60 + 20 * random() + (w > 24 ? 90 : 0))
		put("falls", w > 19 ? 30 + 12 * random() : 90 + 12 * random())
		put("drifts;a", 40 + 12 * wave + 9 * random())
		put("bursts;falls", w % 11 == 5 ? 900 * random() : 4 * random())
		put("a;rare;rises", w % 7 == 3)
		if (w > 24) put("new;a", 15 + 6 * random())
		if (w < 21) put("gone;b;b", 12 + 6 * random())
	}' | LC_ALL=C sort >"$f"
	((i == 49)) || echo "{ \"samples\": { \"due\": $((i == 30 ? 0 : 150000 + i)) } }" >"$f.json"
done
"$EDDY" report -o "$T/pages/chance.folded.html" "$T/chance" 2>/dev/null
minute() { printf '2026-11-20T10:%02d:00Z' "$1"; }
pairs=('0 24 25 49' '0 39 40 49' '3 3 10 12' '0 4 5 9' '20 20 21 49' '0 19 20 44' '6 30 31 44')
by_ranges() { # of the pair numbered $1, the options of eddy diff
	local first last from to
	read -r first last from to <<<"${pairs[$1]}"
	ranges=(--before "$(minute "$first")..$(minute $((last + 1)))"
		--after "$(minute "$from")..$( ((to == 49)) || minute $((to + 1)))" "$T/chance")
}
for k in "${!pairs[@]}"; do
	by_ranges "$k"
	"$EDDY" diff -o "$T/pages/both$k.folded.html" "${ranges[@]}" 2>/dev/null
done
# Stacks with times: 3 s of 10 ms, samples of most slots, some without a time, one lost.
random_stacks 21 'a b c d_[k]' 6 30 | sort -u -t ' ' -k 1,1 | LC_ALL=C sort >"$T/times.folded"
awk 'BEGIN { srand(22) }
	{ left[NR] = $NF; total += $NF }
	END {
		for (s = 0; s < 300; s++) {
			row = ""
			for (l = 1; l <= NR; l++) {
				if (rand() > 0.06 || left[l] < 2 || (s > 119 && s < 122)) continue
				n = 1 + int(rand() * 3)
				n = n < left[l] ? n : 1
				left[l] -= n
				timed += n
				row = row " " l (n > 1 ? "*" n : "")
			}
			if (row != "") rows = rows s row "\n"
		}
		printf "eddy timeline 1\nslot_ns 10000000\nasked_ns 5000000\nstart_ms 1795402899259\n"
		printf "slots 300\nlines %d\ntotal %d\ntimed %d\nuntimed 5\n%s", NR, total, timed, rows
	}' "$T/times.folded" >"$T/times.folded.timeline"
"$EDDY" report -o "$T/pages/times.folded.html" "$T/times.folded" 2>"$T/times.err"
equal 'times: read without a word' '' "$(cat "$T/times.err")"
for in in "$T"/pages/*.folded.html; do
	in=${in%.html}
	{
		sed '/http-equiv="Content-Security-Policy"/,/>/d' "$in.html"
		echo '<script>' && cat tests/golden/page/check.js && echo '</script>'
	} >"$in.checked.html"
	asked+=("$in")
	frames+="<iframe src='$in.checked.html' width=900 height=500></iframe>"
done
{ cat "$T/pages/one.folded.html" && echo '<img src="http://eddy.invalid/x.png">'; } >"$T/asks.html"
frames+="<iframe src='$T/asks.html'></iframe>"
cat >"$T/frames.html" <<END
<!DOCTYPE html><meta charset="utf-8"><body><script>
/* The budget is of time that passes at once when nobody works: until all answered, somebody does. */
let left = ${#asked[@]};
(function wait() {
	for (let i = 0; i < 2e6; i++);
	if (left > 0)
		setTimeout(wait, 5);
})();
addEventListener('message', (event) => {
	const pre = document.createElement('pre');
	pre.textContent = '\n@' + event.data.from + '\n' + event.data.text + '\n';
	document.body.append(pre);
	left--;
});
</script>$frames</body>
END
browse "$T/frames.html" ${#asked[@]} '^@' >"$T/frames.dom"
# Whatever a page asked for would be refused by its policy, and said: the one that has a picture is.
equal 'nothing is asked for, and no error' 1 "$(wc -l <"$T/console")"
ok 'what would be asked for is refused' grep -q "violates.*default-src 'none'" "$T/console"
equal 'the script of a page in a frame runs too' 20 "$(grep -c '^@' "$T/frames.dom")"
for in in "$T"/pages/[!k]*.folded; do
	sed -n "\\,^@$in.checked.html,,/<\\/pre>/p" "$T/frames.dom" | grep -P '\t' | LC_ALL=C sort >"$T/page.txt"
	by_eddy "$in" | LC_ALL=C sort >"$T/eddy.txt"
	ok "${in##*/}: something was compared ($(wc -l <"$T/eddy.txt") lines)" test -s "$T/eddy.txt"
	ok "${in##*/}: the page finds what eddy finds" diff "$T/eddy.txt" "$T/page.txt"
done

# A comparison: the table of eddy diff, both counts of each stack, and no sample lost in any form.
of_page() {
	sed -n "\\,^@$T/pages/$1.folded.checked.html,,/<\\/pre>/p" "$T/frames.dom" | grep -P '\t' |
		sed 's/&amp;/\&/g'
}
by_diff() {
	"$EDDY" diff --format tsv "$@" | tail -n +2 | cut -f 1-5,12-14 | sed 's/^/row\t/'
	"$EDDY" diff --format folded "$@" | sed 's/^/two\t/'
	for degree in none direct conservative full; do
		printf 'sums %s\t%s\t%s\n' $degree "$(awk '{ s += $NF } END { print s }' "$1")" \
			"$(awk '{ s += $NF } END { print s }' "$2")"
	done
}
for sides in 'd1 1 5' 'd2 6 7'; do
	read -r page before after <<<"$sides"
	of_page "$page" | grep -v '^link' | LC_ALL=C sort >"$T/page.txt"
	by_diff "$T/sides/$before.folded" "$T/sides/$after.folded" 2>/dev/null | LC_ALL=C sort >"$T/eddy.txt"
	ok "$page: something is marked" grep -qP '\t(more|less)\t' "$T/eddy.txt"
	ok "$page: the page finds what eddy diff finds" diff "$T/eddy.txt" "$T/page.txt"
done
golden 'one side alone, lanes and a search of a comparison' page/changes.txt < <(of_page d2 | grep '^link')

# Windows: what the view has of each; a range is that of --since and --until, two are eddy diff's.
at() { echo "2026-11-20T10:0$1:00Z"; }
{
	"$EDDY" report --view windows --format tsv "$T/snap" | tail -n +2 |
		awk -F '\t' -v OFS='\t' '{ print "slot", $3 + 0, $4 + 0, $5 + 0, $7, $8 + 0 }'
	"$EDDY" report --since "$(at 2)" --until "$(at 5)" --format folded "$T/snap" | sed 's/^/range\t/'
	"$EDDY" diff --before "$(at 2)..$(at 5)" --after "$(at 5).." --format folded "$T/snap" |
		sed 's/^/versus\t/'
} 2>/dev/null | LC_ALL=C sort >"$T/eddy.txt"
of_page w | grep -v '^hash\|^of tasks\|^mouse' | LC_ALL=C sort >"$T/page.txt"
ok 'windows: ranges have stacks' grep -q '^range' "$T/eddy.txt"
ok 'windows: the page finds what eddy finds' diff "$T/eddy.txt" "$T/page.txt"
equal 'windows: by keys alone' '#range=2-4 #range=2-4&versus=5-5 #degree=full&lanes=task' \
	"$(of_page w | grep '^hash' | cut -f 2 | tr '\n' ' ' | sed 's/ $//')"
equal 'windows: tasks of two ranges' "$(awk -F '[\t ]' '$1 == "versus" && $2 !~ /^\[/ {
	b += $(NF - 1); a += $NF } END { print b, a }' "$T/eddy.txt")" \
	"$(of_page w | grep '^of tasks' | cut -f 2,3 | tr '\t' ' ')"

# Two ranges tested: each p of eddy diff to five digits, its marks, and those of its page's boxes.
{
	for k in "${!pairs[@]}"; do
		by_ranges "$k"
		"$EDDY" diff --format tsv "${ranges[@]}" 2>/dev/null | tail -n +2 |
			awk -F '\t' -v OFS='\t' -v k="$k" '{ print "p", k, $13, $14, $10, $12 != "" ? "marked" : "" }'
	done
} >"$T/eddy.txt"
of_page chance | grep '^p' | awk -F '\t' 'NR == FNR { p[$2 $3 $4] = $5; mark[$2 $3 $4] = $6; next }
	{
		is = p[$2 $3 $4]; nr++
		if ((is == "") != ($5 == "") || mark[$2 $3 $4] != $6 ||
			is != "" && (is - $5 > 1e-5 * is || $5 - is > 1e-5 * is)) print $0, is, mark[$2 $3 $4]
		marked += $6 != ""; tested += $5 != ""
	}
	END {
		if (nr > 250 && tested > 150 && marked > 6 && marked < tested / 2) print "enough"
		else print nr, tested, marked
	}' - "$T/eddy.txt" >"$T/found.txt"
equal 'two ranges: every function is judged as eddy diff does' enough "$(<"$T/found.txt")"
for k in "${!pairs[@]}"; do
	of_page "both$k" | LC_ALL=C sort | sed "s/^/$k\t/"
done >"$T/eddy.txt"
of_page chance | grep -P '^\d+\tpath' | LC_ALL=C sort >"$T/page.txt"
ok 'two ranges: boxes are marked' grep -q '2$' "$T/eddy.txt"
ok 'two ranges: every box is judged as the page of eddy diff does' diff "$T/eddy.txt" "$T/page.txt"
golden 'two ranges: how it was tested is said' page/chances.txt < <(of_page chance | grep '^notice')

golden 'windows: by the mouse' page/mouse.txt < <(of_page w | grep '^mouse')

# A timeline: the samples of every slot, and the stacks of a range, as the file beside has them.
slots() {
	awk -v from="$1" -v to="$2" 'FNR > 9 && $1 >= from && $1 <= to {
		for (i = 2; i <= NF; i++) {
			split($i, cell, "*")
			print $1, cell[1], cell[2] ? cell[2] : 1
		}
	}' "$T/times.folded.timeline"
}
{
	slots 0 299 | awk '{ n[$1] += $3 } END { for (s in n) print "slot\t" s "\t" n[s] }'
	slots 7 110 | awk 'FILENAME == "-" { n[$2] += $3; next }
		n[FNR] { sub(/ [0-9]+$/, ""); print "range\t" $0 " " n[FNR] }' - "$T/times.folded"
} | LC_ALL=C sort >"$T/eddy.txt"
of_page times | grep '^slot\|^range' | LC_ALL=C sort >"$T/page.txt"
ok "times: slots and stacks were compared ($(wc -l <"$T/eddy.txt") lines)" test -s "$T/eddy.txt"
ok 'times: the page finds what is in the file' diff "$T/eddy.txt" "$T/page.txt"
sum_of() { slots "$1" "$2" | awk '{ n += $3 } END { print n + 0 }'; }
equal 'times: ranges by mouse and keys' "whole # $(awk '{ n += $NF } END { print n }' "$T/times.folded") all of it
drag #range=7-110 $(sum_of 7 110) 0.07 s to 1.11 s
back, Ctrl #range=7-110&versus=190-205 $(sum_of 7 110) $(sum_of 190 205)
click #range=120-120 0 1.20 s to 1.21 s
double click #range=100-199 $(sum_of 100 199) 1.00 s to 2.00 s
keys #range=1-102 $(sum_of 1 102) 0.01 s to 1.03 s
keys, Ctrl #range=1-102&versus=299-299 $(sum_of 1 102) $(sum_of 299 299)
Escape # $(awk '{ n += $NF } END { print n }' "$T/times.folded") all of it" \
	"$(of_page times | grep -v '^slot\|^range\|^notice' | tr '\t' ' ')"
equal 'times: what is missing is said' "notice 5 samples have no time: they are in the whole and in \
no range. A slot of time is 10 ms: for 5 ms there was no room." "$(of_page times | grep '^notice' | tr '\t' ' ')"
cp "$T/times.folded.timeline" "$T/pages/one.folded.timeline"
equal 'times of other stacks are said and left out' \
	"eddy: $T/pages/one.folded.timeline is not of this text: it has other stacks: the page is without times" \
	"$("$EDDY" report -o "$T/one.html" "$T/pages/one.folded" 2>&1)"
sed -i '10s/^/x/' "$T/pages/one.folded.timeline"
equal 'so is what is no timeline' \
	"eddy: $T/pages/one.folded.timeline:10: no slot, or not in order: the page is without times" \
	"$("$EDDY" report -o "$T/one.html" "$T/pages/one.folded" 2>&1)"

# Functions by number: a 0, b 1, c 2, fact 3, irq_handler_[k] 4, leaf 5, main 6.
sed -n "\,^@$T/pages/known.folded.checked.html,,/<\/pre>/p" "$T/frames.dom" | grep -P '\t' |
	sed 's/&amp;/\&/g' >"$T/keys.txt"
golden 'keys alone' page/keys.txt <"$T/keys.txt"

# ---- as it is opened -----------------------------------------------------------------------------

long=$(printf 'x%.0s' $(seq 65536))
{
	printf 'main;</script><script>document.title="broken"</script> 5\n'
	printf 'main;<img src=x onerror=document.title="broken"> 4\n'
	printf 'main;"quoted"&amp;'"'"' 3\n'
	printf 'main;esc\033]0;x\007 2\n'
	printf 'main;bad\377utf8 2\n'
	printf 'main;bidi\342\200\256txt 2\n'
	printf 'main;%s 1\n' "$long"
	printf 'main;__proto__;constructor;toString 1\n'
} >"$T/hostile.folded"
cp "$T/in.folded.json" "$T/hostile.folded.json"
"$EDDY" report -o "$T/hostile.html" "$T/hostile.folded"
browse "$T/hostile.html" 1 '<summary>eddy [^<]*kept' >"$T/hostile.dom"
equal 'hostile names: the console is silent' '' "$(cat "$T/console")"
ok 'hostile names: the title is ours' grep -q '<title>hostile.folded - eddy</title>' "$T/hostile.dom"
names=$(grep -oP '<td class="name">\K[^<]*' "$T/hostile.dom")
equal 'hostile names: all of them are rows' 13 "$(wc -l <<<"$names")"
ok 'hostile names: text' grep -qF '&lt;script&gt;document.title="broken"&lt;/script&gt;' <<<"$names"
ok 'hostile names: control characters are shown' grep -qF 'esc\x1b]0' <<<"$names"
ok 'hostile names: invalid bytes are shown' grep -qF 'bad\xffutf8' <<<"$names"
ok 'hostile names: direction marks are shown' grep -qF 'bidi\xe2\x80\xaetxt' <<<"$names"
ok 'the account stands in the footer' grep -q '<summary>eddy [^<]*7 expected, 7 kept' "$T/hostile.dom"

finish
