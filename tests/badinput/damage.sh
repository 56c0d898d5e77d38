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
size=$(wc -c <base.bin)
step=${BADINPUT_STEP:-5}

# sections: where each begins, from the format.
starts=
at=256
while [ $at -lt "$size" ]; do
	starts="$starts $at"
	stored=$(od -An -tu4 -j $((at + 8)) -N 4 base.bin | tr -d ' ')
	at=$((at + 64 + (stored + 7) / 8 * 8))
done

try() {
	for report in "hooks --format json" "intervals --format json" summary info; do
		# shellcheck disable=SC2086
		decode --report $report t.bin
		sane || return 1
	done
}

wrong= section=0 runs=0
for start in 0 $starts; do
	end=$(echo "$starts $size" | tr ' ' '\n' | awk -v s="$start" '$1 > s { print $1; exit }')
	what=s$((section - 1))
	[ "$start" = 0 ] && what=header
	byte=$start
	while [ $byte -lt "$end" ]; do
		for value in 0xFF 0x80 0x01; do
			{ cat script; echo "put8 $byte $value
fix $what"; } | "$MKTRACE" - t.bin 2>/dev/null || continue
			runs=$((runs + 1))
			try || wrong="$wrong $byte=$value"
		done
		byte=$((byte + step))
	done
	section=$((section + 1))
done
[ -z "$wrong" ] && pass "bytes changed, checksums right ($runs traces)" ||
	fail "bytes changed, checksums right ($runs traces)" "wrong at:$wrong"
