#!/bin/sh
# Another user's session: members of its group see it, others do not.
. "${0%/*}/lib.sh"
: "${LIBRARY:?the shared library}"

if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
	skip "needs root and setpriv"
fi
chmod 755 "$dir"
cp "$SWTRACE" swtrace
cp "$WRITER" writer
cp -P "${LIBRARY%/*}"/libswtrace.so* .
as()
{
	groups=$1
	shift
	# shellcheck disable=SC2086
	LD_LIBRARY_PATH=$dir setpriv --reuid=65534 --regid=65534 $groups "$@"
}
as --clear-groups ./swtrace --version >out 2>err || skip "another user cannot run programs here"
chmod 755 "$SWTRACE_SESSION"
session wrap 1
! as --clear-groups ./swtrace top --json --rounds 1 --interval 10ms >out 2>err ||
	fail "a stranger sees the session"
[ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] || fail "more than one line"
run 0 off
run 0 init -s 1 -t wrap -g 54321
run 0 on
as --groups=54321 ./swtrace top --json --rounds 4 --interval 50ms >rounds 2>err ||
	fail "a member does not see the session"
expect 'last["mode"] == "wrap" and last["state"] == "on"'
as --groups=54321 ./swtrace dump - >out 2>err || fail "a member sees what it may not dump"
