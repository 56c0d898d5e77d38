# Sourced by run.sh: what a dump brings out of rings that are written flat out meanwhile.
# shellcheck shell=sh disable=SC2034,SC2154

# The functions that read the session's ledger.
# shellcheck source=writer.sh
. "$here/writer.sh"

# The share of a ring that a file has, in percent: the least among rings that went round.
share_of() { # FILE RING-BYTES
	"$cpidecode" --report info --format json "$1" 2>"$log" | sed 's/.*"rings"://; s/{/\n/g' |
		sed -n 's/.*"bytes":\([0-9]*\).*"overwritten":\([1-9][0-9]*\).*/\1/p' |
		awk -v ring="$2" 'NR == 1 || $1 < least { least = $1 } END { if (NR) printf "%.2f\n", 100 * least / ring }'
}

tell_writer() { echo "$1" >&3; }

# Three dumps (--quick: one) while WRITERS a processor write, in rings of MIB, and one when they have ended.
dump_row() { # ID MIB WRITERS [COMMAND-PREFIX...]
	row=$1 mib=$2 writers=$3; shift 3
	rm -f "$work/orders" "$work/told"
	mkfifo "$work/orders"
	must "making a session" "$swtrace" init -s "$mib" -t wrap
	must "turning tracing on" "$swtrace" on
	"$work/dump_writer" "$writers" <"$work/orders" >"$work/told" 2>"$log" &
	writer=$!
	exec 3>"$work/orders"
	# Long enough to go round the rings.
	sleep "$(awk -v mib="$mib" -v quick="$quick" 'BEGIN { print quick ? 0.1 : 0.5 + mib / 100 }')"
	for _ in $dumps; do
		tell_writer dump
		must "dumping" "$@" "$swtrace" dump "$memory/dump.bin"
		tell_writer rest
		share=$(share_of "$memory/dump.bin" $((mib << 20)))
		if [ -n "$share" ]; then
			printf 'sample\t%s.share\t%s\n' "$row" "$share" >>"$work/samples"
		else
			printf 'absent\t%s.share\tno ring was full by then\n' "$row" >>"$work/samples"
		fi
		sleep "$pause"
	done
	tell_writer end
	exec 3>&-
	wait "$writer" || fail "the writer failed"
	read -r attempted median tail during during_tail <<-EOT
		$(sed -n 2p "$work/told")
	EOT
	printf 'sample\t%s\t%s\n' "$row.hook" "$median" "$row.tail" "$tail" \
		"$row.during" "$during" "$row.during_tail" "$during_tail" >>"$work/samples"
	must "turning tracing off" "$swtrace" off
	check_ledger "$row: every hook is in the ledger" "$attempted"
	rm -f "$memory/dump.bin"
}

# LTTng's snapshots of as many bytes, in 16 sub-buffers for each processor. The share is that of the
# processor of which least came out.
lttng_row() { # ID MIB WRITERS
	row=$1 mib=$2
	rm -f "$work/orders" "$work/told" "$work/shares"
	mkfifo "$work/orders"
	must "lttng create" lttng -n create bench --snapshot --output="$memory/snapshots"
	must "lttng enable-channel" lttng -n enable-channel -u rings --subbuf-size=$((mib * 64))K --num-subbuf=16
	must "lttng enable-event" lttng -n enable-event -u -c rings bench:fields8
	must "lttng start" lttng -n start
	"$work/lttng_writer" "$3" <"$work/orders" >"$work/told" 2>"$log" &
	writer=$!
	exec 3>"$work/orders"
	sleep "$(awk -v mib="$mib" 'BEGIN { print 1 + mib / 25 }')"
	for _ in 1 2 3; do
		must "lttng snapshot record" lttng -n snapshot record
		find "$memory/snapshots" -name 'rings_*' -type f -printf '%s\n' | sort -n |
			awk -v id="$row" -v ring=$((mib << 20)) 'NR == 1 {
				printf "sample\t%s.share\t%.2f\n", id, 100 * $1 / ring }' >>"$work/shares"
		rm -rf "$memory/snapshots"
		sleep 0.2
	done
	tell_writer end
	exec 3>&-
	wait "$writer" || fail "LTTng's writer failed"
	must "lttng destroy" lttng -n destroy bench
	# An event of 8 fields takes 38 bytes.
	if [ "$(sed -n '2s/ .*//p' "$work/told")" -gt $(((mib << 20) * 2 * $(nproc) / 38)) ]; then
		cat "$work/shares" >>"$work/samples"
	else
		absent "$row" "no ring was full by then"
	fi
}

lttng_rows() {
	lttng_daemon || return 0
	compile_events lttng_writer -DBENCH_LTTNG "$here/dump_writer.c" "$here/machine.c"
	for size in $sizes; do
		for each in 1 2; do
			if [ $((size * 2 * $(nproc))) -gt "$free" ]; then
				absent "lttng\\.mib$size\\." "only $free MiB are free in /dev/shm"
				continue
			fi
			lttng_row "lttng.mib$size.w$each" "$size" "$each"
		done
	done
	lttng_stop
	undo=''
}

measure() {
	compile dump_writer "$here/machine.c" "$here/dump_writer.c"
	machine >"$work/samples"
	sizes='1 4 16 64 256' pause=0.2 dumps='1 2 3'
	if [ "$quick" -ne 0 ]; then
		sizes='1 16' pause=0.05 dumps=1
		printf 'absent\tmib(4|64|256)\\.\t--quick has no rings of that size\n' >>"$work/samples"
	fi
	free=$(df -P -m "$memory" | awk 'NR == 2 { print $4 }')
	for size in $sizes; do
		for each in 1 2; do
			# Two areas, the guests' rings, the file.
			if [ $((size * (2 * $(nproc) + 2))) -gt "$free" ]; then
				printf 'absent\tmib%s\\.\tonly %s MiB are free in /dev/shm\n' "$size" "$free" >>"$work/samples"
				continue
			fi
			dump_row "mib$size.w$each" "$size" "$each"
		done
	done
	# On one loaded processor, at normal priority.
	dump_row confined 16 2 taskset -c 0
	lttng_rows
	fact 'load afterwards' "$(busy)" >>"$work/samples"
}
