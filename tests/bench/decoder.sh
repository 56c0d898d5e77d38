# Sourced by run.sh: the decoder, on traces that gentrace makes in memory, and its peers.
# shellcheck shell=sh disable=SC2034,SC2154

# shellcheck source=decoder_peers.sh
. "$here/decoder_peers.sh"

# Hooks of a group with all parts.
hooks_of_group=6

build_tools() {
	# shellcheck disable=SC2086
	must "compiling meter" $cc $flags "$here/machine.c" "$here/meter.c" -o "$work/meter"
	# shellcheck disable=SC2046,SC2086
	must "compiling gentrace" $cc $flags "$top"/tests/gentrace/*.c \
		"$top/tests/lib/trace_build.c" "$top"/libtrace/dump/pack*.c -o "$work/gentrace" \
		$(pkg-config --cflags --libs liblz4 libxxhash zlib)
	# shellcheck disable=SC2046,SC2086
	must "compiling decoder_reader" $cc $flags "$here/decoder_reader.c" -o "$work/decoder_reader" \
		$(pkg-config --cflags --libs libcpidecode) -Wl,-rpath,"$libdir"
}

sizes() {
	repetitions=5 hooks=5000000 groups=2000000 wide=100000 stacks=1000000 large=36000000
	calls=60 faults=500000 few=10000 many=100000
	[ "$quick" -eq 0 ] || {
		repetitions=2 hooks=20000 groups=4000 wide=400 stacks=4000 large=100000
		calls=2 faults=5000 few=40 many=400
	}
}

# Arguments for one thread and for all; empty if cpidecode has no -j.
threads() {
	one='' all=''
	if ! "$cpidecode" --help | grep -Eq '(^|[ ,])-j'; then
		why="this cpidecode has no -j"
	elif [ "$(nproc)" -eq 1 ]; then
		one='-j 1' why="there is one processor only"
	else
		one='-j 1' all="-j $(nproc)"
		return
	fi
	absent '\.all(\.anon)?$' "$why"
}

gentrace() { must "generating a trace" "$work/gentrace" "$@"; }

# ours [-i FILE] ID EVENTS ARGUMENTS...: cpidecode, timed
ours() {
	feed=''
	[ "$1" != -i ] || { feed=$2; shift 2; }
	id=$1 events=$2; shift 2
	"$work/meter" ${feed:+-i "$feed"} -n "$events" "$id" "$cpidecode" "$@" >>"$work/samples" 2>"$log" ||
		{ cat "$log" >&2; fail "$id failed"; }
}
# both ID EVENTS ARGUMENTS...: ours with one thread, and with all if there are several
both() {
	id=$1 events=$2; shift 2
	# shellcheck disable=SC2086
	ours "$id" "$events" $one "$@"
	# shellcheck disable=SC2086
	[ -z "$all" ] || ours "$id.all" "$events" $all "$@"
}
single() {
	from=''
	[ "$1" != -i ] || { from=$2; shift 2; }
	id=$1 events=$2; shift 2
	# shellcheck disable=SC2086
	ours ${from:+-i "$from"} "$id" "$events" $one "$@"
}

# Slow commands run in the first three repetitions only.
slow_too() { [ "$i" -le 3 ]; }

# Checks that threads do not change the output.
check_threads() { # NAME ARGUMENTS...
	name=$1; shift
	[ -n "$all" ] || return 0
	# shellcheck disable=SC2086
	"$cpidecode" $one "$@" 2>>"$log" | cksum >"$work/one"
	# shellcheck disable=SC2086
	"$cpidecode" $all "$@" 2>>"$log" | cksum >"$work/all"
	verdict_of "$name: the same bytes with all threads" "$(cat "$work/one")" \
		cmp -s "$work/one" "$work/all"
}
lines() { "$cpidecode" "$@" 2>>"$log" | wc -l; }

hooks_measured() {
	count=$hooks
	gentrace -n "$count" "$memory/raw"
	gentrace -n "$count" --no-schema "$memory/plain"
	gentrace -n "$count" -z lz4 "$memory/lz4"
	gentrace -n "$count" -z zlib "$memory/zlib"
	gentrace -n "$count" -o rings --no-index "$memory/rings"
	peer_hooks_begin
	for i in $(seq "$repetitions"); do
		both hooks.text "$count" --report hooks "$memory/raw"
		peer_hooks
		both hooks.csv "$count" --report hooks --format csv "$memory/raw"
		both hooks.json "$count" --report hooks --format json "$memory/raw"
		rm -rf "$memory/exported"
		single hooks.ctf "$count" --format ctf -o "$memory/exported" "$memory/raw"
		single hooks.plain "$count" --report hooks --format json "$memory/plain"
		single hooks.lz4 "$count" --report hooks "$memory/lz4"
		single hooks.zlib "$count" --report hooks "$memory/zlib"
		single -i "$memory/raw" hooks.pipe "$count" --report hooks -
		single -i "$memory/rings" hooks.rings "$count" --report hooks -
	done
	printf 'sample\thooks.ctf.bytes\t%.1f\n' "$(cat "$memory"/exported/* | wc -c |
		awk -v n="$count" '{ print $1 / n }')" >>"$work/samples"
	for format in text csv json; do
		there=$(lines --report hooks --format "$format" "$memory/raw")
		[ "$format" != csv ] || there=$((there - 1))
		verdict_of "hooks as $format: all are in the output" "$there of $count" [ "$there" -eq "$count" ]
		check_threads "hooks as $format" --report hooks --format "$format" "$memory/raw"
	done
	peer_hooks_end
	rm -rf "${memory:?}"/*
}

# Sums the counts in a summary, and the values in folded stacks.
summary_count() { "$cpidecode" --format json "$1" 2>>"$log" | sed -n 's/.*"count":\([0-9]*\).*/\1/p' | total; }
folded_sum() { awk '{ s += $NF } END { printf "%.0f\n", s }'; }
total() { awk '{ s += $1 } END { printf "%.0f\n", s }'; }

groups_measured() {
	count=$((groups * hooks_of_group))
	set -- -k groups -g 5000 -n "$groups"
	gentrace "$@" "$memory/raw"
	gentrace "$@" -z lz4 "$memory/lz4"
	gentrace "$@" -z zlib "$memory/zlib"
	gentrace "$@" -o rings --no-index "$memory/rings"
	peer_groups_begin "$@"
	for i in $(seq "$repetitions"); do
		both summary "$count" "$memory/raw"
		peer_groups
		both folded "$count" --format folded "$memory/raw"
		peer_calls
		single intervals "$count" --report intervals --format json "$memory/raw"
		single summary.lz4 "$count" "$memory/lz4"
		single summary.zlib "$count" "$memory/zlib"
		single -i "$memory/raw" summary.pipe "$count" -
		single -i "$memory/rings" summary.rings "$count" -
	done
	there=$(summary_count "$memory/raw")
	verdict_of "the summary counts every group" "$there of $groups" [ "$there" -eq "$groups" ]
	"$work/gentrace" "$@" -f folded - | folded_sum >"$work/expected"
	"$cpidecode" --format folded "$memory/raw" 2>>"$log" | folded_sum >"$work/there"
	verdict_of "the folded stacks have all of the time" \
		"$(cat "$work/there") of $(cat "$work/expected") ticks" cmp -s "$work/expected" "$work/there"
	check_threads summary "$memory/raw"
	check_threads folded --format folded "$memory/raw"
	peer_groups_end
	rm -rf "${memory:?}"/*
	per_interval folded folded.intervals $hooks_of_group
	per_interval uftrace.report uftrace.calls 2
}
# Converts samples from records to intervals, which have several records each.
per_interval() { # FROM TO RECORDS
	awk -F '	' -v from="$1" -v to="$2" -v each="$3" '$1 == "sample" && $2 == from {
		printf "sample\t%s\t%.6g\n", to, $3 / each }' "$work/samples" >"$work/more"
	cat "$work/more" >>"$work/samples"
}

wide_measured() {
	count=$((wide * hooks_of_group))
	set -- -k groups -g 5000 -n "$wide" -c 64
	gentrace "$@" "$memory/raw"
	gentrace "$@" -z lz4 "$memory/lz4"
	gentrace "$@" -z zlib "$memory/zlib"
	peer_wide_begin "$@"
	for i in $(seq "$repetitions"); do
		both wide "$count" "$memory/raw"
		peer_wide
		single wide.lz4 "$count" "$memory/lz4"
		single wide.zlib "$count" "$memory/zlib"
	done
	there=$(summary_count "$memory/raw")
	verdict_of "the summary counts every group of 64 processors" "$there of $wide" \
		[ "$there" -eq "$wide" ]
	check_threads "summary of 64 processors" "$memory/raw"
	rm -rf "${memory:?}"/*
}

stacks_measured() {
	set -- -k groups -g 5000 -n "$stacks" -e -p label,summary
	# Nearly one distinct stack per interval.
	gentrace "$@" -l 4M "$memory/raw"
	"$cpidecode" --format folded "$memory/raw" >"$memory/folded" 2>"$log" ||
		{ cat "$log" >&2; fail "folding failed"; }
	folded=$(wc -l <"$memory/folded")
	verdict_of "nearly every interval has a stack of its own" "$folded lines of $stacks intervals" \
		[ "$((folded * 100))" -ge "$((stacks * 95))" ]
	for i in $(seq "$repetitions"); do
		both svg "$stacks" --format svg "$memory/raw"
		peer_stacks flamegraph "$folded"
	done
	check_threads svg --format svg "$memory/raw"
	# 64 labels, a line for each interval.
	gentrace "$@" "$memory/raw"
	gentrace "$@" -f folded "$memory/folded"
	for i in $(seq "$repetitions"); do
		both svg.labels "$stacks" --format svg "$memory/raw"
		peer_stacks flamegraph.labels "$stacks"
	done
	check_threads "svg of 64 labels" --format svg "$memory/raw"
	rm -rf "${memory:?}"/*
}

export_bytes() { # FORMAT: of the file $memory/FORMAT, an interval
	printf 'sample\texport.%s.bytes\t%.1f\n' "$1" \
		"$(awk -v n="$stacks" -v b="$(wc -c <"$memory/$1")" 'BEGIN { print b / n }')" >>"$work/samples"
}

# reader ID EVENTS ARGUMENTS...: decoder_reader on one processor, timed
reader() {
	id=$1 events=$2; shift 2
	"$work/meter" -n "$events" "$id" taskset -c 0 "$work/decoder_reader" "$@" >>"$work/samples" 2>"$log" ||
		{ cat "$log" >&2; fail "$id failed"; }
}

intervals_measured() {
	gentrace -k groups -g 5000 -n "$stacks" -p label,time "$memory/raw"
	for i in $(seq "$repetitions"); do
		reader read.stream "$stacks" stream "$memory/raw"
		reader read.columns "$stacks" columns "$memory/raw" start_ns elapsed_ns label tid
		reader read.all "$stacks" columns "$memory/raw"
		single where.none "$stacks" "$memory/raw"
		single where.plain "$stacks" --where 'elapsed > 1us' "$memory/raw"
		single where.parent "$stacks" --where 'parent.elapsed > 1us' "$memory/raw"
		single where.self "$stacks" --where 'self_ns > 1us' "$memory/raw"
		single where.contains "$stacks" --where 'contains(elapsed > 1us)' "$memory/raw"
	done
	for how in stream columns; do
		there=$("$work/decoder_reader" $how "$memory/raw")
		verdict_of "all intervals are read: $how" "$there of $stacks" [ "$there" -eq "$stacks" ]
	done
	rm -rf "${memory:?}"/*
}

exports_measured() {
	# Time and label, and what a time hook has.
	gentrace -k groups -g 5000 -n "$stacks" -p label,time "$memory/raw"
	for i in $(seq "$repetitions"); do
		for format in perfetto chrome speedscope callgrind; do
			single export.$format "$stacks" --format $format "$memory/raw"
		done
		single export.pprof "$stacks" --format pprof -o "$memory/pprof" "$memory/raw"
		single export.parquet "$stacks" --format parquet -o "$memory/parquet" "$memory/raw"
		single export.columns "$stacks" --format parquet --columns start_ns,elapsed_ns,label,tid \
			-o "$memory/columns" "$memory/raw"
		single export.sqlite "$stacks" --format sqlite -o "$memory/sqlite" "$memory/raw"
		single export.csv "$stacks" --report intervals --format csv "$memory/raw"
	done
	export_bytes pprof
	export_bytes parquet
	export_bytes columns
	export_bytes sqlite
	rm -rf "${memory:?}"/*
}

by_measured() {
	set -- -k groups -g 5000 -n "$stacks" -e -p label,summary
	gentrace "$@" -l "$few" "$memory/few"
	gentrace "$@" -l "$many" "$memory/many"
	for i in $(seq "$repetitions"); do
		single by.few "$stacks" --by label --format csv "$memory/few"
		single by.many "$stacks" --by label --format csv "$memory/many"
	done
	there=$(($(lines --by label --format csv "$memory/many") - 1))
	verdict_of "nearly every label has intervals" "$there groups of $many" \
		[ "$((there * 100))" -ge "$((many * 95))" ]
	check_threads "summary by labels" --by label --format csv "$memory/many"
	rm -rf "${memory:?}"/*
}

part_measured() {
	gentrace -n "$large" "$memory/raw"
	# gentrace's clock advances slightly more than 500 ns per hook.
	begin=$(awk -v n="$large" 'BEGIN { printf "+%.6fs", n * 500.2e-9 * 0.60 }')
	end=$(awk -v n="$large" 'BEGIN { printf "+%.6fs", n * 500.2e-9 * 0.61 }')
	for i in $(seq "$repetitions"); do
		! slow_too || single whole 0 --report hooks "$memory/raw"
		single part 0 --report hooks --from "$begin" --to "$end" "$memory/raw"
	done
	there=$(lines --report hooks --from "$begin" --to "$end" "$memory/raw")
	verdict_of "1 % of the time has about 1 % of the hooks" "$there of $large" \
		[ "$there" -ge "$((large / 111))" ] && [ "$there" -le "$((large / 90))" ]
	rm -rf "${memory:?}"/*
}

# All traces are in memory; those of groups are the largest.
check_room() {
	needed=$((groups * 2300 / 1024))
	there=$(df -Pk "$memory" | awk 'NR == 2 { print $4 }')
	[ "$there" -ge "$needed" ] ||
		fail "/dev/shm has room for $((there / 1024)) MiB, the traces need $((needed / 1024)): make it larger, or give --quick"
}

measure() {
	build_tools
	sizes
	check_room
	{
		machine
		fact hooks "$hooks"
		fact groups "$groups of 2 processors, $wide of 64"
		fact repetitions "$repetitions"
		fact traces "in memory (/dev/shm)"
		fact memory "anonymous sampled every 2 ms, peak by the kernel"
	} >"$work/samples"
	threads
	peers_begin
	hooks_measured
	groups_measured
	wide_measured
	stacks_measured
	intervals_measured
	exports_measured
	by_measured
	part_measured
	fact 'load afterwards' "$(busy)" >>"$work/samples"
}
