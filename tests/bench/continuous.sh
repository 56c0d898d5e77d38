# Sourced by run.sh: continuous mode.
# shellcheck shell=sh disable=SC2034,SC2154

# The sums over all rings of a file's ledger. KEYS: an extended regular expression.
file_sum() { # FILE KEYS
	"$cpidecode" --report info --format json "$1" 2>"$log" | sed 's/.*"rings"://; s/[,{]/\n/g' |
		sed -nE "s/^\"($2)\":([0-9]+).*/\2/p" | awk '{ s += $1 } END { printf "%.0f\n", s }'
}
# check_file ID FILE: what was attempted is in the file, or counted as lost; how much of it.
check_file() {
	tried=$(sed -n "s/^attempted	$1	//p" "$work/samples")
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

is_memory() { case $(stat -f -c %T "$1") in tmpfs | ramfs) return 0 ;; *) return 1 ;; esac; }

measure() {
	compile continuous "$here/machine.c" "$here/continuous.c" "$here/continuous_writer.c"
	long=10 short=3 repetitions=15 ms=200 rest=5
	[ "$quick" -eq 0 ] || { long=0.6 short=0.2 repetitions=7 ms=20 rest=0.5; }
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
