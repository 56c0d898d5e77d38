# doctor: 0 or 4, and always a verdict; every cause that can be brought about here.
SANDBOX=${SANDBOX:-$BUILD/swtrace_sandbox}
fresh
"$SWTRACE" doctor >"$out" 2>"$err"
code=$?
case $code in
0) says "$out" '^CPI .* here' ;;
4) says "$out" '^CPI cannot be measured here: ' ;;
*) fail "doctor: exit code $code" ;;
esac
for topic in kernel rights pmu counters clock rings memory limits sessions; do
	says "$out" "^$topic "
done
same "verdicts" "$(grep -c '^CPI ' "$out")" 1
same "the verdict is the last line" "$(tail -n 1 "$out")" "$(grep '^CPI ' "$out")"
same "lines of more than 100 columns" "$(awk 'length($0) > 100' "$out" | wc -l)" 0
same "the mark of every finding" "$(grep -c '^[a-z ]\{9\} \(ok\|--\|no\)  ' "$out")" \
	"$(grep -c '^  *means: ' "$out")"
grep -q "$(printf '\033')" "$out" && fail "colours without a terminal" || pass

# finds ID STATUS [PATTERN]: the JSON in $out has that finding; the pattern is of all its text.
finds()
{
	sed 's/{"id"/\n&/g' "$out" | grep -F "{\"id\": \"$1\", " >"$dir/finding"
	if [ "$(wc -l <"$dir/finding")" -eq 1 ] &&
		grep -q "\"status\": \"$2\".*${3-}" "$dir/finding"; then
		pass
	else
		fail "doctor: no finding $1, $2, '${3-}': $(cat "$dir/finding")"
	fi
}
# finds_no ID
finds_no()
{
	grep -q -F "{\"id\": \"$1\", " "$out" && fail "doctor: a finding $1" || pass
}
# doctor [COMMAND ...]: runs it in that; the exit code is the one that the JSON says.
doctor()
{
	"$@" "${doctor_program:-$SWTRACE}" doctor --json >"$out" 2>"$err" </dev/null
	got=$?
	want=4
	grep -q '^{"cpi_measurable": true' "$out" && want=0
	same "doctor --json in '$*'" $got $want
}

doctor env
same "one line of JSON" "$(wc -l <"$out")" 1
says "$out" '^{"cpi_measurable": \(true\|false\), "cause": "[a-z-]*", "verdict": ".*"findings": \[.*\]}$'
if command -v jq >/dev/null; then
	jq -e '.findings | length > 15 and all(.topic == (.id | split("."))[0] and .topic and .status and .text and .meaning and
		(.todo or .status != "bad")) and ([.[].id] | unique | length) == length' \
		"$out" >/dev/null 2>"$err" && pass || fail "the JSON's form"
else
	skip "whether doctor --json is JSON: there is no jq"
fi
finds sessions.used note 'there is none'
finds clock.suspend '[a-z]*' 'suspended\|slept'
finds_no counters.events
doctor env SWTRACE_EVENTS=page-faults,nosuchpmu/x/
finds counters.events good 'by SWTRACE_EVENTS: page-faults"'
finds counters.events_missing note 'nosuchpmu/x/'
doctor env SWTRACE_EVENTS=page-faults,nonsense
finds counters.events bad 'there is no event .*nonsense'
doctor env SWTRACE_EVENTS=
finds_no counters.events
exits 0 "$SWTRACE" init -s 1 -e task-clock
doctor env
finds counters.events good "by the session's list: task-clock"
exits 0 "$SWTRACE" free
exits 0 "$SWTRACE" init -s 1
doctor env
finds sessions.used good 'this one is used'
exits 0 "$SWTRACE" free

# The commands that make trace buffers save findings, which traces hold.
# trace_holds FILE VERB
trace_holds()
{
	"$CPIDECODE" --report info --format json "$1" >"$out" 2>"$err"
	says "$out" '"doctor":.*"verdict":.*"CPI .* here.*by swtrace '"$2"', uid [0-9]*".*"id":.*"kernel.release",.*"text":.*"Linux '
	grep -q -e memory.space -e '"sessions\.' "$out" && fail "findings that are not about the trace" || pass
}
exits 0 "$SWTRACE" init -s 1
exits 0 "$SWTRACE" dump "$dir/init.bin"
exits 0 "$SWTRACE" free
same "findings after free" "$(find "$SWTRACE_SESSION" -name 'doctor*')" ""
exits 0 "$SWTRACE" run -s 1 -o "$dir/run.bin" -- true
exits 0 "$SWTRACE" record -s 1 -o "$dir/record.bin" -- true
exits 0 env SWTRACE_COUNTERS=none "$SWTRACE" on
exits 0 "$SWTRACE" dump "$dir/on.bin"
exits 0 "$SWTRACE" off
exits 0 "$SWTRACE" free
if [ -x "$CPIDECODE" ]; then
	for verb in init run record on; do
		trace_holds "$dir/$verb.bin" $verb
	done
	exits 0 "$CPIDECODE" --report info "$dir/on.bin"
	says "$out" '^  doctor  *bad  *counters.instructions: .*SWTRACE_COUNTERS'
	says "$out" '^  *to do: unset SWTRACE_COUNTERS'
else
	skip "findings in traces: no cpidecode here"
fi

SWTRACE_SESSION=relative doctor env
finds sessions.used bad 'SWTRACE_SESSION is .*"relative'
doctor env SWTRACE_CLOCK=raw
finds rings.rseq note 'also takes a call of the clock'
finds clock.source note 'unset SWTRACE_CLOCK'
SWTRACE_COUNTERS=none exits 4 "$SWTRACE" doctor
doctor env SWTRACE_COUNTERS=none
finds counters.instructions bad 'unset SWTRACE_COUNTERS'
SWTRACE_COUNTERS=nonsense exits 4 "$SWTRACE" doctor && says "$out" 'here: SWTRACE_COUNTERS=nonsense'
doctor env SWTRACE_COUNTERS=nonsense
finds counters.source bad
finds_no counters.busy

# Limits and rights that the environment takes away.
doctor sh -c 'ulimit -n 64 && exec "$@"' sh
finds limits.descriptors bad 'ulimit -n'
doctor sh -c 'ulimit -f 2048 && exec "$@"' sh
finds limits.file_size bad 'ulimit -f'
if "$SWTRACE" doctor --json | grep -q 'libc registers rseq'; then
	doctor env GLIBC_TUNABLES=glibc.pthread.rseq=0
	# A note where the clock is a call.
	finds rings.rseq '[a-z]*' 'libswtrace registers rseq'
else
	skip "doctor without rseq: there is none anyway"
fi
for error in EPERM ENOSYS; do
	"$SANDBOX" $error /bin/true
	case $? in
	0)
		doctor "$SANDBOX" $error
		same "exit code in a sandbox" $got 4
		finds rights.seccomp bad 'allow perf_event_open'
		finds pmu.hardware bad
		;;
	77) skip "doctor in a sandbox: the kernel offers no seccomp filters" ;;
	*) fail "sandbox $error" ;;
	esac
done
if unshare --user --map-root-user true 2>/dev/null; then
	doctor unshare --user --map-root-user
	finds kernel.container note 'user namespace'
	finds rights.capability note 'outside of that namespace'
else
	skip "doctor in a user namespace: unshare --user is not allowed"
fi

# As another user, who may run it from here. Needs root.
if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
	skip "doctor as another user: needs root and setpriv"
	return 0 2>/dev/null
fi
mkdir "$dir/theirs"
doctor_program=$dir/theirs/swtrace
cp "$SWTRACE" "$doctor_program"
stranger="setpriv --reuid=65534 --regid=65534 --clear-groups"
if ! $stranger "$doctor_program" --version >/dev/null 2>&1; then
	skip "doctor as another user: they cannot run the programs here"
	doctor_program=
	return 0
fi
exits 0 "$SWTRACE" init -s 1
# shellcheck disable=SC2086
doctor $stranger
finds sessions.used bad 'not used.*only root may trace there (mode 0700)'
finds rights.capability note 'setcap'
exits 0 "$SWTRACE" free

# In a /dev/shm of one's own root's session may have its usual name, and space may be short.
if ! unshare --mount sh -c 'mount -t tmpfs -o mode=1777 tmpfs /dev/shm' 2>/dev/null; then
	skip "doctor in another /dev/shm: unshare --mount is not allowed"
	doctor_program=
	return 0
fi
cat >"$dir/theirs/elsewhere" <<'END'
mount -t tmpfs -o "$1" tmpfs /dev/shm || exit 99
unset SWTRACE_SESSION
[ -z "$2" ] || "$3" init -s 1 $2 2>/dev/null || exit 98
shift 2
exec $AS "$@"
END
# elsewhere MOUNT INIT: /dev/shm is mounted so; root's session is made with these options.
elsewhere()
{
	doctor unshare --mount sh "$dir/theirs/elsewhere" "$@"
}
AS=
export AS
elsewhere mode=1777,size=1m ''
finds memory.space bad 'shm-size'
elsewhere mode=0755 ''
finds memory.kind note 'chmod 1777'
AS=$stranger
elsewhere mode=0755 ''
finds memory.kind bad 'chmod 1777'
elsewhere mode=1777 ' '
finds sessions.root note 'only root may trace there.*it is as if absent.*init -g GROUP'
finds sessions.used note 'your own session'
elsewhere mode=1777 '-g 54321'
finds sessions.root note 'the group 54321 may trace there (mode 0750).*as if absent'
AS="setpriv --reuid=65534 --regid=65534 --groups=54321"
elsewhere mode=1777 '-g 54321'
finds sessions.used good 'this one is used.*its owner controls it'
finds sessions.own note 'there is none'
unset AS
doctor_program=
