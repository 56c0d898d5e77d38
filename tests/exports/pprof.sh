#!/bin/sh
# A profile for pprof has the own time of the folded stacks, by stack and thread: read by a decoder beside
# this file, and by Go's pprof where it is (PPROF, or Debian's golang-go).
. "${0%/*}/lib.sh"

! is_read || command -v python3 >/dev/null || skip "no python3 here"

export_all pprof
# shellcheck disable=SC2154 # of lib.sh
for name in $names; do
	# Folded stacks have the process in front of a thread whose name is known; here, pid is a label.
	"$CPIDECODE" --format folded --weight ns "$name.bin" 2>/dev/null |
		sed -E '/^tid [0-9]+;/!s/^[^;]*;//' >"$name.folded"
done
# shellcheck disable=SC2086,SC2154
readers_agree 'traces, [0-9]+ intervals' python3 -B "$here/pprof.py" $names
in_file measured.err "pprof's format holds sums by stack: times, arguments and losses are left out"
in_file begins.err '4 open intervals are left out: sums are of those that ended'
"$CPIDECODE" --format pprof - <deep.bin >piped 2>/dev/null
cmp -s piped deep.pprof || fail "from a pipe, it is another file"

is_read || exit 0
if [ -z "${PPROF:-}" ]; then
	command -v go >/dev/null || {
		echo "skipped: go tool pprof: no go here (Debian's golang-go has it)"
		exit 0
	}
	PPROF='go tool pprof'
fi

# go_pprof ARGUMENTS...: its text, in nanoseconds, with every node.
go_pprof()
{
	# shellcheck disable=SC2086,SC2154
	HOME=$work $PPROF -symbolize=none -unit=ns -nodecount=1000000 -nodefraction=0 -edgefraction=0 "$@" \
		>out 2>err || fail "pprof $*"
}

# Names are whole, also with what folded stacks cannot have.
semicolon_trace semicolon.bin
"$CPIDECODE" --format pprof -o semicolon.pprof semicolon.bin 2>/dev/null
go_pprof -top semicolon.pprof
in_file out '^ *700ns .* a;b$'
in_file out '^ *300ns .* a_b$'

# Own time by label: -top; by stack: -traces, whose blocks have the innermost frame first.
for name in nesting scopes weights zero_length deep measured; do
	sed 's/ [0-9]*$//; s/.*;//; s/ \[CPU utilisation[^]]*\]$//' $name.folded >labels
	sed 's/.* //' $name.folded | paste -d ' ' - labels |
		awk '{ n = $1; sub(/^[^ ]* /, ""); own[$0] += n } END { for (l in own) if (own[l]) print own[l], l }' |
		LC_ALL=C sort >expected
	go_pprof -top $name.pprof
	sed '1,/^ *flat /d' out | awk '{ n = $1; sub(/ns$/, "", n)
		for (i = 1; i <= 5; i++) sub(/^ *[^ ]+/, "")
		sub(/^ */, ""); if (n > 0) print n, $0 }' | LC_ALL=C sort >found
	[ -s expected ] || fail "$name: no stacks"
	cmp -s expected found || fail "$name by pprof -top: $(diff expected found | head -n 5)"
	go_pprof -traces $name.pprof
	awk '$1 == "thread:" { sub(/^ *thread: */, ""); thread = $0; next }
		/^-----/ { if (stack) print thread ";" stack, n; stack = ""; open = 1; next }
		open && stack == "" && $1 ~ /^[0-9.]+(ns)?$/ && NF > 1 { n = $1; sub(/ns$/, "", n); sub(/^ *[^ ]+ */, "")
			stack = $0; next }
		open && stack != "" { sub(/^ */, ""); stack = $0 ";" stack }
		END { if (stack) print thread ";" stack, n }' out | awk '$NF > 0' | LC_ALL=C sort >found
	awk '$NF > 0' $name.folded | LC_ALL=C sort >expected
	cmp -s expected found || fail "$name by pprof -traces: $(diff expected found | head -n 5)"
done
