#!/bin/sh
. "${0%/*}/lib.sh"

run 0 -o report.txt plain.bin
[ ! -s out ] || fail "-o wrote to stdout"
run 0 plain.bin
cmp -s out report.txt || fail "-o writes something else"
run 0 -o - plain.bin
cmp -s out report.txt || fail "-o - writes something else"

# A failure leaves the old report alone, and nothing beside it.
echo old >report.txt
run 1 -o report.txt missing.bin
[ "$(cat report.txt)" = old ] || fail "a failure replaced the report"
ls -A >names
not_in_file names tmp

# The next run beside them removes the temporary files of killed runs, but keeps those of living runs
# and files with similar names.
: >.report.txt.4194305-0.tmp
: >.report.txt.7-1.tmp
: >.report.txt.7-x.tmp
: >.report.text.7-1.tmp
: >report.txt.7-2.tmp
flock .report.txt.7-1.tmp "$CPIDECODE" -o report.txt plain.bin
ls -A >names
not_in_file names 4194305
in_file names '^.report.txt.7-1.tmp'
in_file names '^.report.txt.7-x.tmp'
in_file names '^.report.text.7-1.tmp'
in_file names '^report.txt.7-2.tmp'
rm -f ./*.tmp ./.*.tmp

# A killed run leaves nothing that a pattern takes, and the next one removes it.
if strace -o /dev/null true 2>/dev/null; then
	strace -o trace -e trace=rename -e inject=rename:signal=KILL "$CPIDECODE" --partial part.1 plain.bin 2>err &&
		fail "it was not killed"
	[ "$(find . -name '.part.1.*.tmp' | wc -l)" -eq 1 ] || fail "no temporary file is left: $(ls -A)"
	for name in part.*; do
		[ ! -e "$name" ] || fail "a pattern takes $name"
	done
	run 0 --partial part.1 plain.bin
	[ "$(ls -A | grep -c 'tmp$')" -eq 0 ] || fail "something is left: $(ls -A)"
	# The folder of a CTF trace that another export takes for a leftover before it is claimed: the first
	# sleeps before its claim, the second sweeps.
	# LeakSanitizer does not work under strace.
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 \
		strace -o trace -e trace=flock -e inject=flock:delay_enter=1000000:when=1 \
		"$CPIDECODE" --format ctf -o swept plain.bin 2>swept.err &
	first=$! tries=0
	until [ -d "$(find . -name '.swept.*.tmp')" ] || [ $tries -eq 1000 ]; do
		tries=$((tries + 1))
		sleep 0.01
	done
	status=0
	"$CPIDECODE" --format ctf -o swept plain.bin 2>err || status=$?
	wait $first || status=$((status + $?))
	[ -s swept/metadata ] || fail "no trace of two exports: $(cat swept.err)"
	# Both finish, or one finds the other's trace there.
	not_in_file swept.err 'No such file'
	[ $status -le 1 ] || fail "both exports failed"
	[ "$(ls -A | grep -c 'tmp$')" -eq 0 ] || fail "something is left: $(ls -A)"
else
	echo 'skipped: a killed run: no strace, or it may not trace here'
fi

# Permissions and links of the old one stay.
chmod 600 report.txt
ln -s report.txt link.txt
run 0 -o link.txt plain.bin
[ -L link.txt ] || fail "the link was replaced"
[ -s report.txt ] || fail "nothing came through the link"
[ -n "$(find report.txt -perm 600)" ] || fail "the permissions changed"

run 1 -o /nowhere/report.txt plain.bin
in_file err '^cpidecode: /nowhere/report.txt: cannot write: '
run 1 -o . plain.bin
run 0 -o /dev/null plain.bin
if [ -c /dev/full ]; then
	run 1 -o /dev/full plain.bin
	in_file err 'No space left'
	status=0
	"$CPIDECODE" plain.bin >/dev/full 2>err || status=$?
	[ "$status" -eq 1 ] || fail "a full stdout: exit $status"
	in_file err '^cpidecode: standard output: cannot write: No space left'
fi

# A reader that goes away.
mkfifo pipe
status=0
: <pipe &
"$CPIDECODE" --report hooks plain.bin >pipe 2>err || status=$?
wait
[ "$status" -eq 1 ] || [ "$status" -eq 0 ] || fail "a broken pipe: exit $status"
not_in_file err 'lost'

# No file gets the descriptor of a closed stream, and with it the messages.
status=0
cat plain.bin | "$CPIDECODE" - >&- 2>err || status=$?
[ "$status" -eq 1 ] || fail "a closed stdout: exit $status"
in_file err '^cpidecode: standard output: cannot write: '
loss='section loss
loss 0 5 4 3 2 0 0 0'
make_trace lossy.bin
run 0 -o expected lossy.bin
in_file err 'lost'
"$CPIDECODE" -o report.txt lossy.bin >&- 2>&- || fail "exit $? with stdout and stderr closed"
cmp -s report.txt expected || fail "with stderr closed the report is another one"
