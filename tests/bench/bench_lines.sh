#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Lines and inlined functions of many addresses of one large debug file, cold: a C++ program whose
# one unit is linked many times (COPIES, 560: about 1 GB), each copy with its own debug information.
. tests/bench/lib.sh
copies=${COPIES:-560}

cat >"$T/unit.cc" <<'C'
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
namespace {
struct item { std::string name; double weight; std::vector<int> parts; };
using shared = std::shared_ptr<item>;
bool lighter(const shared &a, const shared &b) { return a->weight < b->weight; }
template <int N> struct store {
	std::map<int, shared> by_number;
	std::unordered_map<std::string, shared> by_name;
	std::vector<std::function<double(const item &)>> scales;
	void add(const shared &i) { by_number[N + (int)i->weight] = i; by_name[i->name] = i; }
	double sum() const {
		double all = 0;
		for (const auto &p : by_number)
			for (const auto &f : scales)
				all += f(*p.second);
		return all;
	}
};
template <int N> double fill(const char *text)
{
	store<N> s;
	std::istringstream in(text);
	std::regex word("([a-z]+)=([0-9]+)");
	std::vector<shared> sorted;
	for (std::string w; in >> w;) {
		std::smatch m;
		if (std::regex_match(w, m, word))
			s.add(std::make_shared<item>(item{ m[1], std::stod(m[2]), { N } }));
	}
	for (const auto &p : s.by_name)
		sorted.push_back(p.second);
	std::sort(sorted.begin(), sorted.end(), lighter);
	s.scales.push_back([](const item &i) { return i.weight * N; });
	s.scales.push_back([](const item &i) { return i.parts.size() + i.weight; });
	return s.sum() + sorted.size();
}
}
extern "C" double entry(const char *t)
{
	return fill<1>(t) + fill<2>(t) + fill<3>(t) + fill<4>(t) + fill<5>(t) + fill<6>(t);
}
C
g++ -O2 -g -c -o "$T/unit.o" "$T/unit.cc" || { echo '(no C++ compiler)'; exit 0; }
{
	for ((i = 0; i < copies; i++)); do echo "double entry_$i(const char *);"; done
	echo 'int main(int argc, char **argv) { double s = 0;'
	for ((i = 0; i < copies; i++)); do echo "s += entry_$i(argv[0]);"; done
	echo 'return s > argc; }'
} >"$T/main.c"
for ((i = 0; i < copies; i++)); do
	objcopy --redefine-sym "entry=entry_$i" "$T/unit.o" "$T/$i.o" || exit
done
gcc -O2 -c -o "$T/main.o" "$T/main.c"
g++ -o "$T/large" "$T/main.o" "$T"/[0-9]*.o || exit
rm -f "$T"/[0-9]*.o
echo "a debug file of $(($(stat -c %s "$T/large") / 1000000)) MB:"
for how in '' lines; do
	# shellcheck disable=SC2034
	for _ in 1 2 3; do
		echo "  ${how:-inlined functions}: $("$B/bench/time_lines" "$T/large" 3000 $how)"
	done
done
