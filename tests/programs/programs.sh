# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced where real programs are sampled while they work, in a directory of one's own ($PWD) in
# another that is too (both may be entered by everybody from then on), with $here the top of the
# sources:
#   program_names            all of them
#   program_is_here NAME     it can be had on this machine
#   program_comm NAME        the name its threads have
#   program_unwalked NAME    it runs code of its own making that nothing tells how to walk
#   program_hint NAME        what would help then; of code that has no names the same
#   program_twin NAME        a file of the same code at the same addresses, with symbols, once it
#                            runs; fails where there is none
#   program_start NAME       in the background, in a session of its own
#   program_wait NAME        until it works; fails after a minute
#   program_end              of the last one that was started: kills that session
# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # code of others; for who sources it

# Input for those who need some: code, numbers, noise, some MB each.
for _ in 1 2 3 4 5 6; do cat "$here"/user/*/*.c; done >text
seq 400000 >numbers
head -c 20000000 /dev/urandom >noise

again() { while :; do "$@" || sleep 0.1; done; }
php_code='$a=[]; for($i=0;;$i++){ $a[$i%9999]=md5("$i"); if($i%99999==0) sort($a); }'
perl_code='while(1){ my %h; $h{$_ % 977} .= $_ for 1..99999; my @k = sort values %h }'
ruby_code='loop { h = {}; 99999.times { |i| h[i % 977] = i.to_s * 3 }; h.values.sort }'
python_code='
import json
def f(n): return 1 if n < 2 else f(n - 1) + f(n - 2)
while 1: f(18); json.loads(json.dumps([{"a": i, "b": str(i)} for i in range(2000)]))'
node_code='function f(n){return n<2?1:f(n-1)+f(n-2)} for(;;){ f(22);
JSON.parse(JSON.stringify([...Array(999).keys()])) }'
lua_code='while true do local t={} for i=1,99999 do t[i%977+1]=tostring(i) end table.sort(t) end'
sql='WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<900000)
SELECT count(DISTINCT x*7919%1009||x) FROM c;'

cat >work.c <<'C'
#include <stdlib.h>
#include <string.h>
static int order(const void *a, const void *b) { return memcmp(a, b, 16); }
static void sorted(char *p, int n, int depth)
{
	qsort(p, n, 16, order);
	if (depth)
		sorted(p, n / 2, depth - 1);
}
int main(void)
{
	char *p = malloc(1 << 20);
	for (unsigned s = 1;; s++) {
		for (int i = 0; i < 1 << 20; i++)
			p[i] = (s = s * 1664525 + 1013904223) >> 24;
		sorted(p, 1 << 16, 3);
	}
}
C
cat >work.cc <<'C'
#include <map>
#include <regex>
#include <string>
int main()
{
	std::map<std::string, int> m;
	std::regex r("([a-z]+)_([0-9]+)");
	for (unsigned i = 0;; i++) {
		std::string s = "name_" + std::to_string(i % 5000);
		m[s] += std::regex_match(s, r);
	}
}
C
cat >work.rs <<'C'
use std::collections::BTreeMap;
fn main() {
    let mut m: BTreeMap<String, u64> = BTreeMap::new();
    for i in 0u64.. {
        *m.entry(format!("name_{}", i % 5000)).or_insert(0) += i;
        if i % 50000 == 0 { m.clear() }
    }
}
C
cat >work.go <<'C'
package main
import ("encoding/json"; "sort"; "strconv")
func main() {
	for {
		a := []string{}
		for i := 0; i < 5000; i++ { a = append(a, strconv.Itoa(i*7919%5000)) }
		sort.Strings(a)
		json.Marshal(a)
	}
}
C
cat >Work.java <<'C'
import java.util.*;
public class Work {
	static int fib(int n) { return n < 2 ? 1 : fib(n - 1) + fib(n - 2); }
	public static void main(String[] args) {
		for (long sum = 0;;) {
			Map<String, Integer> m = new TreeMap<>();
			for (int i = 0; i < 20000; i++)
				m.merge("name_" + i * 7919 % 5003, i, Integer::sum);
			sum += fib(22) + m.hashCode();
		}
	}
}
C
cat >work.html <<'C'
<!doctype html><p id=p></p><script>
function f(n) { return n < 2 ? 1 : f(n - 1) + f(n - 2) }
function work() {
	f(24);
	const a = JSON.parse(JSON.stringify([...Array(999).keys()].map(i => "name " + i * 7919 % 997)));
	p.innerHTML = a.sort().map(s => "<b>" + s + "</b> ").join("");
	p.offsetHeight;
	setTimeout(work, 0);
}
work()
</script>
C
# A guest of one sector: numbers, memory, calls, floating point and a port.
cat >guest.s <<'C'
.code16
.globl _start
_start:	xorw %ax, %ax
	movw %ax, %ds
	movw %ax, %ss
	movw $0x6000, %sp
	fninit
	fldpi
again:	movw $300, %cx
1:	imulw $25173, %ax, %ax
	addw $13849, %ax
	movw %ax, %bx
	andw $0x0ffe, %bx
	movw %ax, 0x1000(%bx)
	fld %st(0)
	fmulp
	loop 1b
	movw $10, %dx
	call fib
	outb %al, $0x80
	jmp again
fib:	cmpw $2, %dx
	jb 2f
	pushw %dx
	decw %dx
	call fib
	popw %dx
	pushw %dx
	subw $2, %dx
	call fib
	popw %dx
2:	ret
.org 510
.word 0xaa55
C
postgres_code="SELECT count(DISTINCT md5((i * 7919 % 50021)::text)), sum(sqrt(i::numeric))
FROM generate_series(1, 200000) i"
mariadb_code='SELECT count(DISTINCT md5(seq * 7919 % 50021)), sum(sqrt(seq)) FROM seq_1_to_200000'

as_nobody() { setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"; }

# What is started for a name, in the background of a shell of its own; fails where it is not here.
begin() {
	local name=$1
	case $name in
	cc1plus) again g++ -std=c++17 -O2 -c -o /dev/null work.cc ;;
	clang++) again clang++ -O2 -c -o /dev/null work.cc ;;
	ld) gcc -c -o o.o work.c && again ld -r -o /dev/null o.o "$here"/build/obj/*/*.o ;;
	git) again git -C "$here" rev-list --objects --all --disk-usage ;;
	xz) again xz -6 -k -c text ;;
	zstd) again zstd -12 -q -c text ;;
	gzip) again gzip -9 -c text ;;
	openssl) openssl speed -seconds 60 sha256 ;;
	bash) bash -c 'while :; do s=; for ((i = 0; i < 999; i++)); do s+=${s: -3}$i; done; done' ;;
	perl) perl -e "$perl_code" ;;
	ruby) ruby -e "$ruby_code" ;;
	php) php -r "$php_code" ;;
	python3) python3 -c "$python_code" ;;
	node) node -e "$node_code" ;;
	node-map) node --perf-basic-prof --interpreted-frames-native-stack -e "$node_code" ;;
	luajit) luajit -e "$lua_code" ;;
	sqlite3) again sqlite3 :memory: "$sql" ;;
	dpkg) again dpkg -S bin/bash ;;
	x264) again x264 --quiet -o /dev/null --demuxer raw --input-res 640x360 noise ;;
	ffmpeg) again ffmpeg -loglevel quiet -f lavfi -i testsrc=d=60:s=640x360 -c:v libx264 -f null - ;;
	redis) redis-server --port 0 --unixsocket ./r.sock --save '' --daemonize no &
		sleep 0.5 && again redis-benchmark -s ./r.sock -q -n 200000 -P 16 ;;
	memcached) memcached -u nobody -l 127.0.0.1 -p "$port" &
		for i in {1..9999}; do printf 'set k%d 0 9 2\r\nab\r\nget k%d\r\n' "$i" "$i"; done >sets
		again bash -c 'exec 3<>/dev/tcp/127.0.0.1/'"$port"'; timeout 0.5 cat <&3 & cat sets >&3; wait' ;;
	nginx) mkdir -p n && printf 'daemon off; events {} pid n/pid; http { access_log off; server {
			listen 127.0.0.1:%d; location / { return 200 "ok"; } } }' "$port" >n.conf &&
		{ nginx -p "$PWD" -c n.conf -e n/log & } && sleep 0.5 &&
		again ab -q -n 20000 -c 8 -k "http://127.0.0.1:$port/" ;;
	postgres)
		local bin pg=$PWD/pg
		bin=$(dirname "$(readlink -f "$(command -v postgres || printf '%s\n' \
			/usr/lib/postgresql/*/bin/postgres | tail -n 1)")")
		mkdir pg && chown nobody pg && chmod a+x . .. &&
			as_nobody "$bin/initdb" -D "$pg/data" -A trust --no-sync && {
			as_nobody "$bin/postgres" -D "$pg/data" -k "$pg" -c listen_addresses= \
				-c dynamic_shared_memory_type=mmap &
			sleep 2 && : >ready
			again as_nobody "$bin/psql" -h "$pg" -d postgres -Atc "$postgres_code"
		}
		;;
	mariadb)
		local my=$PWD/my
		mkdir my && chown nobody my && chmod a+x . .. &&
			as_nobody mariadb-install-db --no-defaults --datadir="$my/data" --skip-test-db \
				--auth-root-authentication-method=normal && {
			as_nobody mariadbd --no-defaults --datadir="$my/data" --socket="$my/socket" \
				--pid-file="$my/pid" --tmpdir="$my" --skip-networking --skip-grant-tables &
			sleep 3 && : >ready
			again mariadb --no-defaults --socket="$my/socket" -e "$mariadb_code" mysql
		}
		;;
	chromium) HOME=$PWD TMPDIR=$PWD chromium --headless --no-sandbox --disable-gpu --no-first-run \
		--disable-dev-shm-usage --user-data-dir="$PWD/chromium" "file://$PWD/work.html" ;;
	java) java -XX:-UsePerfData Work.java ;;
	java+fp) java -XX:-UsePerfData -XX:+PreserveFramePointer Work.java ;;
	qemu) as --32 -o guest.o guest.s &&
		ld -m elf_i386 -Ttext 0x7c00 --oformat binary -o guest guest.o &&
		qemu-system-x86_64 -accel tcg -m 16 -display none -nodefaults -no-user-config \
			-drive format=raw,file=guest ;;
	c-stripped) gcc -O2 -o twin work.c && strip -o c_stripped twin && ./c_stripped ;;
	cxx-stripped) g++ -O2 -o twin work.cc && strip -o cxx_stripped twin && ./cxx_stripped ;;
	musl-static) musl-gcc -O2 -static -o musl_static work.c && cp musl_static twin && ./musl_static ;;
	musl-dynamic) musl-gcc -O2 -o musl_dynamic work.c && cp musl_dynamic twin && ./musl_dynamic ;;
	rust-stripped) rustc -O -C strip=none -o twin work.rs && strip -o rust_stripped twin &&
		./rust_stripped ;;
	go-stripped) go build -o twin work.go && strip -o go_stripped twin && ./go_stripped ;;
	esac
}
declare -A program_comms=([redis]=redis-server [node-map]=node [c-stripped]=c_stripped
	[dpkg]=dpkg-query [memcached]=mc-worker [git]=git
	[mariadb]=mariadbd [java+fp]=java [qemu]=qemu-system-x86
	[cxx-stripped]=cxx_stripped [musl-static]=musl_static [musl-dynamic]=musl_dynamic
	[rust-stripped]=rust_stripped [go-stripped]=go_stripped)
declare -A program_needs=([cc1plus]=g++ [redis]=redis-benchmark [nginx]=ab [node-map]=node
	[c-stripped]=gcc [cxx-stripped]=g++ [rust-stripped]=rustc
	[musl-static]=musl-gcc [musl-dynamic]=musl-gcc
	[go-stripped]=go [mariadb]=mariadbd [java+fp]=java [qemu]=qemu-system-x86_64)
program_needs[postgres]=$(command -v postgres ||
	printf '%s\n' /usr/lib/postgresql/*/bin/postgres | tail -n 1)
# Their processes make sessions of their own, or memory that outlives them: both are theirs alone,
# as is the network, which they have none of.
declare -A program_isolated=([postgres]=1 [mariadb]=1 [chromium]=1)
# What has to be made before they work; begin() says when by a file "ready".
declare -A program_prepares=([postgres]=1 [mariadb]=1)
declare -A program_hints=(
	[luajit]='its compiled code has no frame pointers; luajit -joff has none'
	[java]='java -XX:+PreserveFramePointer; names by jcmd PID Compiler.perfmap'
	[java+fp]='names by jcmd PID Compiler.perfmap (or -XX:+DumpPerfMapAtExit)'
	[qemu]='names by -perfmap of qemu 8.0 and later; -accel kvm compiles nothing'
	[node]='names by --perf-basic-prof --interpreted-frames-native-stack'
	[chromium]='names by --js-flags=--perf-basic-prof --no-sandbox')

program_names='cc1plus clang++ ld git xz zstd gzip openssl bash perl ruby php python3 node node-map
	luajit sqlite3 dpkg x264 ffmpeg redis memcached nginx postgres mariadb chromium java java+fp
	qemu c-stripped cxx-stripped musl-static musl-dynamic rust-stripped go-stripped'
program_is_here() { command -v "${program_needs[$1]:-$1}" >/dev/null; }
program_comm() { echo "${program_comms[$1]:-$1}"; }
program_unwalked() { [[ " luajit java qemu " == *" $1 "* ]]; }
program_hint() { echo "${program_hints[$1]:-}"; }
program_twin() {
	local code
	[[ -f twin ]] || return 1
	for code in twin "$(program_comm "$1")"; do
		objcopy -O binary --only-section=.text "$code" "$code.text" 2>/dev/null || return 1
	done
	cmp -s twin.text "$code.text" && echo "$PWD/twin"
}
program_pid=
program_start() {
	local port=$((20000 + RANDOM % 10000)) alone=()
	[[ -z ${program_isolated[$1]:-} ]] ||
		alone=(unshare --pid --ipc --net --fork --kill-child --mount-proc)
	rm -rf ready twin pg my chromium
	(exec setsid "${alone[@]}" bash -c "$(declare -f begin again as_nobody)
		$(declare -p here $(compgen -v | grep _code) sql port)
		begin $1" >/dev/null 2>&1) &
	program_pid=$!
}
program_wait() {
	local i
	for ((i = 0; i < 600; i++)); do
		[[ -z ${program_prepares[$1]:-} || -e ready ]] &&
			pgrep -x "$(program_comm "$1" | cut -c1-15)" >/dev/null && return
		sleep 0.1
	done
	return 1
}
program_end() {
	local i
	[[ -n $program_pid ]] || return 0
	{ pkill -KILL -s "$program_pid" && wait "$program_pid"; } 2>/dev/null
	# The first process of a PID namespace is gone when all others are.
	for ((i = 0; i < 100; i++)); do
		pgrep -s "$program_pid" >/dev/null || break
		sleep 0.1
	done
	program_pid=
}
