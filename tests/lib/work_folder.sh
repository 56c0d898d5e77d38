# A folder for a test of commands, which is the working one. Sourced. At the end it is removed, as is the folder
# $session, and the programs in $pids are killed.
# shellcheck shell=sh

dir=$(mktemp -d "${TMPDIR:-/tmp}/swtrace-test.XXXXXX")
pids= session=
cleanup()
{
	for pid in $pids; do
		kill -9 "$pid" 2>/dev/null || :
	done
	rm -rf "$dir" ${session:+"$session"}
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM
cd "$dir"
