# A small trace cut off is read up to its last whole section; with a byte wrong it is read
# around the damage. Of the command a sample is enough: tests/decoder/test_damage.c goes
# through every byte.
step=${BADINPUT_STEP:-13}

{ prologue; echo 'section hooks ring=0
hook 0x10 1 tid=7 at=1 1
section hooks ring=1 codec=lz4
hook 0xC0 0x00000001 tid=7 at=1000 64:100 "label"
hook 0xC0 0xF0000001 64:100 "label"
section hooks ring=0 codec=zlib
hook 0x10 1 tid=7 at=2000 1 2 3 4 5 6 7 8 9
section end'; } | make_trace small.bin
size=$(wc -c <small.bin)
# From the file format: where each section with hooks ends, and the hooks up to there.
decode --report hooks --format json small.bin
expect "the undamaged trace" 0 "" '"ticks":2000'
whole=$(hooks_out)
mv out undamaged

n=0 last=0 wrong=
while [ $n -lt "$size" ]; do
	head -c $n small.bin >cut.bin
	decode --report hooks --format json cut.bin
	now=$(hooks_out)
	if [ $n -lt 256 ]; then
		[ $status = 1 ] && [ "$now" = 0 ] || wrong="$wrong $n"
	elif [ $status != 0 ] || [ "$now" -lt "$last" ] || ! grep -q 'cut off' err; then
		wrong="$wrong $n"
	fi
	[ $n -lt 256 ] || last=$now
	n=$((n + step))
done
if [ -z "$wrong" ] && [ "$last" = "$whole" ]; then
	pass "cut off at every ${step}th of $size places"
else
	fail "cut off at every ${step}th of $size places" \
		"wrong at:$wrong; $last of $whole hooks at last"
fi

n=256 wrong=
while [ $n -lt "$size" ]; do
	{ head -c $n small.bin && printf '\252' && tail -c +$((n + 2)) small.bin; } >flipped.bin
	decode --report hooks --format json flipped.bin
	now=$(hooks_out)
	sane && [ $status = 0 ] && [ "$now" -ge $((whole - 2)) ] || wrong="$wrong $n"
	same=no
	cmp -s out undamaged && same=yes
	decode --strict flipped.bin
	# The zeros that fill a payload up to 8 bytes are not data.
	[ $status = 3 ] || [ $status$same = 0yes ] || wrong="$wrong s$n"
	n=$((n + step))
done
[ -z "$wrong" ] && pass "every ${step}th byte wrong" || fail "every ${step}th byte wrong" "wrong at:$wrong"

# A pipe cannot be looked at twice.
head -c $((size - 100)) small.bin >cut.bin
timeout 120 sh -c 'cat cut.bin | "$1" --report hooks --format json -' - "$CPIDECODE" >out 2>err
status=$?
expect "cut off in a pipe" 0 'cut off' 'ticks'
