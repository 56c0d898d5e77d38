# Sourced by decoder.sh: other tools' readers, on the same events where their format allows it.
# A missing figure is a reason in the report, never a number.
# shellcheck shell=sh disable=SC2034,SC2154

# has ROWS PACKAGE COMMAND: installs the package if the command is not there.
has() {
	command -v "$3" >/dev/null 2>&1 && return 0
	if need_packages "$2" 2>"$log" && command -v "$3" >/dev/null 2>&1; then return 0; fi
	absent "$1" "no $3: $(tail -n 1 "$log")"
	return 1
}

# peer ID EVENTS COMMAND...: times the command; after a failure it is not run again
peer() {
	id=$1 events=$2; shift 2
	case " $failed " in *" $id "*) return ;; esac
	"$work/meter" -n "$events" "$id" "$@" >>"$work/samples" 2>"$log" && return
	failed="$failed $id"
	absent "^$id\$" "it failed: $(tail -n 1 "$log")"
}

# found COMMAND ROWS PACKAGE VERSION...: whether it is installed; records its version
found() {
	command=$1 rows=$2 package=$3; shift 3
	has "$rows" "$package" "$command" || return 1
	fact "$command" "$("$@" 2>&1 | head -n 1)" >>"$work/samples"
}

peers_begin() {
	bt1=0 bt2=0 uftrace=0 perf=0 flamegraph='' failed=''
	if [ "$peers" -eq 0 ]; then
		absent '^(bt1|bt2|perf|uftrace|flamegraph)' "--peers was not given"
		return
	fi
	! found babeltrace2 '^bt2' babeltrace2 babeltrace2 --version || bt2=1
	! found babeltrace '^bt1' babeltrace babeltrace || bt1=1
	! found uftrace '^uftrace' uftrace uftrace --version || uftrace=1
	! found perf '^perf' linux-perf perf --version || perf=1
	flamegraph_find
}

# FLAMEGRAPH_PL, or the installed flamegraph.pl, or a download from its repository.
flamegraph_find() {
	flamegraph=${FLAMEGRAPH_PL-}
	[ -n "$flamegraph" ] || flamegraph=$(command -v flamegraph.pl || command -v flamegraph)
	if [ -z "$flamegraph" ]; then
		home=https://github.com/brendangregg/FlameGraph
		if has '^flamegraph' git git && timeout 60 git clone -q --depth 1 "$home" "$work/flamegraph" 2>"$log"; then
			flamegraph=$work/flamegraph/flamegraph.pl
		fi
	fi
	if [ -z "$flamegraph" ]; then
		absent '^flamegraph' "no flamegraph.pl, and it cannot be downloaded: FLAMEGRAPH_PL names one"
	elif ! has '^flamegraph' perl perl || ! perl "$flamegraph" --help 2>&1 | grep -qi usage; then
		absent '^flamegraph' "$flamegraph does not run"
		flamegraph=''
	fi
}

ctf() { # NAME OPTIONS...: the events as CTF
	name=$1; shift
	[ $((bt1 + bt2)) -eq 0 ] || gentrace "$@" -f ctf "$memory/$name"
}
# Checks that babeltrace2 reads as many events as cpidecode.
check_events() { # WHAT FOLDER COUNT
	[ "$bt2" -eq 1 ] || return 0
	there=$(babeltrace2 "$2" -c sink.utils.counter -p step=+0 2>"$log" |
		sed -n 's/^ *\([0-9]*\) Event messages.*/\1/p')
	verdict_of "babeltrace2 reads as many: $1" "$there of $3" [ "$there" = "$3" ]
}

peer_hooks_begin() {
	ctf ctf -n "$hooks"
	[ "$perf" -eq 1 ] || return 0
	# shellcheck disable=SC2086
	must "compiling what perf records" $cc $flags "$here/decoder_peer.c" -o "$work/faulty"
	if ! perf record -q -e page-faults:u -c 1 -o "$memory/perf" "$work/faulty" faults "$faults" \
		>"$log" 2>&1; then
		absent '^perf' "perf cannot record page faults: $(tail -n 1 "$log")"
		perf=0
		return 0
	fi
	perf_events=$(perf script -i "$memory/perf" 2>"$log" | wc -l)
	verdict_of "perf script: all page faults are in its output" "$perf_events of $faults" \
		[ "$perf_events" -ge "$faults" ]
}
peer_hooks() {
	[ "$bt2" -eq 0 ] || peer bt2.text "$count" babeltrace2 "$memory/ctf"
	[ "$bt2" -eq 0 ] || ! slow_too || peer bt2.dummy "$count" babeltrace2 "$memory/ctf" -c sink.utils.dummy
	[ "$bt1" -eq 0 ] || ! slow_too || peer bt1.text "$count" babeltrace "$memory/ctf"
	rm -rf "$memory/converted"
	[ "$bt2" -eq 0 ] || peer bt2.convert "$count" babeltrace2 convert -o ctf -w "$memory/converted" "$memory/ctf"
	[ "$perf" -eq 0 ] || peer perf.script "$perf_events" perf script -i "$memory/perf"
	[ "$perf" -eq 0 ] ||
		peer perf.convert "$perf_events" perf data convert --force -i "$memory/perf" --to-json "$memory/perf.json"
}
peer_hooks_end() {
	check_events "hooks" "$memory/ctf" "$count"
	[ "$bt1" -eq 1 ] || return 0
	there=$(babeltrace "$memory/ctf" 2>"$log" | wc -l)
	verdict_of "babeltrace reads as many: hooks" "$there of $count" [ "$there" = "$count" ]
}

peer_groups_begin() { # OPTIONS...
	ctf ctf "$@"
	[ "$uftrace" -eq 1 ] || return 0
	must "compiling what uftrace records" "$cc" -O1 -pg -D_GNU_SOURCE "$here/decoder_peer.c" -o "$work/calls"
	if ! uftrace record -b 64m --no-event -d "$memory/uftrace" "$work/calls" calls "$calls" >"$log" 2>&1; then
		absent '^uftrace' "uftrace record failed: $(tail -n 1 "$log")"
		uftrace=0
		return 0
	fi
	# A record is 16 bytes.
	uftrace_records=$(cat "$memory"/uftrace/[0-9]*.dat | wc -c | awk '{ print int($1 / 16) }')
	fact 'uftrace records' "$uftrace_records" >>"$work/samples"
}
peer_groups() {
	[ "$bt2" -eq 0 ] || peer bt2.groups "$count" babeltrace2 "$memory/ctf" -c sink.utils.dummy
	[ "$bt1" -eq 0 ] || ! slow_too || peer bt1.groups "$count" babeltrace -o dummy "$memory/ctf"
}
peer_calls() {
	[ "$uftrace" -eq 1 ] || return 0
	peer uftrace.report "$uftrace_records" uftrace report --no-pager -d "$memory/uftrace"
	peer uftrace.chrome "$uftrace_records" uftrace dump --chrome -d "$memory/uftrace"
}
peer_groups_end() {
	check_events "groups" "$memory/ctf" "$count"
	[ "$uftrace" -eq 1 ] || return 0
	there=$(uftrace report --no-pager -d "$memory/uftrace" 2>"$log" |
		awk '$5 ~ /^[0-9]+$/ { s += $5 } END { printf "%.0f\n", 2 * s }')
	verdict_of "uftrace report counts the calls" "$there of $uftrace_records records" \
		[ "$((there * 100))" -ge "$((uftrace_records * 99))" ]
}

peer_wide_begin() { ctf ctf "$@"; }
peer_wide() {
	[ "$bt2" -eq 0 ] || peer bt2.wide "$count" babeltrace2 "$memory/ctf" -c sink.utils.dummy
}

peer_stacks() { # ID LINES
	[ -z "$flamegraph" ] || ! slow_too || peer "$1" "$2" perl "$flamegraph" "$memory/folded"
}
