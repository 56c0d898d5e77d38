# Files of one session that hold the same hooks: read together, each hook is there once.
. "$(dirname "$0")/decode.sh"


# said_twice FILE ...: prints how many hooks are in several of them.
said_twice()
{
	"$CPIDECODE" --report hooks "$@" 2>&1 >/dev/null |
		sed -n 's/^cpidecode: \([0-9]*\) hooks* \(is\|are\) in several files.*/\1/p'
}

# ------------------------------------------------------------------- dumps that follow
fresh
exits 0 "$SWTRACE" init -s 1
exits 0 "$SWTRACE" on
"$WRITER" paced 300 >/dev/null
exits 0 "$SWTRACE" dump "$dir/d1.bin"
"$WRITER" paced 300 300 >/dev/null
exits 0 "$SWTRACE" dump "$dir/d2.bin"
# Not with `minors`, which reads each file by itself.
together=$("$CPIDECODE" --report hooks --format csv "$dir/d1.bin" "$dir/d2.bin" 2>/dev/null |
	tail -n +2 | wc -l | tr -d ' ')
same "two dumps, read together" "$together" 600
same "hooks in both" "$(said_twice "$dir/d1.bin" "$dir/d2.bin")" 300
same "one file twice" "$(said_twice "$dir/d2.bin" "$dir/d2.bin")" 600
same "one file" "$(said_twice "$dir/d2.bin")" ""

# ------------------------------------------------- other rings have positions of their own
exits 0 "$SWTRACE" off
exits 0 "$SWTRACE" init -s 1
exits 0 "$SWTRACE" on
"$WRITER" paced 300 >/dev/null
exits 0 "$SWTRACE" dump "$dir/d3.bin"
same "dumps of two sessions" "$(said_twice "$dir/d1.bin" "$dir/d3.bin")" ""

# ------------------------------------------------------------------ losses are no sum
"$WRITER" hooks 60000 34 >/dev/null
exits 0 "$SWTRACE" dump "$dir/l1.bin"
"$WRITER" hooks 1000 34 >/dev/null
exits 0 "$SWTRACE" dump "$dir/l2.bin"
lost()
{
	"$CPIDECODE" --report hooks "$@" 2>&1 >/dev/null |
		awk '/hooks* lost/ { for (i = 1; i < NF; i++) if ($(i + 1) ~ /^hooks?$/) n += $i } END { print n + 0 }'
}
[ "$(lost "$dir/l2.bin")" -gt 0 ] || fail "nothing was lost"
same "losses of two dumps" "$(lost "$dir/l1.bin" "$dir/l2.bin")" "$(lost "$dir/l2.bin")"
exits 0 "$SWTRACE" off
exits 0 "$SWTRACE" free

# ------------------------------------------------------- a continuous file and a dump
fresh
exits 0 "$SWTRACE" init -t cont -f "$dir/c.bin"
exits 0 "$SWTRACE" on
"$WRITER" paced 300 >/dev/null
exits 0 "$SWTRACE" dump "$dir/cd.bin"
"$WRITER" paced 300 300 >/dev/null
exits 0 "$SWTRACE" off
exits 0 "$SWTRACE" free
together=$("$CPIDECODE" --report hooks --format csv "$dir/c.bin" "$dir/cd.bin" 2>/dev/null |
	tail -n +2 | wc -l | tr -d ' ')
same "a continuous file and a dump" "$together" 600
same "hooks in both" "$(said_twice "$dir/c.bin" "$dir/cd.bin")" "$(minors "$dir/cd.bin" | wc -l | tr -d ' ')"
