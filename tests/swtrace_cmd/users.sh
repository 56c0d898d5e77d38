# Permissions of users. Needs root, to change users.
if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
	skip "other users: needs root and setpriv"
	return 0 2>/dev/null
fi
nobody=65534
friends=54321
mkdir "$dir/nobody"
chown $nobody "$dir/nobody"
cp "$SWTRACE" "$dir/swtrace"
cp "$WRITER" "$dir/writer"
for library in "$BUILD"/libswtrace.so*; do
	[ -e "$library" ] && cp -P "$library" "$dir"
done
LD_LIBRARY_PATH=$dir
export LD_LIBRARY_PATH
as_nobody()
{
	setpriv --reuid=$nobody --regid=$nobody --clear-groups "$@"
}
as_friend()
{
	setpriv --reuid=$nobody --regid=$nobody --groups=$friends "$@"
}
if ! as_nobody "$dir/swtrace" --version >/dev/null 2>&1; then
	skip "other users: they cannot run the programs here"
	return 0
fi

# Root's session without a group: for root alone.
fresh
root_session=$SWTRACE_SESSION
exits 0 "$SWTRACE" init -s 1
exits 0 "$SWTRACE" on
for verb in info maj off on init dump free "enable 5"; do
	# Verbs with a word: split.
	refuses 1 as_nobody "$dir/swtrace" $verb
done
exits 0 as_nobody "$dir/writer" hooks 10
same "a stranger's hooks" "$(number attempted)" 0
exits 0 "$SWTRACE" off

# With a group: its members trace, look and dump, but do not control.
exits 0 "$SWTRACE" init -s 1 -g $friends
exits 0 "$SWTRACE" info --json && says "$out" "\"group\": $friends"
exits 0 "$SWTRACE" on
exits 0 as_friend "$dir/writer" hooks 10
same "a member's hooks" "$(number attempted)" 10
exits 0 as_friend "$dir/swtrace" info
exits 0 as_friend "$dir/swtrace" maj
exits 0 as_friend "$dir/swtrace" dump "$dir/nobody/t.bin"
same "a member's dump" "$(summary hooks)" 10
for verb in off on init free "enable 5" "disable all"; do
	refuses 1 as_friend "$dir/swtrace" $verb
done
refuses 1 as_nobody "$dir/swtrace" info
refuses 1 as_friend "$dir/swtrace" dump "$dir/t.bin" # not their directory
exits 0 "$SWTRACE" info && says "$out" '^tracing  *on$'
exits 0 "$SWTRACE" free

# A user's own session, and root's hand on it.
SWTRACE_SESSION=/dev/shm/swtrace-cmd-test.$nobody.$$
export SWTRACE_SESSION
exits 0 as_nobody "$dir/swtrace" init -s 1
exits 0 as_nobody "$dir/swtrace" on
exits 0 as_nobody "$dir/writer" hooks 10
exits 0 as_nobody "$dir/swtrace" dump "$dir/nobody/own.bin"
same "an own dump" "$(summary hooks)" 10
exits 0 as_nobody "$dir/swtrace" off
refuses 1 as_nobody "$dir/swtrace" install
refuses 1 as_nobody "$dir/swtrace" init -s 1 -g $friends # not a member
exits 0 as_nobody "$dir/swtrace" free
rm -rf "$SWTRACE_SESSION"

# Without SWTRACE_SESSION each user has their own.
unset SWTRACE_SESSION
if [ ! -e /dev/shm/swtrace.$nobody ]; then
	exits 0 as_nobody "$dir/swtrace" init -s 1
	exits 0 as_nobody "$dir/swtrace" info && says "$out" '/dev/shm/swtrace.65534 (your own'
	exits 0 as_nobody "$dir/swtrace" run -o "$dir/nobody/run.bin" -- "$dir/writer" hooks 10
	same "a user's run" "$(summary hooks)" 10
	exits 0 as_nobody "$dir/swtrace" free
	rm -rf /dev/shm/swtrace.$nobody
else
	skip "user $nobody has a session already"
fi

# A squatter's directory is not used.
SWTRACE_SESSION=$root_session
export SWTRACE_SESSION
chmod 777 "$SWTRACE_SESSION"
refuses 1 "$SWTRACE" info
refuses 1 "$SWTRACE" on
chmod 750 "$SWTRACE_SESSION"
fresh
ln -s "$root_session" "$SWTRACE_SESSION"
refuses 1 "$SWTRACE" info
refuses 1 "$SWTRACE" init
unset LD_LIBRARY_PATH
