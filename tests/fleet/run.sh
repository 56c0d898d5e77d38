#!/bin/sh
# Tests samples/fleet on one machine, with real munge, slurmctld and two slurmd: whatever is killed,
# lost, repeated or damaged, the answer has the same bytes as cpidecode's of all traces, or says what
# is missing.
#
# usage: sudo sh tests/fleet/run.sh [--build DIR] [TEST ...]	(default: all tests; names below)
#	--build DIR	the build with cpidecode and gentrace (default: build it in build-fleet)
#	--time		instead of the tests, what 1 and 2 workers take for the same traces, three times each
# Needs root: slurmd starts jobs as their user. Installs slurm-wlm and munge. Takes about three minutes,
# one of them until Slurm notices a lost node. Exits with 0, 1 after failures, or 77 if it cannot run here.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
top=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/deps.sh
. "$top/tests/lib/deps.sh"

build='' tests='' time=0
while [ $# -gt 0 ]; do
	case $1 in
	--build) build=${2:?--build takes a folder}; shift ;;
	--time) time=1 ;;
	-h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
	-*) echo "fleet: unknown option $1 (see --help)" >&2; exit 2 ;;
	*) tests="$tests $1" ;;
	esac
	shift
done
[ "$(id -u)" = 0 ] || { echo "skipped: fleet: slurmd needs root"; exit 77; }
need_packages slurm-wlm munge || { echo "skipped: fleet: no slurm-wlm or munge"; exit 77; }
if [ -z "$build" ]; then
	# shellcheck disable=SC2086
	need_packages $BUILD_PACKAGES || exit 1
	build=$top/build-fleet
	cmake -S "$top" -B "$build" >/dev/null && cmake --build "$build" -j2 --target cpidecode gentrace >/dev/null || exit 1
fi
build=$(cd "$build" && pwd) || exit 1
cpidecode=$build/cpidecode
gentrace=$(find "$build" -name gentrace -type f | head -n 1)
if [ ! -x "$cpidecode" ] || [ ! -x "$gentrace" ]; then
	echo "fleet: $build has no cpidecode and gentrace" >&2
	exit 1
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/fleet.XXXXXX") || exit 1
chmod 755 "$work"
err=$work/err
. "$here/../lib/results.sh"

stop() {
	for pid in "$work"/*.pid; do
		[ ! -s "$pid" ] || kill "$(cat "$pid")" 2>/dev/null
	done
	sleep 1
	for pid in "$work"/*.pid; do
		[ ! -s "$pid" ] || kill -KILL "$(cat "$pid")" 2>/dev/null
	done
	mountpoint -q "$work/full" && umount "$work/full"
	rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM

wait_for() { # SECONDS COMMAND ...
	tenths=$(($1 * 10))
	shift
	while ! "$@" >/dev/null 2>&1; do
		tenths=$((tenths - 1))
		[ $tenths -gt 0 ] || return 1
		sleep 0.1
	done
}

start_node() { slurmd -N "$1" -f "$SLURM_CONF" >>"$work/start.log" 2>&1; }
is_idle() { [ "$(sinfo -h -N -o '%N %T' | grep -c ' idle$')" -eq 2 ]; }

start_cluster() {
	host=$(hostname -s)
	dd if=/dev/urandom of="$work/munge.key" bs=128 count=1 2>/dev/null
	chmod 400 "$work/munge.key"
	mkdir -m 755 "$work/munge"
	munged --force --key-file="$work/munge.key" --socket="$work/munge/socket" --pid-file="$work/munged.pid" \
		--log-file="$work/munged.log" --seed-file="$work/munged.seed" || return 1
	cat >"$work/slurm.conf" <<END
ClusterName=fleet
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=17000
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SlurmdTimeout=5
SlurmdParameters=config_overrides
MaxArraySize=9
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
NodeName=n[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=[17001-17002] CPUs=1
PartitionName=all Nodes=n[1-2] Default=YES State=UP
END
	SLURM_CONF=$work/slurm.conf
	export SLURM_CONF
	slurmctld -f "$SLURM_CONF" >>"$work/start.log" 2>&1
	start_node n1
	start_node n2
	wait_for 60 is_idle
}

# submit FOLDER OPTION ... TRACE ...: stdout in out, stderr in err.
submit() {
	folder=$work/$1
	shift
	status=0
	sh "$top/samples/fleet/submit.sh" -o "$folder" "$@" >"$work/out" 2>"$work/err" || status=$?
}
answered() { [ "$status" = 0 ] && cmp -s "$folder/summary.text" "$work/whole"; }

# A cpidecode that runs $work/hook first: it may kill its task.
wrap() {
	printf '#!/bin/sh\n. "%s/hook"\nexec "%s" "$@"\n' "$work" "$cpidecode" >"$work/cpidecode"
	cat >"$work/hook"
	chmod +x "$work/cpidecode"
	ln -sf "$cpidecode" "$work/real"
	CPIDECODE=$work/cpidecode
}

answer_is_that_of_one_machine() {
	submit "$1" --report summary --report cpus --slice-size 100k "$work"/traces/*
	"$cpidecode" --report cpus "$work"/traces/* >"$work/cpus" 2>/dev/null
	answered && cmp -s "$folder/cpus.text" "$work/cpus" || return 1
	[ "$(cat "$work/out")" = "$folder/summary.text
$folder/cpus.text" ]
}

options_reach_cpidecode() {
	submit "$1" --format csv --option --minor=3 --option "--where=elapsed>1us and label='*'" "$work"/traces/*
	"$cpidecode" --format csv --minor 3 --where "elapsed>1us and label='*'" "$work"/traces/* >"$work/csv" 2>/dev/null
	[ $status = 0 ] && [ -s "$work/csv" ] && cmp -s "$folder/summary.csv" "$work/csv"
}

reports_have_options_of_their_own() {
	for options in '--report slowest --by=host' '--report summary --by=host,label'; do
		report=${options#--report } report=${report%% *}
		submit "$1.$report" --report "$report" --format json --option "${options##* }" --slice-size 100k "$work"/traces/*
		# shellcheck disable=SC2086
		"$cpidecode" --format json $options "$work"/traces/* >"$work/json" 2>/dev/null
		[ $status = 0 ] && [ -s "$work/json" ] && cmp -s "$folder/$report.json" "$work/json" || return 1
	done
	submit "$1.two" --report summary --report cpus --option --by=host "$work"/traces/*
	[ $status = 2 ] && grep -q -- '--option --by=host: a report.s option goes with one --report' "$work/err"
}

# Kills the task alone, as the kernel does for memory.
killed_task_is_made_again() {
	wrap <<'END'
case " $* " in
*/003.bin\ *) mkdir "${0%/*}/killed" 2>/dev/null && kill -KILL $PPID $$ ;;
esac
END
	submit "$1" "$work"/traces/*
	[ -d "$work/killed" ] && answered
}

killed_last_job_is_tried_again() {
	wrap <<'END'
case " $* " in
*\ --expect\ *) mkdir "${0%/*}/killed.last" 2>/dev/null && kill -KILL $PPID $$ ;;
esac
END
	submit "$1" "$work"/traces/*
	[ -d "$work/killed.last" ] && answered
}

below() {
	pgrep -P "$1" | while read -r child; do
		echo "$child"
		below "$child"
	done
}

# All processes of a node at once, as by a power failure: slurmd, and of its tasks the steps first.
lost_node_is_replaced() {
	wrap <<'END'
case " $* " in
*/00[0-9].bin\ *) sleep 3 ;;
esac
END
	submit "$1" --no-wait "$work"/traces/*
	last=$(cat "$work/out")
	wait_for 30 sh -c "squeue -h -t R -o %N | grep -qx n2" || return 1
	node=$(cat "$work/slurmd.n2.pid")
	kill -STOP "$node"
	jobs=$(squeue -h -t R -w n2 -o %A)
	for job in $jobs; do
		for step in $(pgrep -f "slurmstepd: \[$job\."); do
			kill -STOP "$step"
			tasks=$(below "$step")
			kill -KILL "$step"
			# shellcheck disable=SC2086
			kill -KILL $tasks 2>/dev/null
		done
	done
	kill -KILL "$node"
	rm -f "$work/slurmd.n2.pid"
	wait_for 60 sh -c "sinfo -h -N -o '%N %T' | grep -q '^n2 down'" || return 1
	for job in $jobs; do
		[ "$(scontrol show job "$job" | sed -n 's/.*Restarts=\([0-9]*\).*/\1/p' | head -n 1)" -ge 1 ] || return 1
		scontrol update JobId="$job" StartTime=now 2>/dev/null
	done
	start_node n2
	wait_for 120 test -e "$folder/exit" || return 1
	status=$(cat "$folder/exit")
	echo "job $last" >>"$work/err"
	wait_for 60 is_idle
	answered
}

# Slurm may run a task twice; here each runs three times at once.
tasks_may_run_twice() {
	wrap <<'END'
if [ -z "${again:-}" ] && case " $* " in *\ --partial\ */try/*) true ;; *) false ;; esac; then
	again=1
	export again
	for copy in 1 2; do
		SLURM_JOB_ID=$SLURM_JOB_ID.$copy sh "${SLURM_SUBMIT_FOLDER:?}/job.sh" "$SLURM_SUBMIT_FOLDER" \
			0 "$(wc -l <"$SLURM_SUBMIT_FOLDER/tasks")" 1 &
	done
fi
END
	SLURM_SUBMIT_FOLDER=$work/$1
	export SLURM_SUBMIT_FOLDER
	submit "$1" "$work"/traces/*
	answered
}

damaged_result_is_made_again() {
	wrap <<'END'
case " $* " in
*\ merge\ *) [ ! -e "$PWD/0.5" ] || mkdir "${0%/*}/damaged" 2>/dev/null && printf X | dd of="$PWD/0.5" bs=1 seek=70 conv=notrunc 2>/dev/null ;;
esac
END
	submit "$1" "$work"/traces/*
	[ -d "$work/damaged" ] && answered
}

# The folder of the results is full for a while.
full_disk_is_survived() {
	mkdir -p "$work/full"
	mount -t tmpfs -o size=8m fleet "$work/full" || { echo "    skipped: no tmpfs may be mounted here"; return 0; }
	folder=$work/full/answer
	wrap <<'END'
case " $* " in
*/004.bin\ *)
	mkdir "${0%/*}/filled" 2>/dev/null && dd if=/dev/zero of="${0%/*}/full/ballast" bs=64k 2>/dev/null
	"${0%/*}/real" "$@" 2>>"${0%/*}/full.err"
	exit
	;;
*\ merge\ *) rm -f "${0%/*}/full/ballast" ;;
esac
END
	submit full/answer "$work"/traces/*
	[ -d "$work/filled" ] && grep -q 'No space left' "$work/full.err" && answered
}

missing_trace_is_named() {
	cp "$work/traces/001.bin" "$work/bad.bin"
	printf 'not a trace' >"$work/bad.bin"
	submit "$1" "$work"/traces/* "$work/bad.bin"
	[ $status = 1 ] && grep -q "^cpidecode: $work/bad.bin: no partial result" "$work/err" || return 1
	[ ! -e "$folder/summary.text" ] || return 1
	submit "$1.allowed" --allow-missing "$work"/traces/* "$work/bad.bin"
	[ $status = 0 ] && grep -q "^# 1 expected trace is missing: $work/bad.bin$" "$folder/summary.text" || return 1
	grep -v '^# 1 expected' "$folder/summary.text" | cmp -s - "$work/whole"
}

wrong_usage_exits_2() {
	for arguments in '' '-o' "-o $work/x" "$work/traces/001.bin" "-o $work/x --report hooks t" \
		"-o $work/x --slice-size 0 t" "-o $work/x --bad t" "-o $work t"; do
		# shellcheck disable=SC2086
		sh "$top/samples/fleet/submit.sh" $arguments >"$work/out" 2>"$work/err"
		[ $? = 2 ] && [ "$(wc -l <"$work/err")" = 1 ] && [ ! -s "$work/out" ] || return 1
	done
}

all='wrong_usage_exits_2 answer_is_that_of_one_machine options_reach_cpidecode'
all="$all reports_have_options_of_their_own killed_task_is_made_again"
all="$all killed_last_job_is_tried_again tasks_may_run_twice damaged_result_is_made_again"
all="$all full_disk_is_survived missing_trace_is_named lost_node_is_replaced"
for name in $tests; do
	case " $all " in *" $name "*) ;; *) echo "fleet: no test $name" >&2; exit 2 ;; esac
done

# seconds_since NANOSECONDS: now; and of the newest of FILE...
seconds_since() {
	since=$1
	shift
	if [ $# -gt 0 ]; then stat -c %.9Y "$@"; else date +%s.%N; fi | sort -n | tail -n 1 |
		awk -v since="$since" '{ printf "%.1f s", $1 - since / 1e9 }'
}

# From the submission to the last trace's partial result, and to the answer, with n2 drained and not, in
# turn. (sbatch --wait notices the end up to 32 s later.)
time_workers() {
	size=$(du -cm "$work"/traces/* | tail -n 1 | cut -f 1)
	echo "$count traces, $size MB; load average $(cut -d ' ' -f 1 /proc/loadavg) on $(nproc) processors"
	for round in 1 2 3; do
		for workers in 1 2; do
			state=RESUME
			[ $workers = 2 ] || state=DRAIN
			scontrol update NodeName=n2 State=$state Reason=time || return 1
			begin=$(date +%s%N)
			submit "time.$round.$workers" "$work"/traces/*
			answered || { count_failure time "$(tail -n 1 "$work/err")"; return 1; }
			echo "workers $workers: partial results $(seconds_since "$begin" "$folder"/parts/0.*)," \
				"answer $(seconds_since "$begin" "$folder/exit")"
		done
	done
	begin=$(date +%s%N)
	"$cpidecode" -j1 "$work"/traces/* >"$work/out" 2>/dev/null
	echo "cpidecode -j1 of all: $(seconds_since "$begin")"
}

mkdir "$work/traces"
count=70 intervals=2000
[ $time = 0 ] || count=24 intervals=200000
i=0
while [ $i -lt $count ]; do
	"$gentrace" -k groups -n $intervals -l 200 -s $i "$(printf '%s/traces/%03d.bin' "$work" $i)" || exit 1
	i=$((i + 1))
done
"$cpidecode" "$work"/traces/* >"$work/whole" 2>/dev/null || exit 1
if ! start_cluster; then
	cat "$work/start.log" >&2
	echo "skipped: fleet: Slurm does not start here"
	exit 77
fi
if [ $time = 1 ]; then
	CPIDECODE=$cpidecode
	export CPIDECODE
	time_workers
	exit
fi
for name in ${tests:-$all}; do
	rm -f "$work/err"
	CPIDECODE=$cpidecode
	export CPIDECODE
	if $name "$name"; then count_pass "$name"; else count_failure "$name" "$(tail -n 1 "$work/err" 2>/dev/null)"; fi
done
tally
