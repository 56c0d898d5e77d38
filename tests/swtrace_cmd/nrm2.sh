# dump --format nrm2: the file's contents by its layout; it reports like a trace.bin.
. "$(dirname "$0")/decode.sh"
n=$dir/t.nrm2

# walk FILE: by the layout alone: "SECTIONS HOOKS INTEGERS" of major 0x22, or the error.
walk()
{
	od -An -v -tu1 -w1 "$1" | awk '
	{ b[NR - 1] = $1 + 0 }
	function u(at, n,  v) { v = 0; while (n--) v = v * 256 + b[at + n]; return v }
	END {
		for (at = 0; at < NR && !bad; at = stop) {
			if (u(at, 4) != 843928142 || u(at + 4, 4) != 67305985 || b[at + 8] != 10 ||
				u(at + 12, 4) != 512)
				bad = "no header at " at
			sections++
			stop = at + 512 + u(at + 16, 4)
			for (at += 512; at < stop && !bad; at += length_) {
				type = b[at] % 4
				length_ = u(at, 2) - type
				if (length_ < 16 || length_ % 8 || (type != 0 && type != 2) ||
					u(at + 2, 2) < 1 || u(at + 2, 2) > 255 || at + length_ > stop)
					bad = "no hook at " at
				if (u(at + 2, 2) == 34) {
					hooks++
					integers += type ? u(at + 16, 8) : (length_ - 16) / 8
				}
			}
		}
		print bad ? bad : sections " " hooks + 0 " " integers + 0
	}'
}

# alike A B: they say the same of their hooks.
alike()
{
	"$CPIDECODE" --report hooks --format csv "$1" 2>/dev/null | cut -d, -f2- >"$dir/a"
	"$CPIDECODE" --report hooks --format csv "$2" 2>/dev/null | cut -d, -f2- >"$dir/b"
	if [ "$(wc -l <"$dir/a")" -gt 1 ] && cmp "$dir/a" "$dir/b"; then
		pass
	else
		fail "$1 and $2 differ"
	fi
}

# ------------------------------------------------------------------- refused options
fresh
exits 0 "$SWTRACE" install
refuses 1 "$SWTRACE" dump --format nrm2 "$n" && says "$err" 'swtrace init'
exits 0 "$SWTRACE" init -s 1 -t wrap
for wrong in "--format" "--format nrm" "--format=" "--format nrm2 --compress lz4"; do
	# A list: split.
	refuses 2 "$SWTRACE" dump $wrong "$n"
done
refuses 1 "$SWTRACE" dump --format nrm2 "$dir/no/t.nrm2"
TMPDIR=$dir/no refuses 1 "$SWTRACE" dump --format nrm2 "$n" && says "$err" TMPDIR
[ ! -e "$n" ] || fail "a refused dump left a file"

# ----------------------------------------------------------------------- contents
exits 0 "$SWTRACE" on
"$WRITER" hooks 100 34 >/dev/null
exits 0 "$SWTRACE" off
exits 0 "$SWTRACE" dump --format nrm2 "$n"
same "hooks" "$(summary hooks)" 100
same "hooks and integers by the layout" "$(walk "$n" | cut -d' ' -f2-)" "100 200"
exits 0 "$SWTRACE" dump --format trace "$dir/t.bin"
is_trace "$dir/t.bin"
alike "$dir/t.bin" "$n"
holds 100 "$n"
"$SWTRACE" dump --format nrm2 - 2>/dev/null | "$CPIDECODE" --report hooks --format csv - \
	2>/dev/null | cut -d, -f2- | cmp - "$dir/b" || fail "through a pipe it differs"
same "temporary files" "$(find "$dir" -name '.*.tmp' | wc -l | tr -d ' ')" 0
(cd "$dir" && exits 0 "$SWTRACE" dump --format nrm2 && [ -s swtrace.nrm2 ]) ||
	fail "the default name is not swtrace.nrm2"

# Written again by cpidecode it is a file that stays as it is.
exits 0 "$CPIDECODE" --format nrm2 -o "$dir/a.nrm2" "$n"
exits 0 "$CPIDECODE" --format nrm2 -o "$dir/b.nrm2" "$dir/a.nrm2"
cmp "$dir/a.nrm2" "$dir/b.nrm2" && pass || fail "writing it again changes it"
alike "$n" "$dir/a.nrm2"

# --------------------------------------------------------- overwritten, and guest rings
exits 0 "$SWTRACE" on
# More than the rings of two processors hold.
"$WRITER" hooks 100000 34 >/dev/null
exits 0 "$SWTRACE" off
exits 0 "$SWTRACE" dump --format nrm2 "$n"
gone=$(summary overwritten)
[ "$gone" -gt 0 ] && pass || fail "nothing was overwritten"
exits 0 "$CPIDECODE" --report hooks "$n"
says "$err" "$gone hooks overwritten by newer ones"
exits 0 "$CPIDECODE" --report info "$n"
says "$out" 'mode  *wrap'

exits 0 "$SWTRACE" init -s 1
exits 0 "$SWTRACE" on
SWTRACE_TEST_GUEST=1 "$WRITER" hooks 10 34 >/dev/null
exits 0 "$SWTRACE" off
exits 0 "$SWTRACE" dump --format nrm2 "$n" && says "$err" 'their 10 hooks are written as'
exits 0 "$SWTRACE" dump "$dir/t.bin"
alike "$dir/t.bin" "$n"

# ------------------------------------------------------------------------------- lost
# lost_in FILE: field 112 of all its sections together.
lost_in()
{
	od -An -v -tu1 -w1 "$1" | awk '
	{ b[NR - 1] = $1 + 0 }
	function u(at, n,  v) { v = 0; while (n--) v = v * 256 + b[at + n]; return v }
	END {
		for (at = 0; at < NR; at += 512 + u(at + 16, 4))
			n += u(at + 112, 4)
		print n + 0
	}'
}

exits 0 "$SWTRACE" init -s 1
exits 0 "$SWTRACE" on
"$WRITER" hooks 100000 34 >/dev/null
exits 0 "$SWTRACE" off
exits 0 "$SWTRACE" dump --format nrm2 "$n"
gone=$(summary lost)
[ "$gone" -gt 0 ] && pass || fail "nothing was lost"
same "field 112" "$(lost_in "$n")" "$gone"
exits 0 "$SWTRACE" dump "$dir/t.bin"
exits 0 "$CPIDECODE" --format nrm2 -o "$dir/a.nrm2" "$dir/t.bin"
same "field 112, written by cpidecode" "$(lost_in "$dir/a.nrm2")" "$gone"
exits 0 "$CPIDECODE" --report hooks "$n"
says "$err" "$gone hooks lost"
exits 0 "$SWTRACE" free
