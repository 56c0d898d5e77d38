# Each verb, and its misuse with and without a session.
fresh
for verb in off free info maj enable disable dump get; do
	refuses 1 "$SWTRACE" $verb && says "$err" 'no trace session'
done

exits 0 "$SWTRACE" on && says "$err" 'defaults'
exits 0 "$SWTRACE" info && says "$out" '^tracing  *on$' && says "$out" '3072 KiB each'
refuses 1 "$SWTRACE" on
refuses 1 "$SWTRACE" init
exits 0 "$SWTRACE" off
refuses 1 "$SWTRACE" off
exits 0 "$SWTRACE" free
refuses 1 "$SWTRACE" free
refuses 1 "$SWTRACE" off
refuses 1 "$SWTRACE" dump "$dir/none.bin"
same "no dump file" "$(ls "$dir" | grep -c none)" 0
exits 0 "$SWTRACE" info && says "$out" 'no buffers'
exits 0 "$SWTRACE" info --json && says "$out" '"state": "no buffers"'

exits 0 "$SWTRACE" init -s 2 -t wrap -ss 16
exits 0 "$SWTRACE" info --json && says "$out" '"mode": "wrap"' &&
	says "$out" '"ring_bytes": 2097152' && says "$out" '"section_bytes": 16384' &&
	says "$out" '"state": "off"' && says "$out" '"group": null'
exits 0 "$SWTRACE" init -s 1 # again: new rings
exits 0 "$SWTRACE" on
exits 0 "$WRITER" hooks 1000
same "accepted" "$(cat "$out")" 1000
same "hooks in the rings" "$(number hooks)" 1000
same "attempted" "$(number attempted)" 1000
exits 0 "$SWTRACE" info && says "$out" '^ledger  *1000 attempted = 1000 in the buffers'

# Majors, in running sessions and by every spelling.
exits 0 "$SWTRACE" disable 0x22 5
exits 0 "$WRITER" hooks 10
exits 0 "$WRITER" hooks 10 5
same "disabled majors" "$(number attempted)" 1000
exits 0 "$SWTRACE" maj && says "$out" '^disabled  *0x05, 0x22$' && says "$out" '0x00-0x04'
exits 0 "$SWTRACE" maj --json && says "$out" '"disabled": \[5, 34\]'
exits 0 "$SWTRACE" enable 34
exits 0 "$WRITER" hooks 10
same "enabled major" "$(number attempted)" 1010
exits 0 "$SWTRACE" disable
exits 0 "$SWTRACE" maj && says "$out" '^enabled  *none$'
exits 0 "$SWTRACE" enable all
exits 0 "$SWTRACE" maj && says "$out" '^disabled  *none$'
exits 0 "$SWTRACE" disable 0 all
exits 0 "$SWTRACE" enable
exits 0 "$SWTRACE" maj --json && says "$out" '"disabled": \[\]'

# maj marks majors that no program writes; a registered schema counts as a writer.
exits 0 "$SWTRACE" disable 0x10
exits 0 "$SWTRACE" maj
says "$out" '^unwritten  *0x00-0xBF, 0xC4-0xC7, 0xCA-0xFF$'
says "$out" '^  0x10  time profile  *disabled, no known writer$'
says "$out" '^  0x12  dispatch  *enabled, no known writer$'
says "$out" '^  0xC0  CPI measurement  *enabled$'
exits 0 "$WRITER" schema
exits 0 "$SWTRACE" maj
says "$out" '^unwritten  *0x00-0x11, 0x13-0x21, 0x23-0xBF, 0xC4-0xC7, 0xCA-0xFF$'
says "$out" '^  0x12  dispatch  *enabled$'
says "$out" '^  0x22  mine  *enabled$'
exits 0 "$SWTRACE" maj --json
says "$out" '"unwritten": \[0, .*, 17, 19, .*, 33, 35, .*, 191, 196, .*, 199, 202, .*, 255\]'
says "$out" '{"major": 16, "name": "time profile", "enabled": false, "written": false}'
says "$out" '{"major": 34, "name": "mine", "enabled": true, "written": true}'
exits 0 "$SWTRACE" enable

# off keeps the hooks; later hooks are not written.
exits 0 "$SWTRACE" off
exits 0 "$WRITER" hooks 10
same "hooks while off" "$(number attempted)" 1010

# A full ring, normal mode; the ledger adds up.
exits 0 "$SWTRACE" init -s 1 -t norm
exits 0 "$SWTRACE" on
exits 0 "$WRITER" hooks 100000
accepted=$(cat "$out")
same "full: in the rings" "$(number hooks)" "$accepted"
same "full: lost" "$(number lost_full)" $((100000 - accepted))
filled="lost $((100000 - accepted)): swtrace record"
exits 0 "$SWTRACE" info && says "$out" "^full  *kept the first $accepted hooks, $filled"
exits 0 "$SWTRACE" off && says "$err" "the buffers filled: kept the first hooks, $filled"
exits 0 "$SWTRACE" dump "$dir/full.bin"
says "$err" "^swtrace dump: the buffers filled: kept the first $accepted hooks, $filled"
exits 0 "$SWTRACE" init -s 1 -t wrap
exits 0 "$SWTRACE" on
exits 0 "$WRITER" hooks 100000
same "wrap: attempted" "$(number attempted)" 100000
same "wrap: lost" "$(number lost_full)" 0

# Tasks.
"$WRITER" wait >"$dir/ready" &
pid=$!
pids="$pids $pid"
until_true '[ -s "$dir/ready" ]'
exits 0 "$SWTRACE" info && says "$out" '^tasks  *1 alive in 1 processes'
kill $pid
wait $pid 2>/dev/null
exits 0 "$SWTRACE" info && says "$out" '^tasks  *0 alive in 0 processes'

# free while tracing is on; a control page without rings.
exits 0 "$SWTRACE" free
exits 0 "$WRITER" hooks 10
fresh
if [ "$(id -u)" -eq 0 ]; then
	exits 0 "$SWTRACE" install
	exits 0 "$SWTRACE" install
	exits 0 "$SWTRACE" info && says "$out" 'no buffers'
	exits 0 "$SWTRACE" on
	exits 0 "$SWTRACE" free
else
	refuses 1 "$SWTRACE" install
fi

# A program that was there before `init`.
fresh
exits 0 "$SWTRACE" on
exits 0 "$SWTRACE" free
"$WRITER" loop >"$dir/loop" &
pid=$!
pids="$pids $pid"
# It has looked for buffers once it maps the session's control page.
until_true 'grep -qF "$SWTRACE_SESSION/control" /proc/$pid/maps'
exits 0 "$SWTRACE" init -s 1 -t wrap
exits 0 "$SWTRACE" on
until_true '[ "$(number attempted)" -gt 0 ]'
exits 0 "$SWTRACE" off
kill $pid
wait $pid 2>/dev/null
exits 0 "$SWTRACE" free

# The same from a program.
fresh
exits 0 "$WRITER" control "$dir"
is_trace "$dir/a.bin"
is_trace "$dir/b.bin"
