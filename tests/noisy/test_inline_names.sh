#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Inlined functions and lines of real programs against other readers of the same debug information:
# addr2line of binutils and of LLVM at each address of a capture, and perf, which asks addr2line, at
# those that its capture has too.  What differs is counted by its kind; what is of no kind that has
# a cause is at most 1 % of the addresses.
#   differs.txt in $KEEP, when that is set: each address that differs
. tests/tap.sh
. tests/live/live.sh
need_sampling
for tool in go addr2line g++ nm; do
	command -v $tool >/dev/null || {
		skip inline-names "there is no $tool"
		finish
	}
done
export HOME=$T PPROF_TMPDIR=$T

# ---- what is compared ------------------------------------------------------------------------------

cat >"$T/shop.cc" <<'CC'
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
namespace shop { namespace {
struct item { std::string name; double price; unsigned n; };
template <class T> struct by_price {
	bool operator()(const T &a, const T &b) const
	{
		return a.price < b.price || (a.price == b.price && a.name < b.name);
	}
};
class stock {
	std::map<std::string, std::unique_ptr<item>> items;
	std::unordered_map<std::string, unsigned> counts;
public:
	void add(std::string name, double price)
	{
		auto &i = items[name];
		if (!i)
			i = std::make_unique<item>(item{ name, price, 0 });
		counts[name] += ++i->n;
	}
	std::vector<item> sorted() const
	{
		std::vector<item> all;
		for (const auto &[name, i] : items)
			all.push_back(*i);
		std::sort(all.begin(), all.end(), by_price<item>());
		return all;
	}
	double worth() const
	{
		return std::accumulate(items.begin(), items.end(), 0.0,
			[](double s, const auto &i) { return s + i.second->price; });
	}
};
} }
static unsigned matches(const std::vector<shop::item> &all, const std::regex &re)
{
	return std::count_if(all.begin(), all.end(),
		[&](const shop::item &i) { return std::regex_search(i.name, re); });
}
int main(int argc, char **argv)
{
	const clock_t end = clock() + atof(argv[1]) * CLOCKS_PER_SEC;
	const std::regex re("(a|b)+[0-9]{2,}x?$");
	double sum = 0;
	while (clock() < end) {
		shop::stock s;
		for (unsigned i = 0; i < 3000; i++)
			s.add("item_" + std::to_string(i * 2654435761u % 1009) + "ab" +
			      std::to_string(i % 100), i % 97 * 0.25);
		sum += s.worth() + matches(s.sorted(), re);
	}
	return sum < 0;
}
CC
g++ -O2 -g -o "$T/shop" "$T/shop.cc"

# eddy itself, which is C: reads stacks and writes them in several formats.
awk 'BEGIN {
	srand(1)
	for (i = 0; i < 60000; i++) {
		line = "program_" int(rand() * 5)
		for (d = 0; d < 25; d++) line = line ";function_" int(rand() * (d + 2) * 20)
		print line, 1 + int(rand() * 9)
	}
}' >"$T/stacks.folded"
cp "$EDDY" "$T/eddy"
cat >"$T/reports" <<'SH'
end=$((SECONDS + $2))
while ((SECONDS < end)); do
	for view in flat callgraph cycles; do "$1/eddy" report --view $view "$1/stacks.folded"; done
	"$1/eddy" report --format callgrind "$1/stacks.folded"
done >/dev/null 2>&1
SH

# ---- what eddy says, and the others ------------------------------------------------------------------

# of_pprof: the raw text of pprof to lines "FILE<tab>ADDRESS<tab>NAME@BASE:LINE|..." innermost first
of_pprof() {
	awk '
	/^Locations$/ { part = 1; next }
	/^Mappings$/ { part = 2; next }
	part == 1 {
		line = $0
		if (match(line, /^ *[0-9]+: 0x[0-9a-f]+ (M=[0-9]+ )?/)) {
			head = substr(line, 1, RLENGTH)
			line = substr(line, RLENGTH + 1)
			addr[++n] = head
			sub(/^ *[0-9]+: 0x/, "", addr[n])
			sub(/ .*/, "", addr[n])
			map[n] = match(head, /M=[0-9]+/) ? substr(head, RSTART + 2, RLENGTH - 2) : 0
		}
		sub(/^ +/, "", line)
		sub(/ s=[0-9]+(\([^)]*\))?$/, "", line)
		sub(/ \(inline\)$/, "", line)
		place = line
		sub(/^.* /, "", place)
		name = substr(line, 1, length(line) - length(place) - 1)
		if (place ~ /:[0-9]+:[0-9]+$/) sub(/:[0-9]+$/, "", place)
		sub(/^.*\//, "", place)
		frames[n] = frames[n] (frames[n] == "" ? "" : "|") name "@" place
	}
	part == 2 && $1 ~ /^[0-9]+:$/ { file[$1 + 0] = $3 }
	END {
		for (i = 1; i <= n; i++)
			if (file[map[i]] ~ /^\//) print file[map[i]] "\t" addr[i] "\t" frames[i]
	}' | sort -u
}

# of_addr2line: its output, with -a -i -f, to "ADDRESS<tab>NAME@BASE:LINE|..."
of_addr2line() {
	awk '
	function flush() { if (addr != "") print addr "\t" frames }
	/^0x[0-9a-f]+$/ {
		flush()
		addr = $0
		sub(/^0x0*/, "", addr)
		frames = ""
		is_name = 1
		next
	}
	is_name { name = $0; is_name = 0; next }
	{
		sub(/ \(discriminator.*/, "")
		sub(/^.*\//, "")
		frames = frames (frames == "" ? "" : "|") name "@" $0
		is_name = 1
	}
	END { flush() }'
}

# of_perf FILE: what perf script says of that file's addresses, to the same without places; calls of
# itself from one address look like one
of_perf() {
	awk -v file="($1)" '
	function put() {
		if (addr != "" && is_its) print addr "\t" frames
		addr = ""
		is_its = 0
	}
	NF < 3 || $1 !~ /^[0-9a-f]+$/ { put(); next }
	{
		name = $0
		sub(/^[ \t]*[0-9a-f]+ /, "", name)
		sub(/ \([^()]*\)$/, "", name)
		sub(/\+0x[0-9a-f]+$/, "", name)
		if ($1 != addr) {
			put()
			addr = $1
			frames = ""
		}
		frames = frames (frames == "" ? "" : "|") name "@"
		is_its = is_its || $NF == file
	}
	END { put() }' | sort -u
}

# names_of FILE DEBUG: "START<tab>NAME" of its symbols, the version of none
names_of() {
	{ nm -n "$2"; nm -nD "$1"; } 2>/dev/null | awk 'NF == 3 && $2 ~ /[tTwWiVu]/ {
		sub(/@.*/, "", $3)
		print $1 "\t" $3
	}' | sort -u
}

# compare JUDGE NAMES OURS THEIRS: what differs to $T/differs; a line of counts
compare() {
	awk -F'\t' -v judge="$1" -v differs="$T/differs" '
	function name_of(frame) { sub(/@[^@]*$/, "", frame); return frame }
	function line_of(frame) { sub(/.*:/, "", frame); return frame == "?" ? 0 : frame + 0 }
	function bare(name) {
		sub(/@.*/, "", name)
		sub(/(\.(isra|part|constprop|cold)(\.[0-9]+)?)+$/, "", name)
		return name
	}
	# Two symbols that begin at one address, parts of one function, or its name in the source where
	# the debug information does not say the symbol.
	function is_alias(a, b,   n, i, at, plain) {
		a = bare(a)
		b = bare(b)
		plain = b
		sub(/<.*/, "", plain)
		if (a == b || (a ~ /^_Z/ && index(a, length(plain) plain))) return 1
		n = split(starts[a], at, " ")
		for (i = 1; i <= n; i++) if ((at[i], b) in known) return 1
		return 0
	}
	function kind_of(ours, theirs,   n, m, o, t, i, k, a, b) {
		n = split(ours, o, "|")
		m = split(theirs, t, "|")
		# An address that they know nothing of.
		if (name_of(t[1]) ~ /^\?\?/ || theirs == "") return "unknown"
		# Functions of no name but in the debug information: they name the one that has the code.
		if (m == n && n > 1 && name_of(o[1]) !~ /^_Z/ && name_of(o[1]) != name_of(t[1]) &&
		    (name_of(t[1]) == name_of(t[m]) || is_alias(name_of(t[1]), name_of(o[n]))))
			return "symbol-instead"
		if (m != n) return m < n ? "they-have-fewer" : "they-have-more"
		k = "same"
		for (i = 1; i <= n; i++) {
			a = name_of(o[i])
			b = name_of(t[i])
			if (a != b && b == "operator()" && a ~ /::operator\(\)$|^<lambda /) k = "call-operator"
			else if (a != b && i == n && (is_alias(a, b) || a ~ /@plt$/)) k = "alias"
			else if (a != b) return "other-name"
			if (t[i] !~ /@$/ && line_of(o[i]) != line_of(t[i])) return "other-line"
		}
		return k
	}
	FILENAME == ARGV[1] { starts[$2] = starts[$2] " " $1; known[$1, $2] = 1; next }
	FILENAME == ARGV[2] { ours[$2] = $3; next }
	$1 in ours && !($1 in done) {
		done[$1] = 1
		kind = kind_of(ours[$1], $2)
		count[kind]++
		all++
		deep += ours[$1] ~ /\|/
		if (kind != "same") print judge, kind, $1, ours[$1], $2 >>differs
	}
	END {
		printf "all %d inlined %d", all, deep
		n = split("same call-operator alias symbol-instead unknown they-have-fewer they-have-more " \
			  "other-name other-line", kinds, " ")
		for (i = 1; i <= n; i++) printf " %s %d", kinds[i], count[kinds[i]]
		print ""
	}' "$2" "$3" "$4"
}

# count LINE KIND...: their sum
count() {
	local line=$1
	shift
	awk -v kinds="$*" '{
		n = split(kinds, k, " ")
		for (j = 1; j <= n; j++) for (i = 1; i < NF; i++) if ($i == k[j]) sum += $(i + 1)
		print sum + 0
	}' <<<"$line"
}

# agree NAME LINE: nearly all is the same, or has a cause
agree() {
	local all other
	all=$(count "$2" all)
	other=$(count "$2" they-have-fewer they-have-more other-name other-line)
	echo "# note: $1: $2"
	ok "$1: of $all addresses $other differ without a cause" \
		test "$all" -gt 0 -a $((other * 100)) -le "$all"
}

debug_of() {
	local id
	if readelf -SW "$1" 2>/dev/null | grep -q ' \.debug_info'; then
		echo "$1"
		return
	fi
	id=$(readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p')
	id=/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
	[[ -e $id ]] && echo "$id"
}

# judged NAME COMMAND...: a capture, and each file in it that has debug information
judged() {
	local name=$1 file debug judge base
	shift
	record "$name" --inline --lines --no-demangle -F 4999 -U --only-command -o "$T/$name.pb.gz" -- "$@"
	equal "$name: status" 0 "$rc"
	go tool pprof -symbolize=none -sample_index=samples -raw "$T/$name.pb.gz" 2>/dev/null |
		of_pprof >"$T/$name.ours"
	while read -r file; do
		debug=$(debug_of "$file") || continue
		base=$name:$(basename "$file")
		awk -F'\t' -v f="$file" '$1 == f' "$T/$name.ours" >"$T/ours"
		[[ $(wc -l <"$T/ours") -ge 20 ]] || continue
		names_of "$file" "$debug" >"$T/names"
		for judge in $judges; do
			command -v $judge >/dev/null || continue
			cut -f2 "$T/ours" | sed 's/^/0x/' | $judge -a -i -f -e "$debug" 2>/dev/null |
				of_addr2line >"$T/theirs"
			agree "$base $judge" "$(compare $judge "$T/names" "$T/ours" "$T/theirs")"
		done
	done < <(cut -f1 "$T/$name.ours" | sort -u)
}

both='addr2line llvm-addr2line' judges=$both
judged shop "$T/shop" 4
if command -v clang++ >/dev/null; then
	mkdir "$T/clang4" "$T/clang5"
	clang++ -std=c++17 -O2 -gdwarf-4 -o "$T/clang4/shop" "$T/shop.cc"
	clang++ -std=c++17 -O2 -gdwarf-5 -o "$T/clang5/shop" "$T/shop.cc"
	judged clang4 "$T/clang4/shop" 4
	# That of binutils 2.40 does not take what clang inlines apart, by DWARF 5.
	judges=llvm-addr2line
	judged clang5 "$T/clang5/shop" 4
	judges=$both
fi
judged eddy bash "$T/reports" "$T" 4
if command -v node >/dev/null && debug_of "$(readlink -f "$(command -v node)")" >/dev/null; then
	judged node node -e 'const c = require("crypto"), z = require("zlib"), end = Date.now() + 3000
		let s = "x".repeat(1e5)
		while (Date.now() < end) {
			z.deflateSync(s)
			s = c.createHash("sha256").update(s).digest("hex").repeat(1500)
			JSON.parse(JSON.stringify(s.split("a")))
		}'
fi

# perf's copies of stacks, at the addresses that eddy's capture has met.
if command -v perf >/dev/null &&
	perf record -q -e cpu-clock -F 1999 --call-graph dwarf -o "$T/perf.data" "$T/shop" 1 >/dev/null 2>&1; then
	timeout 120 perf script --no-demangle --inline -F ip,sym,symoff,dso -i "$T/perf.data" 2>/dev/null |
		of_perf "$T/shop" >"$T/theirs"
	awk -F'\t' -v f="$T/shop" '$1 == f' "$T/shop.ours" >"$T/ours"
	names_of "$T/shop" "$T/shop" >"$T/names"
	agree 'shop: perf' "$(compare perf "$T/names" "$T/ours" "$T/theirs")"
else
	skip perf 'there is no perf that samples'
fi
[[ -z ${KEEP:-} ]] || cp "$T/differs" "$KEEP/differs.txt"
finish
