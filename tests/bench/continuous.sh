# Sourced by run.sh: continuous mode.
# shellcheck shell=sh disable=SC2034,SC2154

# The sums over all rings of a file's ledger. KEYS: an extended regular expression.
file_sum() { # FILE KEYS
	"$cpidecode" --report info --format json "$1" 2>"$log" | sed 's/.*"rings"://; s/[,{]/\n/g' |
		sed -nE "s/^\"($2)\":([0-9]+).*/\2/p" | awk '{ s += $1 } END { printf "%.0f\n", s }'
}
# check_file ID FILE: what was attempted is in the file, or counted as lost; how much of it.
check_file() {
	tried=$(sed -n "s/^attempted	$1	//p" "$work/samples" | tail -n 1)
	lost=$(file_sum "$2" 'lost_[a-z_]*')
	there=$(file_sum "$2" 'hooks|torn|lost_[a-z_]*|overwritten')
	verdict_of "$1: every hook is in the file or counted" "$tried attempted, $there there" \
		[ "$tried" -eq "$there" ]
}

# 1 % above the goal, so that a late last burst does not miss it.
rate=2020000
sustained() { # ID FOLDER SECONDS
	file=$2/swtrace-bench.$$.bin
	undo="rm -f $file"
	"$work/continuous" sustained "$swtrace" "$file" "$1" $rate "$3" >>"$work/samples" 2>"$log" ||
		{ cat "$log" >&2; fail "recording to $2 failed"; }
	check_file "$1" "$file"
	{
		printf 'sample\t%s.lost\t%s\n' "$1" "$lost"
		printf 'sample\t%s.bytes\t%s\n' "$1" \
			"$(wc -c <"$file" | awk -v t="$3" '{ print $1 / t / 1e6 }')"
	} >>"$work/samples"
	rm -f "$file"
	undo=''
}

# The cost of a checked file: the drain's CPU time, and bytes, per hook in it. ns per
# hook are ms per million.
cost_of() { # ID FILE
	awk -v id="$1" -v bytes="$(wc -c <"$2")" -v hooks="$(file_sum "$2" hooks)" '
		$1 == "used" && $2 == id { used = $3 }
		END {
			printf "sample\t%s.cpu\t%.4g\n", id, used / hooks
			printf "sample\t%s.stored\t%.4g\n", id, bytes / hooks
		}' "$work/samples" >"$work/cost"
	cat "$work/cost" >>"$work/samples"
	rm -f "$2"
}

# One writer at RATE, THREADS of the drain.
stream() { # ID RATE SECONDS THREADS
	"$work/continuous" stream "$swtrace" "$memory/stream.bin" "$1" "$2" "$3" "$4" \
		>>"$work/samples" 2>"$log" || { cat "$log" >&2; fail "streaming failed"; }
	[ -f "$memory/stream.bin" ] || return 0
	check_file "$1" "$memory/stream.bin"
	printf 'sample\t%s.lost\t%s\n' "$1" "$lost" >>"$work/samples"
	cost_of "$1" "$memory/stream.bin"
}

# A ring of MIB, filled with HOOKS while the drain is stopped.
alone() { # ID MIB HOOKS THREADS
	"$work/continuous" alone "$swtrace" "$memory/alone.bin" "$1" "$2" "$3" "$4" \
		>>"$work/samples" 2>"$log" || { cat "$log" >&2; fail "draining a full ring failed"; }
	check_file "$1" "$memory/alone.bin"
	cost_of "$1" "$memory/alone.bin"
}

# The steps' lower bounds, by the same hooks.
floors() { # HOOKS
	# shellcheck disable=SC2046,SC2086
	must "compiling floors" $cc $flags "$here/floors.c" "$here/machine.c" -o "$work/floors" \
		$(pkg-config --cflags --libs liblz4 libxxhash)
	echo go | "$swtrace" record -s 64 --compress none -o "$memory/raw.bin" -- \
		"$work/continuous" traced fill "$1" >"$log" 2>&1 ||
		{ cat "$log" >&2; fail "recording without compression failed"; }
	"$work/floors" "$memory/raw.bin" "$memory/scratch" >>"$work/samples" 2>"$log" ||
		{ cat "$log" >&2; fail "measuring the floors failed"; }
	rm -f "$memory/raw.bin"
}

# The same fields and sub-buffers of 64 MiB for each processor; its writer is as fast as it can be.
lttng_streams() { # SECONDS REPETITIONS
	lttng_daemon || return 0
	compile_events lttng_stream "$here/lttng_stream.c" "$here/machine.c"
	for _ in $(seq "$2"); do
		must "lttng create" lttng -n create bench --output="$memory/lttng"
		must "lttng enable-channel" lttng -n enable-channel -u rings --discard --subbuf-size=16M --num-subbuf=4
		must "lttng enable-event" lttng -n enable-event -u -c rings bench:fields8
		must "lttng start" lttng -n start
		before=$(lttng_consumers)
		"$work/lttng_stream" "$1" >"$work/streamed" 2>"$log" || { cat "$log" >&2; fail "lttng_stream failed"; }
		must "lttng stop" lttng -n stop
		used=$(lttng_consumers)
		discarded=$(lttng -n list bench | sed -n 's/.*Discarded events: *//p' | head -n 1)
		bytes=$(du -sb "$memory/lttng" | cut -f 1)
		awk -v before="$before" -v used="$used" -v lost="$discarded" -v bytes="$bytes" '{
			printf "sample\tlttng.rate\t%.6g\n", $1 / $2 / 1e6
			printf "sample\tlttng.lost\t%d\n", lost
			printf "sample\tlttng.stored\t%.4g\n", bytes / ($1 - lost)
			printf "sample\tlttng.cpu\t%.4g\n", (used - before) * 1e9 / ($1 - lost)
		}' "$work/streamed" >>"$work/samples"
		must "lttng destroy" lttng -n destroy bench
		rm -rf "$memory/lttng"
	done
	lttng_stop
	undo=''
}

is_memory() { case $(stat -f -c %T "$1") in tmpfs | ramfs) return 0 ;; *) return 1 ;; esac; }

# shellcheck source=lttng.sh
. "$here/lttng.sh"

measure() {
	compile continuous "$here/machine.c" "$here/continuous.c" "$here/continuous_writer.c"
	long=10 short=3 repetitions=15 ms=200 rest=5 flat=4 times=3 mib=256 filled=4600000
	[ "$quick" -eq 0 ] || {
		long=0.6 short=0.2 repetitions=7 ms=20 rest=0.5 flat=0.3 times=1 mib=8 filled=140000
	}
	{
		machine
		fact seconds $long
		fact disk "$(stat -f -c %T "$disk"), $disk"
	} >"$work/samples"
	unset SWTRACE_SESSION # record has sessions of its own
	if is_memory "$disk"; then
		absent disk "$disk is in memory: give a folder on a disk with --dir"
	else
		sustained disk_short "$disk" $short
		sustained disk "$disk" $long
	fi
	sustained tmpfs_short "$memory" $short
	sustained tmpfs "$memory" $long
	# 1 % above the goals, as above.
	for _ in $(seq $times); do
		stream stream15 15150000 $flat 1
		if [ "$(nproc)" -lt 3 ]; then
			absent stream25 "a writer and two processors for the drain need three"
		else
			stream stream25 25250000 $flat 2
		fi
		alone alone1 $mib $filled 1
		alone alone2 $mib $filled 2
	done
	floors $((filled < 1000000 ? filled : 1000000))
	lttng_streams $flat $times
	"$work/continuous" cost "$swtrace" "$memory/t.bin" "$memory/wrap.bin" $repetitions $ms \
		>>"$work/samples" 2>"$log" || { cat "$log" >&2; fail "measuring the cost failed"; }
	if [ -f "$memory/t.bin" ]; then
		check_file cost.continuous "$memory/t.bin"
		# Lost hooks are cheap: without all hooks there is no figure.
		[ "$lost" -eq 0 ] ||
			absent cost.continuous "the drain could not follow: $lost hooks lost"
		check_file cost.wrap "$memory/wrap.bin"
	fi
	"$work/continuous" idle "$swtrace" "$memory/t.bin" $rest >>"$work/samples" 2>"$log" ||
		{ cat "$log" >&2; fail "measuring the idle drain failed"; }
	fact 'load afterwards' "$(busy)" >>"$work/samples"
}
