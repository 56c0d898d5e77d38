#!/bin/sh
# Intervals deeper than 1024 frames count in the frame at that depth, and a message says so: the lines
# of n nested intervals would be n * n / 2 names. A picture has a long name in full once, however many frames have it.
. "${0%/*}/lib.sh"

awk 'BEGIN {
	print "clock raw\nhz 1000000000\nsync 0 1700000000000000000 5\nsection hooks ring=0"
	for (i = 1; i <= 3000; i++) {
		printf "hook 0xC0 1 tid=7 at=%d 64:%d \"n%d\"\n", 100000 + i, 2 * i, i
		printf "hook 0xC0 0xF0000001 64:%d \"n%d\"\n", 2 * i, i
		if (i % 100 == 0)
			print "section hooks ring=0"
	}
	print "section end"
}' | "$MKTRACE" - deep.bin
run 0 --format folded deep.bin
in_file err '1977 frames are deeper than 1024: counted in what they are nested in'
awk '{ n = split($1, a, ";"); if (n > 1024) deep++; sum += $NF }
	END { exit deep || sum != 6000 }' out || fail "lines of more than 1024 frames, or another sum"
[ "$(wc -l <out)" -le 1024 ] || fail "$(wc -l <out) lines"

long=$(head -c 60000 /dev/zero | tr '\0' x)
make_clocked long.bin <<END
section hooks ring=0
hook 0xC0 1 tid=7 at=1000 64:400 "$long"
hook 0xC0 0xF0000001 64:400 "$long"
section end
END
run 0 --format svg -o long.svg long.bin
[ "$(tr -d -c x <long.svg | wc -c)" -lt 70000 ] || fail "a long name stands in the picture twice"
[ "$(tr -d -c x <long.svg | wc -c)" -gt 60000 ] || fail "a long name is not in the picture"

# Under twenty others.
{
	printf 'clock raw\nhz 1000000000\nsync 0 1700000000000000000 5\n'
	for i in $(seq 20); do
		at=$((100000 * i))
		echo "section hooks ring=0"
		for label in "$long" "on $i"; do
			echo "hook 0xC0 1 tid=7 at=$at 64:400 \"$label\""
			echo "hook 0xC0 0xF0000001 64:400 \"$label\""
			at=$((at + 500))
		done
	done | sed 's/64:400 "on/64:1000 "on/'
	echo "section end"
} | "$MKTRACE" - often.bin
run 0 --format svg -o often.svg often.bin
[ "$(grep -c 'class="frame' often.svg)" -eq 42 ] || fail "not 42 frames"
x=$(tr -d -c x <often.svg | wc -c)
[ "$x" -lt 110000 ] || fail "a long name stands in the picture more than once: $x bytes"
[ "$x" -gt 60000 ] || fail "a long name is not in the picture"
[ "$(grep -c '^(60000 bytes of name: another frame of it has all)$' often.svg)" -eq 19 ] ||
	fail "frames do not say that their name is cut"
