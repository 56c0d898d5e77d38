# The clock: what the kernel says of it is obeyed and told; time namespaces; a clock that went
# back. Of the kernel's word and namespaces root alone can make others.
can()
{
	if [ "$(id -u)" -eq 0 ] && unshare "$@" true 2>/dev/null; then
		return 0
	fi
	skip "unshare $*: not allowed here"
	return 1
}

fresh
exits 0 "$SWTRACE" init -s 1
clock=$(sed -n 's/.*"clock": "\([^"]*\)".*/\1/p' <<END
$("$SWTRACE" info --json)
END
)
exits 0 "$SWTRACE" on
exits 0 "$WRITER" hooks 10
exits 0 "$SWTRACE" dump "$dir/clock.bin"
if [ -x "$CPIDECODE" ]; then
	exits 0 "$CPIDECODE" --report info "$dir/clock.bin"
	says "$out" "^ *clock  *$clock; kernel: .*; available: .*; [a-zA-Z]"
fi
exits 0 "$SWTRACE" info
says "$out" "^clock     $clock\$"
exits 0 "$SWTRACE" info --json
says "$out" '"clock_back": {"section_entries": 0, "most_ticks": 0, "most_seconds": 0}'
exits 0 "$SWTRACE" free

# sources CURRENT AVAILABLE COMMAND ...: where the kernel says so.
cat >"$dir/sources" <<'END'
at=/sys/devices/system/clocksource/clocksource0
echo "$1" >"$2/current"
echo "$3" >"$2/available"
mount --bind "$2/current" $at/current_clocksource || exit 98
mount --bind "$2/available" $at/available_clocksource || exit 98
shift 3
exec "$@"
END
sources()
{
	current=$1 available=$2
	shift 2
	unshare --mount sh "$dir/sources" "$current" "$dir" "$available" "$@"
}
# clock_where CURRENT AVAILABLE: of a session that is made there.
clock_where()
{
	fresh
	sources "$1" "$2" "$SWTRACE" init -s 1 >"$out" 2>"$err" || fail "init with $1"
	"$SWTRACE" info --json | sed -n 's/.*"clock": "\([^"]*\)".*/\1/p'
	"$SWTRACE" free
}
if [ "$clock" != TSC ]; then
	skip "clock sources: the clock of this machine is $clock"
elif can --mount; then
	same "a TSC in use" "$(clock_where tsc 'tsc hpet')" TSC
	same "a TSC in the list" "$(clock_where kvm-clock 'kvm-clock tsc')" TSC
	same "a TSC withdrawn" "$(clock_where hpet 'hpet acpi_pm')" CLOCK_MONOTONIC_RAW
	same "a TSC withdrawn in a guest" "$(clock_where kvm-clock kvm-clock)" CLOCK_MONOTONIC_RAW
	fresh
	sources hpet 'hpet acpi_pm' "$SWTRACE" doctor >"$out" 2>"$err"
	says "$out" 'the kernel keeps time by hpet and does not trust the TSC (available: hpet acpi_pm)'
fi

# A session of CLOCK_MONOTONIC_RAW, and a program for which that clock is 1,000 s ahead.
if can --time --monotonic 1000 --fork; then
	ahead="unshare --time --monotonic 1000 --fork"
	for raw in raw ''; do
		fresh
		[ -z "$raw" ] || export SWTRACE_CLOCK=$raw
		exits 0 "$SWTRACE" init -s 1
		exits 0 "$SWTRACE" on
		exits 0 "$WRITER" hooks 5
		exits 0 $ahead "$WRITER" hooks 7
		$ahead "$SWTRACE" doctor >"$out" 2>"$err"
		if [ -n "$raw" ] || [ "$clock" = CLOCK_MONOTONIC_RAW ]; then
			says "$out" 'its CLOCK_MONOTONIC_RAW is that of another time namespace'
			same "hooks with another clock" "$(number hooks)" 5
		else
			grep -q 'time namespace' "$out" && fail "a TSC has no namespaces" || pass
			same "hooks of two time namespaces" "$(number hooks)" 12
		fi
		# The times of hooks do not depend on who dumps: the clocks' findings tell of none.
		exits 0 $ahead "$SWTRACE" dump "$dir/ahead.bin"
		if [ -x "$CPIDECODE" ]; then
			exits 0 "$CPIDECODE" --report info "$dir/ahead.bin"
			grep -q '^ *clocks ' "$out" && fail "a finding about the clocks" || pass
		fi
		unset SWTRACE_CLOCK
	done
fi
