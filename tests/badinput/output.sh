# Outputs that do not take what is written.

{ prologue; echo 'section hooks ring=0'; awk 'BEGIN {
	for (i = 1; i <= 20000; i++)
		print "hook 0x10 1 tid=7 at=" i " " i
}'; echo 'section end'; } | make_trace good.bin

for report in summary intervals hooks cpus info; do
	timeout 30 "$CPIDECODE" --report $report good.bin >/dev/full 2>err
	status=$?
	: >out
	expect "$report to /dev/full" 1 'No space left'
	one_line "$report to /dev/full" && pass "$report to /dev/full: one line"
	timeout 30 "$CPIDECODE" --report $report good.bin 2>err >&-
	status=$?
	[ $status = 1 ] && pass "$report to a closed standard output" ||
		fail "$report to a closed standard output" "exit status $status"
done
decode --report hooks -o /dev/full good.bin
refused "-o /dev/full" 1 'No space left'
decode -o no/such/folder/file good.bin
refused "-o into no folder" 1 'no/such/folder/file'
mkdir -p folder
decode -o folder good.bin
refused "-o a folder" 1 'folder.*[Dd]irectory'

# Whoever reads the report goes away.
status=$(
	{
		timeout 30 "$CPIDECODE" --report hooks good.bin 2>err
		echo $? >status
	} | head -n 1 >out
	cat status
)
case $status in
0 | 1 | 141) sane || [ "$status" = 141 ] && pass "a reader that goes away" ;;
*) fail "a reader that goes away" "exit status $status" ;;
esac
[ "$(wc -l <err)" -le 1 ] && pass "a reader that goes away: at most one line" ||
	fail "a reader that goes away: at most one line" "more lines"

# A report that fails leaves no file and takes none away.
echo precious >kept
decode -o kept missing.bin
[ "$(cat kept)" = precious ] && [ $status = 1 ] && pass "-o keeps the old file on failure" ||
	fail "-o keeps the old file on failure" "status $status"
decode -o never missing.bin
[ ! -e never ] && pass "-o makes no file on failure" || fail "-o makes no file on failure" "it did"
for left in ./*.tmp; do
	[ -e "$left" ] && fail "no temporary files" "$left"
done

# Losses and --strict.
{ prologue; echo 'section hooks ring=0 lost=3
hook 0x10 1 tid=7 at=1 1
section loss
loss 0 3 0 0 0 0 0 0
section end'; } | make_trace lost.bin
decode lost.bin
expect "lost hooks" 0 '3 hooks lost' '*'
for report in summary intervals hooks cpus info; do
	decode --strict --report $report lost.bin
	expect "lost hooks, --strict, $report" 3 '3 hooks lost' '*'
done
{ prologue; echo 'section hooks ring=0
hook 0x10 1 tid=7 at=1 1 uncommitted
section end'; } | make_trace torn.bin
decode --strict torn.bin
expect "torn hooks, --strict" 3 'torn' '*'
decode good.bin missing.bin
refused "one of two files is missing" 1 'missing.bin'
