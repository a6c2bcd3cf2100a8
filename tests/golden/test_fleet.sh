#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The recipes of docs/FLEET.md as they stand there, run by DuckDB and ClickHouse over a tree of three
# hosts, against what eddy says of the same files.  What cannot be had here is skipped, and counted:
# tests/deps.sh fleet installs it.
# shellcheck disable=SC2016,SC2317 # patterns with backquotes; functions called by name
set -u
# shellcheck source=tests/tap.sh
. tests/tap.sh
root=$PWD
B=$(cd "${B:-build}" && pwd)
D=$T/snap

# recipe KIND NAME: the block of FLEET.md that begins with ```sql KIND NAME or ```sh KIND NAME
recipe() {
	awk -v kind="$1" -v name="$2" '/^```/ { inside = $2 == kind && $3 == name; next } inside' \
		"$root/docs/FLEET.md"
}

window() { # HOST TIME SECONDS DUE [gz]: stacks on standard input
	local f=$D/$1/$2-$3.folded
	mkdir -p "$D/$1"
	cat >"$f"
	if [[ -n ${5:-} ]]; then # two members, as eddy writes larger windows
		{ head -n 1 "$f" | gzip -n && tail -n +2 "$f" | gzip -n; } >"$f.gz"
		rm "$f"
		f=$f.gz
	fi
	printf '{"version": 1, "host": "%s", "event": "cpu-clock", "freq_hz": 99, "cpus": 2,
		"samples": {"due": %d, "kept": 9, "lost": 0}}\n' "$1" "$4" >"$f.json"
}
for i in 0 1 2 3 4 5; do
	for day in 19 20; do
		printf 'main;parse;parse;lex %d\nmain;parse;%s %d\nmain;run;hash_[k] %d\n' \
			$((40 + i + day)) "it's \"quoted\", [x] \\x0a \\ 100% é 日本" $((i + 3)) $((day * (i + 1))) |
			window web-1 202611${day}T10000${i}Z 1 198 gz
		printf 'main;parse;lex %d\nidle\\n;a,b 7\n' $((10 * i + day * 2)) |
			window web-2 202611${day}T10000${i}Z 1 396
		printf 'other;task %d\n[lost:ring-full] 1\n' $((5 + i)) | window db 202611${day}T10000${i}Z 1 198 gz
	done
done
# Two windows of one name: whoever takes them for one loses samples.
printf 'main;parse;lex 5\n' | window web-1 20261120T100003Z 1-2 0 gz
rm -f "$D/db/20261120T100005Z-1.folded.gz.json" # one that is not known

eddy() { "$EDDY" "$@" 2>/dev/null; }
due() { find "$D" -name '*.json' -path "*$1*" -exec cat {} + | jq -s 'map(.samples.due) | add'; }
percent() { awk -F'\t' -v OFS='\t' -v due="$1" '{ print $2, $1, sprintf("%.2f", 100 * $1 / due) }'; }
# Numbers as printed by either: 12.5, 12.50 and 12.5000000 are one.
plain() { awk -F'\t' -v OFS='\t' '{ for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9]+[.][0-9]+$/) $i = sprintf("%.2f", $i) + 0; print }'; }

want_hottest=$(eddy report --format tsv "$D" | tail -n +2 | cut -f1,7 |
	LC_ALL=C sort -t $'\t' -k1,1nr -k2,2 | head -n 10 | percent "$(due '')" | plain)
want_hosts=$(for host in web-1 web-2 db; do
	eddy report --host $host --format tsv "$D" | awk -F'\t' -v h=$host '$7 == "parse" { print $1 "\t" h }' | percent "$(due $host)"
done | sort -t $'\t' -k3,3nr | plain)
want_flame=$(eddy merge --host web-1 -o - "$D")
# eddy diff takes dues from the .json of all files or of none, so the change is put together here.
day_due() { find "$D" -name "202611$1*.json" -exec cat {} + | jq -s 'map(.samples.due) | add'; }
own() { eddy report --since "2026-11-$1" --until "2026-11-$(($1 + 1))" --format tsv "$D" | awk -F'\t' -v due="$(day_due "$1")" -v d="$1" 'NR > 1 && $2 { printf "%s\t%s\t%.17g\n", $7, d, 100 * $2 / due }'; }
want_change=$( (own 19; own 20) | awk -F'\t' '{ all[$1]; p[$1, $2] = $3 } END { for (f in all) { c = p[f, 20] - p[f, 19]
	printf "%.9f\t%s\t%.2f\t%.2f\t%.2f\n", c < 0 ? -c : c, f, p[f, 19], p[f, 20], c } }' |
	LC_ALL=C sort -t $'\t' -k1,1nr -k2,2 | head -n 10 | cut -f2- | plain)

[[ $(wc -l <<<"$want_hottest") == 10 && $(wc -l <<<"$want_hosts") == 2 && -n $want_flame && $(wc -l <<<"$want_change") -ge 5 ]]
tap_line $? 'eddy has answers to compare with'

# The commands of the first block, one by one.
while IFS= read -r line; do
	ok "it runs: ${line%% *#*}" env -C "$T" PATH="$(dirname "$EDDY"):$PATH" bash -c "$line"
done < <(sed -n '/^```sh eddy/,/^```$/p' docs/FLEET.md | grep '^eddy ')
equal 'and the merged file is what it should be' "$want_flame" "$(zcat "$T/web-1.folded.gz")"

questions() { # KIND COMMAND: the four answers
	local kind=$1 which
	shift
	for which in hottest hosts flame change; do
		local name=want_$which got
		got=$("$@" $which 2>&1)
		if [[ $which == flame ]]; then
			equal "$kind: one host's stacks are those of eddy merge" "$want_flame" "$got"
		else
			equal "$kind: $which" "${!name}" "$(plain <<<"$got")"
		fi
	done
}

# ---- DuckDB
duckdb_ready() {
	command -v node >/dev/null && command -v npm >/dev/null || return 1
	mkdir -p "$B/fleet" && cp tests/golden/fleet/package.json "$B/fleet/" || return 1
	[[ -d $B/fleet/node_modules/@duckdb ]] ||
		(cd "$B/fleet" && timeout 300 npm install --silent --no-package-lock --no-audit --no-fund >/dev/null 2>&1)
	echo 'SELECT 1' | node tests/golden/fleet/duckdb.mjs "$B/fleet" >/dev/null 2>&1
}
duckdb() { (cd "$T" && { recipe duckdb views; recipe duckdb "$1"; } | node "$root/tests/golden/fleet/duckdb.mjs" "$B/fleet"); }
if duckdb_ready; then
	questions DuckDB duckdb
else
	for what in hottest hosts flame change; do skip "DuckDB: $what" 'no node, or npm cannot fetch @duckdb/node-api'; done
fi

# ---- ClickHouse
server=$(PATH=$PATH:/usr/sbin command -v clickhouse-server)
stop_server() {
	[[ -z ${server_pid:-} ]] || { kill "$server_pid" && wait "$server_pid"; } 2>/dev/null
	rm -rf "$T"
}
start_server() {
	local n
	[[ -n $server ]] && command -v curl >/dev/null || return 1
	mkdir -p "$T/ch/data" "$T/ch/tmp"
	port=$((20000 + RANDOM % 10000))
	cat >"$T/ch/config.xml" <<-X
		<yandex>
		<logger><level>error</level><log>$T/ch/log</log><errorlog>$T/ch/errors</errorlog></logger>
		<listen_host>127.0.0.1</listen_host><http_port>$port</http_port><tcp_port>$((port + 10000))</tcp_port>
		<path>$T/ch/data/</path><tmp_path>$T/ch/tmp/</tmp_path><users_config>$T/ch/users.xml</users_config>
		<default_profile>default</default_profile><default_database>default</default_database>
		<mark_cache_size>5368709</mark_cache_size>
		</yandex>
	X
	cat >"$T/ch/users.xml" <<-X
		<yandex><profiles><default><allow_experimental_low_cardinality_type>1</allow_experimental_low_cardinality_type></default></profiles><quotas><default/></quotas>
		<users><default><password/><networks><ip>127.0.0.1</ip></networks>
		<profile>default</profile><quota>default</quota></default></users></yandex>
	X
	TZ=UTC "$server" --config-file="$T/ch/config.xml" >"$T/ch/out" 2>&1 &
	server_pid=$!
	trap stop_server EXIT
	for ((n = 0; n < 200; n++)); do
		[[ $(sql 'SELECT 1') == 1 ]] && return 0
		kill -0 "$server_pid" 2>/dev/null || return 1
		sleep 0.1
	done
	return 1
}
sql() { curl -sS "http://127.0.0.1:$port/?default_format=TabSeparatedRaw" --data-binary "$1" 2>&1; }
clickhouse() { sql "$(recipe clickhouse "$1")"; }
each_statement() { # of a recipe, which ends every one with ";"
	local statement
	while IFS= read -r -d ';' statement; do sql "$statement"; done < <(recipe clickhouse tables)
}
load() {
	(cd "$T" && PATH=$(dirname "$EDDY"):$PATH bash -e <(recipe clickhouse load | sed "s/:8123/:$port/") 2>&1 | grep -v '^eddy: snap: ')
}
said='eddy: 1 snapshot has no .json beside it: the host is that of the directory
eddy: 1 snapshot has no .json beside it: left out'
pushed() { (cd "$T" && PATH=${2:-}$(dirname "$EDDY"):$PATH bash <(recipe clickhouse push | sed "s/:8123/:$port/") 2>&1 | grep -v '^eddy: ') || true; }
loaded() { sql 'SELECT count(), sum(value), uniqExact(hash) FROM samples FINAL'; }
if start_server; then
	equal 'ClickHouse: the tables are made' '' "$(each_statement)"
	for table in stacks samples windows; do sql "SYSTEM STOP MERGES $table" >/dev/null; done
	equal 'ClickHouse: loaded' "$said" "$(load)"
	rows=$(loaded) unmerged=$(sql 'SELECT count() FROM samples')
	equal 'ClickHouse: loaded once more' "$said" "$(load)"
	equal 'ClickHouse: it is there twice' $((2 * unmerged)) "$(sql 'SELECT count() FROM samples')"
	equal 'ClickHouse: and counts once' "$rows" "$(loaded)"
	questions ClickHouse clickhouse
	equal 'ClickHouse: names come back byte by byte' "$(eddy merge -o - "$D" | sed 's/ [0-9]*$//')" \
		"$(sql "SELECT arrayStringConcat(frames, ';') AS s FROM stacks FINAL ORDER BY s FORMAT TabSeparatedRaw" | LC_ALL=C sort)"
	sql "CREATE TABLE single (host String, ts DateTime, seconds UInt32, nr UInt32, due UInt64,
		hash UInt64, value UInt64, frames Array(String)) ENGINE = Memory"
	eddy export --clickhouse --table all "$D" |
		curl -sS -T - "http://127.0.0.1:$port/?query=INSERT+INTO+single+FORMAT+TabSeparated"
	equal 'ClickHouse: one stream has what the tables have' \
		"$(sql 'SELECT host, ts, hash, value FROM samples FINAL' | LC_ALL=C sort)" \
		"$(sql 'SELECT host, ts, hash, value FROM single' | LC_ALL=C sort)"

	# ---- what is new, pushed by one that is killed in all places
	for table in stacks samples windows; do sql "TRUNCATE TABLE $table"; done
	mkdir "$T/bin"
	for n in 1 2 3; do # the n-th transfer dies after its first bytes
		printf '#!/bin/bash\nn=$(($(cat "%s/n" 2>/dev/null) + 1)); echo $n >"%s/n"\n' "$T" "$T" >"$T/bin/curl"
		printf '[[ $n == %d ]] && { head -c 900 | head -n -1 | %s "$@"; kill -9 $PPID; exit 1; }\nexec %s "$@"\n' \
			$n "$(command -v curl)" "$(command -v curl)" >>"$T/bin/curl"
		chmod +x "$T/bin/curl"
		rm -f "$T/n"
		pushed killed "$T/bin:" >/dev/null 2>&1
		ok "ClickHouse: killed in transfer $n, the state is not moved" test ! -e "$T/eddy-pushed"
	done
	equal 'ClickHouse: pushed' '' "$(pushed whole)"
	equal 'ClickHouse: all that was killed is there once' "$rows" "$(loaded)"
	ok 'ClickHouse: the state says until when' grep -qE '^20..-..-..T..:..:..Z$' "$T/eddy-pushed"
	echo 2026-11-20T10:00:05Z >"$T/eddy-pushed"
	printf 'main;new 5\n' | window web-1 20261120T100010Z 1 198
	sent=$(sql 'SELECT count() FROM samples')
	pushed more >/dev/null
	ok 'ClickHouse: then what is new alone is sent' test $(($(sql 'SELECT count() FROM samples') - sent)) -le 12
	equal 'ClickHouse: and is there' 5 "$(sql "SELECT sum(value) FROM samples FINAL WHERE ts = toDateTime(1795168810)")"
	equal 'ClickHouse: a day is dropped' '' "$(clickhouse drop)"
	equal 'ClickHouse: and the other stays' 1 "$(sql 'SELECT uniqExact(toDate(ts)) FROM samples')"
else
	for what in tables loading hottest hosts flame change push; do skip "ClickHouse: $what" 'no clickhouse-server or no curl'; done
fi
finish
