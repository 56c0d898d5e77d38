#!/bin/sh
. "${0%/*}/lib.sh"

for format in text csv json folded svg; do
	run 0 --format "$format" plain.bin
	mv out expected
	run 0 --format "$format" - <plain.bin
	cmp -s out expected || fail "$format from a file on stdin differs"
	status=0
	cat plain.bin | "$CPIDECODE" --format "$format" - >out 2>err || status=$?
	[ "$status" -eq 0 ] || fail "exit $status"
	cmp -s out expected || fail "$format from a pipe differs"
done
# More than one read: moved from the pipe without a copy, from a writer that pauses in the middle of a section; and cut off.
"$GENTRACE" -k groups -n 2000 long.bin
size=$(($(wc -c <long.bin) * 2 / 3 + 5))
[ $size -gt 300000 ] || fail "the trace is too short"
run 0 --format csv long.bin
mv out expected
{ head -c $size && sleep 0.05 && cat; } <long.bin | "$CPIDECODE" --format csv - >out 2>err
cmp -s out expected || fail "a long trace from a pipe differs"
head -c $size long.bin >cut.bin
run 0 --format csv cut.bin
mv out expected
mv err expected_err
head -c $size long.bin | "$CPIDECODE" --format csv - >out 2>err
cmp -s out expected || fail "a cut trace from a pipe differs"
sed 's/^cpidecode: cut.bin:/cpidecode: standard input:/' expected_err | cmp -s - err || fail "other messages from a pipe"

# Messages about it name it.
head -c -8 plain.bin >cut.bin
run 0 - <cut.bin
in_file err '^cpidecode: standard input: cut off'
not_in_file err '^cpidecode: -'
run 0 --partial part.p - <cut.bin
run 0 merge part.p
in_file err '^cpidecode: standard input: cut off'

# From a socket, whose bytes cannot be moved.
command -v python3 >/dev/null || skip "a trace from a socket: python3: not installed"
run 0 --format csv long.bin
mv out expected
python3 - "$CPIDECODE" <<'END' || fail "from a socket"
import socket, subprocess, sys
ours, theirs = socket.socketpair()
with open("out", "wb") as out:
    reader = subprocess.Popen([sys.argv[1], "--format", "csv", "-"], stdin=theirs, stdout=out)
    theirs.close()
    with open("long.bin", "rb") as trace:
        ours.sendall(trace.read())
    ours.close()
    sys.exit(reader.wait())
END
cmp -s out expected || fail "a long trace from a socket differs"
