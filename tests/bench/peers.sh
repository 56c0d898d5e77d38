# Sourced by counters.sh and interval.sh: PAPI and LIKWID, the peers that count events.
# shellcheck shell=sh disable=SC2034,SC2154

# find_papi ROWS: sets PAPI's compiler flags, or tells why those rows are absent.
papi=''
find_papi() {
	if [ "$peers" -eq 0 ]; then
		absent "$1" '--peers was not given'
	elif pkg-config --exists papi || { need_packages libpapi-dev && pkg-config --exists papi; }; then
		papi="-DBENCH_PAPI $(pkg-config --cflags --libs papi)"
		fact papi "$(pkg-config --modversion papi)" >>"$work/samples"
	else
		absent "$1" 'there is no package libpapi-dev'
	fi
}

# Why LIKWID cannot count on this processor, in its own words; nothing if it can.
likwid_refuses() { # PROCESSOR
	timeout 60 likwid-perfctr -e >"$log" 2>&1
	# With counters, try to read them: that needs the right to, and waits for a daemon without.
	grep -q '^This architecture has 0 counters' "$log" ||
		! timeout 60 likwid-perfctr -C "$1" -g BRANCH true >"$log" 2>&1 || return 0
	why=$(sed -n 's/^ERROR - \[[^]]*\] *//p' "$log" | head -n 1)
	echo "LIKWID: ${why:-likwid-perfctr failed}"
}

# find_likwid ROWS: sets LIKWID's compiler flags, or tells why those rows are absent.
likwid=''
find_likwid() {
	if [ "$peers" -eq 0 ]; then
		absent "$1" '--peers was not given'
		return
	fi
	if ! need_packages likwid; then
		absent "$1" 'there is no package likwid'
		return
	fi
	why=$(likwid_refuses "$(LC_ALL=C taskset -pc $$ | sed 's/.*[:,-] *//')")
	fact likwid "$(likwid-perfctr -v 2>/dev/null | sed -n 's/.*Version *\([^ ]*\).*/\1/p')" >>"$work/samples"
	if [ -n "$why" ]; then
		absent "$1" "$why"
	else
		likwid=-llikwid
	fi
}
