# Every byte of a trace with all kinds of sections and CPI hooks set to a few values, with
# the checksums computed again: what a careless or hostile writer could send.

{ prologue; echo 'section clock
sync 0 1700000000000000000 1000
section schema
| major 0x10 x
| hook 1 "h"
|   u32 n
|   repeat n
|     fix4 f
|   end
|   string s
section hooks ring=0
hook 0x10 1 tid=7 at=1 2 4:1 4:2 "s"
group mm=1 tid=7 at=1000 elapsed=100 label="l" types=7 summary detailed
cpu 10 20 10
thread 10 20
endgroup
section loss
loss 0 1 1 1 1 1 1 1
section index
section end'; } >script
make_trace base.bin <script
if "$CHANGED" base.bin "${BADINPUT_STEP:-1}" >out 2>err; then
	pass "bytes changed, checksums right ($(cat out))"
else
	cat out
	fail "bytes changed, checksums right" "exit status $?"
fi
