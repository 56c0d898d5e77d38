# Sourced by run.sh: what intervals cost a real server, redis. It measures every command.
# shellcheck shell=sh disable=SC2034,SC2154

# The functions that read the session's ledger.
# shellcheck source=writer.sh
. "$here/writer.sh"

# Private copies of apt's sources, lists and cache: a source package changes nothing outside $work.
APT="-o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=$work/apt/sources
	-o Dir::State::Lists=$work/apt/lists -o Dir::Cache=$work/apt/cache -o APT::Sandbox::User=root
	-o Acquire::Retries=3"
TESTS='set get'

# Copies apt's sources as deb-src.
copy_sources() {
	mkdir -p "$work/apt/sources" "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ ! -f "$file" ] || sed -n 's/^[[:blank:]]*deb\([[:blank:]]\)/deb-src\1/p' "$file" \
			>"$work/apt/sources/${file##*/}.list"
	done
	for file in /etc/apt/sources.list.d/*.sources; do
		[ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/apt/sources/${file##*/}"
	done
}

# Unpacks the source to $work/redis. Fails with the reason in the report.
get_source() {
	if ! need_packages dpkg-dev gcc libc6-dev make patch pkg-config util-linux 2>"$log"; then
		absent . "packages are missing: $(tail -n 1 "$log")"
		return 1
	fi
	copy_sources
	# A failing update matters only if the source then fails too.
	# shellcheck disable=SC2086
	if ! (cd "$work/apt" && { timeout 300 apt-get $APT update; timeout 300 apt-get $APT source redis; }) \
		>"$log" 2>&1; then
		absent . "no source of redis: $(sed -n 's/^E: //p' "$log" | head -n 1)"
		return 1
	fi
	mv "$work/apt"/redis-*/ "$work/redis" 2>"$log" || fail "the source of redis has no folder"
	fact redis "$(sed -n '1s/.*(\(.*\)).*/\1/p' "$work/redis/debian/changelog")" >>"$work/samples"
}

# Debian's source needs its jemalloc package, or the C library's malloc: the latter needs no package.
make_redis() { # WHAT TARGET...
	what=$1; shift
	must "building $what" make -C "$work/redis/src" -j "$(nproc)" MALLOC=libc BUILD_TLS=no \
		USE_SYSTEMD=no CC="$cc" SWTRACE_CFLAGS="$swtrace_cflags" SWTRACE_LIBS="$swtrace_libs" "$@"
}

# Builds the server as it is, patches it, and builds it again. Other objects stay the same.
build_servers() {
	swtrace_cflags='' swtrace_libs=''
	make_redis "redis" redis-server redis-cli redis-benchmark
	must "keeping the original server" mv "$work/redis/src/redis-server" "$work/redis-original"
	if ! patch -d "$work/redis" -p1 <"$here/redis/interval.patch" >"$log" 2>&1; then
		absent . "the patch does not fit this version of redis"
		return 1
	fi
	swtrace_cflags=$(pkg-config --cflags libswtrace) swtrace_libs=$(pkg-config --libs libswtrace)
	make_redis "redis with intervals" redis-server
	must "keeping the patched server" mv "$work/redis/src/redis-server" "$work/redis-patched"
	LC_ALL=C ldd "$work/redis-patched" | grep -q "$libdir/libswtrace.so" ||
		fail "the patched server does not use the installed shared library"
	! LC_ALL=C ldd "$work/redis-original" | grep -q libswtrace ||
		fail "the original server uses libswtrace"
}

# The servers have the last processor, their clients the others.
choose_processors() {
	list=$(LC_ALL=C taskset -pc $$ | sed 's/.*: //')
	cpus=$(echo "$list" | tr ',' '\n' | awk -F - '{ for (c = $1; c <= ($2 == "" ? $1 : $2); c++) print c }')
	server_cpu=$(echo "$cpus" | tail -n 1)
	client_cpus=$(echo "$cpus" | sed '$d' | paste -s -d ,)
	[ -n "$client_cpus" ] || client_cpus=$server_cpu
	first_port=$((20000 + $$ % 10000))
}

stop_servers() {
	undo=''
	# shellcheck disable=SC2086
	kill $servers 2>/dev/null
	# shellcheck disable=SC2086
	wait $servers 2>/dev/null
	servers=''
}

ask_server() { timeout 10 "$work/redis/src/redis-cli" -p "$port" "$@"; }
info_of() { # SECTION KEY
	ask_server info "$1" | tr -d '\r' | sed -n "s/^$2://p"
}
# CPU seconds of all the server's threads so far.
cpu_time() {
	ask_server info cpu | tr -d '\r' |
		awk -F : '/^used_cpu_(user|sys):/ { s += $2 } END { printf "%.6f\n", s }'
}

# start_server and measure_server take what variant prints.
start_server() { # ID PROGRAM MEASURED TRACING HOOKS-OF-A-COMMAND
	SWTRACE_REDIS=$3 taskset -c "$server_cpu" "$2" --bind 127.0.0.1 --port "$port" --save '' \
		--appendonly no --dir "$memory" >"$work/server.log" 2>&1 &
	servers="$servers $!"
	undo=stop_servers
	for _ in $(seq 100); do
		[ "$(ask_server ping 2>/dev/null)" != PONG ] || return 0
		kill -0 $! 2>/dev/null || break
		sleep 0.1
	done
	tail -n 5 "$work/server.log" >&2
	fail "${2##*/} does not answer"
}

# Prints requests per second.
send_requests() { # TEST NUMBER
	timeout 300 taskset -c "$client_cpus" "$work/redis/src/redis-benchmark" -p "$port" -P 16 -n "$2" \
		-t "$1" --csv 2>"$log" | sed -n 's/^"\(SET\|GET\)","\([0-9.]*\)".*/\2/p'
}

# Measures one server while the others are idle, and counts the hooks that the trace must have.
measure_server() {
	[ "$4" = off ] || must "turning tracing on" "$swtrace" on
	commands=$(info_of stats total_commands_processed)
	for test in $TESTS; do
		send_requests "$test" $((requests / 10)) >/dev/null
		before=$(cpu_time)
		rate=$(send_requests "$test" "$requests")
		after=$(cpu_time)
		[ -n "$rate" ] || { cat "$log" >&2; fail "redis-benchmark failed"; }
		printf 'sample\t%s.rate.%s\t%s\n' "$test" "$1" "$rate" >>"$work/samples"
		echo "$before $after" | awk -v id="$test.cpu.$1" -v n="$requests" \
			'{ printf "sample\t%s\t%.6g\n", id, ($2 - $1) / n * 1e9 }' >>"$work/samples"
	done
	# The command that returns the count has an interval too, but is not in the count.
	commands=$(($(info_of stats total_commands_processed) - commands + 1))
	attempted_hooks=$((attempted_hooks + commands * $5))
	[ "$4" = off ] || must "turning tracing off" "$swtrace" off
}

# Says which ratios the goals hold for: requests per second if every server was busy for 95 % of the
# time or more, else CPU time, because the client then limits the rate. The share of the time is the
# CPU time of a request times requests per second.
choose_measure() {
	for test in $TESTS; do
		awk -F '	' -v test="$test" '
			$1 == "sample" && $2 ~ "^" test "[.](cpu|rate)[.]" {
				split($2, part, ".")
				if (part[2] == "rate")
					rate[part[3]] = $3
				else {
					share = rate[part[3]] * $3 / 1e7
					if (least == "" || share < least)
						least = share
				}
			}
			END {
				busy = least >= 95
				printf "unjudged\t^%s[.]%s_ratio\n", test, busy ? "cpu" : "rate"
				printf "machine\t%s goals for\t%s (a server was busy for %.0f %% of the time, the others for more)\n",
					test, busy ? "requests per second" : "CPU time per request", least
			}' "$work/samples" >"$work/measure" || fail "choosing the measure failed"
		cat "$work/measure" >>"$work/samples"
	done
}

variant() {
	case $1 in
	0) echo original "$work/redis-original" none off 0 ;;
	1) echo patched "$work/redis-patched" none off 0 ;;
	2) echo off "$work/redis-patched" thread off 0 ;;
	3) echo thread "$work/redis-patched" thread on 4 ;;
	4) echo quality "$work/redis-patched" quality on 5 ;;
	5) echo light "$work/redis-patched" light on 1 ;;
	6) echo name "$work/redis-patched" name on 1 ;;
	7) echo stamps "$work/redis-patched" stamps off 0 ;;
	esac
}

# for_variants COMMAND FIRST: runs the command with the words of each variant.
for_variants() {
	for k in 0 1 2 3 4 5 6 7; do
		number=$((($2 + k) % 8))
		port=$((first_port + number))
		# shellcheck disable=SC2046
		"$1" $(variant $number)
	done
}

measure() {
	requests=250000 rounds=10
	[ "$quick" -eq 0 ] || requests=20000 rounds=1
	machine >"$work/samples"
	{
		fact runs "$runs"
		fact rounds "$rounds"
		fact requests "$requests"
	} >>"$work/samples"
	if ! get_source || ! build_servers; then return; fi
	choose_processors
	must "making a session" "$swtrace" init -s 4 -t wrap
	attempted_hooks=0 run=0 servers=''
	while [ "$run" -lt "$runs" ]; do
		for_variants start_server "$run"
		for round in $(seq "$rounds"); do
			for_variants measure_server $((run + round))
		done
		stop_servers
		run=$((run + 1))
	done
	choose_measure
	check_ledger "the ledger has an interval of every command" "$attempted_hooks"
	fact 'load afterwards' "$(busy)" >>"$work/samples"
}
