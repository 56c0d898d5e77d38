# Dumps that overlap: each holds a whole ring, though programs write flat out.
. "$(dirname "$0")/decode.sh"
INTERVALS=${INTERVALS:-$BUILD/tests/swtrace_cmd/swtrace_intervals}
t=$dir/once
mkdir "$t"

# busy OPTIONS: a wrapping session and a program that laps its rings.
busy()
{
	fresh
	exits 0 "$SWTRACE" init -s 1 -ss 16 -t wrap "$@"
	exits 0 "$SWTRACE" on
	"$WRITER" loop >"$t/count" &
	writer=$!
	pids="$pids $writer"
	until_true '[ "$(number overwritten)" -gt 100000 ]'
}

idle()
{
	kill "$writer"
	wait "$writer"
	exits 0 "$SWTRACE" off
	exits 0 "$SWTRACE" free
}

# kept TOLD FILE: no section of the dump was overwritten before it was read, and a ring is there,
# less the section that is written.
kept()
{
	is_trace "$2"
	if grep -q 'overwrote' "$1"; then
		fail "$2: $(grep overwrote "$1")"
	else
		pass
	fi
	exits 0 "$CPIDECODE" --report info "$2"
	says "$out" '^  cut kept  *\([0-9]*\) of \1 sections$'
	grep -q 'cut missed' "$out" && fail "$2: says that something is missing" || pass
	sections=$(sed -n 's/.* hooks in \([0-9]*\) sections.*/\1/p' "$1")
	[ "${sections:-0}" -ge 62 ] && pass || fail "$2: $sections sections of a ring of 64"
}

# mapped: the parts of the session that the writer has mapped, and their addresses.
mapped()
{
	sed -n "s|^\\([^ ]*\\) .* \\($SWTRACE_SESSION/.*\\)|\\1 \\2|p" "/proc/$writer/maps"
}

# ------------------------------------------------- a reader of the first that does not read
busy
mapped >"$t/mapped"
[ -s "$t/mapped" ] && pass || fail "the writer has nothing mapped"
mkfifo "$t/pipe"
(
	exec 3<"$t/pipe"
	head -c 8 <&3 >"$t/begin"
	until [ -e "$t/second" ]; do
		sleep 0.02
	done
	cat "$t/begin" - <&3 >"$t/first.bin"
) &
reader=$!
pids="$pids $reader"
"$SWTRACE" dump "$t/pipe" 2>"$t/first" &
first=$!
pids="$pids $first"
# More than a pipe holds is to come.
until_true '[ -s "$t/begin" ]'
exits 0 "$SWTRACE" dump "$t/second.bin"
cp "$err" "$t/told"
kept "$t/told" "$t/second.bin"
kill -0 $first && pass || fail "the first dump did not wait for its reader"
: >"$t/second"
wait $first
same "the first dump's exit code" $? 0
wait $reader
kept "$t/first" "$t/first.bin"

# --------------------------------------------------------------------- three at once
for i in 1 2 3; do
	"$SWTRACE" dump "$t/d$i.bin" 2>"$t/told$i" &
	eval "dump$i=$!"
done
for i in 1 2 3; do
	eval "wait \$dump$i"
	same "the exit code of dump $i" $? 0
	kept "$t/told$i" "$t/d$i.bin"
done

# -------------------------------------------------------------- one after the other
rm -f "$t"/x.bin*
"$SWTRACE" trigger --when 'label=slow*' --after 0 --count 3 --timeout 60 -o "$t/x.bin" \
	>"$t/said" 2>"$t/told" &
watcher=$!
pids="$pids $watcher"
until_true 'grep -q watching "$t/told"'
while kill -0 $watcher 2>/dev/null; do
	"$INTERVALS" 0 1 0 20 >/dev/null
done
wait $watcher
same "the trigger's exit code" $? 0
same "dumps" "$(cd "$t" && echo x.bin*)" "x.bin x.bin.1 x.bin.2"
grep -q overwrote "$t/told" && fail "a trigger's dump: $(grep overwrote "$t/told")" || pass
mapped | cmp -s - "$t/mapped" && pass || fail "dumps changed what the writer has mapped: $(mapped)"
for file in "$t"/x.bin*; do
	is_trace "$file"
done
idle

# ------------------------------------------------------- the file says its share, too
# share: missed, all, and why, of info in "$out"; as in the line on stderr.
share()
{
	sed -n -e 's/^  cut kept  *\([0-9]*\) of \([0-9]*\) sections$/\1 \2/p' \
		-e 's/^  cut missed  *//p' "$out" |
		awk 'NR == 1 { missed = $2 - $1; all = $2 } NR == 2 { why = $0 }
			END { print missed, all (missed ? " " why : "") }'
}

busy --prealloc
for _ in 1 2 3 4 5; do
	exits 0 "$SWTRACE" dump "$t/share.bin"
	told=$(sed -n 's/.*overwrote \([0-9]*\) of \([0-9]*\) sections[^:]*: \([^;]*\).*/\1 \2 \3/p' "$err")
	exits 0 "$CPIDECODE" --report info "$t/share.bin"
	says "$out" '^  cut kept  '
	same "the share in info" "$(share)" "${told:-0 $(share | cut -d " " -f 2)}"
	exits 0 "$CPIDECODE" --report info --format json "$t/share.bin"
	says "$out" '"key": *"cut kept"'
	case $told in
	"") ;;
	*) says "$out" '"key": *"cut missed", *"value": *"these buffers have no memory' ;;
	esac
done
idle
